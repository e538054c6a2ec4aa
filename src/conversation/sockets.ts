// The conversation's hibernating sockets: taking them in, what is known of each, sending, and who has been silent too long.
// What a socket is sent and its other side does not read stays in memory, and the platform tells nobody how much that is; not even
// closing the socket frees it. So a page is asked to say that it has read: it sends back a mark that it cannot know otherwise.

import { utf8Bytes } from "../domain/json";
import { CLOSE, type ServerFrame, SUBPROTOCOL, type Topic } from "../domain/questions/frame";
import { QUESTION_LIMITS } from "../domain/questions/limits";
import type { ServerAction } from "../domain/questions/question";
import type { Audience } from "../services/audience";
import type { Clients } from "../services/questions/ask";
import { isPage } from "./listeners";
import { type Holder, helloDeadline, holderSchema, keyCheckDeadline, nextDeadline, signDeadline } from "./socket-state";

interface Allowance {
  frames: number;
  at: number;
}

export class Sockets implements Clients, Audience {
  readonly #ctx: DurableObjectState;
  /** Called when a socket is to be looked at sooner than was known. */
  readonly #sooner: () => void;
  /** Frames each socket may still send. Lost with the object's memory, which a flood keeps awake. */
  readonly #allowances = new Map<string, Allowance>();

