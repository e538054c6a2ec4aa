// Merges the chat completion streams of several steps into one that OpenAI's SDK accepts: one id, one role, one finish reason, and calls
// numbered from 0 without the gateway's.

import { isJsonObject, type JsonObject, parseExactly } from "../../json";
import type { StreamEvent } from "../../servers/event-stream";
import { AnswerLoad } from "../answer-size";
import { addUsage, mergePiece } from "../merge";
import type { MadeCall, Merger, MergerOptions, Said, StepEnd } from "../protocol";
import { canonicalText } from "../protocol";
import { ChatRefusal, openaiError } from "../refusal";
import { CHAT_ENDS, defined, newStep, withChoice, write } from "./chat-step";
import { callsIn, contentText, madeCalls, namedIn } from "./message";

export class ChatMerger implements Merger {
  readonly keepAlive = ": working\n\n";
  readonly #options: MergerOptions;
  readonly #usageAsked: boolean;
  /** If true, the output is JSON and cannot be joined over steps: only the last step's text is sent. */
  readonly holdsText: boolean;
  readonly #load = new AnswerLoad();
  #envelope: JsonObject | null = null;
  #step = newStep();
  #hasRole = false;
  #text = "";
  #replayed = "";
  #usage: JsonObject = {};
  #handed: JsonObject[] = [];
  #isInner = false;

  constructor(body: JsonObject, options: MergerOptions) {
    const { stream_options: asked, response_format: format } = body;
    this.#options = options;
    this.#usageAsked = isJsonObject(asked) && asked.include_usage === true;
    this.holdsText = isJsonObject(format) && format.type !== "text";
  }

  push({ data }: StreamEvent): string {
    if (data === null) return "";
    if (this.#isInner) {
      this.#isInner = false;
      this.#step = newStep();
    }
    if (data.trim() === "[DONE]") {
      this.#step.isDone = true;
      return "";
    }
    const chunk = parseExactly(data);
    if (!isJsonObject(chunk)) return "";
    if (isJsonObject(chunk.error))
      throw new ChatRefusal(
        502,
        "model_failed",
        "The model provider reported an error. Check the request, or try again.",
        { body: chunk },
      );
    return this.#chunk(chunk);
  }

