// An answer's text as elements: paragraphs, lists, `code`, **bold** and fences, each set as text. There is no markup that
// makes a link, loads anything or is obeyed; what is none of these stands as it was written. Only a page may know that the
// text of a `code` span names a place of its own, and say where that is.

import { weave } from "./evidence.js";

let placed = () => null;

// `place(text)` gives the address of what a `code` span names, or null.
export function leading(place) {
  placed = place;
}

const FENCE = /^ {0,3}(`{3,})[^`]*$/;
const ITEM = /^( *)([-*]|\d{1,9}[.)]) +(?=\S)/;
const HEAD = /^#{1,6} +(?=\S)/;

// Bring `root` up to date with the text; paragraphs that did not change since are left alone.
export function write(root, text, claims = []) {
  const found = blocks(text);
  let same = 0;
  if (!claims.length) while (same < found.length && root.children[same]?.written === found[same].source) same += 1;
  while (root.children.length > same) root.lastElementChild.remove();
  for (const block of found.slice(same)) {
    const element = shapes[block.kind](block, text, claims);
    element.written = claims.length ? undefined : block.source;
    root.append(element);
  }
}

// The text in blocks: {kind, source, start, end}, a list with its `items` as well. An open fence goes on to the end.
export function blocks(text) {
  const found = [];
  const lines = [];
  for (const [line] of text.matchAll(/[^\n]*\n|[^\n]+/g)) {
    const start = lines.length ? lines.at(-1).end : 0;
    lines.push({ text: line.replace(/\n$/, ""), start, end: start + line.length });
  }
  const add = (kind, start, end, more) => found.push({ kind, start, end, source: text.slice(start, end), ...more });
  for (let at = 0; at < lines.length; ) {
    const first = lines[at];
    const fence = FENCE.exec(first.text);
    let to = at + 1;
    if (!first.text.trim()) {
      at += 1;
      continue;
    }
    if (fence) {
      const closes = (line) => line.trim().length >= fence[1].length && /^`+$/.test(line.trim());
      while (to < lines.length && !closes(lines[to].text)) to += 1;
      add("fence", first.start, lines[Math.min(to, lines.length - 1)].end, {
        inner: [first.end, to > at + 1 ? endOf(lines[to - 1]) : first.end],
      });
      at = to + 1;
      continue;
    }
    if (HEAD.test(first.text)) add("head", first.start + HEAD.exec(first.text)[0].length, endOf(first));
    else if (ITEM.test(first.text)) {
      const ordered = (line) => /\d/.test(ITEM.exec(line)[2]);
      const items = [];
      for (to = at; to < lines.length && lines[to].text.trim(); to += 1) {
        const sign = ITEM.exec(lines[to].text);
        if (sign && sign[1].length < 2 && ordered(lines[to].text) !== ordered(first.text)) break;
        if (sign) items.push({ start: lines[to].start + sign[0].length, end: endOf(lines[to]), deep: sign[1].length > 1 });
        else if (/^ {2,}/.test(lines[to].text)) items.at(-1).end = endOf(lines[to]);
        else break;
      }
      add(ordered(first.text) ? "ordered" : "bullets", first.start, endOf(lines[to - 1]), { items });
    } else {
      while (to < lines.length && lines[to].text.trim() && ![FENCE, ITEM, HEAD].some((sign) => sign.test(lines[to].text))) to += 1;
      add("paragraph", first.start, endOf(lines[to - 1]));
    }
    at = to;
  }
  return found;
}

function endOf(line) {
  return line.start + line.text.length;
}

const shapes = {
  paragraph: (block, text, claims) => filled("p", block, text, claims),
  head: (block, text, claims) => filled("p", block, text, claims, "head"),
  bullets: (block, text, claims) => list("ul", block, text, claims),
  ordered(block, text, claims) {
    const made = list("ol", block, text, claims);
    made.start = parseInt(block.source.trimStart(), 10);
    return made;
  },
  fence({ inner: [start, end] }, text, claims) {
    const made = document.createElement("pre");
    made.tabIndex = 0; // it may scroll
    made.append(...leaf(text, start, end, claims));
    return made;
  },
};

function list(tag, block, text, claims) {
  const made = document.createElement(tag);
  made.append(...block.items.map((item) => filled("li", item, text, claims, item.deep ? "deep" : "")));
  return made;
}

function filled(tag, { start, end }, text, claims, name = "") {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...inline(text, start, end, claims));
  return made;
}

// `code` and **bold** between two places of the text. A sign without its other half is a sign.
function inline(text, start, end, claims) {
  const nodes = [];
  const alone = new Set(); // signs that have no other half any more: each is looked for once
  let plain = start;
  let at = start;
  const take = (tag, from, to, next, inner) => {
    const made = document.createElement(tag);
    made.append(...inner(text, from, to, claims));
    nodes.push(...leaf(text, plain, at, claims), made);
    plain = at = next;
  };
  while (at < end) {
    if (text[at] === "`") {
      let from = at;
      while (from < end && text[from] === "`") from += 1;
      const ticks = text.slice(at, from);
      const to = alone.has(ticks) ? -1 : closing(text, from, end, ticks);
      if (to > from) take("code", from, to, to + ticks.length, named);
      else {
        if (to < 0) alone.add(ticks);
        at = from;
      }
    } else if (text.startsWith("**", at) && /\S/.test(text[at + 2] ?? "") && !/\w/.test(text[at - 1] ?? "")) {
      const to = /^[^\n]*?\S\*\*(?!\w)/.exec(text.slice(at + 2, end))?.[0].length;
      if (to >= 3) take("strong", at + 2, at + to, at + 2 + to, inline);
      else at += 2;
    } else at += 1;
  }
  return [...nodes, ...leaf(text, plain, end, claims)];
}

// Where the same number of ticks, and no more, stands next; -1 where it does not.
function closing(text, from, end, ticks) {
  for (const found of text.slice(from, end).matchAll(/`+/g)) if (found[0] === ticks) return from + found.index;
  return -1;
}

function named(text, start, end, claims) {
  const nodes = leaf(text, start, end, claims);
  const address = placed(text.slice(start, end));
  if (!address) return nodes;
  const link = document.createElement("a");
  link.href = address;
  link.append(...nodes);
  return [link];
}

function leaf(text, start, end, claims) {
  const within = claims
    .filter((claim) => claim.start < end && claim.end > start)
    .map((claim) => ({ ...claim, start: Math.max(claim.start, start) - start, end: Math.min(claim.end, end) - start }));
  return weave(text.slice(start, end), within);
}
