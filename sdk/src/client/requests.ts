// Handles requests from skills to the page. A request that arrives again with the same id is the same request and does not restart its
// handler.

import type { Ack, Answer, Connection, Frame, Handler, SkillRequest } from "./types.js";

/** Size limit of an answer at the gateway. */
const ANSWER_BYTES = 256 * 1024;
/** Number of answered request ids that are stored to recognize repeats. */
const REMEMBERED = 1_000;

interface Entry {
  request: SkillRequest;
  /** Set while a handler runs. */
  running: AbortController | null;
  /** The serialized answer, and the callback that receives its ack. */
  frame: string | null;
  onAck: (ack: Ack) => void;
}

interface Outside {
  send: (frame: string) => void;
  changed: (pending: SkillRequest[]) => void;
  /** Called when a handler was added or removed. */
  handled: () => void;
}

export interface Requests extends Pick<Connection, "on" | "answer"> {
  /** Returns the actions that have handlers. */
  actions(): string[];
  /** Handles a new connection. `pending` contains the ids that still wait for an answer, if the gateway sent them. */
  connected(pending: string[] | undefined): void;
  take(frame: Extract<Frame, { type: "skill:request" }>): void;
  acknowledge(frame: Extract<Frame, { type: "ack" }>): void;
  withdraw(id: string, reason: string): void;
  /** Sends the answer to this request again if it has no ack yet. */
  again(id: string): void;
  close(): void;
}

export function requests({ send, changed, handled }: Outside): Requests {
  const handlers = new Map<string, Handler<never>>();
  const entries = new Map<string, Entry>();
  const done = new Set<string>();

  return {
    on(action, handler) {
      if (handlers.has(action)) throw new Error(`A handler for '${action}' already exists. Remove it first.`);
      handlers.set(action, handler);
      handled();
      for (const entry of entries.values()) run(entry);
      return () => {
        if (handlers.get(action) !== handler) return;
        handlers.delete(action);
        handled();
      };
    },
    actions: () => [...handlers.keys()],
    answer,
    connected(pending) {
      for (const [id, { frame }] of entries) {
        // An answer without an ack is always sent again. Only the ack reports the result.
        if (frame !== null) send(frame);
        else if (pending?.includes(id) === false)
          end(id, { success: false, error: "cancelled" }, "ended while disconnected");
      }
    },
    take({ request_id, skill_name, action, payload, from, deadline, attempt }) {
      if (done.has(request_id)) return;
      const asker = from === undefined ? {} : { from };
      const request = { request_id, skill_name, action, payload, ...asker, deadline, attempt };
      let entry = entries.get(request_id);
      if (entry === undefined) {
        entry = { request, running: null, frame: null, onAck: () => {} };
        entries.set(request_id, entry);
      }
      entry.request = request;
      publish();
      run(entry);
    },
    acknowledge({ request_id, type: _, ...ack }) {
      // Of feedback only.
      if (!ack.success && (ack.error === "unknown_turn" || ack.error === "conversation_full")) return;
      if (ack.success || ack.error !== "invalid_answer") return end(request_id, ack, "answered");
      const entry = entries.get(request_id);
      if (entry === undefined) return;
      entry.frame = null;
      entry.onAck(ack);
      publish();
    },
    again(id) {
      const frame = entries.get(id)?.frame;
      if (frame != null) send(frame);
    },
    withdraw(id, reason) {
      const error = reason === "resolved" ? "already_resolved" : reason === "expired" ? "expired" : "cancelled";
      end(id, { success: false, error }, reason);
    },
    close() {
      for (const id of entries.keys()) end(id, { success: false, error: "closed" }, "closed");
    },
  };

  async function run(entry: Entry): Promise<void> {
    const { request } = entry;
    const handler = handlers.get(request.action) as Handler | undefined;
    if (handler === undefined || entry.running !== null || entry.frame !== null) return;
    const running = new AbortController();
    entry.running = running;
    let given: Answer;
    try {
      // Handlers start after the current callback has returned, so that they see a consistent state.
      await null;
      given = { success: true, result: await handler(request.payload, { ...request, signal: running.signal }) };
    } catch (error) {
      given = { success: false, error: messageOf(error) };
    }
    entry.running = null;
    const ack = await answer(request.request_id, given);
    if (ack.success || ack.error !== "invalid_answer") return;
    // A repeated answer would be rejected again, so the skill receives an error instead.
    const error = `The answer does not match the requested schema: ${ack.problems.join("; ")}`;
    await answer(request.request_id, { success: false, error });
  }

  async function answer(id: string, given: Answer): Promise<Ack> {
    const entry = entries.get(id);
    if (entry === undefined) return { success: false, error: done.has(id) ? "already_resolved" : "unknown_request" };
    if (entry.frame !== null) return { success: false, error: "already_resolved" };
    const { skill_name, action } = entry.request;
    const written = (answer: Answer) =>
      JSON.stringify({ type: "skill:response", request_id: id, skill_name, action, ...answer });
    let frame: string;
    try {
      frame = written(given);
      if (new Blob([frame]).size > ANSWER_BYTES)
        throw new Error(`Answer too large (limit ${ANSWER_BYTES / 1024} KiB). Send less data.`);
    } catch (error) {
      frame = written({ success: false, error: messageOf(error) });
    }
    entry.frame = frame;
    const acknowledged = new Promise<Ack>((resolve) => {
      entry.onAck = resolve;
    });
    send(frame);
    publish();
    return acknowledged;
  }

  function end(id: string, ack: Ack, reason: string): void {
    const entry = entries.get(id);
    if (entry === undefined) return;
    entries.delete(id);
    done.add(id);
    for (const oldest of done) {
      if (done.size <= REMEMBERED) break;
      done.delete(oldest);
    }
    entry.onAck(ack);
    entry.running?.abort(new Error(reason));
    publish();
  }

  function publish(): void {
    changed([...entries.values()].filter(({ frame }) => frame === null).map(({ request }) => request));
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : `${error}`);
