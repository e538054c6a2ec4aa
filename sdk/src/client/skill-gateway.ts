// `skill-gateway/client`: keeps a page connected to its conversation and answers requests from skills. No dependencies.

import { feedback } from "./feedback.js";
import { requests } from "./requests.js";
import type {
  ActiveSkill,
  Connection,
  ConnectOptions,
  Frame,
  Score,
  SkillEvent,
  State,
  Ticket,
  ToolCall,
} from "./types.js";

export { type ConversationSkill, skillsIn } from "./skills.js";
export type * from "./types.js";

/** Close codes that are not retried: unauthenticated, forbidden origin, conversation not found. */
const FINAL = [4401, 4403, 4404];
/** Shortest and longest delay before a retry. Each delay is shortened by a random amount of up to half. */
const RETRY_MS = 1_000;
const RETRY_MOST_MS = 30_000;
/** After this time without a frame the client sends `ping`. Without a frame within `PATIENCE_MS` it drops the connection. */
const SILENCE_MS = 25_000;
const PATIENCE_MS = 5_000;
/**
 * On a page that was blocked, the timer can fire before a frame that has already arrived. This last part of the wait lets the frame be
 * processed first.
 */
const GRACE_MS = 500;
/** Time limit for the ticket and the welcome frame together. */
const CONNECT_MS = 20_000;

const FIRST: State = {
  status: "connecting",
  turn: 0,
  active: [],
  skills: null,
  calls: [],
  feedback: {},
  pending: [],
  closed: null,
};

/** Connects to a conversation. Reconnects when the connection is lost, until it is closed. */
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
  /** Incremented when an attempt ends. Results that arrive later for that attempt are ignored. */
  let epoch = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The actions that this connection last announced to the gateway. */
  let announced: string[] = [];
  let isAnnouncing = false;

  const send = (frame: string) => {
    if (state.status === "open") socket?.send(frame);
  };
  const scores = feedback({
    send,
    stored: (turn, score) => scored([{ turn, score }]),
    isClosed: () => state.status === "closed",
  });
  const asked = requests({
    send,
    changed: (pending) => update({ pending }),
    handled: announceAnswers,
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
    rate: scores.rate,
    close: () => finish(1000, "closed by the page"),
  };

  async function open(): Promise<void> {
    const mine = epoch;
    after(CONNECT_MS, drop);
    update({ status: "connecting" });
    // The old connection's ticket saves a request to the back end. The browser reports every failure the same way, so the client cannot
    // detect whether a failed attempt has used the ticket. Every other attempt therefore fetches a new one.
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
      announced = answers();
      const some = announced.length === 0 ? {} : { answers: announced };
      opened.send(JSON.stringify({ type: "hello", last_seq: lastSeq, client, hears, ...some }));
    };
    opened.onmessage = ({ data }) => {
      after(SILENCE_MS, probe);
      if (data !== "pong") take(JSON.parse(data), url);
    };
    opened.onclose = ({ code, reason }) => {
      // 4401 for a resume ticket can mean that only this ticket has expired. The next attempt uses a new one.
      const outdated = resuming !== null && state.status !== "open" && code === 4401;
      // 4400 means that the gateway rejected a frame. The sequence number may be the cause and is optional, so the next hello omits it.
      // The same holds for feedback that has no ack yet: a gateway without feedback rejects its frame.
      if (code === 4400) {
        lastSeq = undefined;
        scores.close();
      }
      if (FINAL.includes(code) && !outdated) finish(code, reason);
      else drop();
    };
  }

  function take(frame: Frame, url: string): void {
    // Frames that the gateway sends again have their old sequence number.
    if ("seq" in frame) lastSeq = Math.max(lastSeq ?? 0, frame.seq);
    switch (frame.type) {
      case "welcome":
        openSince = Date.now();
        lastSeq = frame.seq;
        resume = { ticket: frame.resume, url };
        update({ status: "open", ...activation(frame), ...(hears?.includes("feedback") ? { feedback: {} } : {}) });
        asked.connected(frame.pending);
        scores.connected();
        announceAnswers();
        break;
      case "skill:request":
        asked.take(frame);
        break;
      case "skill:cancelled":
        asked.withdraw(frame.request_id, frame.reason);
        break;
      case "ack":
        if (!scores.acknowledge(frame)) asked.acknowledge(frame);
        break;
      case "turn:feedback":
        scored(frame.items);
        break;
      case "skill:active":
        update(activation(frame));
        // Undone turns have lost their feedback.
        scored(Object.keys(state.feedback).flatMap((turn) => (+turn > frame.turn ? [{ turn: +turn, score: 0 }] : [])));
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
        if (frame.request_id !== undefined) setTimeout(again, RETRY_MS, frame.request_id);
        onError(Object.assign(new Error(frame.message), { code: frame.code }));
    }
  }

  function again(id: string): void {
    scores.again(id);
    asked.again(id);
  }

  function scored(items: readonly { turn: number; score: Score }[]): void {
    if (items.length === 0) return;
    const all = { ...state.feedback, ...Object.fromEntries(items.map(({ turn, score }) => [turn, score])) };
    update({ feedback: all });
  }

  function answers(): string[] {
    return [...new Set([...(options.answers ?? []), ...asked.actions()])].sort();
  }

  /** Announces the actions that the page answers, if they have changed. Several changes in one task are sent as one frame. */
  function announceAnswers(): void {
    if (isAnnouncing) return;
    isAnnouncing = true;
    queueMicrotask(() => {
      isAnnouncing = false;
      const now = answers();
      if (state.status !== "open" || now.join("\n") === announced.join("\n")) return;
      announced = now;
      socket?.send(JSON.stringify({ type: "answers", answers: now }));
    });
  }

  /** Drops the socket and schedules a retry. Does not wait for the close frame, which can take minutes on a dead network. */
  function drop(): void {
    // Only a connection that has lasted resets the delay. Otherwise a connection that always fails early would be retried too often.
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
    scores.close();
  }

  function probe(): void {
    socket?.send("ping");
    after(PATIENCE_MS - GRACE_MS, () => after(GRACE_MS, drop));
  }

  /** Reconnects or probes the connection at once when the page or the network changes. */
  function wake(event: Event): void {
    if (state.status === "waiting" && event.type !== "offline") open();
    else if (state.status === "open") probe();
  }

  /** Sets the only timer of the connection, which replaces the previous one. */
  function after(ms: number | undefined, then?: () => void): void {
    clearTimeout(timer);
    if (ms !== undefined && then !== undefined) timer = setTimeout(then, ms);
  }

  function update(change: Partial<State>): void {
    state = { ...state, ...change };
    for (const listener of listeners) listener(state);
  }
}

/** Replaces the call with the same id, or appends the call. A call that runs again under an old id also replaces it. */
function withCall(calls: readonly ToolCall[], call: ToolCall): ToolCall[] {
  const isNew = calls.every(({ call_id }) => call_id !== call.call_id);
  return isNew ? [...calls, call] : calls.map((one) => (one.call_id === call.call_id ? call : one));
}

const activation = ({ turn, active }: { turn: number; active: ActiveSkill[] }) => ({ turn, active });

function member<T>(set: Set<T>, value: T): () => void {
  set.add(value);
  return () => void set.delete(value);
}
