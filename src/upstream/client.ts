// One remote MCP server: connected when it is needed, its session taken up again, and never the reason why anything else waits.

import { DURATIONS } from "../domain/durations";
import type { JsonObject } from "../domain/json";
import { afterFailure, breakerState, CLOSED, openReason, trying } from "../domain/servers/breaker";
import {
  type Abilities,
  isFresh,
  knownEra,
  type ToolList,
  type UpstreamMemory,
  type UpstreamTarget,
} from "../domain/servers/memory";
import { upstreamResult } from "../domain/servers/result";
import { failed, type ToolResult } from "../domain/tool";
import { callTool, nextOf } from "./calling";
import { type Connection, isLost, learned, resume, type Surroundings, shake } from "./connection";
import { Deadline } from "./deadline";
import { UpstreamFault } from "./fault";
import { sayGoodbye } from "./goodbye";
import type { Inquiry } from "./inquiry";
import { faultOf } from "./reason";
import { loadSdk } from "./sdk";
import { readTools } from "./tools";

/** What a tool says of how far it is. */
export interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** What the tool is called where it is offered; its own name otherwise. */
  shown?: string;
  /** Who answers what the server asks meanwhile; without one it may ask nothing. */
  inquiry?: Inquiry | undefined;
}

/** What goes wrong with these is no sign that the server is down. */
const HARMLESS = new Set<UpstreamFault["kind"]>(["cancelled", "answer", "refused", "open"]);

interface Live {
  ready: Promise<Connection>;
  users: number;
}

type Work<T> = (connection: Connection, deadline: Deadline) => Promise<T>;

/** A connection for one operation, to be released after it. */
type Lease = { connection: Connection; release(): void };

export class Upstream {
  #target: UpstreamTarget;
  readonly #development: boolean;
  readonly #now: () => number;
  #memory: UpstreamMemory;
  /** A handshake that is under way: all who need one wait for the same. */
  #shaking: Promise<void> | null = null;
  /** The connection of an `sse` server, which has no session to go on from, while anything uses it. */
  #live: Live | null = null;

  /**
   * @param memory what an earlier one left; read it from `memory` after use, and keep it
   * @param development as the host policy takes it: `__DEVELOPMENT__`
   * @param now milliseconds since the epoch
   */
  constructor(target: UpstreamTarget, memory: UpstreamMemory, development: boolean, now: () => number) {
    this.#target = target;
    this.#memory = memory;
    this.#development = development;
    this.#now = now;
  }

  /** Goes on with other deadlines or headers that vary by request. What it remembers must hold for them too. */
  aim(target: UpstreamTarget): void {
    this.#target = target;
  }

  get memory(): UpstreamMemory {
    return this.#memory;
  }

