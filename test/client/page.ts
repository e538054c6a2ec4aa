// A page without a browser: the test controls the other end of sockets, and the timers.

import { vi } from "vitest";
import { type Connection, type ConnectOptions, connect } from "../../sdk/src/client/skill-gateway";

export class FakeSocket {
  static all: FakeSocket[] = [];
  static get last(): FakeSocket {
    return FakeSocket.all.at(-1)!;
  }

  readonly sent: string[] = [];
  closedWith: number | undefined;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;

  constructor(
    readonly url: string,
    readonly protocols: string[],
  ) {
    FakeSocket.all.push(this);
  }

  get ticket(): string {
    return this.protocols[1]!.replace("ticket.", "");
  }

  send(data: string): void {
    this.sent.push(data);
  }

  close(code?: number): void {
    this.closedWith = code ?? 1005;
  }

  /** Everything that the page sent, except pings. */
  get frames(): Record<string, unknown>[] {
    return this.sent.filter((data) => data !== "ping").map((data) => JSON.parse(data));
  }

  get answers(): Record<string, unknown>[] {
    return this.frames.filter((frame) => frame.type === "skill:response");
  }

  say(frame: object): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }

  welcome(more: object = {}): void {
    this.onopen?.();
    this.say({
      type: "welcome",
      seq: 10,
      conversation: "c",
      turn: 1,
      active: [],
      resumed: false,
      resume: "r1",
      ...more,
    });
  }

  ask(request_id: string, more: object = {}): void {
    this.say({
      type: "skill:request",
      seq: 11,
      request_id,
      skill_name: "draw",
      action: "render",
      payload: { code: "graph" },
      deadline: "2030-01-01T00:00:00.000Z",
      attempt: 1,
      ...more,
    });
  }

  ack(request_id: string, error?: string): void {
    this.say({ type: "ack", request_id, success: error === undefined, ...(error === undefined ? {} : { error }) });
  }

  /** The other end or the network closes it. */
  end(code = 1006, reason = ""): void {
    this.onclose?.({ code, reason });
  }
}

/** A connection with numbered tickets: t1, t2, … */
export function page(options: Partial<ConnectOptions> = {}): { connection: Connection; tickets: () => number } {
  FakeSocket.all = [];
  let tickets = 0;
  const connection = connect({
    ticket: async () => ({ ticket: `t${++tickets}`, url: "ws://gateway/socket" }),
    WebSocket: FakeSocket as unknown as typeof WebSocket,
    ...options,
  });
  return { connection, tickets: () => tickets };
}

/** Runs everything that needs no timer. */
export const settle = () => vi.advanceTimersByTimeAsync(0);

/** A page that has received the welcome. */
export async function welcomed(options: Partial<ConnectOptions> = {}) {
  const made = page(options);
  await settle();
  FakeSocket.last.welcome();
  return made;
}
