// One Durable Object per conversation: RPC in, services behind. It owns what belongs to the platform (storage, the alarm, the
// request's context) and nothing else; the interface is `services/conversation`.

import { DurableObject } from "cloudflare:workers";
import type { ConversationSettings } from "../domain/conversation";
import { GatewayError } from "../domain/errors";
import { makeId } from "../domain/id";
import type { Format } from "../domain/protocol";
import { settingsFrom } from "../domain/settings";
import type { JsonValue } from "../domain/skill";
import { offerSchema, putAnswerSchema, toolCallsAnswerSchema, turnAnswerSchema } from "../services/answers";
import type { Context } from "../services/context";
import {
  type Ask,
  type ConversationApi,
  type Idempotency,
  type Reply,
  refusal,
  type ToolCallsAsk,
  type TurnAsk,
} from "../services/conversation";
import { idleDeadline, putConversation, required, unlist } from "../services/lifecycle";
import { answerOnce } from "../services/once";
import { offered } from "../services/prompt";
import { exclusively, openSession, type Session } from "../services/session";
import { eventsOf, pastOf, statusOf, taskSkillsOf } from "../services/status";
import { formatOf, takeCalls, takeTurn } from "../services/step";
import { streamCalls } from "../services/stream";
import type { RunningCalls } from "../services/toolset";
import { restore } from "../services/turn";
import { currentView } from "../services/view";
import { ConversationStore } from "../storage/conversation";
import { openDatabase } from "../storage/database";

export class Conversation extends DurableObject<Env> implements ConversationApi {
  readonly #store = new ConversationStore(this.ctx.storage);
  readonly #running: RunningCalls = new Map();
  #session: Session | null = null;

  put(ask: Ask, settings: ConversationSettings, replace: boolean, once: Idempotency | null) {
    return this.#answer(ask, (context) =>
      answerOnce(context, this.#store, once, putAnswerSchema, async () => {
        const { session, created } = await this.#put(context, ask.id, settings, replace);
        return { created, status: await statusOf(context, session) };
      }),
    );
  }

  status(ask: Ask) {
    return this.#answer(ask, (context, session) => statusOf(context, required(session)));
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
    return this.#answer(ask, async (context, session) => {
      const known = required(session);
      const { view } = await currentView(context, known);
      return offerSchema.parse(await offered(context, known, view, formatOf(known, format)));
    });
  }

  toolCalls(ask: Ask, request: ToolCallsAsk, once: Idempotency | null) {
    return this.#answer(ask, (context, session) => {
      const known = required(session);
      return answerOnce(context, this.#store, once, toolCallsAnswerSchema, () =>
        takeCalls(context, known, this.#running, request),
      );
    });
  }

  streamToolCalls(ask: Ask, request: ToolCallsAsk) {
    return this.#answer(ask, async (context, session) =>
      streamCalls(context, required(session), this.#running, request),
    );
  }

  cancelCall(ask: Ask, callId: string) {
    return this.#answer(ask, async (_context, session) => {
      required(session);
      const call = this.#running.get(callId);
      if (call === undefined) throw new GatewayError("not_found", "CALL_NOT_FOUND", "No such call is running.");
      call.abort();
      return null;
    });
  }

  restore(ask: Ask, history: JsonValue[]) {
    return this.#answer(ask, async (context, session) => {
      const known = required(session);
      const warnings = await exclusively(known, () => restore(context, known, history));
      return statusOf(context, known, warnings);
    });
  }

  events(ask: Ask, after: number, limit: number) {
    return this.#answer(ask, async (_context, session) => eventsOf(required(session), after, limit));
  }

  at(ask: Ask, turn: number) {
    return this.#answer(ask, async (_context, session) => pastOf(required(session), turn));
  }

  taskSkills(ask: Ask) {
    return this.#answer(ask, (context, session) => taskSkillsOf(context, required(session)));
  }

  remove(ask: Ask) {
    return this.#answer(ask, async (context, session) => {
      await unlist(context, required(session));
      await this.#empty();
      return null;
    });
  }

  /** Deletes the conversation when it was idle for long enough, else looks again when it may have been. */
  override async alarm(): Promise<void> {
    const session = this.#open();
    if (session === null) return;
    const settings = settingsFrom(this.env);
    const deadline = idleDeadline(session, settings.CONVERSATION_IDLE_DAYS);
    if (deadline > Date.now()) {
      await this.ctx.storage.setAlarm(deadline);
      return;
    }
    await unlist({ db: openDatabase(this.env.DB.withSession("first-primary"), { storage: 0 }) }, session);
    await this.#empty();
  }

  async #answer<T>(ask: Ask, run: (context: Context, session: Session | null) => Promise<T>): Promise<Reply<T>> {
    try {
      const context = this.#context(ask);
      const value = await run(context, this.#open());
      return { ok: true, value, storage_ms: context.timings.storage };
    } catch (error) {
      return refusal(error);
    }
  }

  #open(): Session | null {
    this.#session ??= openSession(this.#store);
    return this.#session;
  }

  async #put(context: Context, id: string, settings: ConversationSettings, replace: boolean) {
    try {
      return await putConversation(context, this.#store, () => this.#open(), id, settings, replace);
    } finally {
      await this.#watch(context.settings.CONVERSATION_IDLE_DAYS);
    }
  }

  /** Sets the alarm that ends the conversation when it is idle, unless it is set. */
  async #watch(days: number): Promise<void> {
    const session = this.#open();
    if (session === null || (await this.ctx.storage.getAlarm()) !== null) return;
    await this.ctx.storage.setAlarm(idleDeadline(session, days));
  }

  async #empty(): Promise<void> {
    this.#session = null;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  #context(ask: Ask): Context {
    const timings = { storage: 0 };
    return {
      caller: ask.caller,
      db: openDatabase(this.env.DB.withSession("first-primary"), timings),
      packages: this.env.PACKAGES,
      assets: this.env.ASSETS,
      loader: this.env.LOADER,
      // The way to this conversation's pages goes here (`door`); without it every request says that no page is connected.
      settings: settingsFrom(this.env),
      timings,
      now: () => Date.now(),
      newId: (prefix) => makeId(prefix, Date.now(), crypto.getRandomValues(new Uint8Array(10))),
    };
  }
}
