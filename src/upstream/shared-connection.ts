// One connection for all that use it at a time: it ends with the last of them.

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

  /** The connection that there is, or a new one. */
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
      // Once it breaks, a later call needs another connection.
      connection.line.broken.catch(leave);
      return { connection, release };
    } catch (error) {
      leave();
      release();
      throw error;
    }
  }
}

/** A server that lets one client listen at a time may not have seen yet that the last one left. */
const TAKEN = { status: 409, tries: 8, waitMs: 50 };

/**
 * The stream of a session of 2025 on which its server speaks unasked. It stands only while calls are under way that somebody could be asked
 * in: a stream that is open keeps the object awake that reads it.
 */
export class StandingStream {
  readonly #calls = new Set<QuestionableCall>();
  #live: { session: string; standing: Promise<void>; end: () => void } | null = null;
  /** The session that is known to have none. */
  #without: string | null = null;

  /**
   * Has a call hear what the server of its session asks there, until what this gives is called. The stream stands by then, unless the server
   * has none or lets one wait: what is asked before somebody listens some servers tell nobody.
   */
  async hear(
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
