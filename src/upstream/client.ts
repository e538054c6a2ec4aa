// Client for one remote MCP server. It connects on demand and resumes sessions. A failing server does not delay other work.

import { DURATIONS } from "../domain/durations";
import { type JsonObject, jsonObject } from "../domain/json";
import { UPSTREAM_LIMITS } from "../domain/limits";
import { afterFailure, breakerState, CLOSED, openReason, trying } from "../domain/servers/breaker";
import { type Library, NO_LIBRARY } from "../domain/servers/library/library";
import { cachedEra, isFresh, type ToolList, type UpstreamMemory, type UpstreamTarget } from "../domain/servers/memory";
import { upstreamResult } from "../domain/servers/result";
import { failed, type ToolResult } from "../domain/tool";
import { callWithAnswers } from "./call-with-answers";
import { type Connection, type ConnectionContext, handshake, isLost, memoryAfterHandshake, resume } from "./connection";
import { Deadline, deadlineFor } from "./deadline";
import { signInFault, statusFault, UpstreamFault } from "./fault";
import { guardedFetch } from "./fetch";
import { readLibrary } from "./library";
import { faultOf } from "./reason";
import { loadSdk } from "./sdk";
import { type Lease, SharedConnection, StandingStream } from "./shared-connection";
import { type AskOptions, type CallOptions, plainRequest, type RepeatableRequest, toolRequest } from "./tool-call";
import { readTools } from "./tools";

/** Errors of these kinds do not mean that the server is down. */
const HARMLESS = new Set<UpstreamFault["kind"]>(["cancelled", "answer", "refused", "open", "sign_in"]);

const NO_ANSWER = "it did not respond";

type Work<T> = (connection: Connection, deadline: Deadline, around: ConnectionContext) => Promise<T>;

export class Upstream {
  #target: UpstreamTarget;
  readonly #development: boolean;
  readonly #now: () => number;
  #memory: UpstreamMemory;
  /** The handshake in progress. All operations that need one wait for the same handshake. */
  #pendingHandshake: Promise<void> | null = null;
  /** The read in progress of everything except tools. */
  #pendingLibrary: Promise<Library> | null = null;
  /** The connection of an `sse` server, which has no session to resume. */
  readonly #shared = new SharedConnection();
  readonly #standing = new StandingStream();

  /**
   * @param memory the memory of an earlier client; read it from `memory` after use, and store it
   * @param development as in the host policy: `__DEVELOPMENT__`
   * @param now milliseconds since the epoch
   */
  constructor(target: UpstreamTarget, memory: UpstreamMemory, development: boolean, now: () => number) {
    this.#target = target;
    this.#memory = memory;
    this.#development = development;
    this.#now = now;
  }

  /** Continues with other deadlines or other headers that vary by request. The memory must be valid for them too. */
  aim(target: UpstreamTarget): void {
    this.#target = target;
  }

  get memory(): UpstreamMemory {
    return this.#memory;
  }

  /**
   * Returns the server's tools: from the memory if the list is fresh, otherwise read again within the connect deadline.
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

  /** Calls a tool. A failure is returned as a tool result. Throws a fault only if the user must sign in. */
  async call(
    tool: string,
    args: JsonObject,
    { signal, onCut, shown = tool, ...more }: CallOptions = {},
  ): Promise<ToolResult> {
    const { inputSchema, outputSchema } = this.#memory.list?.tools.find((candidate) => candidate.name === tool) ?? {};
    const { callMs } = this.#target;
    const deadline = deadlineFor(callMs, NO_ANSWER, signal, DURATIONS.callMost);
    try {
      const answer = await this.#sendRepeatable(deadline, toolRequest({ tool, args, inputSchema, ...more }));
      const bounded = upstreamResult(answer, outputSchema !== undefined);
      if (bounded === null) return failed(`MCP tool '${shown}' failed: its answer is not a tool result`);
      if (bounded.whole !== null) onCut?.(bounded.whole);
      return bounded.result;
    } catch (error) {
      if (!(error instanceof UpstreamFault) || error.kind === "sign_in") throw error;
      if (error.kind === "timeout") return failed(`MCP tool '${shown}' timed out after ${callMs / 1_000}s`);
      return failed(`MCP tool '${shown}' failed: ${error.message}`);
    }
  }

