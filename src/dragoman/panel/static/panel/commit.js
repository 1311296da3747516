// One commit: what it says, its files, its diff.

import { make } from "../dragoman/elements.js";
import { look } from "./look.js";
import { changed, commit as row, day, filled, link, plural, section, withheld } from "./parts.js";

const SIGNS = { "+": "ins", "-": "del" };

export async function commit({ commit: sha }) {
  const told = await look("get_commit", { sha, diff: "true" });
  if (told.choices) {
    return { title: sha, nodes: [make("p", "soft", "Several begin so:"), filled("ul", "rows", ...told.choices.map(row))] };
  }
  const parents = told.parents.map((parent) => link({ commit: parent }, parent.slice(0, 10)));
  const files = section("Files", async (into) => {
    into.firstElementChild.append(make("span", "count", plural(told.files_changed ?? told.files.length, "file")));
    into.append(filled("ul", "rows", ...told.files.map(file)));
    if (told.files_withheld) into.append(make("p", "soft", `${told.files_withheld} more.`));
  });
  return {
    title: told.subject || told.sha.slice(0, 10),
    nodes: [
      filled("p", "facts", make("code", "", told.sha.slice(0, 10)), ` ${day(told.date)} ${told.author} `, changed(told.insertions, told.deletions)),
      told.description ? make("p", "doc", told.description) : "",
      told.body ? make("p", "doc", told.body) : "",
      told.incomplete ? make("p", "soft", `Not all of it is here: ${told.incomplete}.`) : "",
      parents.length ? filled("p", "soft", parents.length > 1 ? "Merges " : "After ", ...parents.flatMap((each, at) => (at ? [" and ", each] : [each]))) : "",
      files,
      withheld(told),
      told.diff ? section("Diff", async (into) => diff(into, told)) : "",
    ],
  };
}

function file({ path, old_path: old, status, insertions, deletions }) {
  const from = old ? make("span", "soft", `from ${old}`) : "";
  return filled("li", "", make("span", "kind", status), link({ file: path }, path), from, changed(insertions, deletions));
}

function diff(into, { diff: text, diff_clipped: clipped }) {
  const shown = make("pre", "diff");
  shown.tabIndex = 0; // it may scroll
  for (const line of text.split("\n")) {
    const head = /^(diff |index |--- |\+\+\+ |@@)/.test(line);
    shown.append(make(head ? "b" : (SIGNS[line[0]] ?? "span"), "", `${line}\n`));
  }
  into.append(shown);
  if (clipped) into.append(make("p", "soft", "There is more of it."));
}
