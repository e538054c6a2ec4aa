// One Durable Object per conversation: RPC in, services behind. It owns what belongs to the platform (storage, the alarm, the
// request's context) and nothing else; the interface is `services/conversation`.

import { DurableObject } from "cloudflare:workers";
import { type Pace, paced } from "../domain/access/pace";
import type { Answer, RequestState } from "../domain/asking/question";
import type { ConversationSettings } from "../domain/conversation/settings";
import type { JsonValue } from "../domain/package/skill";
import type { Format } from "../domain/tools/formats";
import { ADMISSION_HEADER, admissionSchema } from "../services/asking/admission";
import { cancel, expireDue, waitForEnd } from "../services/asking/ask";
import { openDoor } from "../services/asking/browser-link";
import { listRequests, takeRequest, takeResponse } from "../services/asking/over-http";
import { makeTicket } from "../services/asking/tickets";
import { detailOf, type RequestAsk } from "../services/asking/views";
import { dismiss } from "../services/asking/waiters";
import { audited, conversationInLog } from "../services/audit";
import type { Context } from "../services/context";
import {
  type Ask,
  type ConversationApi,
  type HostAsk,
  type Idempotency,
  type Reply,
  refusal,
  type ToolCallsAsk,
  type TurnAsk,
} from "../services/conversation/api";
import { announceChanges } from "../services/conversation/changes";
import { putConversation, required, unlist } from "../services/conversation/lifecycle";
import {
  offerAnswer,
  putAnswerSchema,
  toolCallsAnswerSchema,
  turnAnswerSchema,
} from "../services/conversation/replies";
import { type CallName, cancelCall, type RunningCalls } from "../services/conversation/running";
import { eventsOf, pastOf, recordOf, statusOf, taskSkillsOf } from "../services/conversation/status";
import { takeCalls, takeHostOffer, takeOffer, takeTurn } from "../services/conversation/step";
import { streamCalls } from "../services/conversation/stream";
import { restore } from "../services/conversation/turn";
import { answerOnce } from "../services/once";
import { conversationNotFound, exclusively, openSession, type Session } from "../services/session";
import { ConversationStore } from "../storage/object/conversation";
import { contextOf } from "./context";
import { endIfIdle } from "./idle";
import { enter, hear, sweep } from "./socket-protocol";
import { GONE } from "./sockets";
import { pagesOf } from "./tabs";

export class Conversation extends DurableObject<Env> implements ConversationApi {
  readonly #store = new ConversationStore(this.ctx.storage);
  readonly #running: RunningCalls = new Map();
  readonly #pages = pagesOf(this.ctx, this.env, this.#store, () => this.#open());
  #session: Session | null = null;
  #pace: Pace = { since: 0, count: 0 };

