// What a chat back end does: turns, tool calls and tickets. It runs in the page so that the demo needs no server; in your
// product it is your server, and the key never comes near a browser.

const STEPS_MOST = 12;

/** A refusal of the gateway, in its own words. */
export class Refusal extends Error {
  constructor(status, { detail, code } = {}) {
    super(detail ?? `The gateway answered ${status}.`);
    this.status = status;
    this.code = code;
  }
}

/**
 * @param {{ key: string, conversation: string, onWire: (line: string) => void, onRequest: (seen: Repeated) => void }} options
 */
export function backend({ key, conversation, onWire, onRequest }) {
  const base = `/api/v1/conversations/${encodeURIComponent(conversation)}`;
  /** Where the gateway's texts stand in the thread, by the id of their call or of the appended message. */
  const told = new Map();
  const repeated = repetition();
  /** Files that the page has, by id. */
  const shown = new Set();

  return { begin, ticket, status, say };

  /** Creates the conversation, or finds it. */
  function begin() {
    return send("PUT", "", { format: "openai", delivery: "auto", retention_turns: 3 });
  }

  /** For the page's socket: your back end checks that the user may see this conversation, then passes the answer on. */
  function ticket() {
    return send("POST", "/tickets", { origin: location.origin });
  }

  function status() {
    return patiently(() => send("GET", ""));
  }

  /**
   * One message of the user and everything that follows from it: the loop of a chat back end.
   * @param {object[]} thread the messages so far; grows
   * @param {(messages: object[], tools: object[]) => Promise<object>} model gives an assistant message
   * @param {(message: object) => void} onMessage hears of every message that the thread gets
   * @param {(picture: { path: string, svg: string }) => Promise<void>} onPicture gets what scripts have drawn
   */
  async function say(text, thread, model, onMessage, onPicture) {
    const history = [...thread];
    const add = (...messages) => {
      thread.push(...messages);
      for (const message of messages) onMessage(message);
    };
    const turn = { key: crypto.randomUUID(), format: "openai", history, have: [...told.keys()] };
    let step = await patiently(() => send("POST", "/turns", turn));
    // Else nothing that was sent ever changes, so that the provider's prompt cache holds.
    for (const { call_id, append_id, content } of step.context_edits ?? []) {
      told.get(call_id ?? append_id).content = content;
      told.delete(call_id ?? append_id);
    }
    add({ role: "user", content: text });
    for (const message of step.append ?? []) {
      thread.push(message);
      told.set(step.append_id, message);
    }
    for (let count = 0; count < STEPS_MOST; count++) {
      const messages = [...step.prompt.messages, ...thread];
      onRequest(repeated(step.tools, messages));
      const answer = await model(messages, step.tools);
      add(answer);
      if (!answer.tool_calls?.length) return;
      const calls = { calls: answer.tool_calls, format: "openai" };
      // A call that was cut off is sent again as it was: it finds the question that its tool asked the page, and the answer.
      step = await patiently(() => send("POST", "/tool-calls", calls));
      for (const message of step.messages) told.set(message.tool_call_id, message);
      add(...step.messages, ...step.unhandled.map(refuse));
      if (answer.tool_calls.some(({ function: made }) => made.name === "execute_skill_script"))
        for (const picture of await patiently(pictures)) await onPicture(picture);
    }
    add({ role: "assistant", content: `(stopped after ${STEPS_MOST} steps)` });
  }

  /** What scripts have drawn since this was asked. */
  async function pictures() {
    const { items } = await send("GET", "/files");
    const fresh = items.filter(({ id, path }) => path.endsWith(".svg") && !shown.has(id));
    return Promise.all(
      fresh.map(async ({ id, path, address }) => {
        const response = await fetch(address, { headers: { authorization: `Bearer ${key}` } });
        if (!response.ok) throw new Refusal(response.status, await response.json().catch(() => undefined));
        shown.add(id);
        return { path, svg: await response.text() };
      }),
    );
  }

  async function send(method, path, body, headers = {}) {
    const name = path.split("?")[0];
    onWire(`→ ${method} ${name === "" ? "(conversation)" : name}`);
    const response = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const answer = await response.json().catch(() => undefined);
    onWire(`← ${response.status}${answer?.state === undefined ? "" : ` ${answer.state}`}`);
    if (!response.ok) throw new Refusal(response.status, answer);
    return answer;
  }
}

/**
 * What a request repeats of the one before, in characters: that much a provider reads from its cache.
 * @typedef {{ count: number, characters: number, before: number, repeated: number }} Repeated
 * @returns {(tools: object[], messages: object[]) => Repeated}
 */
function repetition() {
  let [count, last] = [0, []];
  const sizeOf = (parts) => parts.reduce((sum, part) => sum + part.length, 0);
  return (tools, messages) => {
    const parts = [tools, ...messages].map((part) => JSON.stringify(part));
    const changed = last.findIndex((part, index) => part !== parts[index]);
    const repeated = sizeOf(changed === -1 ? last : last.slice(0, changed));
    const seen = { count: ++count, characters: sizeOf(parts), before: sizeOf(last), repeated };
    last = parts;
    return seen;
  };
}

/** This back end has no tools of its own; yours would run them here. */
function refuse(call) {
  return { role: "tool", tool_call_id: call.id, content: "Error: There is no such tool." };
}

/** Tries again while the gateway is away. Everything sent this way may be sent twice: it carries its own id. */
async function patiently(attempt) {
  for (let count = 0; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      const away = error instanceof Refusal ? error.status === 503 || error.status === 429 : error instanceof TypeError;
      if (!away) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.min(5_000, 250 * 2 ** count) * (1 - Math.random() / 2)));
    }
  }
}
