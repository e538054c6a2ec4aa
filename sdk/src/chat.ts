// Begins turns and runs tool calls for the adapters.

import { SkillGatewayError } from "./errors.js";
import type { Operations, ToolCallEvent, ToolCallsAnswer, Turn } from "./generated/operations.js";

export type TurnStart = Operations["turns.prepare"]["answer"];
export type Step = ToolCallsAnswer;
/** A call that waits for the user's sign-in: its `id` and `name`, the `server`, the `url` to open, and the end of the link. */
export type SignIn = Extract<ToolCallEvent, { event: "sign_in" }>["data"];
export type Format = NonNullable<Turn["format"]>;

export interface ChatOptions {
  /** User of the chat. The key needs the scope `act_as`. Without this option the chat belongs to the key's own user. */
  user?: string;
  /** Options of the conversation: ghost or spec, retention and others. */
  conversation?: Turn["conversation"];
  /** Id of the user's message. Default: a digest of all messages the user has written, which identifies the turn. */
  key?: string;
  /** Skills that the user selected for this turn. */
  selectedSkills?: Turn["selected_skills"];
  /** Continue without skills if the gateway is unreachable. Requests that the gateway rejects still throw. */
  failOpen?: boolean;
  /** Called with the error of every outage that `failOpen` ignores. */
  onOutage?: (error: SkillGatewayError) => void;
  /**
   * Called with the link when a call needs the user to sign in to its MCP server and no page of the conversation can be asked. The call
   * waits until the user has signed in or the link expires. Without this option, the result for the model contains the link.
   */
  onSignIn?: (signIn: SignIn) => void;
  /** Called with results and progress as they arrive. */
  onEvent?: (event: ToolCallEvent) => void;
  /** Time limit of one attempt to begin a turn, in milliseconds. Default: 10 000. */
  timeoutMs?: number;
}

/** The data that an adapter passes to begin a turn. */
export interface Begin {
  format: Format;
  key: string;
  /** Messages before the user's message. */
  history: unknown[];
  have: string[];
  /** The content of the user's message, from whose text the gateway predicts a skill. */
  message?: unknown;
  model?: string;
}

/** The two client operations that a chat uses. */
interface ChatClient {
  call(
    name: "turns.prepare",
    request: Operations["turns.prepare"]["request"],
    options: { signal?: AbortSignal | null | undefined; timeoutMs: number; idempotencyKey: null },
  ): Promise<TurnStart>;
  stream(
    name: "toolCalls.run",
    request: Operations["toolCalls.run"]["request"],
    options: { signal?: AbortSignal | null | undefined },
  ): AsyncIterable<ToolCallEvent>;
}

export class Chat {
  readonly id: string;
  readonly options: Readonly<ChatOptions>;
  readonly #gateway: ChatClient;

  constructor(gateway: ChatClient, id: string, options: ChatOptions) {
    this.#gateway = gateway;
    this.id = id;
    this.options = options;
  }

  /** Begins a turn, or returns the turn that this key already began. Returns `null` for a turn without skills (`failOpen`). */
  async begin(
    { format, key, history, have, message, model }: Begin,
    signal?: AbortSignal | null,
  ): Promise<TurnStart | null> {
    const { conversation, selectedSkills, timeoutMs = 10_000 } = this.options;
    const body: Turn = {
      ...{ format, key, history: history as Turn["history"], have },
      conversation: { delivery: "auto", ...conversation },
      ...(model === undefined ? {} : { model }),
      ...messageOf(message),
      ...(selectedSkills === undefined ? {} : { selected_skills: selectedSkills }),
    };
    return this.#open(signal, () =>
      this.#gateway.call("turns.prepare", { path: { id: this.id }, body }, { signal, timeoutMs, idempotencyKey: null }),
    );
  }

  /** Runs the calls of one model answer. Returns `null` if the gateway is unreachable (`failOpen`). Aborting `signal` cancels the calls. */
  async run(calls: unknown[], format: Format, signal?: AbortSignal | null, usage?: object): Promise<Step | null> {
    const body = {
      format,
      calls: calls as Record<string, unknown>[],
      ...(usage === undefined ? {} : { usage: { ...usage } }),
      ...(this.options.onSignIn === undefined ? {} : { sign_in: "wait" as const }),
    };
    return this.#open(signal, async () => {
      for await (const event of this.#gateway.stream("toolCalls.run", { path: { id: this.id }, body }, { signal })) {
        if (event.event === "error") throw refused(event.data);
        if (event.event === "sign_in") this.options.onSignIn?.(event.data);
        this.options.onEvent?.(event);
        if (event.event === "done") return event.data;
      }
      throw new SkillGatewayError({
        status: 0,
        code: "STREAM_ENDED",
        message: "The response of the gateway ended early. Try again.",
      });
    });
  }

  async #open<Value>(signal: AbortSignal | null | undefined, ask: () => Promise<Value>): Promise<Value | null> {
    try {
      return await ask();
    } catch (error) {
      signal?.throwIfAborted();
      if (!this.options.failOpen || !(error instanceof SkillGatewayError) || !error.isOutage) throw error;
      this.options.onOutage?.(error);
      return null;
    }
  }
}

/** HTTP status for errors that a stream reports after its 200. */
const STATUS: Readonly<Record<string, number>> = {
  invalid: 400,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  rate_limited: 429,
  unavailable: 503,
};

function refused({ code, reason, message }: { code: string; reason: string; message: string }): SkillGatewayError {
  return new SkillGatewayError({
    status: STATUS[code] ?? 500,
    code: reason,
    message: `The gateway rejected the request: ${message}`,
  });
}

/** Characters of a message that are sent. The gateway reads no more. */
const MESSAGE_CHARS = 1_200;

/** Returns the beginning of a message's text, if it has any. */
function messageOf(content: unknown): { message?: string } {
  const parts: unknown[] = Array.isArray(content) ? content : [{ text: content }];
  const texts = parts.map((part) => (typeof part === "object" && part !== null ? Reflect.get(part, "text") : null));
  const text = texts.filter((one) => typeof one === "string").join("\n");
  // A character must not be cut in half.
  return text === "" ? {} : { message: text.slice(0, MESSAGE_CHARS).replace(/[\uD800-\uDBFF]$/, "") };
}

/** Returns a key that identifies the turn: a digest of all messages that the user has written. */
export async function keyOf(written: unknown[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(written));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `sdk_${Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Result for the model if the gateway could not run its call. */
export const UNREACHABLE = "Error: skills cannot be reached at the moment. Go on without them.";
/** Limit of steps with the gateway's tools in one turn. */
export const MOST_STEPS = 32;
