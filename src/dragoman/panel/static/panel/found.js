// The search at the top: symbols by name or by words, and lines of text, as one types.

import { make } from "../dragoman/elements.js";
import { look } from "./look.js";
import { count, filled, link, section } from "./parts.js";

const PAUSE = 150; // milliseconds without a key
const MOST = 8;
const LEAST = 3; // letters, below which nearly every line of a repository would have to be read

export class Found {
  // `root` shows what was found, over whatever is below it; `field` is typed in.
  constructor(root, field) {
    this.root = root;
    this.field = field;
    this.timer = null;
    field.oninput = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.#search(), PAUSE);
    };
    field.form.onsubmit = (event) => {
      event.preventDefault();
      root.querySelector("a")?.click();
    };
    document.addEventListener("keydown", (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        field.select();
      } else if (event.key === "Escape") this.close();
      else if (event.key === "ArrowDown" || event.key === "ArrowUp") this.#move(event);
    });
    if (document.activeElement === field) this.#search(); // somebody was quicker than this script
  }

  close() {
    clearTimeout(this.timer);
    this.root.hidden = true;
    this.root.replaceChildren();
  }

  #search() {
    const query = this.field.value.trim();
    if (!query) return this.close();
    const symbols = section("Symbols", async (into) => {
      const { symbols: found, found: number } = await look("search_symbols", { query, limit: MOST });
      count(into, number.toLocaleString("en"));
      into.append(filled("ul", "rows", ...found.map(symbol)));
    });
    const lines =
      query.length >= LEAST &&
      section("In the text", async (into) => {
        const { matches, found } = await look("search_text", { query, limit: MOST });
        count(into, found.toLocaleString("en"));
        into.append(filled("ul", "rows", ...matches.map(line)));
      });
    this.root.replaceChildren(symbols, ...(lines ? [lines] : []));
    this.root.hidden = false;
  }

  // The arrows go through what was found, from the field and back to it.
  #move(event) {
    const stops = [this.field, ...this.root.querySelectorAll("a")];
    const now = stops.indexOf(document.activeElement);
    if (this.root.hidden || now < 0) return;
    event.preventDefault();
    stops[Math.min(Math.max(now + (event.key === "ArrowDown" ? 1 : -1), 0), stops.length - 1)].focus();
  }
}

function symbol({ id, name, kind, path, line }) {
  const place = id.includes("::") ? { node: id, file: path } : { file: path };
  return filled("li", "", link(place, name, "symbol"), make("span", "kind", kind), make("span", "soft", `${path}:${line}`));
}

function line({ path, line: number, text }) {
  return filled("li", "", link({ file: path, line: number }, `${path}:${number}`), make("code", "soft", text.trim()));
}
