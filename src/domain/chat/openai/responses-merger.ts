// Merges the Responses streams of several steps into one that OpenAI's SDK accepts: one response id, items and events numbered without
// gaps, and all streamed items in the last event. Items are handled by type only.

import { isJsonObject, type JsonObject, parseExactly } from "../../json";
import type { StreamEvent } from "../../servers/event-stream";
import { AnswerLoad } from "../answer-size";
import { addUsage } from "../merge";
import type { MadeCall, Merger, MergerOptions, Said, StepEnd } from "../protocol";
import { ChatRefusal } from "../refusal";
import { callIdOf, callsInStep, idOf, isCallItem, isThoughtItem, itemsOf, saidIn, stepOfItems, textsIn } from "./items";
import {
  ADDED,
  asAsked,
  asEvent,
  errorIn,
  eventsOfText,
  failureOf,
  hold,
  type ItemState,
  leadsToShown,
  newItem,
  newResponseStep,
  shownOf,
  stepEndOf,
  takeLastThoughts,
  untoldItems,
  wholeOf,
} from "./responses-step";

export class ResponsesMerger implements Merger {
  readonly keepAlive = ": working\n\n";
  readonly #body: JsonObject;
  readonly #options: MergerOptions;
  /** If true, the output is JSON and cannot be joined over steps: only the last step's text is sent. */
  readonly holdsText: boolean;
  /** Whether the caller receives encrypted reasoning. */
  readonly #givesSealed: boolean;
  readonly #load = new AnswerLoad();
  #step = newResponseStep();
  #start: JsonObject | null = null;
  #isInner = false;
  #usage: JsonObject = {};
  #given: ItemState[] = [];
  #replayed: { item: JsonObject; text: string }[] = [];
  #sequence = 0;

  constructor(body: JsonObject, options: MergerOptions) {
    this.#body = body;
    this.#options = options;
    const format = isJsonObject(body.text) ? body.text.format : undefined;
    this.holdsText = isJsonObject(format) && format.type !== "text";
    this.#givesSealed = Array.isArray(body.include) && body.include.includes("reasoning.encrypted_content");
  }

  push({ data }: StreamEvent): string {
    if (data === null) return "";
    if (this.#isInner) {
      this.#isInner = false;
      this.#step = newResponseStep();
    }
    // Some compatible servers end the stream like Chat Completions.
    const event = data.trim() === "[DONE]" ? null : parseExactly(data);
    if (!isJsonObject(event)) return "";
    switch (event.type) {
      case "error":
      case "response.failed":
        throw new ChatRefusal(
          502,
          "model_failed",
          "The model provider reported an error. Check the request, or try again.",
          {
            body: { error: errorIn(event) },
          },
        );
      case "response.created":
      case "response.queued":
      case "response.in_progress":
        return this.#lifecycle(event);
      case "response.completed":
      case "response.incomplete":
        return this.#ended(event);
      default:
        return typeof event.output_index === "number" ? this.#item(event, event.output_index) : this.#write(event);
    }
  }