  put(ask: Ask, settings: ConversationSettings, replace: boolean, once: Idempotency | null) {
    return this.#answer(ask, (context) =>
      answerOnce(context, this.#store, once, putAnswerSchema, async () => {
        const { session, created } = await this.#put(context, ask.id, settings, replace);
        return { created, status: await statusOf(context, session) };
      }),
    );
  }

  status(ask: Ask) {
    return this.#inside(ask, statusOf);
  }

  record(ask: Ask) {
    return this.#inside(ask, async (context, session) => recordOf(context, session));
  }

  turn(ask: Ask, settings: ConversationSettings | null, request: TurnAsk, once: Idempotency | null) {
    return this.#answer(ask, (context) =>
      answerOnce(context, this.#store, once, turnAnswerSchema, async () => {
        if (settings !== null) await this.#put(context, ask.id, settings, false);
        return takeTurn(context, required(this.#open()), request);
      }),
    );
  }

  prompt(ask: Ask, format: Format | null) {
    return this.#inside(ask, async (context, session) => offerAnswer(await takeOffer(context, session, format)));
  }

  hostOffer(ask: Ask, host: HostAsk) {
    return this.#answer(ask, async (context) =>
      offerAnswer(await takeHostOffer(context, await this.#hosted(context, ask, host), host.preload)),
    );
  }

  toolCalls(ask: Ask, request: ToolCallsAsk, once: Idempotency | null) {
    return this.#answer(ask, async (context) => {
      const known = await this.#hosted(context, ask, request.host);
      const run = () => takeCalls(context, known, this.#running, request);
      return answerOnce(context, this.#store, once, toolCallsAnswerSchema, run);
    });
  }

  streamToolCalls(ask: Ask, call: ToolCallsAsk) {
    return this.#answer(ask, async (context) =>
      streamCalls(context, await this.#hosted(context, ask, call.host), this.#running, call),
    );
  }

  cancelCall(ask: Ask, call: CallName) {
    return this.#inside(ask, async () => cancelCall(this.#running, call));
  }

  restore(ask: Ask, history: JsonValue[]) {
    return this.#inside(ask, async (context, session) => {
      const warnings = await exclusively(session, () => restore(context, session, history));
      return statusOf(context, session, warnings);
    });
  }

  events(ask: Ask, after: number, limit: number) {
    return this.#inside(ask, async (_context, session) => eventsOf(session, after, limit));
  }

  at(ask: Ask, turn: number) {
    return this.#inside(ask, async (_, session) => pastOf(session, turn));
  }

  taskSkills(ask: Ask) {
    return this.#inside(ask, taskSkillsOf);
  }

  request(ask: Ask, request: RequestAsk, once: Idempotency | null) {
    return this.#inside(ask, (context, session) => takeRequest(context, session, this.#pages.asking, request, once));
  }

  requests(ask: Ask, state: RequestState | null, limit: number, cursor: string | undefined) {
    return this.#inside(ask, async () => listRequests(this.#pages.asking, state, limit, cursor));
  }

  awaitRequest(ask: Ask, requestId: string, milliseconds: number) {
    return this.#inside(ask, async () => detailOf(await waitForEnd(this.#pages.asking, requestId, milliseconds)));
  }

  cancelRequest(ask: Ask, requestId: string) {
    return this.#inside(ask, async () => cancel(this.#pages.asking, requestId, "cancelled"));
  }

  respond(ask: Ask, requestId: string, answer: Answer, once: Idempotency | null) {
    return this.#inside(ask, (context, session) =>
      takeResponse(context, session, this.#pages.asking, requestId, answer, once),
    );
  }

  ticket(ask: Ask, origin: string | null, user: string | null) {
    return this.#inside(ask, (context, session) => makeTicket(context, session, origin, user));
  }

  remove(ask: Ask) {
    return this.#inside(ask, async (context, session) => {
      const recorded = audited(context, "conversation.delete", await conversationInLog(session));
      await unlist({ ...context, db: recorded }, session);
      return this.#empty();
    });
  }

  erase(ask: Ask) {
    return this.#answer(ask, async ({ db, caller }) => {
      // The list last: what a failure leaves must be found again.
      await this.#empty();
      return unlist({ db }, { userId: caller.principal.userId, id: ask.id });
    });
  }

  /** Takes a page's socket, sent here by the Worker with its admission. Answers 101, or the refusal as a reply. */
  override async fetch(request: Request): Promise<Response> {
    try {
      const admission = admissionSchema.parse(JSON.parse(request.headers.get(ADMISSION_HEADER) ?? "null"));
      return await enter(this.#pages, admission);
    } catch (error) {
      return Response.json(refusal(error));
    }
  }

  override async webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    await hear(this.#pages, socket, data);
  }

  override webSocketClose(socket: WebSocket, code: number, reason: string): void {
    this.#pages.sockets.closed(socket, code, reason);
  }

  override webSocketError(socket: WebSocket): void {
    this.webSocketClose(socket, 1006, "");
  }

  /** Whatever is due: requests without an answer, silent sockets, keys to check, and the end of an idle conversation. */
  override async alarm(): Promise<void> {
    this.#pages.alarm.fired();
    if (this.#open() === null) return;
    expireDue(this.#pages.asking);
    await sweep(this.#pages);
    const session = this.#open();
    if (session === null) return;
    await endIfIdle(this.#pages, this.env, session, () => this.#empty());
  }

  async #answer<T>(ask: Ask, run: (context: Context, session: Session | null) => Promise<T>): Promise<Reply<T>> {
    let session: Session | null = null;
    try {
      this.#pace = paced(this.#pace, Date.now());
      const context = contextOf(this.env, ask, (call) => openDoor(this.#pages.asking, required(this.#open()), call));
      session = this.#open();
      const value = await run(context, session);
      return { ok: true, value, storage_ms: context.timings.storage };
    } catch (error) {
      // Its tables went away under it.
      return refusal(session?.ended ? conversationNotFound() : error);
    }
  }

  /** As `#answer`, for what only a conversation that is there can do. */
  #inside<T>(ask: Ask, run: (context: Context, session: Session) => Promise<T>): Promise<Reply<T>> {
    return this.#answer(ask, (context, session) => run(context, required(session)));
  }

  #open(): Session | null {
    if (this.#session !== null) return this.#session;
    this.#session = openSession(this.#store);
    if (this.#session !== null) announceChanges(this.#session, this.#pages.sockets);
    return this.#session;
  }

  /** The conversation that is there, or the one that an MCP host makes by naming it. */
  async #hosted(context: Context, ask: Ask, host: HostAsk | null): Promise<Session> {
    if (host !== null && this.#open() === null) await this.#put(context, ask.id, host.settings, false);
    return required(this.#open());
  }

  async #put(context: Context, id: string, settings: ConversationSettings, replace: boolean) {
    try {
      return await putConversation(context, this.#store, () => this.#open(), id, settings, replace);
    } finally {
      await this.#pages.alarm.ensure();
    }
  }

  async #empty(): Promise<null> {
    if (this.#session !== null) this.#session.ended = true;
    this.#session = null;
    this.#pages.sockets.dropAll(GONE.code, GONE.reason);
    dismiss(this.#pages.asking.waiters, conversationNotFound());
    await this.#pages.alarm.clear();
    await this.ctx.storage.deleteAll();
    return null;
  }
}