  /**
   * Returns the server's resources and prompts: from the memory if they are fresh, otherwise read again within the connect deadline.
   *
   * @throws UpstreamFault
   */
  async library(): Promise<Library> {
    const known = this.#memory.library;
    if (known !== null && isFresh(known, this.#now())) return known;
    this.#pendingLibrary ??= this.#readLibrary()
      .catch((error: unknown) => {
        // After a failure the old value is stored with the current time, so that the server is not asked again immediately. The server may
        // still have tools, which these requests must not affect.
        this.#learn({ library: { ...(known ?? NO_LIBRARY), at: this.#now() } });
        throw error;
      })
      .finally(() => {
        this.#pendingLibrary = null;
      });
    return this.#pendingLibrary;
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
   * Sends any other request, within the deadline of a call.
   *
   * @throws UpstreamFault
   */
  async ask(method: string, params: JsonObject, { signal, inquiry }: AskOptions = {}): Promise<JsonObject> {
    const deadline = deadlineFor(this.#target.callMs, NO_ANSWER, signal);
    return jsonObject.parse(await this.#sendRepeatable(deadline, plainRequest(method, params, inquiry)));
  }

  /** Ends the session at the server; some servers keep a process for each. Ignores errors, because servers expire sessions themselves. */
  async end(): Promise<void> {
    const { type, url, headers } = this.#target;
    const { session } = this.#memory;
    if (type === "sse" || session === null || session.id === null) return;
    const named = { ...headers, "mcp-session-id": session.id, "mcp-protocol-version": session.protocol };
    const ms = DURATIONS.goodbye;
    const guard = { development: this.#development, headersMs: ms, totalMs: ms, bytes: UPSTREAM_LIMITS.answerBytes };
    try {
      const answer = await guardedFetch(url, { method: "DELETE", headers: named }, guard);
      await answer.body?.cancel();
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
    }
  }

  /** Sends a request during which the server can ask questions. */
  #sendRepeatable(deadline: Deadline, made: RepeatableRequest): Promise<unknown> {
    const work: Work<unknown> = (line, time, around) =>
      callWithAnswers(line, time, made, (asked) => this.#standing.subscribe(asked, around, this.#target, line));
    return this.#guarded(deadline, work, made.inquiry?.abilities);
  }

  /** Runs an operation under its deadline and the circuit breaker. Runs it a second time if the session was lost. */
  async #guarded<T>(deadline: Deadline, work: Work<T>, abilities = this.#target.abilities): Promise<T> {
    try {
      this.#checkBreaker();
      const sdk = await loadSdk();
      const onListChanged = (what: "list" | "library") => this.#stale(what);
      const around = { sdk, development: this.#development, abilities, onListChanged };
      const value = await this.#attemptSignedIn(around, deadline, work);
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

  #checkBreaker(): void {
    const { breaker } = this.#memory;
    const state = breakerState(breaker, this.#now());
    if (state === "open") throw new UpstreamFault("open", openReason(breaker, this.#now()));
    if (state === "trial") this.#learn({ breaker: trying(breaker, this.#now()) });
  }

  /** Runs an operation. If the server rejects the user's token, runs it a second time with a renewed one. */
  async #attemptSignedIn<T>(around: ConnectionContext, deadline: Deadline, work: Work<T>): Promise<T> {
    try {
      return await this.#attempt(around, deadline, work);
    } catch (error) {
      const { signIn, headers } = this.#target;
      if (!(error instanceof UpstreamFault) || signIn === undefined) throw error;
      if (error.status === 403 && error.scope !== null) throw signInFault(error.scope);
      if (error.status !== 401) throw error;
      const renewed = signIn.renew === null ? null : await deadline.within(signIn.renew(headers));
      if (renewed === null) throw signInFault();
      this.#target = { ...this.#target, ...renewed };
    }
    return this.#attempt(around, deadline, work);
  }

  async #attempt<T>(around: ConnectionContext, deadline: Deadline, work: Work<T>): Promise<T> {
    for (let again = false; ; again = true) {
      const { connection, release } = await this.#open(around, deadline);
      const working = work(connection, deadline, around);
      try {
        return await deadline.within(Promise.race([working, connection.line.broken]));
      } catch (error) {
        working.catch(() => undefined);
        const fault = withScope(faultOf(around.sdk, error, connection.line), connection.line.requiredScope);
        if (again || !isLost(fault, connection)) throw fault;
        this.#forget(connection);
      } finally {
        release();
      }
    }
  }

  /** Returns a connection: resumed from the memory, or from a handshake that is shared by all callers. */
  async #open(around: ConnectionContext, deadline: Deadline): Promise<Lease> {
    if (this.#target.type === "sse") return this.#shared.take(deadline, () => this.#handshake(around));
    for (let again = false; ; again = true) {
      const era = cachedEra(this.#memory, this.#target, this.#now());
      const connection = await resume(around, this.#target, this.#memory, era);
      if (connection !== null) return { connection, release: () => void connection.line.close() };
      if (again) throw new UpstreamFault("protocol", "the handshake of the server is incomplete");
      this.#pendingHandshake ??= this.#handshake(around)
        .then(({ line }) => void line.close())
        .finally(() => {
          this.#pendingHandshake = null;
        });
      await deadline.within(this.#pendingHandshake);
    }
  }

  /** Runs a handshake under the connect deadline. It continues if its caller stops waiting. */
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

  /** Removes the session that a connection resumed from the memory, unless another session has replaced it. */
  #forget({ resumed }: Connection): void {
    if (resumed === "discover") this.#learn({ discover: null, era: null });
    else if (resumed !== null && this.#memory.session?.id === resumed.id) this.#learn({ session: null });
  }

  #stale(what: "list" | "library"): void {
    const { list, library } = this.#memory;
    if (what === "list" && list !== null) this.#learn({ list: { ...list, at: 0 } });
    if (what === "library" && library !== null) this.#learn({ library: { ...library, at: 0 } });
  }

  /** If the breaker is already closed, the memory object is not replaced. The caller compares it to decide whether to store it. */
  #closeBreaker(): void {
    if (this.#memory.breaker.failures > 0) this.#learn({ breaker: CLOSED });
  }

  #learn(change: Partial<UpstreamMemory>): void {
    this.#memory = { ...this.#memory, ...change };
  }
}

/** Adds the scopes that the server requires to a fault. */
function withScope(fault: UpstreamFault, scope: string | null): UpstreamFault {
  if (scope === null) return fault;
  return new UpstreamFault("status", statusFault(403, null).message, 403, null, scope);
}
