// What there is of the whole repository, of a folder and of a file. Each view gives {title, nodes}, and where they are not
// what the title and the address say the `heading` and the `path` of the file.

import { make } from "../dragoman/elements.js";
import { history } from "./history.js";
import { look } from "./look.js";
import { commit, count, crumbs, filled, kind, lines, link, listed, plural, section, source, symbol, withheld } from "./parts.js";

const AHEAD = 20; // lines shown before the one that was asked for

export async function overview() {
  const told = await look("get_repo_overview");
  const years = told.first_commit && `${told.first_commit.slice(0, 10)} to ${told.last_commit.slice(0, 10)}`;
  const facts = [
    plural(told.commits, "commit"),
    `by ${plural(told.authors, "author")}`,
    years,
    `on ${told.branch}`,
    plural(told.files, "file"),
    plural(told.symbols, "symbol"),
    plural(told.calls, "call"),
  ];
  const languages = section("Languages", (into) =>
    listed(into, async () => ({ rows: told.languages.map(language) }), "No language that is known here."),
  );
  const recent = section("Newest commits", async (into) => {
    const { commits, branch } = await look("list_recent_activity", { limit: 30 });
    count(into, branch ?? "");
    await listed(into, async () => ({ rows: commits.map(commit) }), "No commit yet.");
  });
  const skipped = Object.entries(told.skipped ?? {}).map(([reason, number]) => `${number} ${reason}`);
  return {
    title: "",
    heading: make("h1", "", told.name),
    nodes: [
      make("p", "facts", facts.filter(Boolean).join(" \u00b7 ")),
      skipped.length ? make("p", "soft", `Not indexed: ${skipped.join(", ")}.`) : "",
      told.history_note ? make("p", "soft", told.history_note) : "",
      told.incomplete_commits ? make("p", "soft", `${plural(told.incomplete_commits, "commit")} without all of its files or lines.`) : "",
      filled("div", "columns", recent, languages),
    ],
  };
}

function language({ language: name, files, lines, symbols }) {
  const facts = [plural(files, "file"), plural(lines, "line"), plural(symbols, "symbol")].join(" \u00b7 ");
  return filled("li", "", make("b", "", name), make("span", "soft", facts));
}

// A file or a folder: what it holds, its text, and its history.
export async function area({ file, line }) {
  const nodes = [crumbs(file)];
  const outline = await look("get_area_outline", { path: file }).catch((error) => error);
  const isFile = outline.files?.length === 1 && outline.files[0].path === file;
  if (outline instanceof Error || isFile) nodes.push(section("Source", (into) => text(into, file, Number(line) || null)));
  if (!(outline instanceof Error)) {
    const held = section("Symbols", async (into) => {
      count(into, plural(outline.symbol_count, "symbol"));
      holds(into, outline, isFile);
      into.append(withheld(outline));
    });
    if (isFile) nodes.splice(1, 0, held);
    else nodes.push(held);
  }
  nodes.push(section("History", (into) => history(into, file)));
  return { title: file.split("/").at(-1), nodes };
}

function holds(into, { shape, files, folders }, isFile) {
  if (shape === "symbols") {
    for (const { path, commits, symbols } of files) {
      if (!isFile) into.append(filled("h3", "", link({ file: path }, path), make("span", "soft", plural(commits, "commit"))));
      const rows = symbols.map((one) => filled("li", "", symbol(`${path}::${one.name}`, one.name), kind(one), lines(path, one, "")));
      if (rows.length) into.append(filled("ul", "rows", ...rows));
      else if (isFile) into.append(make("p", "soft", "No symbol that is known here."));
    }
    return;
  }
  const rows = (files ?? folders).map((one) => {
    const facts = [one.files && plural(one.files, "file"), plural(one.symbol_count, "symbol"), plural(one.commits, "commit")];
    return filled("li", "", link({ file: one.path }, one.path), make("span", "soft", facts.filter(Boolean).join(" \u00b7 ")));
  });
  into.append(filled("ul", "rows", ...rows));
}

async function text(into, path, marked) {
  const from = marked ? Math.max(1, marked - AHEAD) : 1;
  const told = await look("read_file", { path, offset: from });
  count(into, plural(told.total_lines, "line"));
  const shown = source(path, told.first_line, told.text, marked);
  const before = told.first_line > 1 ? link({ file: path, line: Math.max(1, told.first_line - AHEAD) }, "Lines before") : "";
  const more = make("button", "quiet", "Show more");
  const next = (offset) => {
    more.hidden = offset === undefined;
    more.onclick = async () => {
      more.disabled = true;
      const page = await look("read_file", { path, offset }).catch((error) => make("p", "refused", error.message));
      if (page instanceof Node) return more.replaceWith(page);
      shown.append(...source(path, page.first_line, page.text).childNodes);
      more.disabled = false;
      return next(page.next_offset);
    };
  };
  next(told.next_offset);
  into.append(before, shown, more);
}
