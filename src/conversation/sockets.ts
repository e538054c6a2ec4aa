// The conversation's hibernating sockets: accepting them, their state, sending, and closing silent ones. Frames that were sent but not read
// by the other side stay in memory. The platform does not report how much that is, and closing the socket does not free it. A page is
// therefore asked to confirm: it returns a mark whose value it can only have from the last frame.

import { utf8Bytes } from "../domain/json";
import { CLOSE, CLOSE_REASONS, type ServerFrame, SUBPROTOCOL, type Topic } from "../domain/questions/frame";
import { QUESTION_LIMITS } from "../domain/questions/limits";
import type { ServerAction } from "../domain/questions/question";
import type { Clients } from "../services/questions/ask";
import type { Audience } from "../services/session";
import { isPage } from "./listeners";
import { type Holder, helloDeadline, holderSchema, keyCheckDeadline, nextDeadline, signDeadline } from "./socket-state";

interface Allowance {
  frames: number;
  at: number;
}

export class Sockets implements Clients, Audience {
  readonly #ctx: DurableObjectState;
  /** Called when a socket must be checked sooner than planned. */
  readonly #sooner: () => void;
  /** The number of frames that each socket may still send. Lost with the object's memory, which stays alive during a flood. */
  readonly #allowances = new Map<string, Allowance>();

  constructor(ctx: DurableObjectState, sooner: () => void) {
    this.#ctx = ctx;
    this.#sooner = sooner;
    // The platform answers without waking the object.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  }

  /** Closing sockets count, too: frames sent to a socket that never reads stay in memory until the other side disconnects. */
  full(): boolean {
    return this.#ctx.getWebSockets().filter(isPage).length >= QUESTION_LIMITS.sockets;
  }

  /** Accepts a socket. It becomes a client when it sends `hello`. */
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

  /** Handles a mark that was returned: all frames before it have been read. */
  marked(socket: WebSocket, value: string): void {
    const holder = this.holder(socket);
    if (holder.mark?.value !== value) return;
    this.keep(socket, this.#withMark(socket, { ...holder, unread: holder.unread - holder.mark.unread, mark: null }));
  }

  /** Records that the socket is alive. */
  heard(socket: WebSocket): void {
    const holder = this.holder(socket);
    if (holder.mark !== null) this.keep(socket, { ...holder, mark: { ...holder.mark, at: null } });
  }

  drop(socket: WebSocket, code: number, reason: string): void {
    try {
      socket.close(code, reason);
    } catch {
      // It is already closed.
    }
  }

  /** Closes the socket with this id, if it is open. */
  end(id: string, reason: string): void {
    for (const { socket, holder } of this.#open()) if (holder.id === id) this.drop(socket, 1000, reason);
  }

  dropAll(code: number, reason: string): void {
    for (const socket of this.#ctx.getWebSockets()) this.drop(socket, code, reason);
    this.#allowances.clear();
  }

  /** Completes a close that the other side began. Codes that mean "none was given" cannot be sent back. */
  closed(socket: WebSocket, code: number, reason: string): void {
    if (isPage(socket)) this.#allowances.delete(this.holder(socket).id);
    this.drop(socket, code === 1005 || code === 1006 ? 1000 : code, reason);
  }

  /** Whether the socket can send one more frame now. */
  mayTalk(holder: Holder, now: number): boolean {
    const { framesAtOnce, framesPerSecond } = QUESTION_LIMITS;
    const known = this.#allowances.get(holder.id) ?? { frames: framesAtOnce, at: now };
    const grown = known.frames + (Math.max(0, now - known.at) * framesPerSecond) / 1_000;
    const frames = Math.min(framesAtOnce, grown) - 1;
    this.#allowances.set(holder.id, { frames, at: now });
    return frames >= 0;
  }

  /** Returns the next time a socket must be checked: its hello, its acknowledgement or its key. */
  nextDue(): number | null {
    const times = this.#open().map(({ holder }) => nextDeadline(holder));
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Sockets that never sent `hello`, sockets that did not answer the last ping, and sockets whose key must be checked. */
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

  /** Sends a frame if the page reads its frames. If sending fails, the platform closes the socket; other sockets are not affected. */
  #deliver(socket: WebSocket, text: string, bytes: number): void {
    if (socket.readyState !== WebSocket.OPEN) return;
    const holder = this.holder(socket);
    const unread = holder.unread + bytes;
    if (unread > QUESTION_LIMITS.unreadBytes) {
      this.drop(socket, CLOSE.timeout, CLOSE_REASONS.backpressure);
      return;
    }
    transmit(socket, text);
    this.keep(socket, this.#withMark(socket, { ...holder, unread }));
  }

  /** Sends a mark if one is due. */
  #withMark(socket: WebSocket, holder: Holder): Holder {
    if (holder.mark !== null || holder.unread < QUESTION_LIMITS.markBytes) return holder;
    const value = crypto.randomUUID();
    const text = JSON.stringify({ type: "mark", mark: value } satisfies ServerFrame);
    transmit(socket, text);
    const unread = holder.unread + text.length;
    queueMicrotask(this.#sooner);
    return { ...holder, unread, mark: { value, unread, at: Date.now() } };
  }

  /** Whether the socket requested a pong since its mark was sent. The platform answers pings by itself. */
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
