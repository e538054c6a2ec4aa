// A chat back end under delivery `auto`, with a model server that bills and judges a request by its beginning.

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
  /** The call whose result this is, or the id of an appended message. */
  id?: string;
}

export interface ChatOptions {
  format?: "openai" | "anthropic";
  /** Whether it replaces what it is asked to replace; `required` edits always are. */
  edits?: boolean;
  /** Whether it says what it still has. */
  have?: boolean;
  settings?: object;
}

/** Keeps a history as the documentation says. Every request is held against the one before it. */
export class CachedChat {
  readonly said: Said[] = [];
  /** The first that was sent in each turn, and all of the current one. */
  private sent: { front: string; messages: string[] } | null = null;
  private current: { prompt: string; tools: string } = { prompt: "", tools: "" };
  /** How often a request did not begin with the one before it. */
  misses = 0;
  private readonly edited = new Set<string>();
  /** Whether messages were forgotten: an edit may name one that is not there. */
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
    // Claude's check allows a changed beginning only where the caller was told to drop its thinking.
    const missed = this.send(false);
    if (format === "anthropic" && missed) expect(answer.drop_thinking_before).toBe("new_user_message");
    return answer;
  }

  /** A model step: its calls are answered, and the model is asked again. Nothing before it may change. */
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

  /** Goes back to the end of an earlier turn, as who edits or asks anew does. */
  async back(turns: number): Promise<void> {
    this.said.push({ message: { role: "assistant", content: "Done." } });
    this.said.length = this.questions()[turns] ?? this.said.length;
    this.sent = null;
    await this.user.post(`/${this.id}/restore`, { history: this.said.map(({ message }) => message) });
  }

  /** Forgets the first turns of the history, as hosts do whose window is full. */
  forget(turns: number): void {
    const questions = this.questions();
    this.said.splice(0, questions[turns] ?? questions.at(-1) ?? 0);
    this.isCut = true;
    this.sent = null;
  }

  /** Where turns begin. */
  private questions(): number[] {
    return this.said.flatMap(({ message }, index) => (message.content === "Do it." ? index : []));
  }

  /** What stands before the history: the tools and the prompt. */
  front(): string {
    return this.current.tools + this.current.prompt;
  }

  /** What the model reads. */
  text(): string {
    return JSON.stringify([this.current, this.said]);
  }

  /** What `have` says: the messages with ids that it still has, unedited. */
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
