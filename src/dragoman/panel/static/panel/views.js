// What there is to see: the whole repository, a folder or a file, a symbol. Each view gives {title, nodes}, and where they
// are not what the title and the address say the `heading` and the `path` of the file.

import { make } from "../dragoman/elements.js";
import { look } from "./look.js";
import { commit, count, crumbs, filled, link, listed, plural, section, source } from "./parts.js";

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

async function history(into, path) {
  const page = async (offset) => {
    const told = await look("get_area_history", { path, limit: 20, offset });
    if (!offset) {
      count(into, plural(told.found, "commit"));
      if (told.renamed_to) into.append(filled("p", "soft", "Renamed to ", link({ file: told.renamed_to }, told.renamed_to)));
      if (told.also_known_as?.length) into.append(make("p", "soft", `Before: ${told.also_known_as.join(", ")}`));
    }
    return { rows: told.commits.map(commit), next: told.next_offset };
  };
  await listed(into, page, "No commit touched it.");
}

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

function symbol(id, text) {
  const [path, inner] = id.split(/::(.*)/s);
  return link(inner === undefined ? { file: path } : { node: id, file: path }, text, "symbol");
}

function kind(one) {
  return make("span", "kind", one.kind);
}

// The lines of a symbol, after the path where the list is not one of that file anyway.
function lines(path, { line, end_line: end }, before = `${path}:`) {
  const last = end && end !== line ? `\u2013${end}` : "";
  return link({ file: path, line }, `${before || "line "}${line}${last}`, "soft");
}

