// Client for one remote MCP server. It connects on demand and resumes sessions. A failing server does not delay other work.

import { DURATIONS } from "../domain/durations";
import { type JsonObject, jsonObject } from "../domain/json";
import { UPSTREAM_LIMITS } from "../domain/limits";
import { afterFailure, breakerState, CLOSED, openReason, trying } from "../domain/servers/breaker";
import { type Library, NO_LIBRARY } from "../domain/servers/library/library";
import {
  cachedEra,
  hasOneConnection,
  isFresh,
  type ToolList,
  type UpstreamMemory,
  type UpstreamTarget,
} from "../domain/servers/memory";
import { upstreamResult } from "../domain/servers/result";
import { failed, type ToolResult } from "../domain/tool";
import { callWithAnswers } from "./call-with-answers";
import { type Connection, type ConnectionContext, handshake, isLost, memoryAfterHandshake, resume } from "./connection";
import { Deadline, deadlineFor } from "./deadline";
import { signInFault, statusFault, UpstreamFault } from "./fault";
import { guardedFetch } from "./fetch";
import { eject, isEjected, isOfInstance, pickInstance, wasNotSent } from "./instances";
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

/** An operation. `isRepeatable`: a second run has no further effect, so it can run again if its connection is lost. */
interface Operation<T> {
  work: Work<T>;
  isRepeatable: boolean;
  abilities?: UpstreamTarget["abilities"] | undefined;
}

/** An address of the server, and its position among several; `null` if there is one only. */
interface Place {
  target: UpstreamTarget;
  instance: number | null;
}

