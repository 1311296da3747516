// What a conversation looks like after a frame: one pure function, for live frames and replayed ones alike.
//
// An item of the thread is one of
//   {kind: "user", key, text, pending}
//   {kind: "text", key, run, text, signature, claims}
//   {kind: "thinking", key, run, text}
//   {kind: "tool", key, id, name, args, state: "running" | "waiting" | "done" | "failed" | "cancelled" | "lost", result}
//   {kind: "confirm", key, id, mutation, input, expiresAt, state: "open" | "sent" | "confirmed" | "cancelled", reason}
//   {kind: "notice", key, tone: "error" | "plain", text}
// An item that did not change is the same object as before, so that a view can tell.

import { split } from "./evidence.js";

export const empty = Object.freeze({
  conversationId: null,
  items: [],
  busy: false,
  trouble: null, // what the banner says: {message, code}
  spoken: "", // the last whole answer, for a screen reader
  failed: false, // whether the running turn told an error
  made: 0, // items until now, for their keys
  replaced: null, // the items before a message was asked anew, until the server has taken it
});

export function reduce(state, frame) {
  const next = handlers[frame.type]?.(state, frame) ?? state;
  const id = frame.conversation_id;
  return id && id !== next.conversationId && frame.run_id ? { ...next, conversationId: id } : next;
}

const ENDINGS = {
  stopped: "Stopped.",
  interrupted: "Interrupted: the line was lost while this was being written.",
};

const REASONS = {
  user_rejected: "Rejected",
  confirmation_timed_out: "Not answered in time",
  superseded: "Given up by a new message",
  confirmation_unsupported: "Could not be asked for",
};

const handlers = {
  // From the page itself.
  sent: (state, { text }) => ({
    ...add(state, { kind: "user", text, pending: true }),
    busy: true,
    failed: false,
  }),
  revised(state, { id, text }) {
    const at = state.items.findIndex((item) => item.kind === "user" && item.key === id);
    const before = { ...state, items: state.items.slice(0, at), replaced: state.items };
    return { ...add(before, { kind: "user", text, pending: true }), busy: true, failed: false };
  },
  decided: (state, { id, confirmed }) => ({
    ...change(state, "confirm", id, { state: "sent", reason: confirmed ? "Confirmed" : "Rejected" }),
    busy: true,
  }),
  lost: (state, { message }) => ({
    ...state,
    items: state.items.map((item) => (item.state === "running" ? { ...item, state: "lost" } : settled(item))),
    replaced: null,
    busy: false,
    trouble: { message, code: "line_lost" },
  }),
  dismissed: (state) => ({ ...state, trouble: null }),

  // From the server.
  user_message: (state, { id, text }) => ({
    ...add({ ...state, items: state.items.filter((item) => !item.pending) }, { kind: "user", key: id, text }),
    replaced: null,
    busy: true,
    failed: false,
  }),
  text_chunk: (state, { run_id, content }) => grow(state, "text", run_id, content),
  thinking: (state, { run_id, content }) => grow(state, "thinking", run_id, content),
  tool_call: (state, { id, name, args }) => add(state, { kind: "tool", id, name, args, state: "running" }),
  tool_result(state, frame) {
    const result = "result" in frame ? frame.result : frame.data;
    const outcome = outcomeOf(result);
    const told = change(state, "tool", frame.id, { state: outcome, result });
    const reason = outcome === "cancelled" ? (REASONS[result.reason] ?? "Cancelled") : "Confirmed";
    const decision = { state: outcome === "cancelled" ? "cancelled" : "confirmed", reason };
    return change(told, "confirm", frame.id, decision);
  },
  confirm_mutation: (state, { id, mutation, input, expires_at }) => ({
    ...add(change(state, "tool", id, { state: "waiting" }), {
      kind: "confirm", id, mutation, input, expiresAt: Date.parse(expires_at), state: "open",
    }),
    busy: false,
  }),
  round_limit: (state, { rounds }) =>
    add(state, {
      kind: "notice",
      tone: "plain",
      text: `All ${rounds} rounds are used; the answer is written from what was found.`,
    }),
  error(state, { run_id, message, code }) {
    if (run_id) {
      return { ...add(state, { kind: "notice", tone: "error", text: message }), failed: true };
    }
    const items = (state.replaced ?? state.items).filter((item) => !item.pending).map(settled);
    return { ...state, items, replaced: null, busy: false, trouble: { message, code } };
  },
  evidence(state, { run_id, items }) {
    const lastTool = state.items.findLastIndex((item) => item.kind === "tool" || item.kind === "confirm");
    const pieces = state.items.filter((item, at) => item.kind === "text" && item.run === run_id && at > lastTool);
    const claims = split(pieces.map((piece) => piece.text), items);
    const known = state.items.map((item) =>
      pieces.includes(item) ? { ...item, claims: claims[pieces.indexOf(item)] } : item,
    );
    return { ...state, items: known };
  },
  done(state, { finish_reason, run_id, provider, model, usage }) {
    const ending = ENDINGS[finish_reason];
    const ended = ending ? add(state, { kind: "notice", tone: "plain", text: ending }) : state;
    const texts = state.items.filter((item) => item.kind === "text" && item.run === run_id);
    const last = texts.at(-1);
    const signature = { provider, model, tokens: (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0) };
    const good = !state.failed && !ending;
    return {
      ...ended,
      items: ended.items.map((item) => (item === last ? { ...item, signature } : item)),
      busy: false,
      trouble: good ? null : state.trouble,
      spoken: last?.text ?? ended.items.at(-1)?.text ?? "",
      failed: false,
    };
  },
};

function add(state, item) {
  const key = item.key ?? `${item.kind}-${item.id ?? state.made}`;
  return { ...state, made: state.made + 1, items: [...state.items, { ...item, key }] };
}

function grow(state, kind, run, content) {
  const last = state.items.at(-1);
  if (last?.kind !== kind || last.run !== run) return add(state, { kind, run, text: content });
  return { ...state, items: [...state.items.slice(0, -1), { ...last, text: last.text + content }] };
}

function change(state, kind, id, values) {
  const items = state.items.map((item) => (item.kind === kind && item.id === id ? { ...item, ...values } : item));
  return { ...state, items };
}

// A decision that was on its way when the line broke may not have arrived: it can be given again.
function settled(item) {
  return item.kind === "confirm" && item.state === "sent" ? { ...item, state: "open", reason: undefined } : item;
}

function outcomeOf(result) {
  if (result?.status === "cancelled") return "cancelled";
  return result && typeof result === "object" && "error" in result ? "failed" : "done";
}
