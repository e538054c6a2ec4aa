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
 * @param {{ key: string, conversation: string, onWire: (line: string) => void }} options
 */
export function backend({ key, conversation, onWire }) {
  const base = `/api/v1/conversations/${encodeURIComponent(conversation)}`;

  return { begin, ticket, status, say };

  /** Creates the conversation, or finds it. */
  function begin() {
    return send("PUT", "", { format: "openai", retention_turns: 3 });
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
   */
  async function say(text, thread, model, onMessage) {
    const history = [...thread];
    const add = (...messages) => {
      thread.push(...messages);
      for (const message of messages) onMessage(message);
    };
    add({ role: "user", content: text });
    const turn = { key: crypto.randomUUID(), format: "openai", history };
    let step = await patiently(() => send("POST", "/turns", turn));
    for (let count = 0; count < STEPS_MOST; count++) {
      const answer = await model([...step.prompt.messages, ...thread], step.tools);
      add(answer);
      if (!answer.tool_calls?.length) return;
      const calls = { calls: answer.tool_calls, format: "openai" };
      // A call that was cut off is sent again as it was: it finds the question that its tool asked the page, and the answer.
      step = await patiently(() => send("POST", "/tool-calls", calls));
      add(...step.messages, ...step.unhandled.map(refuse));
    }
    add({ role: "assistant", content: `(stopped after ${STEPS_MOST} steps)` });
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
