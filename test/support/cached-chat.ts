// A chat back end under delivery `auto`, with a model server that bills and checks each request by its unchanged prefix.

import { expect } from "vitest";
import { type Body, named, type someone } from "./users";

type User = ReturnType<typeof someone>;
type Message = Record<string, unknown>;

export interface AutoTurn extends Body {
  append?: Message[];
  append_id?: string;
  context_edits?: { call_id?: string; append_id?: string; content: string; required?: boolean }[];
  drop_thinking_before?: string;
  cache_control?: object;
  prompt_cache_key?: string;
}

interface Said {
  message: Message;
  /** Id of the call whose result this is, or of an appended message. */
  id?: string;
}

export interface ChatOptions {
  format?: "openai" | "anthropic";
  /** Whether it applies optional edits. It always applies `required` ones. */
  edits?: boolean;
  /** Whether it sends `have`. */
  have?: boolean;
  settings?: object;
}

/** Stores a history as the documentation describes. Compares every request with the one before it. */
export class CachedChat {
  readonly said: Said[] = [];
  /** The first request of each turn, and all requests of the current turn. */
  private sent: { front: string; messages: string[] } | null = null;
  private current: { prompt: string; tools: string } = { prompt: "", tools: "" };
  /** Number of requests that did not begin with the previous one. */
  misses = 0;
  private readonly edited = new Set<string>();
  /** Whether messages were dropped. An edit may then refer to a missing one. */
  private isCut = false;

  constructor(
    readonly user: User,
    readonly id: string,
    readonly options: ChatOptions = {},
  ) {}

  async turn(more: object = {}): Promise<AutoTurn> {
    const { format = "openai", have, settings } = this.options;
    const answer = (await this.user.turn(this.id, {
      format,
      conversation: { delivery: "auto", ...settings },
      ...(have ? { have: this.ids() } : {}),
      ...more,
    })) as AutoTurn;
    for (const edit of answer.context_edits ?? []) this.apply(edit);
    if (this.said.length > 0) this.said.push({ message: { role: "assistant", content: "Done." } });
    this.said.push({ message: { role: "user", content: "Do it." } });
    for (const message of answer.append ?? []) this.said.push({ message, id: answer.append_id! });
    this.take(answer);
    // The check for Claude allows a changed prefix only if the caller was asked to drop its thinking.
    const missed = this.send(false);
    if (format === "anthropic" && missed) expect(answer.drop_thinking_before).toBe("new_user_message");
    return answer;
  }

  /** Runs a model step: answers its calls and asks the model again. Everything before it must stay unchanged. */
  async step(...calls: { id: string; name: string; arguments: object }[]): Promise<Body> {
    const { format = "openai" } = this.options;
    const answer = await this.user.post(`/${this.id}/tool-calls`, { calls, format });
    for (const { id, name, arguments: args } of calls) {
      const call = { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
      this.said.push({ message: { role: "assistant", tool_calls: [call] } });
      const result = answer.results.find((each) => each.id === id);
      this.said.push({ message: { role: "tool", tool_call_id: id, content: result?.content[0]?.text ?? "" }, id });
    }
    if (answer.prompt !== undefined) this.take(answer);
    this.send(true);
    return answer;
  }

  load(skill: string, more: object = {}): Promise<Body> {
    return this.step(named("load_skill", { skill_name: skill, ...more }));
  }

  /** Returns to the end of an earlier turn, as after editing or regenerating a message. */
  async back(turns: number): Promise<void> {
    this.said.push({ message: { role: "assistant", content: "Done." } });
    this.said.length = this.questions()[turns] ?? this.said.length;
    this.sent = null;
    await this.user.post(`/${this.id}/restore`, { history: this.said.map(({ message }) => message) });
  }

  /** Drops the first turns of the history, like a host with a full context window. */
  forget(turns: number): void {
    const questions = this.questions();
    this.said.splice(0, questions[turns] ?? questions.at(-1) ?? 0);
    this.isCut = true;
    this.sent = null;
  }

  /** Returns the indexes at which turns begin. */
  private questions(): number[] {
    return this.said.flatMap(({ message }, index) => (message.content === "Do it." ? index : []));
  }

  /** Returns everything before the history: the tools and the prompt. */
  front(): string {
    return this.current.tools + this.current.prompt;
  }

  /** Returns the text that the model reads. */
  text(): string {
    return JSON.stringify([this.current, this.said]);
  }

  /** Returns the value of `have`: ids of messages that are still present and unedited. */
  ids(): string[] {
    return this.said.flatMap(({ id }) => (id === undefined || this.edited.has(id) ? [] : [id]));
  }

  private apply({ call_id, append_id, content, required }: NonNullable<AutoTurn["context_edits"]>[number]): void {
    const id = call_id ?? append_id ?? "";
    const found = this.said.filter((each) => each.id === id);
    if (!this.isCut) expect(found.length, `an edit names ${id}, which is in the history`).toBeGreaterThan(0);
    if (this.options.edits === false && required !== true) return;
    this.edited.add(id);
    for (const each of found) each.message = { ...each.message, content };
  }

  private take({ prompt, tools }: Pick<Body, "prompt" | "tools">): void {
    this.current = { prompt: JSON.stringify(prompt), tools: JSON.stringify(tools) };
  }

  private send(within: boolean): boolean {
    const front = this.front();
    const messages = this.said.map(({ message }) => JSON.stringify(message));
    const before = this.sent;
    this.sent = { front, messages };
    if (before === null) return false;
    const begins = before.front === front && before.messages.every((message, index) => messages[index] === message);
    if (within) expect(begins, "nothing that was sent changes within a turn").toBe(true);
    if (!begins) this.misses++;
    return !begins;
  }
}
