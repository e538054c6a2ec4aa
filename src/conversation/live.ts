// Implements services/conversation/api.ts inside the Durable Object (object.ts). It manages storage, the alarm and request contexts only.

import { type Pace, paced } from "../domain/access/rate";
import { ChatLeases } from "../domain/chat/leases";
import { CHAT_LIMITS } from "../domain/chat/limits";
import type { ConversationSettings } from "../domain/conversation/settings";
import type { JsonValue } from "../domain/json";
import type { Answer, QuestionState } from "../domain/questions/question";
import type { Format } from "../domain/tools/formats";
import type { ChatObject, ChatRequest } from "../services/chat/api";
import type { ChatSlots } from "../services/chat/slots";
import type { Context } from "../services/context";
import {
  type ClientSetup,
  type ConversationApi,
  type HostAsk,
  type HostSetup,
  type PromptRequest,
  type Reply,
  refusal,
  type Target,
  type ToolCallsRequest,
  type TurnRequest,
} from "../services/conversation/api";
import { seriesOf } from "../services/conversation/billing/series";
import { closeSessions, removeConversation } from "../services/conversation/close";
import { type FeedbackRequest, feedbackOf, giveFeedback } from "../services/conversation/feedback";
import { removeFromList, requireSession } from "../services/conversation/lifecycle";
import { createPageTicket } from "../services/conversation/pages/ticket";
import { offerReply, putReplySchema, toolCallsReplySchema, turnReplySchema } from "../services/conversation/replies";
import { type CallName, cancelCall, type RunningCalls } from "../services/conversation/running";
import { eventsOf, pastOf, recordOf, restoredStatus, statusOf, taskSkillsOf } from "../services/conversation/status";
import { currentOffer, listClientTools, openForClient, runCalls, runTurn } from "../services/conversation/step";
import { streamCalls } from "../services/conversation/stream";
import { inTurnSpan } from "../services/conversation/telemetry";
import { type Idempotency, runIdempotently } from "../services/idempotency";
import { cancel, waitForEnd } from "../services/questions/ask";
import { listQuestions, takeQuestion, takeResponse } from "../services/questions/over-http";
import { answerHost } from "../services/questions/running-call";
import type { TicketRequest } from "../services/questions/tickets";
import { type QuestionRequest, questionDetailOf } from "../services/questions/views";
import { conversationNotFound, type Session } from "../services/session";
import type { QuestionOutcome } from "../upstream/server-questions";
import { runAlarm } from "./alarm-handler";
import { contextIn, wakeSignIns } from "./context";
import { answerUpgrade, hear } from "./socket-protocol";
import { StoredConversation } from "./stored-conversation";

/** The code of chats, loaded with the first one. It is cached, because another `import()` would be one more wait. */
let chats: typeof import("../services/chat/object") | null = null;

/** A conversation in memory, from its object's first event until the object is evicted. */
export class LiveConversation implements ConversationApi, ChatObject, ChatSlots {
  readonly #env: () => Env;
  readonly #kept: StoredConversation;
  readonly #later: (work: Promise<void>) => void;
  readonly #running: RunningCalls = new Map();
  #pace: Pace = { since: 0, count: 0 };
  /**
   * The slots of a user's running chats, in an object that stores nothing. After an eviction, a slot is registered again when its lease is
   * renewed. Until then the limit can be exceeded.
   */
  readonly #leases = new ChatLeases();

  /** @param env returns the object's bindings, read at each call */
  constructor(ctx: DurableObjectState, env: () => Env) {
    this.#env = env;
    this.#kept = new StoredConversation(ctx, env());
    this.#later = (work) => ctx.waitUntil(work);
  }

