// The conversations of the person, in a side bar: open, rename, delete. Every text is set as text.

export class Side {
  // `gone(id)` is called when a conversation was deleted.
  constructor(root, line, gone) {
    this.list = root.querySelector("ul");
    this.more = root.querySelector("button");
    this.line = line;
    this.gone = gone;
    this.shown = 0;
    this.current = null;
    this.more.onclick = () => this.#show(this.shown);
  }

  mark(id) {
    this.current = id;
    for (const link of this.list.querySelectorAll("a")) {
      if (link.hash === `#${id}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  // Read the first page again.
  refresh() {
    return this.#show(0);
  }

  async #show(offset) {
    const page = await this.line.list(offset).catch(() => null);
    if (!page) return;
    const rows = page.conversations.map((one) => this.#row(one));
    if (offset) this.list.append(...rows);
    else if (!this.list.querySelector("input")) this.list.replaceChildren(...rows); // somebody may be typing a name
    this.shown = page.next_offset ?? 0;
    this.more.hidden = !this.shown;
    this.mark(this.current);
  }

  #row({ conversation_id: id, title, running }) {
    const row = document.createElement("li");
    const link = document.createElement("a");
    link.href = `#${id}`;
    link.textContent = title;
    link.title = title;
    if (running) link.dataset.running = "";
    const rename = tool("\u270e", `Rename ${title}`, () => this.#rename(row, id, title));
    const remove = tool("\u2715", `Delete ${title}`, async () => {
      if (!window.confirm(`Delete "${title}"?`)) return;
      if (!(await this.line.remove(id))) return;
      if (id === this.current) this.gone(id);
      await this.refresh();
    });
    row.append(link, rename, remove);
    return row;
  }

  #rename(row, id, title) {
    const input = document.createElement("input");
    input.value = title;
    input.maxLength = 200;
    input.setAttribute("aria-label", "New name");
    row.replaceChildren(input);
    input.focus();
    input.select();
    let over = false;
    const end = async (keep) => {
      if (over) return;
      over = true;
      if (keep && input.value.trim() && input.value !== title) await this.line.change(id, { title: input.value.trim() });
      input.remove();
      await this.refresh();
    };
    input.onblur = () => end(true);
    input.onkeydown = (event) => {
      if (event.isComposing) return;
      if (event.key === "Enter") end(true);
      if (event.key === "Escape") end(false);
    };
  }
}

function tool(sign, label, act) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet";
  button.textContent = sign;
  button.setAttribute("aria-label", label);
  button.onclick = act;
  return button;
}
