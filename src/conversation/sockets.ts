// The conversation's hibernating sockets: taking them in, what is known of each, sending, and who has been silent too long.

import * as z from "zod";
import { CLOSE, type ServerFrame, SUBPROTOCOL } from "../domain/frame";
import { ASKING_LIMITS, DURATIONS } from "../domain/limits";
import { type Grant, grantSchema } from "../domain/ticket";
import type { Clients } from "../services/pending";

/** What a socket carries through hibernation. Checked when it comes back: an older gateway may have written it. */
const holderSchema = z.object({
  id: z.string(),
  grant: grantSchema,
  /** The origin it came from; its resume ticket is good there and nowhere else. */
  origin: z.string().nullable(),
  /** The resume ticket that its welcome will hand out; `null` once it has. */
  resume: z.object({ ticket: z.string(), hash: z.string() }).nullable(),
  accepted: z.number(),
  /** When the key behind it was last found good. */
  checked: z.number(),
});

export type Holder = z.infer<typeof holderSchema>;

interface Allowance {
  frames: number;
  at: number;
}

export class Sockets implements Clients {
  readonly #ctx: DurableObjectState;
  /** Frames each socket may still send. Lost with the object's memory, which a flood keeps awake. */
  readonly #allowances = new Map<string, Allowance>();

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
    // Answered by the platform, without waking the object.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  }

  /** Counts those that are closing, too: what was sent to one that never reads stays in memory until its other side goes. */
  full(): boolean {
    return this.#ctx.getWebSockets().length >= ASKING_LIMITS.sockets;
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

  tell(frame: ServerFrame, except: string | null = null): void {
    const text = JSON.stringify(frame);
    for (const { socket, holder } of this.#greeted()) if (holder.id !== except) deliver(socket, text);
  }

  send(socket: WebSocket, frame: ServerFrame): void {
    deliver(socket, JSON.stringify(frame));
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
    this.#allowances.delete(this.holder(socket).id);
    this.drop(socket, code === 1005 || code === 1006 ? 1000 : code, reason);
  }

  /** Whether the socket may send one more frame now. */
  mayTalk(holder: Holder, now: number): boolean {
    const { framesAtOnce, framesPerSecond } = ASKING_LIMITS;
    const known = this.#allowances.get(holder.id) ?? { frames: framesAtOnce, at: now };
    const grown = known.frames + (Math.max(0, now - known.at) * framesPerSecond) / 1_000;
    const frames = Math.min(framesAtOnce, grown) - 1;
    this.#allowances.set(holder.id, { frames, at: now });
    return frames >= 0;
  }

  /** When a socket has to be looked at next: for its hello, or for its key. */
  nextDue(): number | null {
    const times = this.#open().map(({ holder }) => dueOf(holder));
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Sockets that never said hello, and those whose key must be checked. */
  due(now: number): { silent: WebSocket[]; unchecked: { socket: WebSocket; holder: Holder }[] } {
    const due = this.#open().filter(({ holder }) => dueOf(holder) <= now);
    return {
      silent: due.filter(({ holder }) => holder.resume !== null).map(({ socket }) => socket),
      unchecked: due.filter(({ holder }) => holder.resume === null),
    };
  }

  #open(): { socket: WebSocket; holder: Holder }[] {
    return this.#ctx
      .getWebSockets()
      .filter((socket) => socket.readyState === WebSocket.OPEN)
      .map((socket) => ({ socket, holder: this.holder(socket) }));
  }

  #greeted(): { socket: WebSocket; holder: Holder }[] {
    return this.#open().filter(({ holder }) => holder.resume === null);
  }
}

/** The socket's grant, as its resume ticket will carry it. */
export function resumeGrant(holder: Holder): Grant {
  return { ...holder.grant, origin: holder.origin, pinned: true, follows: holder.id };
}

function dueOf(holder: Holder): number {
  return holder.resume === null ? holder.checked + DURATIONS.keyCheck : holder.accepted + DURATIONS.hello;
}

/** A socket that fails is the platform's to close; its neighbours must not notice. */
function deliver(socket: WebSocket, text: string): void {
  try {
    socket.send(text);
  } catch {
    // It is closing.
  }
}

/** Refuses a socket that was already upgraded, for the reasons the contract has codes for. */
export const GONE = { code: CLOSE.noConversation, reason: "There is no such conversation." } as const;
