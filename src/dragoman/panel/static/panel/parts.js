// The parts that views are made of: links to places, sections, lists that go on, source with its lines.

import { make } from "../dragoman/elements.js";
import { at } from "./look.js";

export function link(place, text, name = "") {
  const made = make("a", name, text);
  made.href = at(place);
  return made;
}

export function filled(tag, name, ...content) {
  const made = make(tag, name);
  made.append(...content.filter((each) => each !== null && each !== ""));
  return made;
}

// The path with a link for each folder on it.
export function crumbs(path) {
  const steps = path.split("/");
  const links = steps.flatMap((step, at) => [
    at ? make("span", "", "/") : "",
    link({ file: steps.slice(0, at + 1).join("/") }, step),
  ]);
  const made = filled("nav", "crumbs", link({}, "repository"), make("span", "", "/"), ...links);
  made.setAttribute("aria-label", "Path");
  return made;
}

// A section whose content comes later: `fill(section)` is waited for, and what fails is told in its place.
export function section(title, fill) {
  const made = filled("section", "part", make("h2", "", title));
  const wait = make("p", "soft", "\u2026");
  made.append(wait);
  made.setAttribute("aria-busy", "true");
  fill(made)
    .catch((error) => made.append(make("p", "refused", error.message)))
    .finally(() => {
      wait.remove();
      made.removeAttribute("aria-busy");
    });
  return made;
}

// What the heading of a section says beside its title.
export function count(section, text) {
  section.firstElementChild.append(make("span", "count", text));
}

// A list that goes on where there is more: `page(offset)` gives {rows, next}, rows being nodes.
export async function listed(into, page, nothing) {
  const [list, more] = [make("ul", "rows"), make("button", "quiet", "Show more")];
  const show = async (offset) => {
    more.disabled = true;
    const { rows, next } = await page(offset);
    list.append(...rows.map((row) => (row.tagName === "LI" ? row : filled("li", "", row))));
    more.disabled = false;
    more.hidden = next === undefined;
    more.onclick = () => show(next).catch((error) => more.replaceWith(make("p", "refused", error.message)));
  };
  await show(0);
  into.append(list.childElementCount ? list : make("p", "soft", nothing), more);
}

// What a tool left out because it would have been too much at once.
export function withheld(told) {
  return told.withheld ? make("p", "soft", `Left out here: ${told.withheld.join("; ")}`) : "";
}

export function day(date) {
  return (date ?? "").slice(0, 10);
}

export function plural(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

// Lines of a file with their numbers, each a link to itself.
export function source(path, first, text, marked = null) {
  const made = make("pre", "source");
  made.tabIndex = 0; // it may scroll
  made.append(
    ...text.split("\n").map((content, at) => {
      const number = link({ file: path, line: first + at }, String(first + at), "number");
      const line = filled("span", first + at === marked ? "line marked" : "line", number, make("code", "", content || " "));
      return line;
    }),
  );
  return made;
}

// A commit in one line.
export function commit(one) {
  const { sha, subject, description, author, date, insertions, deletions } = one;
  return filled(
    "li",
    "commit",
    make("time", "", day(date)),
    link({ commit: sha }, description || subject || sha.slice(0, 10)),
    make("span", "soft", author),
    changed(insertions, deletions),
  );
}

export function changed(insertions, deletions) {
  if (insertions === undefined || insertions === null) return "";
  return filled("span", "changed", make("ins", "", `+${insertions}`), " ", make("del", "", `\u2212${deletions}`));
}

// A symbol by its id; a module is its file.
export function symbol(id, text) {
  const [path, inner] = id.split(/::(.*)/s);
  return link(inner === undefined ? { file: path } : { node: id, file: path }, text, "symbol");
}

export function kind(one) {
  return make("span", "kind", one.kind);
}

// The lines of a symbol, after the path where the list is not one of that file anyway.
export function lines(path, { line, end_line: end }, before = `${path}:`) {
  const last = end && end !== line ? `\u2013${end}` : "";
  return link({ file: path, line }, `${before || "line "}${line}${last}`, "soft");
}
