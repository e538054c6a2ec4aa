// Shares one connection between concurrent operations. It is closed after the last of them.

import { DURATIONS } from "../domain/durations";
import type { UpstreamTarget } from "../domain/servers/memory";
import { type Connection, type ConnectionContext, openSideConnection } from "./connection";
import type { Deadline } from "./deadline";
import type { QuestionableCall } from "./server-questions";

/** A connection for one operation, to be released after it. */
export interface Lease {
  connection: Connection;
  release(): void;
}

interface Live {
  ready: Promise<Connection>;
  users: number;
}

export class SharedConnection {
  #live: Live | null = null;

  /** Returns the existing connection, or a new one. */
  async take(deadline: Deadline, connect: () => Promise<Connection>): Promise<Lease> {
    const live = this.#live ?? { ready: connect(), users: 0 };
    this.#live = live;
    live.users++;
    const leave = () => {
      if (this.#live === live) this.#live = null;
    };
    const release = () => {
      live.users--;
      if (live.users > 0) return;
      leave();
      live.ready.then(({ line }) => void line.close(), leave);
    };
    try {
      const connection = await deadline.within(live.ready);
      // After a failure, later calls need another connection.
      connection.line.broken.catch(leave);
      return { connection, release };
    } catch (error) {
      leave();
      release();
      throw error;
    }
  }
}

/** A server with a limit of one stream may not have detected yet that the previous one was closed. */
const TAKEN = { status: 409, tries: 8, waitMs: 50 };

/**
 * The stream of a session (revisions of 2025) for requests of the server outside a call's stream. It is open only during calls that can
 * answer questions, because an open stream keeps the Durable Object awake.
 */
export class StandingStream {
  readonly #calls = new Set<QuestionableCall>();
  #live: { session: string; standing: Promise<void>; end: () => void } | null = null;
  /** The session whose server has no such stream. */
  #without: string | null = null;

  /**
   * Lets a call receive the server's questions on the stream, until the returned function is called. Waits until the stream is open, unless
   * the server has none or is slow: some servers drop questions that they send before the stream is open.
   */
  async subscribe(
    call: QuestionableCall,
    around: ConnectionContext,
    target: UpstreamTarget,
    { resumed }: Connection,
  ): Promise<() => void> {
    if (resumed === null || typeof resumed === "string" || resumed.id === null) return () => undefined;
    if (resumed.id === this.#without || Object.keys(around.abilities).length === 0) return () => undefined;
    this.#calls.add(call);
    if (this.#live?.session !== resumed.id) {
      this.#live?.end();
      this.#live = this.#open(resumed.id, openSideConnection(around, target, resumed, this.#calls));
    }
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, DURATIONS.standing);
    await Promise.race([this.#live.standing, patience.promise]);
    clearTimeout(timer);
    return () => {
      this.#calls.delete(call);
      if (this.#calls.size > 0) return;
      this.#live?.end();
      this.#live = null;
    };
  }

  #open(session: string, connecting: Promise<Connection>) {
    let isOver = false;
    const listen = async () => {
      const { line } = await connecting;
      for (let tries = 0; !isOver && tries < TAKEN.tries; tries++) {
        const status = await line.listen();
        if (status !== null && status >= 400 && status < 500 && status !== TAKEN.status) this.#without = session;
        if (status !== TAKEN.status) return;
        await new Promise<void>((resolve) => setTimeout(resolve, TAKEN.waitMs));
      }
    };
    const end = () => {
      isOver = true;
      connecting.then(({ line }) => void line.close());
    };
    return { session, standing: listen(), end };
  }
}
