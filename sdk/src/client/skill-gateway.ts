// `skill-gateway/client`: keeps a page connected to its conversation and answers what skills ask of it. No dependencies.

import { requests } from "./requests.js";
import type { ActiveSkill, Connection, ConnectOptions, Frame, SkillEvent, State, Ticket, ToolCall } from "./types.js";

export { type ConversationSkill, skillsIn } from "./skills.js";
export type * from "./types.js";

/** Close codes after which trying again cannot help: unauthenticated, forbidden origin, no such conversation. */
const FINAL = [4401, 4403, 4404];
/** The first wait before another attempt, and the longest. Each is shortened by chance, by up to a half. */
const RETRY_MS = 1_000;
const RETRY_MOST_MS = 30_000;
/** A silent connection is asked for a sign of life; without one it is given up. */
const SILENCE_MS = 25_000;
const PATIENCE_MS = 5_000;
/** After a busy page comes to itself, the timer may be heard before the sign of life that waits behind it: the last bit of patience. */
const GRACE_MS = 500;
/** The time for a ticket and a welcome together. */
const CONNECT_MS = 20_000;

const FIRST: State = {
  status: "connecting",
  turn: 0,
  active: [],
  skills: null,
  calls: [],
  pending: [],
  closed: null,
};

/** Connects to a conversation, and again whenever the connection is lost, until it is closed. */
export function connect(options: ConnectOptions): Connection {
  const { client, hears, onError = () => {}, WebSocket: Socket = WebSocket } = options;
  const listeners = new Set<(state: State) => void>();
  const eventListeners = new Set<(event: SkillEvent) => void>();
  let state: State = FIRST;
  let socket: WebSocket | null = null;
  let resume: Ticket | null = null;
  let lastSeq: number | undefined;
  let failures = 0;
  let openSince = 0;
  /** Raised whenever an attempt is over, so that what it still waited for comes to nothing. */
  let epoch = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** What the page answers, as this connection was told last. */
  let told: string[] = [];
  let telling = false;

  const asked = requests({
    send(frame) {
      if (state.status === "open") socket?.send(frame);
    },
    changed: (pending) => update({ pending }),
    handled: tellAnswers,
  });
  const wakes = ["online", "offline", "focus", "pageshow"];
  for (const name of wakes) globalThis.addEventListener?.(name, wake);
  open();

  return {
    get state() {
      return state;
    },
    subscribe: (listener) => member(listeners, listener),
    onEvent: (listener) => member(eventListeners, listener),
    on: asked.on,
    answer: asked.answer,
    close: () => finish(1000, "closed by the page"),
  };

  async function open(): Promise<void> {
    const mine = epoch;
    after(CONNECT_MS, drop);
    update({ status: "connecting" });
    // The old connection's ticket spares the way to the back end. Whether a refused attempt has used it up nobody can tell
    // (a browser says the same of every failure), so every other attempt brings a new one.
    const resuming = failures % 2 === 1 ? resume : null;
    let url: string;
    let opened: WebSocket;
    try {
      const ticket = resuming ?? (await options.ticket());
      if (mine !== epoch) return;
      if (ticket === null) return finish(4401, "no ticket");
      url = ticket.url;
      opened = new Socket(url, ["skill-gateway.v1", `ticket.${ticket.ticket}`]);
    } catch (error) {
      onError(error);
      if (mine === epoch) drop();
      return;
    }
    socket = opened;
    opened.onopen = () => {
      if (resuming !== null) resume = null;
      told = answers();
      const some = told.length === 0 ? {} : { answers: told };
      opened.send(JSON.stringify({ type: "hello", last_seq: lastSeq, client, hears, ...some }));
    };
    opened.onmessage = ({ data }) => {
      after(SILENCE_MS, probe);
      if (data !== "pong") take(JSON.parse(data), url);
    };
    opened.onclose = ({ code, reason }) => {
      // A ticket of the old connection may just be too old: then a new one decides.
      const outdated = resuming !== null && state.status !== "open" && code === 4401;
      // Whatever was wrong with what we said, it is not said again: a number, at least, need not be.
      if (code === 4400) lastSeq = undefined;
      if (FINAL.includes(code) && !outdated) finish(code, reason);
      else drop();
    };
  }

  function take(frame: Frame, url: string): void {
    // What waits from earlier comes with its old number.
    if ("seq" in frame) lastSeq = Math.max(lastSeq ?? 0, frame.seq);
    switch (frame.type) {
      case "welcome":
        openSince = Date.now();
        lastSeq = frame.seq;
        resume = { ticket: frame.resume, url };
        update({ status: "open", ...activation(frame) });
        asked.connected(frame.pending);
        tellAnswers();
        break;
      case "skill:request":
        asked.take(frame);
        break;
      case "skill:cancelled":
        asked.withdraw(frame.request_id, frame.reason);
        break;
      case "ack":
        asked.acknowledge(frame);
        break;
      case "skill:active":
        update(activation(frame));
        break;
      case "skill:list":
        update({ skills: { listed: frame.skills, total: frame.total } });
        break;
      case "tool:calls":
        update({ calls: frame.calls });
        break;
      case "tool:call":
        update({ calls: withCall(state.calls, frame.call) });
        break;
      case "mark":
        socket?.send(JSON.stringify(frame));
        break;
      case "skill:event":
        for (const listener of eventListeners) listener(frame);
        break;
      case "error":
        if (frame.request_id !== undefined) setTimeout(asked.again, RETRY_MS, frame.request_id);
        onError(Object.assign(new Error(frame.message), { code: frame.code }));
    }
  }

  function answers(): string[] {
    return [...new Set([...(options.answers ?? []), ...asked.actions()])].sort();
  }

  /** Says once what the page answers, after all that changes of it in one go, if it is something else than before. */
  function tellAnswers(): void {
    if (telling) return;
    telling = true;
    queueMicrotask(() => {
      telling = false;
      const now = answers();
      if (state.status !== "open" || now.join("\n") === told.join("\n")) return;
      told = now;
      socket?.send(JSON.stringify({ type: "answers", answers: now }));
    });
  }

  /** Gives the socket up without waiting for its goodbye, which may take minutes on a dead network. */
  function drop(): void {
    // A connection that never lasts is no better than none: only a proven one makes the next attempt quick.
    if (state.status === "open" && Date.now() - openSince >= SILENCE_MS) failures = 0;
    leave();
    const wait = Math.min(RETRY_MOST_MS, RETRY_MS * 2 ** failures++);
    after(wait * (1 - Math.random() / 2), open);
    update({ status: "waiting" });
  }

  function leave(): void {
    epoch++;
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close(1000);
    socket = null;
  }

  function finish(code: number, reason: string): void {
    if (state.status === "closed") return;
    after(undefined);
    leave();
    for (const name of wakes) globalThis.removeEventListener?.(name, wake);
    update({ status: "closed", closed: { code, reason } });
    asked.close();
  }

  function probe(): void {
    socket?.send("ping");
    after(PATIENCE_MS - GRACE_MS, () => after(GRACE_MS, drop));
  }

  /** Something about the page or the network has changed: a good moment to look. */
  function wake(event: Event): void {
    if (state.status === "waiting" && event.type !== "offline") open();
    else if (state.status === "open") probe();
  }

  /** There is one timer: what happens next if nothing else does. */
  function after(ms: number | undefined, then?: () => void): void {
    clearTimeout(timer);
    if (ms !== undefined && then !== undefined) timer = setTimeout(then, ms);
  }

  function update(change: Partial<State>): void {
    state = { ...state, ...change };
    for (const listener of listeners) listener(state);
  }
}

/** The same call told again takes its place. One that runs anew, under an id that was there, does too. */
function withCall(calls: readonly ToolCall[], call: ToolCall): ToolCall[] {
  const isNew = calls.every(({ call_id }) => call_id !== call.call_id);
  return isNew ? [...calls, call] : calls.map((one) => (one.call_id === call.call_id ? call : one));
}

const activation = ({ turn, active }: { turn: number; active: ActiveSkill[] }) => ({ turn, active });

function member<T>(set: Set<T>, value: T): () => void {
  set.add(value);
  return () => void set.delete(value);
}
