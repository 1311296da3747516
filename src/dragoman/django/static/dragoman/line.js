// The line to the server: a WebSocket, or a POST answered by a stream of events where none can be opened.

const OPENING = 5000; // milliseconds
const EVENTS = "text/event-stream";
const OPEN = 1; // of WebSocket.readyState

export class Line {
  // `hear(frame)` is called for each frame, `lost()` when an answer broke off.
  constructor(base, token, hear, lost) {
    this.base = base;
    this.token = token;
    this.hear = hear;
    this.lost = lost;
    this.socket = null;
    this.opening = null;
    this.usesEvents = !("WebSocket" in window);
    this.everOpened = false;
    this.answering = false;
    this.reading = null;
  }

  // Open the socket before it is needed; a page that stays silent leaves nothing behind on the server.
  async warm() {
    if (!this.usesEvents) await this.#open();
  }

  async ask(text, conversationId, choice = {}) {
    const frame = { type: "message", text, ...choice };
    if (conversationId) frame.conversation_id = conversationId;
    if (await this.#say(frame)) return;
    if (!conversationId) {
      const begun = await this.#post("conversations/", {});
      if (!begun.ok) return this.#refused(begun);
      frame.conversation_id = (await begun.json()).conversation_id;
    }
    await this.#stream("", frame);
  }

  // Ask a message anew, in other words where there are some; it and what came after it are replaced.
  async revise(messageId, text) {
    const kind = text === undefined ? "regenerate" : "edit";
    const frame = { type: kind, message_id: messageId, ...(text !== undefined && { text }) };
    if (!(await this.#say(frame))) await this.#stream(`${kind}/`, frame);
  }

  async decide(id, confirmed) {
    const frame = { type: "confirm", confirmation_id: id, confirmed };
    if (!(await this.#say(frame))) await this.#stream("confirm/", frame);
  }

  async stop(conversationId) {
    if (this.socket?.readyState === OPEN) this.socket.send(JSON.stringify({ type: "stop", conversation_id: conversationId }));
    else await this.#post("stop/", { conversation_id: conversationId });
  }

  // A stored conversation with its frames, or null where there is none of that id.
  replay(conversationId) {
    return this.#get(`conversations/${encodeURIComponent(conversationId)}/`);
  }

  // Hear a run that goes on, from its first frame.
  async attach(conversationId, runId) {
    const frame = { type: "attach", conversation_id: conversationId, run_id: runId, after_seq: 0 };
    if (await this.#say(frame)) return;
    await this.#read((signal) =>
      fetch(`${this.base}conversations/${conversationId}/runs/${runId}/?after=0`, { signal, headers: { accept: EVENTS } }),
    );
  }

  list(offset) {
    return this.#get(`conversations/?limit=30&offset=${offset}`);
  }

  models(provider) {
    return this.#get(`models/?provider=${encodeURIComponent(provider)}`);
  }

  async change(conversationId, values) {
    const path = `conversations/${encodeURIComponent(conversationId)}/`;
    return (await this.#send("PATCH", path, values)).ok;
  }

  async remove(conversationId) {
    return (await this.#send("DELETE", `conversations/${encodeURIComponent(conversationId)}/`, {})).ok;
  }

  async #get(path) {
    const response = await fetch(this.base + path, { headers: { accept: "application/json" } });
    return response.ok ? response.json() : null;
  }

  // A new chat takes a new socket: the server begins a conversation with its first message.
  hangUp() {
    this.answering = false;
    this.reading?.abort();
    this.socket?.close();
    this.socket = null;
  }

  async #say(frame) {
    if (this.usesEvents || !(await this.#open())) return false;
    this.answering = true;
    this.socket.send(JSON.stringify(frame));
    return true;
  }

  // Of two that need a socket at once both get the same one: each new one of an anonymous visitor begins a session of its own.
  async #open() {
    if (this.socket?.readyState === OPEN) return true;
    this.opening ??= this.#opened().finally(() => (this.opening = null));
    return this.opening;
  }

  #opened() {
    return new Promise((resolve) => {
      const url = new URL(this.base, location.href);
      url.protocol = url.protocol.replace("http", "ws");
      const socket = new WebSocket(url);
      const late = setTimeout(() => socket.close(), OPENING);
      let opened = false;
      socket.onopen = () => {
        clearTimeout(late);
        opened = this.everOpened = true;
        this.socket = socket;
        resolve(true);
      };
      socket.onmessage = (event) => this.#heard(JSON.parse(event.data));
      socket.onclose = () => {
        clearTimeout(late);
        if (!opened) {
          // Where a socket never opened, none will; where one did, the next message may find the way again.
          this.usesEvents = !this.everOpened;
          resolve(false);
        } else if (this.socket === socket) {
          this.socket = null;
          this.#broke();
        }
      };
    });
  }

  #stream(path, body) {
    return this.#read((signal) => this.#post(path, body, EVENTS, signal));
  }

  async #read(request) {
    this.answering = true;
    this.reading = new AbortController();
    try {
      const response = await request(this.reading.signal);
      if (!response.ok || !response.headers.get("content-type")?.startsWith(EVENTS)) {
        return await this.#refused(response);
      }
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const blocks = (rest + value).split("\n\n");
        rest = blocks.pop();
        for (const block of blocks) {
          const data = block.split("\n").find((line) => line.startsWith("data: "));
          if (data) this.#heard(JSON.parse(data.slice(6)));
        }
      }
    } catch {
      // It is over in any case; whether too early is told below.
    }
    this.#broke();
  }

  #post(path, body, accept = "application/json", signal = undefined) {
    return this.#send("POST", path, body, accept, signal);
  }

  #send(method, path, body, accept = "application/json", signal = undefined) {
    return fetch(this.base + path, {
      method,
      headers: { accept, "content-type": "application/json", "x-csrftoken": this.token },
      body: JSON.stringify(body),
      signal,
    });
  }

  async #refused(response) {
    const told = await response.json().catch(() => null);
    const message = told?.message ?? "The server refused this. Load the page again, and sign in if you were signed out.";
    this.#heard({ type: "error", message, code: told?.code ?? `http_${response.status}`, run_id: null });
  }

  #heard(frame) {
    const ends = frame.type === "done" || frame.type === "confirm_mutation" || (frame.type === "error" && !frame.run_id);
    if (ends) this.answering = false;
    this.hear(frame);
  }

  // A stream that is over without a last word is a lost line and no answer.
  #broke() {
    if (!this.answering) return;
    this.answering = false;
    this.lost();
  }
}
