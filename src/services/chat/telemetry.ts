// Spans of a chat: one for the answer, and in it one for each request to the model.

import type { Merger, Protocol, StepEnd } from "../../domain/chat/protocol";
import { readUsage, sentTokens } from "../../domain/conversation/usage";
import type { JsonObject } from "../../domain/json";
import type { Attributes } from "../../domain/telemetry/span";
import { traceFields } from "../../domain/telemetry/trace-context";
import type { OpenSpan } from "../../domain/telemetry/tracing";
import type { Context } from "../context";
import { errorTypeOf } from "../telemetry/tracing";

/** The values of `gen_ai.response.finish_reasons` (GenAI conventions 1.41). */
const FINISH: Partial<Record<StepEnd, string>> = {
  stop: "stop",
  calls: "tool_call",
  length: "length",
  refused: "content_filter",
};

/** What a chat's spans name. */
interface ChatNames {
  protocol: Protocol;
  /** The model's name at its vendor. */
  model: string;
  /** The agent (ghost) that the request asks for. */
  ghost: string | null;
  conversation: string;
  isStream: boolean;
}

/** The spans of one request of the chat endpoint. */
export class ChatSpans {
  readonly #context: Context;
  readonly #names: ChatNames;
  #agent: OpenSpan | null = null;
  #model: OpenSpan | null = null;

  constructor(context: Context, names: ChatNames) {
    this.#context = context;
    this.#names = names;
  }

  /** Starts the span of the answer. Tool calls are its children. */
  beginAnswer(): void {
    const { tracing } = this.#context;
    const { ghost } = this.#names;
    this.#agent = this.#begin(ghost === null ? "invoke_agent" : `invoke_agent ${ghost}`, "internal", {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": ghost ?? undefined,
    });
    tracing.parent = this.#agent.context;
  }

  endAnswer(error: unknown = null): void {
    this.#end(this.#agent, error, {});
  }

  /** Starts the span of a request to the model. Returns the headers that name it to the model's server. */
  beginModel(): Record<string, string> {
    const { model } = this.#names;
    this.#model = this.#begin(`chat ${model}`, "client", { "gen_ai.operation.name": "chat" });
    const { context } = this.#model;
    return context === null ? {} : traceFields(context);
  }

  /** @param usage as the model's server reports it */
  endModel(usage: JsonObject | null, end: StepEnd): void {
    const finish = FINISH[end];
    const broken = end === "broken" ? "model_broke_off" : null;
    const reasons = finish === undefined ? undefined : [finish];
    this.#end(this.#model, broken, { ...tokensOf(usage), "gen_ai.response.finish_reasons": reasons });
  }

  failModel(error: unknown): void {
    this.#end(this.#model, error, {});
  }

  #begin(name: string, kind: "internal" | "client", attributes: Attributes): OpenSpan {
    const { tracing, caller, now } = this.#context;
    const { protocol, model, conversation, isStream } = this.#names;
    const known = {
      ...attributes,
      "gen_ai.provider.name": protocol.api === "anthropic" ? "anthropic" : "openai",
      "gen_ai.request.model": model,
      "gen_ai.request.stream": kind === "client" ? isStream : undefined,
      "gen_ai.conversation.id": conversation,
      "session.id": conversation,
    };
    return tracing.begin({ name, kind, user: caller.principal.userId, attributes: known, start: now() });
  }

  #end(span: OpenSpan | null, error: unknown, attributes: Attributes): void {
    const type = error === null || typeof error === "string" ? error : errorTypeOf(error);
    span?.end({ at: this.#context.now(), error: type, attributes });
  }
}

/** Returns the token counts of a request, if its server reported them in a known form. */
function tokensOf(reported: JsonObject | null): Attributes {
  const read = reported === null ? null : readUsage(reported);
  if (read === null || "problem" in read) return {};
  const { usage } = read;
  return {
    "gen_ai.usage.input_tokens": sentTokens(usage),
    "gen_ai.usage.output_tokens": usage.output,
    "gen_ai.usage.cache_read.input_tokens": usage.cache_read,
    "gen_ai.usage.cache_creation.input_tokens": usage.cache_write,
  };
}

/** Returns the usage of the last step as its server reported it; `null` if it reported none. */
export function stepUsageOf({ stepUsage }: Merger): JsonObject | null {
  return stepUsage === null || Object.keys(stepUsage).length === 0 ? null : stepUsage;
}
