// Merges the Messages streams of several steps into one that Anthropic's SDK accepts: one `message_start`, blocks numbered without gaps,
// one `message_delta` with the usage of all steps, one `message_stop`.

import { isJsonObject, type JsonObject, parseExactly } from "../../json";
import type { StreamEvent } from "../../servers/event-stream";
import { AnswerLoad } from "../answer-size";
import { addUsage, mergePiece, setFields } from "../merge";
import { canonicalText, type MadeCall, type Merger, type MergerOptions, type Said, type StepEnd } from "../protocol";
import { anthropicError, ChatRefusal } from "../refusal";
import { blocksOf, textIn, toolUsesIn } from "./blocks";

interface BlockState {
  block: JsonObject;
  /** The input of a call, as JSON text. */
  input: string;
  /** The block's number in the answer. `null` if it belongs to the gateway, or is not sent yet. */
  shown: number | null;
}

interface Step {
  blocks: Map<number, BlockState>;
  delta: JsonObject;
  rest: JsonObject;
  usage: JsonObject;
  isStopped: boolean;
  /** Buffered events: of the caller's calls, which are sent at the end, and of texts if only the last step's text is sent. */
  held: { event: JsonObject; block: BlockState }[];
}

const newStep = (): Step => ({
  ...{ blocks: new Map<number, BlockState>(), delta: {}, rest: {}, usage: {}, isStopped: false, held: [] },
});

const ENDS: Readonly<Record<string, StepEnd>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  pause_turn: "pause",
  refusal: "refused",
};

export class MessageMerger implements Merger {
  readonly keepAlive = 'event: ping\ndata: {"type":"ping"}\n\n';
  readonly #options: MergerOptions;
  readonly holdsText: boolean;
  readonly #load = new AnswerLoad();
  #start: JsonObject | null = null;
  #step = newStep();
  #isInner = false;
  #usage: JsonObject = {};
  /** The blocks of the answer as the caller received them. */
  #content: JsonObject[] = [];
  #replayed: string[] = [];

  constructor(body: JsonObject, options: MergerOptions) {
    this.#options = options;
    const { output_config: output, output_format: format } = body;
    this.holdsText = (isJsonObject(output) && output.format !== undefined) || format !== undefined;
  }

  push({ data }: StreamEvent): string {
    if (data === null) return "";
    if (this.#isInner) {
      this.#isInner = false;
      this.#step = newStep();
    }
    const event = parseExactly(data);
    if (!isJsonObject(event)) return "";
    switch (event.type) {
      case "error":
        throw new ChatRefusal(
          502,
          "model_failed",
          "The model provider reported an error. Check the request, or try again.",
          { body: event },
        );
      case "message_start":
        return this.#begin(event);
      case "content_block_start":
        return this.#block(event);
      case "content_block_delta":
      case "content_block_stop":
        return this.#piece(event);
      case "message_delta":
        return this.#delta(event);
      case "message_stop":
        this.#step.isStopped = true;
        return "";
      default:
        return write(event);
    }
  }

