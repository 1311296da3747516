// The page: state in, elements out. Every text is set as text, never as HTML.

import { figure } from "./chart.js";
import { Choice } from "./choice.js";
import { make } from "./elements.js";
import { sources } from "./evidence.js";
import { Line } from "./line.js";
import { menu } from "./menu.js";
import { write } from "./prose.js";
import { empty, reduce } from "./reduce.js";
import { acts } from "./revise.js";
import { Side } from "./side.js";

const at = (id) => document.getElementById(id);
const [scroll, thread, welcome, busy, banner] = ["scroll", "thread", "welcome", "busy", "banner"].map(at);
const [composer, text, send, stop, spoken] = ["composer", "text", "send", "stop", "spoken"].map(at);
const { base, token } = document.body.dataset;

let state = empty;
let drawn = { items: new Map(), spoken: "" };
let due = false;
let replaying = false;
// A stranger's socket comes with the cookie of a session that is kept once they speak. Until then a request that carries it
// would have it taken away again, and the conversation would be nobody's: so they get theirs with the first message.
let known = "known" in document.body.dataset;

const AGAIN = 1000; // milliseconds after a lost line until the server is asked whether the answer goes on

const line = new Line(base, token, apply, () => {
  apply({ type: "lost", message: "The line was lost. What was said so far is kept; load the page to see it, or ask again." });
  setTimeout(async () => {
    const id = state.conversationId;
    if (!id || state.busy) return;
    const found = await line.replay(id).catch(() => null);
    if (found?.run_id && id === state.conversationId && !state.busy) load();
  }, AGAIN);
});
const side = new Side(at("side"), line, () => fresh());
const choice = new Choice(at("choice"), line, (document.body.dataset.providers ?? "").split(" ").filter(Boolean));

function apply(frame) {
  const before = state.conversationId;
  state = reduce(state, frame);
  if (state.conversationId !== before && state.conversationId) {
    history.replaceState(null, "", `#${state.conversationId}`);
    side.mark(state.conversationId);
  }
  if (frame.type === "done" && !replaying) side.refresh();
  if (!due) {
    due = true;
    requestAnimationFrame(draw);
  }
}

// Drawing --------------------------------------------------------------------------------------------------------------

function draw() {
  due = false;
  const atEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 48;
  const items = new Map();
  for (const item of state.items) {
    const known = drawn.items.get(item.key);
    const element = known?.element ?? document.createElement("div");
    if (known?.item !== item) show(element, item, known?.item);
    if (!known) thread.append(element);
    items.set(item.key, { item, element });
  }
  for (const [key, { element }] of drawn.items) if (!items.has(key)) element.remove();
  drawn.items = items;

  const last = state.items.at(-1);
  welcome.hidden = state.items.length > 0;
  busy.hidden = !state.busy || last?.kind === "text";
  send.hidden = state.busy;
  stop.hidden = !state.busy;
  choice.disable(state.busy);
  const newest = state.items.findLast((item) => item.kind === "user");
  for (const { item, element } of items.values()) {
    if (item.kind !== "user") continue;
    for (const button of element.querySelectorAll("button")) button.disabled = state.busy;
    element.classList.toggle("newest", item === newest);
  }
  stop.disabled = !state.conversationId;
  banner.hidden = !state.trouble;
  banner.firstElementChild.textContent = state.trouble?.message ?? "";
  if (state.spoken !== drawn.spoken) spoken.textContent = drawn.spoken = state.spoken;
  if (atEnd) scroll.scrollTop = scroll.scrollHeight;
}

function show(element, item, before) {
  element.className = `item ${item.kind}`;
  shapes[item.kind](element, item, before);
}

const shapes = {
  user(element, item) {
    element.classList.toggle("pending", Boolean(item.pending));
    element.replaceChildren(make("p", "", item.text));
    if (!item.pending) element.append(acts(element, item, revise));
  },

  text(element, item, before) {
    if (!before) element.replaceChildren(make("div", "prose"), make("small"));
    const [body, foot] = element.children;
    write(body, item.text, item.claims);
    const list = item.claims && item.claims !== before?.claims && sources(item.claims);
    if (list) element.append(list);
    const { provider, model, tokens } = item.signature ?? {};
    foot.textContent = [provider, model, tokens && `${tokens.toLocaleString()} tokens`].filter(Boolean).join(" \u00b7 ");
  },

  thinking(element, item, before) {
    if (!before) element.replaceChildren(fold("Thought", make("p")));
    element.querySelector("p").textContent = item.text;
  },

  tool(element, item, before) {
    if (!before) {
      const card = fold(item.name, make("h3", "", "Arguments"), json(item.args));
      card.firstElementChild.append(make("span", "gist", gist(item.args)), make("span", "state"));
      element.replaceChildren(card);
    }
    const card = element.firstElementChild;
    card.dataset.state = item.state;
    card.querySelector(".state").textContent = summary(item);
    if (item.result !== undefined && card.childElementCount < 4) {
      card.append(make("h3", "", "Result"), ...result(item.result));
      const chart = figure(item.result?.chart);
      if (chart) element.append(chart);
    }
  },

  confirm(element, item) {
    element.dataset.state = item.state;
    const exact = [make("h3", "", item.mutation), json(item.input)];
    if (item.state !== "open") {
      const card = fold(item.reason ?? "Decided", ...exact);
      card.firstElementChild.append(make("span", "gist", item.mutation));
      return element.replaceChildren(card);
    }
    const [yes, no] = [make("button", "strong", "Confirm"), make("button", "", "Reject")];
    yes.onclick = () => decide(item.id, true);
    no.onclick = () => decide(item.id, false);
    const row = make("div", "row");
    row.append(yes, no, clock(item.expiresAt, [yes, no]));
    element.setAttribute("role", "group");
    element.setAttribute("aria-label", `Confirm ${item.mutation}`);
    return element.replaceChildren(make("p", "ask", "Shall this change be made?"), ...exact, row);
  },

  notice(element, item) {
    element.classList.add(item.tone);
    element.textContent = item.text;
  },
};