  /**
   * The server's tools: as remembered while the list is fresh, else read again within the deadline for connecting.
   *
   * @throws UpstreamFault
   */
  async list(signal?: AbortSignal): Promise<ToolList> {
    const known = this.#memory.list;
    if (known !== null && isFresh(known, this.#now())) return known;
    const { connectMs } = this.#target;
    const late = new UpstreamFault("timeout", `its list of tools did not come within ${connectMs / 1_000}s`);
    const list = await this.#guarded(new Deadline(connectMs, signal, late), ({ client }, deadline) =>
      readTools(client, deadline.signal, this.#now),
    );
    this.#learn({ list });
    return list;
  }

  /** Calls a tool. A failure is a tool result, too. */
  async call(
    tool: string,
    args: JsonObject,
    { signal, onProgress, shown = tool, inquiry }: CallOptions = {},
  ): Promise<ToolResult> {
    const { inputSchema } = this.#memory.list?.tools.find((candidate) => candidate.name === tool) ?? {};
    const { callMs } = this.#target;
    const late = new UpstreamFault("timeout", `it did not answer within ${callMs / 1_000}s`);
    const deadline = new Deadline(callMs, signal, late, Math.max(callMs, DURATIONS.callMost));
    const made = { tool, args, inputSchema, onProgress, inquiry, next: nextOf(inquiry) };
    try {
      const answer = await this.#guarded(deadline, (line, time) => callTool(line, time, made), inquiry?.abilities);
      return upstreamResult(answer) ?? failed(`MCP tool '${shown}' failed: its answer is no tool result`);
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      if (error.kind === "timeout") return failed(`MCP tool '${shown}' timed out after ${callMs / 1_000}s`);
      return failed(`MCP tool '${shown}' failed: ${error.message}`);
    }
  }

  /** Tells the server that its session is over. Never fails. */
  end(): Promise<void> {
    return sayGoodbye(this.#target, this.#memory.session, this.#development);
  }

  /** Runs an operation under its deadline and the breaker, and a second time where the session was lost. */
  async #guarded<T>(deadline: Deadline, work: Work<T>, abilities: Abilities = this.#target.abilities): Promise<T> {
    try {
      this.#enter();
      const sdk = await loadSdk();
      const around = { sdk, development: this.#development, abilities, onListChanged: () => this.#staleList() };
      const value = await this.#attempt(around, deadline, work);
      this.#closeBreaker();
      return value;
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      const { breaker } = this.#memory;
      if (error.kind === "answer") this.#closeBreaker();
      else if (!HARMLESS.has(error.kind)) this.#learn({ breaker: afterFailure(breaker, this.#now(), error.message) });
      throw error;
    } finally {
      deadline.end();
    }
  }

  #enter(): void {
    const { breaker } = this.#memory;
    const state = breakerState(breaker, this.#now());
    if (state === "open") throw new UpstreamFault("open", openReason(breaker, this.#now()));
    if (state === "trial") this.#learn({ breaker: trying(breaker, this.#now()) });
  }

  async #attempt<T>(around: Surroundings, deadline: Deadline, work: Work<T>): Promise<T> {
    for (let again = false; ; again = true) {
      const { connection, release } = await this.#open(around, deadline);
      const working = work(connection, deadline);
      try {
        return await deadline.within(Promise.race([working, connection.line.broken]));
      } catch (error) {
        working.catch(() => undefined);
        const fault = faultOf(around.sdk, error, connection.line);
        if (again || !isLost(fault, connection)) throw fault;
        this.#forget(connection);
      } finally {
        release();
      }
    }
  }

  /** A connection: taken up again from the memory, or from a handshake that all who need one share. */
  async #open(around: Surroundings, deadline: Deadline): Promise<Lease> {
    if (this.#target.type === "sse") return this.#share(around, deadline);
    for (let again = false; ; again = true) {
      const era = knownEra(this.#memory, this.#target, this.#now());
      const connection = await resume(around, this.#target, this.#memory, era);
      if (connection !== null) return { connection, release: () => void connection.line.close() };
      if (again) throw new UpstreamFault("protocol", "the server's handshake left nothing to go on from");
      this.#shaking ??= this.#shake(around)
        .then(({ line }) => void line.close())
        .finally(() => {
          this.#shaking = null;
        });
      await deadline.within(this.#shaking);
    }
  }

  /** The one connection of an `sse` server, which ends with the last of those who use it. */
  async #share(around: Surroundings, deadline: Deadline): Promise<Lease> {
    const live = this.#live ?? { ready: this.#shake(around), users: 0 };
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

  /** Shakes hands under the deadline for connecting. It goes on when a caller stops waiting for it. */
  async #shake(around: Surroundings): Promise<Connection> {
    const { connectMs } = this.#target;
    const late = new UpstreamFault("unreachable", `the server did not connect within ${connectMs / 1_000}s`);
    const deadline = new Deadline(connectMs, undefined, late);
    try {
      const connection = await shake(around, this.#target, this.#memory, this.#now(), deadline);
      this.#memory = learned(connection, this.#memory, this.#now());
      return connection;
    } finally {
      deadline.end();
    }
  }

  /** Forgets the session that a connection went on from, unless another has replaced it already. */
  #forget({ resumed }: Connection): void {
    if (resumed === "discover") this.#learn({ discover: null, era: null });
    else if (resumed !== null && this.#memory.session?.id === resumed.id) this.#learn({ session: null });
  }

  #staleList(): void {
    const { list } = this.#memory;
    if (list !== null) this.#learn({ list: { ...list, at: 0 } });
  }

  /** Where it is closed already, the memory stays the same value, which says that there is nothing new to store. */
  #closeBreaker(): void {
    if (this.#memory.breaker.failures > 0) this.#learn({ breaker: CLOSED });
  }

  #learn(change: Partial<UpstreamMemory>): void {
    this.#memory = { ...this.#memory, ...change };
  }
}
