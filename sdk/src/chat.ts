// A chat as the adapters see it: begin a turn, run calls. What the gateway cannot do now is an error, or nothing where one is content with that.

import { SkillGatewayError } from "./errors.js";
import type { Operations, ToolCallEvent, ToolCallsAnswer, Turn } from "./generated/operations.js";

export type TurnStart = Operations["turns.prepare"]["answer"];
export type Step = ToolCallsAnswer;
export type Format = NonNullable<Turn["format"]>;

export interface ChatOptions {
  /** The chat's user. The key needs the scope `act_as`; without it the chat is that of the key's own user. */
  user?: string;
  /** How the conversation is to be: its ghost or spec, retention and so on. */
  conversation?: Turn["conversation"];
  /** The id of the user's message. Without it a digest of what the user has written tells one turn from the next. */
  key?: string;
  /** Skills that the user has picked for this turn. */
  selectedSkills?: Turn["selected_skills"];
  /** Go on without skills while the gateway does not answer. What it refuses is an error all the same. */
  failOpen?: boolean;
  /** Hears of every outage that `failOpen` has passed over. */
  onOutage?: (error: SkillGatewayError) => void;
  /** Hears of results and progress as they come. */
  onEvent?: (event: ToolCallEvent) => void;
  /** How long one attempt to begin a turn may take, in milliseconds; default 10 000. */
  timeoutMs?: number;
}

/** What an adapter knows when a turn begins. */
export interface Begin {
  format: Format;
  key: string;
  /** Messages before the user's. */
  history: unknown[];
  have: string[];
  model?: string;
}

/** The two operations of a client that a chat uses. */
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

  /** Begins a turn, or finds the one that this key began. `null`: without skills this time. */
  async begin({ format, key, history, have, model }: Begin, signal?: AbortSignal | null): Promise<TurnStart | null> {
    const { conversation, selectedSkills, timeoutMs = 10_000 } = this.options;
    const body: Turn = {
      ...{ format, key, history: history as Turn["history"], have },
      conversation: { delivery: "auto", ...conversation },
      ...(model === undefined ? {} : { model }),
      ...(selectedSkills === undefined ? {} : { selected_skills: selectedSkills }),
    };
    return this.#open(signal, () =>
      this.#gateway.call("turns.prepare", { path: { id: this.id }, body }, { signal, timeoutMs, idempotencyKey: null }),
    );
  }

  /** Runs calls of one answer of the model. `null`: nobody could. Leaving by the signal cancels them. */
  async run(calls: unknown[], format: Format, signal?: AbortSignal | null, usage?: object): Promise<Step | null> {
    const body = {
      format,
      calls: calls as Record<string, unknown>[],
      ...(usage === undefined ? {} : { usage: { ...usage } }),
    };
    return this.#open(signal, async () => {
      for await (const event of this.#gateway.stream("toolCalls.run", { path: { id: this.id }, body }, { signal })) {
        if (event.event === "error") throw refused(event.data);
        this.options.onEvent?.(event);
        if (event.event === "done") return event.data;
      }
      throw new SkillGatewayError({ status: 0, code: "STREAM_ENDED", message: "The gateway's answer ended early" });
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

/** HTTP's numbers for what a stream says after its 200. */
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
    message: `The gateway refused: ${message}`,
  });
}

/** What tells a turn from the next: all that the user has written up to now. */
export async function keyOf(written: unknown[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(written));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `sdk_${Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** What the model reads when nobody could run its call. */
export const UNREACHABLE = "Error: skills cannot be reached at the moment. Go on without them.";
/** A turn has at most so many steps of the gateway's own tools; then the model's calls are handed to nobody. */
export const MOST_STEPS = 32;