export class Upstream {
  #target: UpstreamTarget;
  readonly #development: boolean;
  readonly #now: () => number;
  #memory: UpstreamMemory;
  /** The handshake in progress. All operations that need one wait for the same handshake. */
  #pendingHandshake: Promise<void> | null = null;
  /** The read in progress of everything except tools. */
  #pendingLibrary: Promise<Library> | null = null;
  /** The connection of an `sse` or `websocket` server, which has no session to resume. */
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
   * Connects, and does nothing else.
   *
   * @throws UpstreamFault
   */
  async reach(): Promise<void> {
    const deadline = deadlineFor(this.#target.connectMs, NO_ANSWER);
    await this.#guarded(deadline, { work: async () => undefined, isRepeatable: true });
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
    const work: Work<ToolList> = ({ client }) => readTools(client, deadline.signal, this.#now);
    const list = await this.#guarded(deadline, { work, isRepeatable: true });
    this.#learn({ list });
    return list;
  }

  /** Calls a tool. A failure is returned as a tool result. Throws a fault only if the user must sign in. */
  async call(
    tool: string,
    args: JsonObject,
    { signal, onCut, shown = tool, ...more }: CallOptions = {},
  ): Promise<ToolResult> {
    const known = this.#memory.list?.tools.find((candidate) => candidate.name === tool);
    const { inputSchema, outputSchema, annotations } = known ?? {};
    const isRepeatable = annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
    const { callMs } = this.#target;
    const deadline = deadlineFor(callMs, NO_ANSWER, signal, DURATIONS.callMost);
    try {
      const request = toolRequest({ tool, args, inputSchema, ...more });
      const answer = await this.#sendRepeatable(deadline, request, isRepeatable);
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
    const work: Work<Library> = ({ client }, { signal }) =>
      readLibrary({ sdk, client, capabilities: this.#memory.server?.capabilities, signal }, this.#now);
    const deadline = deadlineFor(connectMs, "it did not return its list");
    const library = await this.#guarded(deadline, { work, isRepeatable: true });
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
    // All other requests only read.
    return jsonObject.parse(await this.#sendRepeatable(deadline, plainRequest(method, params, inquiry), true));
  }

  /** Ends the session at the server; some servers keep a process for each. Ignores errors, because servers expire sessions themselves. */
  async end(): Promise<void> {
    const { headers } = this.#target;
    const { session } = this.#memory;
    const { url } = this.#at(session?.instance).target;
    if (hasOneConnection(this.#target) || session === null || session.id === null) return;
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
  #sendRepeatable(deadline: Deadline, made: RepeatableRequest, isRepeatable: boolean): Promise<unknown> {
    const work: Work<unknown> = (line, time, around) =>
      callWithAnswers(line, time, made, (asked) => {
        const { target } = this.#at(this.#memory.session?.instance);
        return this.#standing.subscribe(asked, around, target, line);
      });
    return this.#guarded(deadline, { work, isRepeatable, abilities: made.inquiry?.abilities });
  }

  /** Runs an operation under its deadline and the circuit breaker. Runs it a second time if the session was lost. */
  async #guarded<T>(deadline: Deadline, operation: Operation<T>): Promise<T> {
    const { abilities = this.#target.abilities } = operation;
    try {
      this.#checkBreaker();
      const sdk = await loadSdk();
      const onListChanged = (what: "list" | "library") => this.#stale(what);
      const around = { sdk, development: this.#development, abilities, onListChanged };
      const value = await this.#attemptSignedIn(around, deadline, operation);
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
  async #attemptSignedIn<T>(around: ConnectionContext, deadline: Deadline, operation: Operation<T>): Promise<T> {
    try {
      return await this.#attemptInstances(around, deadline, operation);
    } catch (error) {
      const { signIn, headers } = this.#target;
      if (!(error instanceof UpstreamFault) || signIn === undefined) throw error;
      if (error.status === 403 && error.scope !== null) throw signInFault(error.scope);
      if (error.status !== 401) throw error;
      const renewed = signIn.renew === null ? null : await deadline.within(signIn.renew(headers));
      if (renewed === null) throw signInFault();
      this.#target = { ...this.#target, ...renewed };
    }
    return this.#attemptInstances(around, deadline, operation);
  }

  /** Runs an operation. If its instance is down, runs it once more at another, unless the server may have received it and acted. */
  async #attemptInstances<T>(around: ConnectionContext, deadline: Deadline, operation: Operation<T>): Promise<T> {
    const progress = { hasBegun: false };
    try {
      return await this.#attempt(around, deadline, operation.work, progress);
    } catch (error) {
      if (this.#target.instances === undefined || !(error instanceof UpstreamFault) || !isOfInstance(error))
        throw error;
      if (progress.hasBegun && !operation.isRepeatable && !wasNotSent(error)) throw error;
    }
    return this.#attempt(around, deadline, operation.work, progress);
  }

  async #attempt<T>(
    around: ConnectionContext,
    deadline: Deadline,
    work: Work<T>,
    progress: { hasBegun: boolean },
  ): Promise<T> {
    for (let again = false; ; again = true) {
      const { connection, release, place } = await this.#open(around, deadline);
      progress.hasBegun = true;
      const working = work(connection, deadline, around);
      try {
        return await deadline.within(Promise.race([working, connection.line.broken]));
      } catch (error) {
        working.catch(() => undefined);
        const fault = withScope(faultOf(around.sdk, error, connection.line), connection.line.requiredScope);
        this.#noteFault(place, fault);
        if (again || !isLost(fault, connection)) throw fault;
        this.#forget(connection);
      } finally {
        release();
      }
    }
  }

  /** Returns a connection: resumed from the memory, or from a handshake that is shared by all callers. */
  async #open(around: ConnectionContext, deadline: Deadline): Promise<Lease & { place: Place }> {
    const only = { target: this.#target, instance: null };
    if (hasOneConnection(this.#target))
      return { ...(await this.#shared.take(deadline, () => this.#handshake(around, only))), place: only };
    for (let again = false; ; again = true) {
      const era = cachedEra(this.#memory, this.#target, this.#now());
      const place = this.#place();
      const connection = await resume(around, place.target, this.#memory, era);
      if (connection !== null) return { connection, release: () => void connection.line.close(), place };
      if (again) throw new UpstreamFault("protocol", "the handshake of the server is incomplete");
      this.#pendingHandshake ??= this.#handshake(around, place)
        .then(({ line }) => void line.close())
        .finally(() => {
          this.#pendingHandshake = null;
        });
      await deadline.within(this.#pendingHandshake);
    }
  }

  /** Runs a handshake under the connect deadline. It continues if its caller stops waiting. */
  async #handshake(around: ConnectionContext, place: Place): Promise<Connection> {
    const { connectMs } = this.#target;
    const late = new UpstreamFault("unreachable", `the server did not connect within ${connectMs / 1_000}s`);
    const deadline = new Deadline(connectMs, undefined, late);
    try {
      const connection = await handshake(around, place.target, this.#memory, this.#now(), deadline);
      this.#memory = memoryAfterHandshake(connection, this.#memory, this.#now());
      const { session } = this.#memory;
      if (session !== null && place.instance !== null)
        this.#learn({ session: { ...session, instance: place.instance } });
      return connection;
    } catch (error) {
      if (error instanceof UpstreamFault) this.#noteFault(place, error);
      throw error;
    } finally {
      deadline.end();
    }
  }

  /** Returns the address for the next request: that of the session, unless its instance is down, or one by weight. */
  #place(): Place {
    const { instances } = this.#target;
    if (instances === undefined) return { target: this.#target, instance: null };
    const { session } = this.#memory;
    const its = session === null ? undefined : instances[session.instance ?? -1];
    if (its !== undefined && !isEjected(its.url)) return this.#at(session?.instance);
    // The session ended with its instance, or with all.
    if (session !== null) this.#learn({ session: null });
    const picked = pickInstance(this.#target, { now: this.#now(), development: this.#development });
    return this.#at(picked === null ? undefined : instances.indexOf(picked));
  }

  #at(instance: number | undefined): Place {
    const its = instance === undefined ? undefined : this.#target.instances?.[instance];
    if (its === undefined || instance === undefined) return { target: this.#target, instance: null };
    return { target: { ...this.#target, url: its.url }, instance };
  }

  /** Takes an instance that is down out of use. */
  #noteFault({ target, instance }: Place, fault: UpstreamFault): void {
    if (instance !== null && isOfInstance(fault)) eject(target.url, this.#now());
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