  #chunk({ choices, usage, ...shell }: JsonObject): string {
    const isFirst = this.#envelope === null;
    this.#envelope ??= shell;
    const { id, created, model } = this.#envelope;
    const env: JsonObject = { ...shell, ...defined({ id, created, model }) };
    if (isJsonObject(usage)) this.#step.usage = usage;
    const nothing: JsonObject = usage === null && this.#usageAsked ? { usage: null } : {};
    const choice = Array.isArray(choices) ? choices[0] : undefined;
    // Chunks without a choice contain the usage, or vendor-specific data before the answer.
    if (!isJsonObject(choice)) return isFirst && !isJsonObject(usage) ? write({ ...env, choices: [], ...nothing }) : "";
    const { delta, finish_reason: finish, ...rest } = choice;
    const { tool_calls: named, ...others } = isJsonObject(delta) ? delta : {};
    const calls = callsIn({ tool_calls: named ?? null });
    this.#load.take(others, calls, rest);
    mergePiece(this.#step.message, calls.length === 0 ? others : { ...others, tool_calls: calls });
    mergePiece(this.#step.choice, rest);
    const chunk = (part: JsonObject): JsonObject => ({
      ...env,
      choices: [{ ...rest, delta: part, finish_reason: null }],
      ...nothing,
    });
    this.#hold(calls, chunk);
    const before = this.#before(chunk);
    if (typeof finish === "string") {
      this.#step.finish = finish;
      this.#step.last = chunk({});
    }
    const part = this.#shown(others);
    if (Object.keys(part).length === 0) return before;
    if (this.holdsText && typeof part.content === "string" && part.content !== "") {
      this.#step.kept ??= { chunk: chunk({}), part: {} };
      mergePiece(this.#step.kept.part, part);
      return before;
    }
    return before + write(chunk(part));
  }

  /** Sends the role once, and an empty line between the texts of two steps. */
  #shown({ role, ...part }: JsonObject): JsonObject {
    const shown: JsonObject = role === undefined || this.#hasRole ? part : { role, ...part };
    if (role !== undefined) this.#hasRole = true;
    const { content } = shown;
    if (typeof content !== "string") return shown;
    const isLater = !("role" in shown);
    if (content === "" && isLater) {
      const { content: _, ...less } = shown;
      return less;
    }
    const joined = !this.#step.hasText && content !== "" && this.#text !== "" ? `\n\n${content}` : content;
    if (content !== "") this.#step.hasText = true;
    if (!this.holdsText) this.#text += joined;
    return { ...shown, content: joined };
  }

  /** Returns the text of earlier attempts. */
  #before(chunk: (part: JsonObject) => JsonObject): string {
    if (this.#replayed === "") return "";
    const content = this.#replayed;
    this.#replayed = "";
    this.#text = content;
    this.#hasRole = true;
    return write(chunk({ role: "assistant", content }));
  }

  #hold(calls: readonly JsonObject[], chunk: (part: JsonObject) => JsonObject): void {
    for (const call of calls) {
      const known = callsIn(this.#step.message).find(({ index }) => index === call.index);
      if (!this.#isTheirs(known ?? call)) continue;
      const held = { chunk: chunk({}), call };
      this.#load.take(held);
      this.#step.held.push(held);
    }
  }

  #isTheirs(call: JsonObject): boolean {
    const name = namedIn(call)?.name;
    return typeof name === "string" && this.#options.isTheirs(name);
  }

  replay(message: JsonObject): void {
    const text = contentText(message.content);
    if (text !== "" && !this.holdsText) this.#replayed += this.#replayed === "" ? text : `\n\n${text}`;
  }

  inner(): string {
    this.#count();
    this.#isInner = true;
    return "";
  }

  finish(): string {
    this.#count();
    const { held, last, kept, finish } = this.#step;
    const text = kept === null ? "" : write(withChoice(kept.chunk, { delta: kept.part }));
    if (kept !== null) this.#text += contentText(kept.part.content);
    const numbers = [...new Set(held.map(({ call }) => call.index))];
    const handed = held.map(({ chunk, call }) => {
      const part = { tool_calls: [{ ...call, index: numbers.indexOf(call.index) }] };
      return write(withChoice(chunk, { delta: part }));
    });
    this.#handed = callsIn(this.message).filter((call) => this.#isTheirs(call));
    const reason = held.length > 0 ? "tool_calls" : finish === "tool_calls" ? "stop" : finish;
    const end = last === null ? "" : write(withChoice(last, { finish_reason: reason }));
    const usage = this.#usageAsked ? write({ ...this.#envelope, choices: [], usage: this.#reportedUsage() }) : "";
    return `${text}${handed.join("")}${end}${usage}data: [DONE]\n\n`;
  }

  fail(refusal: ChatRefusal): string {
    return write(openaiError(refusal));
  }

  #count(): void {
    const { usage } = this.#step;
    if (usage !== null) this.#usage = addUsage(this.#usage, usage);
  }

  #reportedUsage(): JsonObject {
    return this.#options.usage === "last" ? (this.#step.usage ?? {}) : this.#usage;
  }

  get message(): JsonObject {
    const { tool_calls: _, ...message } = this.#step.message;
    const calls = callsIn(this.#step.message).map(({ index: __, ...call }) => call);
    const { content } = message;
    const empty = content === "" || content === undefined;
    return {
      role: "assistant",
      ...message,
      content: empty && calls.length > 0 ? null : (content ?? ""),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
  }

  get calls(): MadeCall[] {
    return madeCalls(this.message);
  }

  get end(): StepEnd {
    const { finish } = this.#step;
    if (finish === null) return "broken";
    const end = CHAT_ENDS[finish] ?? "stop";
    // Some servers report `stop` for a message with calls.
    return end === "stop" && this.calls.length > 0 ? "calls" : end;
  }

  get tokens() {
    const output = this.#usage.completion_tokens;
    const all = this.#usage.total_tokens;
    const number = (value: unknown) => (typeof value === "number" ? value : 0);
    return { all: number(all), output: number(output) };
  }

  get stepUsage() {
    return this.#step.usage;
  }

  get said(): Said {
    const calls = this.#handed.flatMap(({ id }) => (typeof id === "string" ? id : []));
    return { text: canonicalText(this.#text), calls };
  }

  whole(): JsonObject {
    const { tool_calls: _, ...message } = this.message;
    const { finish, choice } = this.#step;
    const handed = this.#handed;
    const content = this.#text === "" && handed.length > 0 ? null : this.#text;
    return {
      ...this.#envelope,
      object: "chat.completion",
      choices: [
        {
          ...choice,
          message: { ...message, content, ...(handed.length === 0 ? {} : { tool_calls: handed }) },
          finish_reason: handed.length > 0 ? "tool_calls" : finish === "tool_calls" ? "stop" : finish,
        },
      ],
      usage: this.#reportedUsage(),
    };
  }
}
