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
 * What a reload of the page brings back, as plain data.
 * @typedef {{ thread: object[], told: [string, number][], shown: string[], front: object, begun: object | null, requests: Requests }} Kept
 * @typedef {{ count: number, last: string[] }} Requests
 */

/**
 * @param {{ key: string, conversation: string, kept: Kept | undefined, model: () => Model, onWire: (line: string) => void,
 *   onRequest: (seen: Seen, messages: object[]) => void, onText: (piece: string) => void, onMessage: (message: object) => void,
 *   onPicture: (picture: { path: string, svg: string }) => Promise<void>, onChange: () => void }} options
 * @typedef {(messages: object[], tools: object[], onText: (piece: string) => void) => Promise<object>} Model gives an assistant message
 */
export function backend({ key, conversation, kept, model, onWire, onRequest, onText, onMessage, onPicture, onChange }) {
  const base = `/api/v1/conversations/${encodeURIComponent(conversation)}`;
  const thread = kept?.thread ?? [];
  /** Where the gateway's texts stand in the thread, by the id of their call or of the appended message. */
  const told = new Map(kept?.told.map(([id, index]) => [id, thread[index]]));
  /** Files that the page has, by id. */
  const shown = new Set(kept?.shown);
  /** What stands before the thread: system messages and tools. */
  let front = kept?.front ?? { messages: [], tools: [] };
  /** A turn that the gateway has perhaps not heard of. */
  let begun = kept?.begun ?? null;
  const requests = kept?.requests ?? { count: 0, last: [] };

  return { begin, ticket, status, say, proceed, keep };

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

  /** @returns {Kept} */
  function keep() {
    const places = [...told].map(([id, message]) => [id, thread.indexOf(message)]);
    return { thread, told: places, shown: [...shown], front, begun, requests };
  }

  /** One message of the user and everything that follows from it. */
  function say(text) {
    begun = {
      text,
      turn: { key: crypto.randomUUID(), format: "openai", history: [...thread], have: [...told.keys()] },
    };
    return proceed();
  }

  /**
   * The loop of a chat back end, from wherever it stands: after a reload it goes on with what was begun. Whatever is sent twice
   * carries its own id, so nothing runs twice.
   */
  async function proceed() {
    onChange();
    if (begun !== null) await beginTurn(begun);
    for (let answers = 0; !isOver(thread.at(-1)); ) {
      const calls = thread.at(-1).tool_calls;
      if (calls) await runCalls(calls);
      else if (answers === STEPS_MOST) add({ role: "assistant", content: `(stopped after ${STEPS_MOST} steps)` });
      else add(await answer(answers++ === 0));
    }
  }

  async function beginTurn({ text, turn }) {
    const step = await patiently(() => send("POST", "/turns", turn));
    // Else nothing that was sent ever changes, so that the provider's prompt cache holds.
    for (const { call_id, append_id, content } of step.context_edits ?? []) {
      told.get(call_id ?? append_id).content = content;
      told.delete(call_id ?? append_id);
    }
    front = { messages: step.prompt.messages, tools: step.tools };
    begun = null;
    thread.push({ role: "user", content: text }, ...(step.append ?? []));
    for (const message of step.append ?? []) told.set(step.append_id, message);
    onChange();
  }

  function answer(isFirst) {
    const messages = [...front.messages, ...thread];
    onRequest({ isFirst, ...sizes(), ...repetition(requests, [...front.tools, ...messages]) }, messages);
    return model()(messages, front.tools, onText);
  }

  async function runCalls(calls) {
    // A call that was cut off is sent again as it was: it finds the question that its tool asked the page, and the answer.
    const step = await patiently(() => send("POST", "/tool-calls", { calls, format: "openai" }));
    if (step.prompt) front = { messages: step.prompt.messages, tools: step.tools };
    for (const message of step.messages) told.set(message.tool_call_id, message);
    add(...step.messages, ...step.unhandled.map(refuse));
    if (calls.some(({ function: made }) => made.name === "execute_skill_script"))
      for (const picture of await patiently(pictures)) await onPicture(picture);
  }

  function add(...messages) {
    thread.push(...messages);
    for (const message of messages) onMessage(message);
    onChange();
  }

  /** Characters of a request, by what they are. */
  function sizes() {
    const instructions = new Set(told.values());
    const sum = (parts) => parts.reduce((total, part) => total + JSON.stringify(part).length, 0);
    return {
      front: sum([...front.messages, ...front.tools]),
      skills: sum(thread.filter((message) => instructions.has(message))),
      chat: sum(thread.filter((message) => !instructions.has(message))),
    };
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

/** An answer ends a turn unless it calls something; a thread that has nothing yet waits for nobody. */
function isOver(last) {
  return last === undefined || (last.role === "assistant" && !last.tool_calls?.length);
}

/**
 * What a request repeats of the one before, in characters: that much a provider reads from its cache.
 * @typedef {{ count: number, characters: number, before: number, repeated: number, isFirst: boolean, front: number, skills: number,
 *   chat: number }} Seen
 */
function repetition(requests, request) {
  const sizeOf = (parts) => parts.reduce((sum, part) => sum + part.length, 0);
  const { last } = requests;
  const parts = request.map((part) => JSON.stringify(part));
  const changed = last.findIndex((part, index) => part !== parts[index]);
  const repeated = sizeOf(changed === -1 ? last : last.slice(0, changed));
  requests.count++;
  requests.last = parts;
  return { count: requests.count, characters: sizeOf(parts), before: sizeOf(last), repeated };
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
