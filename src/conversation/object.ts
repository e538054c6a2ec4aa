// The Durable Object class of a conversation. Its code is loaded with an isolate's first object, because the runtime evaluates this class
// in every isolate, including those without conversations.

import { DurableObject } from "cloudflare:workers";
import type { ChatObject } from "../services/chat/api";
import type { ChatSlots } from "../services/chat/slots";
import type { ConversationApi } from "../services/conversation/api";
import type { LiveConversation } from "./live";

type Call<Name extends keyof LiveConversation> = Parameters<LiveConversation[Name]>;

/** If `./live` is loaded already, an object starts without waiting. */
let read: typeof import("./live") | null = null;

export class Conversation extends DurableObject<Env> implements ConversationApi, ChatObject, ChatSlots {
  #live: LiveConversation | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    if (read !== null) this.#live = new read.LiveConversation(ctx, () => this.env);
    else
      void ctx.blockConcurrencyWhile(async () => {
        read ??= await import("./live");
        this.#live = new read.LiveConversation(ctx, () => this.env);
      });
  }

  put(...call: Call<"put">) {
    return this.#whole.put(...call);
  }

  status(...call: Call<"status">) {
    return this.#whole.status(...call);
  }

  record(...call: Call<"record">) {
    return this.#whole.record(...call);
  }

  turn(...call: Call<"turn">) {
    return this.#whole.turn(...call);
  }

  prompt(...call: Call<"prompt">) {
    return this.#whole.prompt(...call);
  }

  clientOpening(...call: Call<"clientOpening">) {
    return this.#whole.clientOpening(...call);
  }

  clientTools(...call: Call<"clientTools">) {
    return this.#whole.clientTools(...call);
  }

  clientAsk(...call: Call<"clientAsk">) {
    return this.#whole.clientAsk(...call);
  }

  toolCalls(...call: Call<"toolCalls">) {
    return this.#whole.toolCalls(...call);
  }

  streamCalls(...call: Call<"streamCalls">) {
    return this.#whole.streamCalls(...call);
  }

  chat(...call: Call<"chat">) {
    return this.#whole.chat(...call);
  }

  cancelCall(...call: Call<"cancelCall">) {
    return this.#whole.cancelCall(...call);
  }

  answerHost(...call: Call<"answerHost">) {
    return this.#whole.answerHost(...call);
  }

  signedIn() {
    return this.#whole.signedIn();
  }

  restore(...call: Call<"restore">) {
    return this.#whole.restore(...call);
  }

  events(...call: Call<"events">) {
    return this.#whole.events(...call);
  }

  at(...call: Call<"at">) {
    return this.#whole.at(...call);
  }

  giveFeedback(...call: Call<"giveFeedback">) {
    return this.#whole.giveFeedback(...call);
  }

  feedback(...call: Call<"feedback">) {
    return this.#whole.feedback(...call);
  }

  series(...call: Call<"series">) {
    return this.#whole.series(...call);
  }

  taskSkills(...call: Call<"taskSkills">) {
    return this.#whole.taskSkills(...call);
  }

  question(...call: Call<"question">) {
    return this.#whole.question(...call);
  }

  questions(...call: Call<"questions">) {
    return this.#whole.questions(...call);
  }

  awaitQuestion(...call: Call<"awaitQuestion">) {
    return this.#whole.awaitQuestion(...call);
  }

  cancelQuestion(...call: Call<"cancelQuestion">) {
    return this.#whole.cancelQuestion(...call);
  }

  respond(...call: Call<"respond">) {
    return this.#whole.respond(...call);
  }

  ticket(...call: Call<"ticket">) {
    return this.#whole.ticket(...call);
  }

  remove(...call: Call<"remove">) {
    return this.#whole.remove(...call);
  }

  erase(...call: Call<"erase">) {
    return this.#whole.erase(...call);
  }

  override fetch(...call: Call<"fetch">) {
    return this.#whole.fetch(...call);
  }

  override webSocketMessage(...call: Call<"webSocketMessage">) {
    return this.#whole.webSocketMessage(...call);
  }

  override webSocketClose(...call: Call<"webSocketClose">) {
    return this.#whole.webSocketClose(...call);
  }

  override webSocketError(socket: WebSocket) {
    return this.#whole.webSocketClose(socket, 1006, "");
  }

  override alarm(...call: Call<"alarm">) {
    return this.#whole.alarm(...call);
  }

  holdPlace(...call: Call<"holdPlace">) {
    return this.#whole.holdPlace(...call);
  }

  releasePlace(...call: Call<"releasePlace">) {
    return this.#whole.releasePlace(...call);
  }

  /** No event reaches an object while its constructor waits. */
  get #whole(): LiveConversation {
    if (this.#live === null) throw new Error("The conversation's object was called before it was initialized.");
    return this.#live;
  }
}
