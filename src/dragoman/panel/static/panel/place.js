// Places of the Explorer: a symbol, a file or folder, a line of it, a commit. An address says all of it.

const KEYS = ["node", "file", "line", "commit"];

// What the query of an address says: {node, file, line, commit}, null for what it does not say.
export function here(query) {
  const said = new URLSearchParams(query);
  return Object.fromEntries(KEYS.map((key) => [key, said.get(key)]));
}

// The address of a place. Every name comes back from it as it was.
export function address(base, place) {
  const query = new URLSearchParams();
  for (const key of KEYS) if (place[key] !== null && place[key] !== undefined) query.set(key, place[key]);
  return `${base}explorer${query.size ? `?${query}` : ""}`;
}

const SHA = /^(?=.*\d)(?=.*[a-f])[0-9a-f]{7,40}$/;
const SYMBOL = /^([^:\n]+\.\w+)::[^\n]+$/;
const LINE = /^([^:\n]*[./][^:\n]*[A-Za-z][^:\n]*):(\d{1,7})(?:[-\u2013]\d+)?$/;
const FOLDER = /^([^\s:/][^\s:]*)\/$/;
const FILE = /^(?:[^\s:/]+\/)+[^\s:/]+\.\w+$/;

// The place that a `code` span of an answer names, by its shape alone, or null.
export function named(text) {
  if (SHA.test(text)) return { commit: text };
  const symbol = SYMBOL.exec(text);
  if (symbol) return { node: text, file: symbol[1] };
  const line = LINE.exec(text);
  if (line) return { file: line[1], line: line[2] };
  const folder = FOLDER.exec(text);
  if (folder) return { file: folder[1] };
  return FILE.test(text) ? { file: text } : null;
}
