// What there is of one symbol.

import { make } from "../dragoman/elements.js";
import { history } from "./history.js";
import { look } from "./look.js";
import { count, crumbs, filled, kind, lines, link, plural, section, source, symbol, withheld } from "./parts.js";

// A symbol with who calls it on one side and what it calls on the other.
export async function node({ node: name, file }) {
  let told = await look("get_symbol", { name });
  const here = told.choices?.filter((one) => one.path === file);
  if (here?.length === 1) told = await look("get_symbol", { name: here[0].id });
  if (told.choices) return choices(name, told);
  const one = told.symbol;
  const [, inner] = one.id.split(/::(.*)/s);
  const title = inner ?? one.name;
  const from = one.parent && one.parent !== one.path ? symbol(one.parent, one.parent.split("::")[1]) : "";
  return {
    title,
    path: one.path,
    heading: filled("h1", "", make("code", "", title), kind(one)),
    nodes: [
      crumbs(one.path),
      filled("p", "where", lines(one.path, one), from && filled("span", "soft", "in ", from)),
      one.signature && make("pre", "", one.signature),
      one.doc && make("p", "doc", one.doc),
      one.not_indexed && make("p", "soft", one.not_indexed),
      filled(
        "div",
        "columns",
        section("Called by", (into) => calls(into, "get_callers", one.id)),
        section("Calls", (into) => calls(into, "get_callees", one.id)),
      ),
      one.members.length ? section("Members", (into) => members(into, one)) : "",
      one.source ? section("Source", async (into) => into.append(source(one.path, one.line, one.source))) : "",
      withheld(told),
      section("History", (into) => history(into, one.id)),
    ],
  };
}

function choices(name, { choices: found, found: number }) {
  const rows = found.map((one) => filled("li", "", symbol(one.id, one.id), kind(one), lines(one.path, one)));
  const more = number > found.length ? make("p", "soft", `${number - found.length} more. Name the file as well.`) : "";
  return { title: name, nodes: [make("p", "soft", "Several are called so:"), filled("ul", "rows", ...rows), more] };
}

async function members(into, { id, members: shown, members_found: found, path }) {
  count(into, plural(found ?? shown.length, "member"));
  const rows = shown.map((one) => {
    const whole = `${id}${id.includes("::") ? "." : "::"}${one.name}`;
    return filled("li", "", symbol(whole, one.name), kind(one), lines(path, one, ""));
  });
  into.append(filled("ul", "rows", ...rows));
  if (found) into.append(make("p", "soft", `${found - shown.length} more stand in the source.`));
}

const GROUPS = [
  ["callers", "found", ""],
  ["callees", "found", ""],
  ["possible", "possible_found", "Possible: the name fits, nothing more"],
  ["references", "references_found", "Named without a call"],
  ["unresolved", "unresolved_found", "Leads nowhere that is known"],
];

// Both directions: what is sure, and apart from it what is not.
async function calls(into, tool, name) {
  const lists = new Map();
  const more = make("button", "quiet", "Show more");
  const show = async (offset) => {
    const told = await look(tool, { name, offset });
    if (!offset) count(into, told.found.toLocaleString("en"));
    for (const [key, total, title] of GROUPS) {
      if (!told[key]?.length) continue;
      if (!lists.has(key)) {
        if (title) into.insertBefore(filled("h3", "", title, make("span", "count", told[total].toLocaleString("en"))), more);
        lists.set(key, filled("ul", `rows ${key}`));
        into.insertBefore(lists.get(key), more);
      }
      lists.get(key).append(...told[key].map((one) => end(one)));
    }
    if (!offset && !lists.size) into.insertBefore(make("p", "soft", "Nothing found."), more);
    if (!offset && told.note) into.insertBefore(make("p", "soft", told.note), more);
    more.hidden = told.next_offset === undefined;
    more.onclick = () => show(told.next_offset).catch((error) => more.replaceWith(make("p", "refused", error.message)));
  };
  into.append(more);
  await show(0);
}

function end({ id, path, line, text: written }) {
  if (id === undefined) return filled("li", "", make("code", "", written), make("span", "soft", `line ${line}`));
  const [, inner] = id.split(/::(.*)/s);
  return filled("li", "", symbol(id, inner ?? id.split("/").at(-1)), link({ file: path, line }, `${path}:${line}`, "soft"));
}