  #lifecycle(event: JsonObject): string {
    const response = this.#respond(event);
    const isFirst = this.#start === null || this.#start.id === response.id;
    this.#start ??= response;
    return isFirst ? this.#write({ ...event, response: this.#asAsked(response) }) : "";
  }

  #respond({ response: told }: JsonObject): JsonObject {
    // Each replaces the previous one and repeats instructions and tools, so the limit per event is sufficient.
    const response = isJsonObject(told) ? told : {};
    this.#step.response = response;
    return response;
  }

  #item(event: JsonObject, index: number): string {
    const { items } = this.#step;
    const state = items.get(index) ?? newItem();
    if (isJsonObject(event.item)) Object.assign(state, { item: event.item, said: "" });
    else if (!items.has(index)) return "";
    if (!items.has(index)) this.#load.takeEntry();
    const more = event.type === "response.output_text.delta" && typeof event.delta === "string" ? event.delta : "";
    state.said += more;
    this.#load.take(event.item, more);
    items.set(index, state);
    return this.#show(event, state);
  }

  /** Stores how a step ended. Items without earlier events are sent now. */
  #ended(event: JsonObject): string {
    const response = this.#respond(event);
    this.#step.last = event;
    this.#start ??= response;
    const unsentItems = untoldItems(response, this.#step.items);
    return unsentItems
      .map(({ index, item }) => ADDED.map((type) => this.#item({ type, item }, index)).join(""))
      .join("");
  }

  /** Returns an event with the item's number in the answer. Buffers it, or drops it, if it is not to be sent now. */
  #show(event: JsonObject, state: ItemState): string {
    const { held } = this.#step;
    const { item, shown } = state;
    if (shown !== null) return this.#give(event, state);
    if (isCallItem(item) && !this.#isTheirs(item)) return "";
    if (isCallItem(item) || isThoughtItem(item) || (this.holdsText && item.type === "message")) {
      this.#load.take(hold(held, event, state));
      return "";
    }
    const thoughts = takeLastThoughts(held).map((one) => this.#give(one.event, one.state));
    return thoughts.join("") + this.#give(event, state);
  }

  #isTheirs(item: JsonObject): boolean {
    return callsInStep(item).every(({ name }) => this.#options.isTheirs(name));
  }

  #give(event: JsonObject, state: ItemState): string {
    const before = this.#before();
    state.shown ??= this.#given.push(state) - 1;
    const told: JsonObject = isJsonObject(event.item) ? { ...event, item: this.#forCaller(event.item) } : event;
    return before + this.#write({ ...told, output_index: state.shown });
  }

  /** Returns the events for the text of earlier attempts. */
  #before(): string {
    const replayed = this.#replayed;
    this.#replayed = [];
    return replayed
      .map(({ item, text }) => {
        const events = eventsOfText(item, text);
        const said = events.at(-1)?.item;
        const shown = this.#given.length;
        this.#given.push({ ...newItem(), item: isJsonObject(said) ? said : item, shown });
        return events.map((event) => this.#write({ ...event, output_index: shown })).join("");
      })
      .join("");
  }

  #forCaller(item: JsonObject): JsonObject {
    if (this.#givesSealed || !isThoughtItem(item)) return item;
    const { encrypted_content: _, ...open } = item;
    return open;
  }

  #write(event: JsonObject): string {
    return asEvent({ ...event, sequence_number: this.#sequence++ });
  }

  replay(message: JsonObject): void {
    if (this.holdsText) return;
    for (const item of itemsOf(message)) {
      const text = textsIn([item]).join("");
      if (text !== "") this.#replayed.push({ item, text });
    }
  }

  inner(): string {
    this.#count();
    this.#isInner = true;
    return "";
  }

  finish(): string {
    this.#count();
    const { held, items, last } = this.#step;
    const all = [...items.values()];
    const isShown = (item: JsonObject) => !isCallItem(item) || this.#isTheirs(item);
    const told = held
      .filter(({ state }) => !isThoughtItem(state.item) || leadsToShown(state, all, isShown))
      .map(({ event, state }) => this.#give(event, state));
    const end = { type: "response.completed", ...last, response: this.whole() };
    return `${this.#before()}${told.join("")}${this.#write(end)}`;
  }

  fail(refusal: ChatRefusal): string {
    const error = failureOf(refusal);
    if (this.#start === null) return this.#write({ type: "error", ...error, param: refusal.param });
    const response = { ...this.#asAsked(this.#start), status: "failed", error, output: this.#output() };
    return this.#write({ type: "response.failed", response });
  }

  #count(): void {
    const { usage } = this.#step.response;
    if (isJsonObject(usage)) this.#usage = addUsage(this.#usage, usage);
  }

  #asAsked(response: JsonObject): JsonObject {
    return asAsked(response, this.#body, this.#options.isTheirs);
  }

  #output(): JsonObject[] {
    return this.#given.map(({ item }) => this.#forCaller(item));
  }

  get message(): JsonObject {
    const items = [...this.#step.items].sort(([a], [b]) => a - b);
    return stepOfItems(items.map(([, { item }]) => item));
  }

  get calls(): MadeCall[] {
    return callsInStep(this.message);
  }

  get end(): StepEnd {
    return stepEndOf(this.#step, this.calls.length > 0);
  }

  get tokens() {
    const number = (value: unknown) => (typeof value === "number" ? value : 0);
    const { total_tokens: all, output_tokens: output } = this.#usage;
    return { all: number(all), output: number(output) };
  }

  get stepUsage() {
    const { usage } = this.#step.response;
    return isJsonObject(usage) ? usage : null;
  }

  get said(): Said {
    return saidIn(this.#given.map(({ item }) => item));
  }

  get lastIds(): string[] {
    const last = this.#given.at(-1)?.item ?? {};
    return [idOf(last), callIdOf(last)].flatMap((id) => id ?? []);
  }

  get shown(): JsonObject[] {
    return this.#isInner ? [] : shownOf(this.#step.items.values());
  }

  whole(): JsonObject {
    const { response } = this.#step;
    const usage = this.#options.usage === "last" ? (response.usage ?? null) : this.#usage;
    return wholeOf(this.#asAsked(response), this.#start ?? {}, this.#output(), usage);
  }
}
