// One connection for all that use it at a time: it ends with the last of them.

import type { Connection } from "./connection";
import type { Deadline } from "./deadline";

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
