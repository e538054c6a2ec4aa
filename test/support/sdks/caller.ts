// A chat back end as described in docs/api/turns.md, with an official SDK against a scripted vendor.

import type { Vendor } from "../vendors/server";

export interface Edit {
  call_id?: string;
  append_id?: string;
  content: string;
  required?: boolean;
}

export interface Offer {
  prompt: { system: string; messages: object[] };
  tools: object[];
}

export interface Turn extends Offer {
  turn: number;
  append?: object[];
  append_id?: string;
  context_edits?: Edit[];
  drop_thinking_before?: string;
  cache_control?: Record<"tools" | "system" | "conversation", { type: "ephemeral" }>;
  prompt_cache_key?: string;
  warnings: { code: string }[];
  active: { skill: string; version?: string }[];
}

interface Step extends Partial<Offer> {
  messages: object[];
  unhandled: object[];
  loaded_skills: string[];
  active: { skill: string; version?: string }[];
}

export type Format = "openai" | "openai-responses" | "anthropic" | "mcp";

/** The differences between SDKs: how a request is sent, and where texts are in the history. */
export interface Sdk {
  format: Format;
  /** Splits a request's body into the messages and everything else, in the order in which the vendor reads them. */
  read(body: Record<string, unknown>): { front: unknown; messages: unknown[] };
  /** Asks the model, adds its answer to the history, and returns its calls. */
  ask(chat: Conversation, offer: Offer, turn: Turn): Promise<object[]>;
  /** Returns results of the back end's own tool. */
  own(calls: object[]): object[];
  /** Adds the results of a step and records each under its call's id. */
  add(chat: Conversation, results: object[], own: object[]): void;
  /** Converts a message to append into this SDK's format. */
  appended?(message: object): object;
  replace(result: object, content: string): void;
}

export interface Behaviour {
  /** Which of the requested edits it applies. */
  edits: "all" | "required" | "none";
  /** Whether it sends `have`. */
  have: boolean;
  /** Whether it drops thinking when the gateway requests it. */
  drops: boolean;
}

/** The history of a back end, and its record of the gateway's texts. */
export class Conversation {
  history: object[] = [];
  /** The gateway's texts in the history, by the id of the call or of the appended message. */
  readonly told = new Map<string, object>();
  thinkingDropped = 0;

  constructor(
    readonly vendor: Vendor,
    readonly post: (route: string, body: object) => Promise<unknown>,
    readonly sdk: Sdk,
    readonly settings: object,
    readonly behaviour: Behaviour = { edits: "all", have: true, drops: true },
  ) {}

  private last: { turn: Turn; offer: Offer; calls: object[] } | null = null;

  /** Begins a turn and runs its first model step. The model follows the plan, step by step. */
  async begin(question: string, plan: Vendor["plan"], more: object = {}): Promise<Turn> {
    const { sdk, behaviour } = this;
    const turn = (await this.post("turns", {
      ...{ format: sdk.format, history: this.history, conversation: this.settings },
      ...(behaviour.have ? { have: [...this.told.keys()] } : {}),
      ...more,
    })) as Turn;
    for (const edit of turn.context_edits ?? []) this.edit(edit);
    if (turn.drop_thinking_before !== undefined && behaviour.drops) this.dropThinking();
    this.history.push({ role: "user", content: question });
    for (const message of turn.append ?? []) {
      const made = sdk.appended?.(message) ?? message;
      this.history.push(made);
      if (turn.append_id !== undefined) this.told.set(turn.append_id, made);
    }
    this.vendor.plan.push(...plan);
    this.last = { turn, offer: turn, calls: await sdk.ask(this, turn, turn) };
    return turn;
  }

  /** Runs the remaining model steps of the turn, until the model makes no calls. */
  async finish(): Promise<Step[]> {
    const steps: Step[] = [];
    const { sdk } = this;
    if (this.last === null) throw new Error("no turn was begun");
    let { offer, calls } = this.last;
    while (calls.length > 0) {
      const step = (await this.post("tool-calls", { calls, format: sdk.format })) as Step;
      steps.push(step);
      sdk.add(this, step.messages, sdk.own(step.unhandled));
      if (step.prompt !== undefined && step.tools !== undefined) offer = { prompt: step.prompt, tools: step.tools };
      calls = await sdk.ask(this, offer, this.last.turn);
    }
    return steps;
  }

  async turn(question: string, plan: Vendor["plan"] = [], more: object = {}): Promise<{ turn: Turn; steps: Step[] }> {
    const turn = await this.begin(question, plan, more);
    return { turn, steps: await this.finish() };
  }

  /** Shortens the history, as hosts do: drops everything before a user's message. */
  cut(from: number): void {
    const questions = this.history.flatMap((message, index) =>
      "content" in message && "role" in message && message.role === "user" && typeof message.content === "string"
        ? [index]
        : [],
    );
    this.history = this.history.slice(questions.at(-from));
    const kept = JSON.stringify(this.history);
    for (const [id, message] of this.told) if (!kept.includes(JSON.stringify(message))) this.told.delete(id);
    this.dropThinking();
  }

  private edit({ call_id, append_id, content, required }: Edit): void {
    const id = call_id ?? append_id ?? "";
    const result = this.told.get(id);
    // A caller without `have` can receive edits of messages that it no longer has.
    if (result === undefined && !this.behaviour.have) return;
    if (result === undefined) throw new Error(`an edit names ${id}, of which the history has nothing`);
    if (this.behaviour.edits === "none" || (this.behaviour.edits === "required" && required !== true)) return;
    this.sdk.replace(result, content);
    this.told.delete(id);
  }

  /** Removes thinking blocks from assistant messages. Only Anthropic has them. */
  private dropThinking(): void {
    if (this.sdk.format !== "anthropic") return;
    this.thinkingDropped++;
    for (const message of this.history)
      if ("role" in message && message.role === "assistant" && "content" in message && Array.isArray(message.content))
        message.content = message.content.filter(({ type }) => !type.endsWith("thinking"));
  }
}