  put(target: Target, settings: ConversationSettings, replace: boolean, once: Idempotency | null) {
    return this.#answer(target, (context) =>
      runIdempotently(context, this.#kept.store, once, putReplySchema, async () => {
        const { session, created } = await this.#kept.put(context, target.id, { settings, replace, selected: null });
        return { created, status: await statusOf(context, session) };
      }),
    );
  }

  status(target: Target) {
    return this.#inside(target, statusOf);
  }

  record(target: Target) {
    return this.#inside(target, async (context, session) => recordOf(context, session));
  }

  turn(target: Target, settings: ConversationSettings | null, request: TurnRequest, once: Idempotency | null) {
    return this.#answer(target, (context) =>
      runIdempotently(context, this.#kept.store, once, turnReplySchema, async () => {
        if (settings !== null)
          await this.#kept.put(context, target.id, { settings, selected: request.selected_skills });
        const session = requireSession(this.#kept.open());
        return inTurnSpan(context, session, () => runTurn(context, session, request));
      }),
    );
  }

  prompt(target: Target, format: Format | null) {
    return this.#inside(target, async (context, session) => offerReply(await currentOffer(context, session, format)));
  }

  clientOpening(target: Target, { preload, settings, host }: ClientSetup) {
    const open = (context: Context, session: Session) => openForClient(context, session, preload);
    return this.#inside(target, open, settings, host);
  }

  clientTools(target: Target, client: ClientSetup, tells: boolean) {
    const tools = (context: Context, session: Session) => listClientTools(context, session, client.preload, tells);
    return this.#inside(target, tools, client.settings, client.host);
  }

  clientAsk(target: Target, { preload, settings, host }: ClientSetup, ask: HostAsk) {
    const answer = async (context: Context, session: Session) => {
      // Loaded with the first request other than a tool call.
      const { answerAsk } = await import("../services/conversation/host/ask");
      return answerAsk(context, session, preload, ask);
    };
    return this.#inside(target, answer, settings, host);
  }

  toolCalls(target: Target, request: ToolCallsRequest, once: Idempotency | null) {
    const take = (context: Context, session: Session) => {
      const run = () => runCalls(context, session, this.#running, request);
      return runIdempotently(context, this.#kept.store, once, toolCallsReplySchema, run);
    };
    return this.#inside(target, take, request.client?.settings, request.client?.host);
  }

  streamCalls(target: Target, call: ToolCallsRequest | PromptRequest) {
    const stream = async (context: Context, session: Session) => streamCalls(context, session, this.#running, call);
    return this.#inside(target, stream, call.client?.settings, call.client?.host);
  }

  chat(target: Target, request: ChatRequest, settings: ConversationSettings | null) {
    const answer = async (context: Context, session: Session) => {
      chats ??= await import("../services/chat/object");
      return chats.handleChat(context, session, this.#running, request);
    };
    return this.#inside(target, answer, (session) => settingsFor(session, settings));
  }

  cancelCall(target: Target, call: CallName) {
    return this.#inside(target, async () => cancelCall(this.#running, call));
  }

  answerHost(target: Target, question: string, response: QuestionOutcome) {
    return this.#inside(target, async (_, session) => answerHost(session, question, response));
  }

  async signedIn() {
    return wakeSignIns(this.#kept);
  }

  restore(target: Target, history: JsonValue[]) {
    return this.#inside(target, (context, session) => restoredStatus(context, session, history));
  }

  events(target: Target, after: number, limit: number) {
    return this.#inside(target, async (_context, session) => eventsOf(session, after, limit));
  }

  at(target: Target, turn: number) {
    return this.#inside(target, async (_, session) => pastOf(session, turn));
  }

  giveFeedback(target: Target, request: FeedbackRequest) {
    return this.#inside(target, async (context, session) => giveFeedback(context, session, request));
  }

  feedback(target: Target, after: number, limit: number) {
    return this.#inside(target, async (_, session) => feedbackOf(session, after, limit));
  }

  series(target: Target, after: number, limit: number) {
    return this.#inside(target, async (_, session) => seriesOf(session, after, limit));
  }

  taskSkills(target: Target) {
    return this.#inside(target, taskSkillsOf);
  }

  question(target: Target, request: QuestionRequest, once: Idempotency | null) {
    return this.#inside(target, (context, session) =>
      takeQuestion(context, session, this.#kept.tabs.asking, request, once),
    );
  }

  questions(target: Target, state: QuestionState | null, limit: number, cursor: string | undefined) {
    return this.#inside(target, async () => listQuestions(this.#kept.tabs.asking, state, limit, cursor));
  }

  awaitQuestion(target: Target, requestId: string, milliseconds: number) {
    return this.#inside(target, async () =>
      questionDetailOf(await waitForEnd(this.#kept.tabs.asking, requestId, milliseconds)),
    );
  }

  cancelQuestion(target: Target, requestId: string) {
    return this.#inside(target, async () => cancel(this.#kept.tabs.asking, requestId, "cancelled"));
  }

  respond(target: Target, requestId: string, answer: Answer, once: Idempotency | null) {
    return this.#inside(target, (context, session) =>
      takeResponse(context, session, this.#kept.tabs.asking, requestId, answer, once),
    );
  }

  ticket(target: Target, request: TicketRequest, settings: ConversationSettings) {
    return this.#inside(target, (context, session) => createPageTicket(context, session, request), settings);
  }

  remove(target: Target) {
    return this.#inside(target, (context, session) => removeConversation(context, session, () => this.#kept.empty()));
  }

  erase(target: Target) {
    return this.#answer(target, async (context, session) => {
      const leave = await closeSessions(context, session);
      // The list is deleted last, so that a failed deletion is found again.
      await this.#kept.empty();
      await removeFromList(context, { userId: context.caller.principal.userId, id: target.id });
      return leave();
    });
  }

  /** Accepts a page's socket, passed on by the Worker with its admission. Returns 101, or the refusal as a reply. */
  fetch(request: Request): Promise<Response> {
    return answerUpgrade(this.#kept.tabs, request);
  }

  async webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    await hear(this.#kept.tabs, socket, data);
  }

  webSocketClose(socket: WebSocket, code: number, reason: string): void {
    this.#kept.tabs.sockets.closed(socket, code, reason);
  }

  async alarm(): Promise<void> {
    await runAlarm(this.#kept.tabs, { env: this.#env(), later: this.#later, empty: () => this.#kept.empty() });
  }

  async holdPlace(id: string, most: number): Promise<boolean> {
    return this.#leases.hold(id, most, Date.now(), CHAT_LIMITS.placeMs);
  }

  async releasePlace(id: string): Promise<void> {
    this.#leases.release(id);
  }

  async #answer<T>(
    target: Target,
    run: (context: Context, session: Session | null) => Promise<T>,
    host?: HostSetup,
  ): Promise<Reply<T>> {
    let session: Session | null = null;
    try {
      this.#pace = paced(this.#pace, Date.now());
      session = this.#kept.open();
      const context = contextIn(this.#kept, { env: this.#env(), later: this.#later, target, host });
      const value = await run(context, session);
      return { ok: true, value, storage_ms: context.timings.storage };
    } catch (error) {
      // Its tables were deleted meanwhile.
      return refusal(session?.ended ? conversationNotFound() : error);
    }
  }

  /** Like `#answer`, for an existing conversation. With settings, it is created if it does not exist. */
  #inside<T>(
    target: Target,
    run: (context: Context, session: Session) => Promise<T>,
    made?: ConversationSettings | ((session: Session | null) => ConversationSettings | undefined),
    host?: HostSetup,
  ): Promise<Reply<T>> {
    const inside = async (context: Context) => {
      const settings =
        typeof made === "function" ? made(this.#kept.open()) : this.#kept.open() === null ? made : undefined;
      if (settings !== undefined) await this.#kept.put(context, target.id, { settings, selected: [] });
      return run(context, requireSession(this.#kept.open()));
    };
    return this.#answer(target, inside, host);
  }
}

/** Returns the settings of a chat. A front end's user selects a ghost as a model, and can change it during a chat. */
function settingsFor(session: Session | null, settings: ConversationSettings | null): ConversationSettings | undefined {
  if (session === null || settings === null) return settings ?? undefined;
  const { ghost } = settings;
  return ghost === undefined || ghost === session.settings.ghost ? undefined : { ghost };
}
