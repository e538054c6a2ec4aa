// One remote MCP server: connected when it is needed, its session taken up again, and never the reason why anything else waits.

import { DURATIONS } from "../domain/durations";
import { type JsonObject, jsonObject } from "../domain/json";
import { afterFailure, breakerState, CLOSED, openReason, trying } from "../domain/servers/breaker";
import { type Library, NO_LIBRARY } from "../domain/servers/library/library";
import { cachedEra, isFresh, type ToolList, type UpstreamMemory, type UpstreamTarget } from "../domain/servers/memory";
import { upstreamResult } from "../domain/servers/result";
import { failed, type ToolResult } from "../domain/tool";
import { callWithAnswers } from "./call-with-answers";
import { type Connection, type ConnectionContext, handshake, isLost, memoryAfterHandshake, resume } from "./connection";
import { Deadline, deadlineFor } from "./deadline";
import { endServerSession } from "./end-session";
import { UpstreamFault } from "./fault";
import { readLibrary } from "./library";
import { faultOf } from "./reason";
import { loadSdk } from "./sdk";
import { type Lease, SharedConnection, StandingStream } from "./shared-connection";
import { type AskOptions, type CallOptions, plainRequest, type RepeatableRequest, toolRequest } from "./tool-call";
import { readTools } from "./tools";

/** What goes wrong with these is no sign that the server is down. */
const HARMLESS = new Set<UpstreamFault["kind"]>(["cancelled", "answer", "refused", "open"]);

const NO_ANSWER = "it did not respond";

type Work<T> = (connection: Connection, deadline: Deadline, around: ConnectionContext) => Promise<T>;