  #begin(event: JsonObject): string {
    const message = isJsonObject(event.message) ? event.message : {};
    this.#step.usage = isJsonObject(message.usage) ? { ...message.usage } : {};
    if (this.#start !== null) return "";
    this.#start = event;
    const texts = this.#replayed.map((text) => {
      const index = this.#content.push({ type: "text", text }) - 1;
      const begun = { type: "content_block_start", index, content_block: { type: "text", text: "" } };
      const piece = { type: "content_block_delta", index, delta: { type: "text_delta", text } };
      return write(begun) + write(piece) + write({ type: "content_block_stop", index });
    });
    return write(event) + texts.join("");
  }

  #block(event: JsonObject): string {
    const block: JsonObject = {};
    this.#load.takeEntry();
    this.#load.take(event.content_block);
    mergePiece(block, isJsonObject(event.content_block) ? event.content_block : {});
    const state: BlockState = { block, input: "", shown: null };
    this.#step.blocks.set(Number(event.index), state);
    return this.#show(event, state);
  }

  #piece(event: JsonObject): string {
    const state = this.#step.blocks.get(Number(event.index));
    if (state === undefined) return "";
    const { block } = state;
    if (event.type === "content_block_stop") {
      if (state.input !== "") block.input = inputOf(state.input);
    } else if (isJsonObject(event.delta)) {
      const { type, partial_json: json, citation, ...pieces } = event.delta;
      this.#load.take(json, citation, pieces);
      if (type === "input_json_delta" && typeof json === "string") state.input += json;
      else if (citation !== undefined) mergePiece(block, { citations: [citation] });
      else mergePiece(block, pieces);
    }
    return this.#show(event, state);
  }

  /** Returns an event with its number in the answer. Buffers it, or drops it, if it is not to be sent now. */
  #show(event: JsonObject, state: BlockState): string {
    const { type, name } = state.block;
    if (type === "tool_use") {
      return this.#options.isTheirs(String(name)) ? this.#hold(event, state) : "";
    }
    if (type === "text" && this.holdsText) return this.#hold(event, state);
    return this.#give(event, state);
  }

  #hold(event: JsonObject, block: BlockState): string {
    this.#load.take(event);
    this.#step.held.push({ event, block });
    return "";
  }

  #give(event: JsonObject, state: BlockState): string {
    state.shown ??= this.#content.push(state.block) - 1;
    return write({ ...event, index: state.shown });
  }

  #delta({ delta, usage, type: _, ...rest }: JsonObject): string {
    this.#load.take(delta, usage, rest);
    if (isJsonObject(delta)) setFields(this.#step.delta, delta);
    // These numbers are the totals of the step so far. They replace those from its start.
    if (isJsonObject(usage)) setFields(this.#step.usage, withoutNull(usage));
    setFields(this.#step.rest, rest);
    return "";
  }

  replay(message: JsonObject): void {
    const text = textIn(blocksOf(message.content));
    if (text.trim() !== "" && !this.holdsText) this.#replayed.push(text);
  }

  inner(): string {
    this.#usage = addUsage(this.#usage, this.#step.usage);
    this.#isInner = true;
    return "";
  }

  finish(): string {
    this.#usage = addUsage(this.#usage, this.#step.usage);
    const { held, rest } = this.#step;
    const handed = held.map(({ event, block }) => this.#give(event, block)).join("");
    const end = { type: "message_delta", delta: this.#reason(), usage: this.#reportedUsage(), ...rest };
    return `${handed}${write(end)}${write({ type: "message_stop" })}`;
  }

  /** Returns the stop reason of the answer. Only the caller's calls count as calls. */
  #reason(): JsonObject {
    const { delta } = this.#step;
    const hands = this.#content.some(({ type }) => type === "tool_use");
    const reason = hands ? "tool_use" : delta.stop_reason === "tool_use" ? "end_turn" : (delta.stop_reason ?? null);
    return { ...delta, stop_reason: reason };
  }

  fail(refusal: ChatRefusal): string {
    return write({ ...anthropicError(refusal, ""), type: "error" });
  }

  #reportedUsage(): JsonObject {
    return this.#options.usage === "last" ? this.#step.usage : this.#usage;
  }

  get message(): JsonObject {
    // The vendor rejects an empty text in the history.
    const isSaid = ({ type, text }: JsonObject) => type !== "text" || String(text).trim() !== "";
    return { role: "assistant", content: [...this.#step.blocks.values()].map(({ block }) => block).filter(isSaid) };
  }

  get calls(): MadeCall[] {
    return toolUsesIn(this.message);
  }

  get end(): StepEnd {
    const { stop_reason: reason } = this.#step.delta;
    if (!this.#step.isStopped || typeof reason !== "string") return "broken";
    return ENDS[reason] ?? "stop";
  }

  get tokens() {
    const number = (value: unknown) => (typeof value === "number" ? value : 0);
    const output = number(this.#usage.output_tokens);
    const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = this.#usage;
    const input = number(input_tokens) + number(cache_read_input_tokens) + number(cache_creation_input_tokens);
    return { all: input + output, output };
  }

  get stepUsage() {
    return this.#step.usage;
  }

  get said(): Said {
    const calls = toolUsesIn({ content: this.#content }).map(({ id }) => id);
    return { text: canonicalText(textIn(this.#content)), calls };
  }

  whole(): JsonObject {
    const message = isJsonObject(this.#start?.message) ? this.#start.message : {};
    return { ...message, content: this.#content, ...this.#reason(), usage: this.#reportedUsage(), ...this.#step.rest };
  }
}

const write = (event: JsonObject) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`;

const withoutNull = (usage: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null));

function inputOf(text: string): JsonObject {
  try {
    const value = parseExactly(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
