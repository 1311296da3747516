// Which provider and model answer the next message, where the project leaves a choice.

const MANY = 25; // models, above which a box to filter them is shown

export class Choice {
  constructor(root, line, names) {
    this.root = root;
    this.line = line;
    [this.provider, this.model] = root.querySelectorAll("select");
    this.filter = root.querySelector("input");
    this.why = root.querySelector("small");
    this.models = [];
    this.changed = false;
    root.hidden = names.length < 2;
    this.provider.replaceChildren(...names.map((name) => option(name, name.split(".").at(-1))));
    this.provider.onchange = () => this.#fill("");
    this.provider.addEventListener("change", () => (this.changed = true));
    this.model.onchange = () => (this.changed = true);
    this.filter.oninput = () => this.#options(this.model.value);
  }

  // What a conversation has, or the project's default.
  async show(provider, model) {
    if (this.root.hidden) return;
    this.provider.value = provider ?? this.provider.options[0].value;
    this.changed = false;
    await this.#fill(model ?? "");
  }

  // What goes with the next message: only what was chosen since.
  take() {
    if (!this.changed) return {};
    this.changed = false;
    return { provider: this.provider.value, model: this.model.value };
  }

  disable(busy) {
    for (const field of [this.provider, this.model, this.filter]) field.disabled = busy;
  }

  async #fill(model) {
    const provider = this.provider.value;
    const found = await this.line.models(provider).catch(() => null);
    if (provider !== this.provider.value) return; // another one was chosen meanwhile
    this.models = found?.models ?? [];
    this.model.hidden = found !== null && !this.models.length; // the planner is no model
    const why = this.models.length && found.error;
    this.why.textContent = why ? `This list is short: ${why}` : "";
    this.why.hidden = !why;
    this.filter.value = "";
    this.filter.hidden = this.models.length <= MANY;
    this.#options(model);
  }

  #options(model) {
    const words = this.filter.value.toLowerCase();
    const fitting = this.models.filter(({ id, name }) => id === model || `${id} ${name}`.toLowerCase().includes(words));
    this.model.replaceChildren(option("", "Default model"), ...fitting.map(({ id, name }) => option(id, name)));
    this.model.value = fitting.some(({ id }) => id === model) ? model : "";
  }
}

function option(value, text) {
  const made = document.createElement("option");
  made.value = value;
  made.textContent = text;
  return made;
}