export class Upstream {
  #target: UpstreamTarget;
  readonly #development: boolean;
  readonly #now: () => number;
  #memory: UpstreamMemory;
  /** A handshake that is under way: all who need one wait for the same. */
  #shaking: Promise<void> | null = null;
  /** What it has beside tools, while it is read. */
  #reading: Promise<Library> | null = null;
  /** The connection of an `sse` server, which has no session to go on from. */
  readonly #shared = new SharedConnection();
  readonly #standing = new StandingStream();

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
    const deadline = deadlineFor(connectMs, "it did not return its list of tools", signal);
    const list = await this.#guarded(deadline, ({ client }) => readTools(client, deadline.signal, this.#now));
    this.#learn({ list });
    return list;
  }

  /** Calls a tool. A failure is a tool result, too. */
  async call(
    tool: string,
    args: JsonObject,
    { signal, onCut, shown = tool, ...more }: CallOptions = {},
  ): Promise<ToolResult> {
    const { inputSchema, outputSchema } = this.#memory.list?.tools.find((candidate) => candidate.name === tool) ?? {};
    const { callMs } = this.#target;
    const failure = (what: string) => failed(`MCP tool '${shown}' ${what}`);
    const deadline = deadlineFor(callMs, NO_ANSWER, signal, DURATIONS.callMost);
    try {
      const answer = await this.#asking(deadline, toolRequest({ tool, args, inputSchema, ...more }));
      const bounded = upstreamResult(answer, outputSchema !== undefined);
      if (bounded === null) return failure("failed: its answer is not a tool result");
      if (bounded.whole !== null) onCut?.(bounded.whole);
      return bounded.result;
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      if (error.kind === "timeout") return failure(`timed out after ${callMs / 1_000}s`);
      return failure(`failed: ${error.message}`);
    }
  }

  /**
   * What the server has beside tools, as remembered while it is fresh, else read again within the deadline for connecting.
   *
   * @throws UpstreamFault
   */
  async library(): Promise<Library> {
    const known = this.#memory.library;
    if (known !== null && isFresh(known, this.#now())) return known;
    this.#reading ??= this.#readLibrary()
      .catch((error: unknown) => {
        // Not asked again at once: it may have tools all the same, which a host's questions must not cost it.
        this.#learn({ library: { ...(known ?? NO_LIBRARY), at: this.#now() } });
        throw error;
      })
      .finally(() => {
        this.#reading = null;
      });
    return this.#reading;
  }

  async #readLibrary(): Promise<Library> {
    const { connectMs } = this.#target;
    const sdk = await loadSdk();
    const library = await this.#guarded(
      deadlineFor(connectMs, "it did not return its list"),
      ({ client }, { signal }) =>
        readLibrary({ sdk, client, capabilities: this.#memory.server?.capabilities, signal }, this.#now),
    );
    this.#learn({ library });
    return library;
  }

  /**
   * Asks for anything else, within the deadline of a call.
   *
   * @throws UpstreamFault
   */
  async ask(method: string, params: JsonObject, { signal, inquiry }: AskOptions = {}): Promise<JsonObject> {
    const deadline = deadlineFor(this.#target.callMs, NO_ANSWER, signal);
    return jsonObject.parse(await this.#asking(deadline, plainRequest(method, params, inquiry)));
  }

  /** Tells the server that its session is over. Never fails. */
  end(): Promise<void> {
    return endServerSession(this.#target, this.#memory.session, this.#development);
  }

  /** Sends what the server may ask something about before it answers. */
  #asking(deadline: Deadline, made: RepeatableRequest): Promise<unknown> {
    const work: Work<unknown> = (line, time, around) =>
      callWithAnswers(line, time, made, (asked) => this.#standing.hear(asked, around, this.#target, line));
    return this.#guarded(deadline, work, made.inquiry?.abilities);
  }

  /** Runs an operation under its deadline and the breaker, and a second time where the session was lost. */
  async #guarded<T>(deadline: Deadline, work: Work<T>, abilities = this.#target.abilities): Promise<T> {
    try {
      this.#enter();
      const sdk = await loadSdk();
      const onListChanged = (what: "list" | "library") => this.#stale(what);
      const around = { sdk, development: this.#development, abilities, onListChanged };
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

  async #attempt<T>(around: ConnectionContext, deadline: Deadline, work: Work<T>): Promise<T> {
    for (let again = false; ; again = true) {
      const { connection, release } = await this.#open(around, deadline);
      const working = work(connection, deadline, around);
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
  async #open(around: ConnectionContext, deadline: Deadline): Promise<Lease> {
    if (this.#target.type === "sse") return this.#shared.take(deadline, () => this.#handshake(around));
    for (let again = false; ; again = true) {
      const era = cachedEra(this.#memory, this.#target, this.#now());
      const connection = await resume(around, this.#target, this.#memory, era);
      if (connection !== null) return { connection, release: () => void connection.line.close() };
      if (again) throw new UpstreamFault("protocol", "the handshake of the server is incomplete");
      this.#shaking ??= this.#handshake(around)
        .then(({ line }) => void line.close())
        .finally(() => {
          this.#shaking = null;
        });
      await deadline.within(this.#shaking);
    }
  }

  /** Shakes hands under the deadline for connecting. It goes on when a caller stops waiting for it. */
  async #handshake(around: ConnectionContext): Promise<Connection> {
    const { connectMs } = this.#target;
    const late = new UpstreamFault("unreachable", `the server did not connect within ${connectMs / 1_000}s`);
    const deadline = new Deadline(connectMs, undefined, late);
    try {
      const connection = await handshake(around, this.#target, this.#memory, this.#now(), deadline);
      this.#memory = memoryAfterHandshake(connection, this.#memory, this.#now());
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

  #stale(what: "list" | "library"): void {
    const { list, library } = this.#memory;
    if (what === "list" && list !== null) this.#learn({ list: { ...list, at: 0 } });
    if (what === "library" && library !== null) this.#learn({ library: { ...library, at: 0 } });
  }

  /** Where it is closed already, the memory stays the same value, which says that there is nothing new to store. */
  #closeBreaker(): void {
    if (this.#memory.breaker.failures > 0) this.#learn({ breaker: CLOSED });
  }

  #learn(change: Partial<UpstreamMemory>): void {
    this.#memory = { ...this.#memory, ...change };
  }
}
