// What an answer's claims rest on: laid over its text, and listed below it. Every text is set as text, never as markup.

const WORDS = {
  cell: "stands in",
  rounded: "rounded from",
  converted: "converted from",
  count: "counted:",
  sum: "computed:",
  average: "computed:",
  share: "computed:",
  difference: "computed:",
  question: "from the question:",
  argument: "asked for in",
  today: "today is",
};

// The claims of an answer for each of its pieces, with places in JavaScript's own units.
export function split(pieces, items) {
  const found = pieces.map(() => []);
  let piece = 0;
  let before = 0; // characters of the pieces before
  let letters = [...(pieces[0] ?? "")];
  for (const item of [...items].sort((one, two) => one.start - two.start)) {
    while (piece < pieces.length && item.start >= before + letters.length) {
      before += letters.length;
      piece += 1;
      letters = [...(pieces[piece] ?? "")];
    }
    if (piece >= pieces.length) break;
    const start = letters.slice(0, item.start - before).join("").length;
    const end = start + letters.slice(item.start - before, item.end - before).join("").length;
    found[piece].push({ ...item, start, end });
  }
  return found;
}

// The text as nodes, each claim in a span that tells its source; one without a source is marked.
export function weave(text, claims) {
  const nodes = [];
  let at = 0;
  for (const claim of claims) {
    if (claim.start < at) continue;
    nodes.push(text.slice(at, claim.start), span(text.slice(claim.start, claim.end), claim));
    at = claim.end;
  }
  nodes.push(text.slice(at));
  return nodes.filter((node) => node !== "");
}

// The same as a list that a keyboard and a screen reader can reach, closed at first; null where nothing is claimed.
export function sources(claims) {
  if (!claims.length) return null;
  const missing = claims.filter((claim) => !claim.source).length;
  const list = document.createElement("details");
  list.className = missing ? "sources missing" : "sources";
  const head = document.createElement("summary");
  head.textContent = missing ? `Sources \u00b7 ${missing} not found in the data` : "Sources";
  const lines = document.createElement("ul");
  for (const claim of claims) {
    const line = document.createElement("li");
    line.textContent = `${claim.text}: ${told(claim)}`;
    if (!claim.source) line.className = "unmatched";
    lines.append(line);
  }
  list.append(head, lines);
  return list;
}

function span(text, claim) {
  const element = document.createElement("span");
  element.className = claim.source ? "claim" : "claim unmatched";
  element.textContent = text;
  element.title = told(claim);
  element.onclick = () => {
    const list = element.closest(".item").querySelector(".sources");
    if (list) list.open = !list.open;
  };
  return element;
}

function told({ how, source }) {
  if (!source) return "not found in the data of this answer";
  const row = source.row === undefined ? "" : `row ${source.row + 1}`;
  const place = [source.tool, row, source.field].filter(Boolean).join(", ");
  return how === "cell" && !source.tool ? source.value : `${WORDS[how] ?? how} ${place ? `${place}: ` : ""}${source.value}`;
}