  constructor(ctx: DurableObjectState, sooner: () => void) {
    this.#ctx = ctx;
    this.#sooner = sooner;
    // Answered by the platform, without waking the object.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  }

  /** Counts those that are closing, too: what was sent to one that never reads stays in memory until its other side goes. */
  full(): boolean {
    return this.#ctx.getWebSockets().filter(isPage).length >= QUESTION_LIMITS.sockets;
  }

  /** Takes a socket in. It is a client once it says hello. */
  accept(holder: Holder): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server);
    this.keep(server, holder);
    return new Response(null, {
      status: 101,
      webSocket: client,
      headers: { "sec-websocket-protocol": SUBPROTOCOL },
    });
  }

  holder(socket: WebSocket): Holder {
    return holderSchema.parse(socket.deserializeAttachment());
  }

  keep(socket: WebSocket, holder: Holder): void {
    socket.serializeAttachment(holder);
  }

  count(): number {
    return this.#greeted().length;
  }

  answers(action: ServerAction): boolean {
    return this.#greeted().some(({ holder }) => holder.answers.includes(action));
  }

  notifyPages(frame: ServerFrame, except: string | null = null): void {
    const text = JSON.stringify(frame);
    const bytes = utf8Bytes(text);
    for (const { socket, holder } of this.#greeted()) if (holder.id !== except) this.#deliver(socket, text, bytes);
  }

  show(topic: Topic, frameFor: (seesOutput: boolean) => ServerFrame | null): void {
    const made = new Map<boolean, { text: string; bytes: number } | null>();
    for (const { socket, holder } of this.#greeted()) {
      if (!holder.hears.includes(topic)) continue;
      const { output } = holder.grant;
      if (!made.has(output)) made.set(output, written(frameFor(output)));
      const frame = made.get(output);
      if (frame != null) this.#deliver(socket, frame.text, frame.bytes);
    }
  }

  send(socket: WebSocket, frame: ServerFrame): void {
    const text = JSON.stringify(frame);
    this.#deliver(socket, text, utf8Bytes(text));
  }

  /** Takes a mark that came back: what was sent before it has been read. */
  marked(socket: WebSocket, value: string): void {
    const holder = this.holder(socket);
    if (holder.mark?.value !== value) return;
    this.keep(socket, this.#withMark(socket, { ...holder, unread: holder.unread - holder.mark.unread, mark: null }));
  }

  /** Notes a sign of life. */
  heard(socket: WebSocket): void {
    const holder = this.holder(socket);
    if (holder.mark !== null) this.keep(socket, { ...holder, mark: { ...holder.mark, at: null } });
  }

  drop(socket: WebSocket, code: number, reason: string): void {
    try {
      socket.close(code, reason);
    } catch {
      // It is closed already.
    }
  }

  /** Closes the socket of this id, where it is open. */
  end(id: string, reason: string): void {
    for (const { socket, holder } of this.#open()) if (holder.id === id) this.drop(socket, 1000, reason);
  }

  dropAll(code: number, reason: string): void {
    for (const socket of this.#ctx.getWebSockets()) this.drop(socket, code, reason);
    this.#allowances.clear();
  }

  /** Completes the closing that the other side began. Codes that say "none was given" cannot be sent back. */
  closed(socket: WebSocket, code: number, reason: string): void {
    if (isPage(socket)) this.#allowances.delete(this.holder(socket).id);
    this.drop(socket, code === 1005 || code === 1006 ? 1000 : code, reason);
  }

  /** Whether the socket may send one more frame now. */
  mayTalk(holder: Holder, now: number): boolean {
    const { framesAtOnce, framesPerSecond } = QUESTION_LIMITS;
    const known = this.#allowances.get(holder.id) ?? { frames: framesAtOnce, at: now };
    const grown = known.frames + (Math.max(0, now - known.at) * framesPerSecond) / 1_000;
    const frames = Math.min(framesAtOnce, grown) - 1;
    this.#allowances.set(holder.id, { frames, at: now });
    return frames >= 0;
  }

  /** When a socket has to be looked at next: for its hello, for a sign of life, or for its key. */
  nextDue(): number | null {
    const times = this.#open().map(({ holder }) => nextDeadline(holder));
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Sockets that never said hello, those that gave no sign of life since they were asked for one, and those whose key must be checked. */
  due(now: number): {
    silent: WebSocket[];
    deaf: WebSocket[];
    unchecked: { socket: WebSocket; holder: Holder }[];
  } {
    const open = this.#open();
    const late = open.filter(({ holder }) => signDeadline(holder) <= now);
    const alive = late.filter(({ socket, holder }) => this.#pinged(socket, holder));
    for (const { socket } of alive) this.heard(socket);
    return {
      silent: open.filter(({ holder }) => helloDeadline(holder) <= now).map(({ socket }) => socket),
      deaf: late.filter((one) => !alive.includes(one)).map(({ socket }) => socket),
      unchecked: open.filter(({ holder }) => keyCheckDeadline(holder) <= now),
    };
  }

  /** Sends, as long as the page reads what it is sent. A socket that fails is the platform's to close; its neighbours must not notice. */
  #deliver(socket: WebSocket, text: string, bytes: number): void {
    if (socket.readyState !== WebSocket.OPEN) return;
    const holder = this.holder(socket);
    const unread = holder.unread + bytes;
    if (unread > QUESTION_LIMITS.unreadBytes) {
      this.drop(socket, CLOSE.timeout, BACKPRESSURE_REASON);
      return;
    }
    transmit(socket, text);
    this.keep(socket, this.#withMark(socket, { ...holder, unread }));
  }

  /** Sends a mark when it is time for one. */
  #withMark(socket: WebSocket, holder: Holder): Holder {
    if (holder.mark !== null || holder.unread < QUESTION_LIMITS.markBytes) return holder;
    const value = crypto.randomUUID();
    const text = JSON.stringify({ type: "mark", mark: value } satisfies ServerFrame);
    transmit(socket, text);
    const unread = holder.unread + text.length;
    queueMicrotask(this.#sooner);
    return { ...holder, unread, mark: { value, unread, at: Date.now() } };
  }

  /** Whether it asked for a pong, which the platform gives, since it was sent its mark. */
  #pinged(socket: WebSocket, { mark }: Holder): boolean {
    const last = this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
    return mark?.at != null && last > mark.at;
  }

  #open(): { socket: WebSocket; holder: Holder }[] {
    return this.#ctx
      .getWebSockets()
      .filter((socket) => socket.readyState === WebSocket.OPEN && isPage(socket))
      .map((socket) => ({ socket, holder: this.holder(socket) }));
  }

  #greeted(): { socket: WebSocket; holder: Holder }[] {
    return this.#open().filter(({ holder }) => holder.resume === null);
  }
}

function written(frame: ServerFrame | null): { text: string; bytes: number } | null {
  if (frame === null) return null;
  const text = JSON.stringify(frame);
  return { text, bytes: utf8Bytes(text) };
}

function transmit(socket: WebSocket, text: string): void {
  try {
    socket.send(text);
  } catch {
    // It is closing.
  }
}

/** Why a socket goes that does not read. */
export const BACKPRESSURE_REASON = "The client does not read fast enough.";

/** Refuses a socket that was already upgraded, for the reasons that docs/api/questions.md has codes for. */
export const CLOSE_REASONS = { code: CLOSE.noConversation, reason: "Conversation not found." } as const;
