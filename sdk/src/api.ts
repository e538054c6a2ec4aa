// Defines the interface that each adapter implements for its vendor's API.

import type { Format, Step, TurnStart } from "./chat.js";

/** Fields that the adapters add to messages of the history. They are removed before a request is sent to the vendor. */
export interface Kept {
  /** Identifies a message that the gateway appended. */
  skill_append_id?: string | undefined;
  /** Set on messages of a step whose answer the caller has not returned yet. */
  skill_step?: true;
  /** Set on the user's message of a turn without skills. */
  skill_outage?: true;
}

/** The current prompt and tools. A step can change them. */
export type Front = Pick<TurnStart, "prompt" | "tools">;

/** One answer of the model, parsed for a run. */
export interface Made<Message, Call> {
  /** The answer as messages for the history. */
  messages: Message[];
  /** All calls in the answer, of the gateway's tools and of the caller's. */
  calls: Call[];
  /** True if the answer hit the token limit or is incomplete. Its calls may be cut off. */
  isCut: boolean;
  usage?: object | null | undefined;
}

/** Merges the streams of all steps into one. */
export interface Reader<Event, Answer> {
  /** Prepares for the next step. */
  begin(): void;
  /** Reads an event and returns the events for the caller. */
  read(event: Event): Event[];
  /** Returns the step's complete answer after its last event, or `null` if the stream broke off. */
  take(): Answer | null;
  /** Returns the events that end the caller's stream, after the last step. */
  end(usage: object | undefined): Event[];
}

/** One vendor's API. */
export interface Api<Body, Message extends Kept, Call, Answer, Event> {
  format: Format;
  /** Path of the resource with `create` in the client. */
  path: readonly string[];
  historyOf(body: Body): Message[];
  /** Whether the user wrote this message. False for tool results. */
  isWritten(message: Message): boolean;
  /** Returns the ids of the calls whose results this message contains. */
  answersIn(message: Message): string[];
  /** Replaces the result of a call. */
  edit(message: Message, callId: string, text: string): void;
  /**
   * Returns the part of a message from the caller that is not already in these steps, or `null` if nothing is left. The caller stores the
   * answer as it was shown: with the text of the steps, and without calls of the gateway's tools.
   */
  left(given: Message, steps: Message[]): Message | null;
  /** Merges two messages that became neighbours when the message between them was removed. `null`: leave them separate. */
  joined?(before: Message, after: Message): Message | null;
  /** Whether the turn of this message began without skills and must continue without them. */
  staysAway?(history: Message[], at: number): boolean;
  /** Applies vendor-specific changes to the history when a turn begins. `turn` is `null` for a turn without skills. */
  settle?(history: Message[], at: number, turn: TurnStart | null): void;
  request(body: Body, turn: TurnStart | null, front: Front | null): Body;
  nameOf(tool: unknown): string | undefined;
  callName(call: Call): string;
  read(answer: Answer): Made<Message, Call>;
  /** Returns the answer without calls of the gateway's tools. */
  shown(answer: Answer, isOurs: (call: Call) => boolean, usage: object | undefined): Answer;
  results(messages: Step["messages"]): Message[];
  unreachable(calls: Call[]): Message[];
  reader(isOurs: (name: string) => boolean): Reader<Event, Answer>;
}

/** Returns a message without the fields of `Kept`, as the vendor accepts it. */
export function wire<Message extends Kept>({
  skill_append_id: _,
  skill_step: __,
  skill_outage: ___,
  ...message
}: Message): Omit<Message, keyof Kept> {
  return message;
}
