// Ask a tool of the repository: the same one that the chat asks, with the same answer.

import { address } from "./place.js";

const { base } = document.body.dataset;
let noted = () => {};

// A tool said that it cannot; `message` says why, `result` holds the rest of what it said.
export class Refused extends Error {
  constructor(result) {
    super(result?.error ?? "The server did not answer. Load the page again.");
    this.result = result;
  }
}

// `hear(note)` is told what the server says of the age of the index, with each answer.
export function noting(hear) {
  noted = hear;
}

export const at = (place) => address(base, place);

export async function look(tool, values = {}) {
  let told;
  try {
    const response = await fetch(`${base}explorer/${tool}?${new URLSearchParams(values)}`, {
      headers: { accept: "application/json" },
    });
    told = await response.json();
    if (!response.ok) told = { failed: true, result: { error: told.message } };
  } catch {
    throw new Refused(null); // no server, or no JSON: the panel has ended, or another one has its port now
  }
  noted(told.note ?? "");
  if (told.failed) throw new Refused(told.result);
  return told.result;
}