function fold(title, ...content) {
  const details = make("details");
  const head = make("summary");
  head.append(make("b", "", title));
  details.append(head, ...content);
  return details;
}

function json(value) {
  return make("pre", "", spread(value));
}

// JSON in lines; whatever fits on one stays on it.
function spread(value, indent = "") {
  const short = JSON.stringify(value, null, 1)?.replace(/\n */g, " ") ?? "null";
  if (value === null || typeof value !== "object" || short.length + indent.length <= 76) return short;
  const inner = indent + "  ";
  const lines = Array.isArray(value)
    ? value.map((item) => inner + spread(item, inner))
    : Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${spread(item, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}

// The arguments in one line, for the closed card.
function gist(args) {
  return Object.values(args ?? {})
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join(" \u00b7 ");
}

function summary({ state: how, result: value }) {
  if (how === "lost") return "no result";
  if (how === "done" && Array.isArray(value?.rows)) {
    const total = value.total_count ?? value.rows.length;
    return `${total.toLocaleString()} ${total === 1 ? "row" : "rows"}`;
  }
  return how;
}

function result(value) {
  const rows = value?.rows;
  if (!Array.isArray(rows) || !rows.length || typeof rows[0] !== "object") return [json(value)];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const table = make("table");
  table.append(line_of("th", columns), ...rows.map((row) => line_of("td", columns.map((name) => cell(row[name])))));
  const frame = make("div", "table");
  frame.append(table);
  const { rows: _, ...rest } = value;
  return [frame, json(rest)];
}

function line_of(tag, texts) {
  const row = make("tr");
  row.append(...texts.map((content) => make(tag, "", content)));
  return row;
}

function cell(value) {
  if (value === null || value === undefined) return "\u2013";
  if (typeof value !== "object") return String(value);
  if ("value" in value && "unit" in value) return `${value.value} ${value.unit}`;
  return JSON.stringify(value);
}

function clock(expiresAt, buttons) {
  const left = make("span", "left");
  const tick = () => {
    const seconds = Math.ceil((expiresAt - Date.now()) / 1000);
    left.textContent = seconds > 0 ? `${seconds} s left` : "Time is up";
    if (seconds > 0) return;
    clearInterval(timer);
    for (const button of buttons) button.disabled = true;
  };
  const timer = setInterval(() => (left.isConnected ? tick() : clearInterval(timer)), 500);
  tick();
  return left;
}

// Acting ---------------------------------------------------------------------------------------------------------------

function ask() {
  const said = text.value.trim();
  if (!said || state.busy) return;
  text.value = "";
  known = true;
  fit();
  apply({ type: "sent", text: said });
  scroll.scrollTop = scroll.scrollHeight;
  line.ask(said, state.conversationId, choice.take()).catch(() => apply({ type: "lost", message: "The server cannot be reached." }));
}

async function revise(item, words) {
  if (state.busy) return;
  const chosen = choice.take();
  apply({ type: "revised", id: item.key, text: words ?? item.text });
  text.focus(); // the pressed button goes away
  try {
    if (chosen.provider) await line.change(state.conversationId, chosen);
    await line.revise(item.key, words);
  } catch {
    apply({ type: "lost", message: "The server cannot be reached." });
  }
}

function decide(id, confirmed) {
  text.focus(); // the pressed button goes away
  apply({ type: "decided", id, confirmed });
  line.decide(id, confirmed).catch(() => apply({ type: "lost", message: "The server cannot be reached." }));
}

let loads = 0;

const UNHEARD = "This is being answered in another tab. Load the page again to see the answer.";
const CUT_OFF = "The last answer was cut off. Ask again.";

async function load() {
  const id = location.hash.slice(1);
  const mine = ++loads;
  line.hangUp();
  reset();
  side.mark(id);
  if (!id) choice.show();
  if (id) {
    const found = await line.replay(id).catch(() => null);
    if (mine !== loads) return; // somebody went on to another one meanwhile
    if (found) {
      state = { ...empty, conversationId: id };
      replaying = true;
      found.frames.filter((frame) => frame.run_id !== found.run_id).forEach(apply); // that run tells itself, below
      replaying = false;
      drawn.spoken = state.spoken; // an answer of the past is not read out again
      side.mark(id);
      choice.show(found.provider, found.model);
      if (found.run_id) await line.attach(id, found.run_id).catch(() => {});
      else if (state.busy) apply({ type: "lost", message: found.running ? UNHEARD : CUT_OFF });
    } else {
      history.replaceState(null, "", location.pathname);
      apply({ type: "error", message: "That conversation is not there, or is not yours.", run_id: null });
    }
  }
  if (known) await line.warm();
}

function fresh() {
  history.pushState(null, "", location.pathname);
  menu(false);
  load();
  text.focus();
}

function reset() {
  state = empty;
  apply({ type: "dismissed" });
}

function fit() {
  text.style.height = "auto";
  text.style.height = `${Math.min(text.scrollHeight, 200)}px`;
}

composer.onsubmit = (event) => {
  event.preventDefault();
  ask();
};
text.oninput = fit;
text.onkeydown = (event) => {
  // While an input method composes, Enter belongs to it (229 is how some browsers say so).
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  ask();
};
stop.onclick = () => line.stop(state.conversationId);
at("fresh").onclick = fresh;
banner.lastElementChild.onclick = () => apply({ type: "dismissed" });
window.onpopstate = load;

load();
side.refresh();
