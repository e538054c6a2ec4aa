// What an adapter has to say of its API, so that a run can take turns in it.

import type { Format, Step, TurnStart } from "./chat.js";

/** What the adapters keep in the history beside the vendor's own fields. No vendor sees it. */
export interface Kept {
  /** By which a text of the gateway's is found again. */
  skill_append_id?: string | undefined;
  /** Of a step whose answer the caller has not given back yet. */
  skill_step?: true;
  /** The user's message of a turn that was taken without skills. */
  skill_outage?: true;
}

/** What a prompt is at the moment: a step may change it. */
export type Front = Pick<TurnStart, "prompt" | "tools">;

/** One answer of the model, as the run sees it. */
export interface Made<Message, Call> {
  /** As the history keeps it. */
  messages: Message[];
  /** All calls in it, whosever they are. */
  calls: Call[];
  /** It ended for want of room: its calls may be half of what they should be. */
  isCut: boolean;
  usage?: object | null | undefined;
}

/** Reads the streams of all steps, and makes one of them. */
export interface Reader<Event, Answer> {
  /** Makes ready for the next step. */
  begin(): void;
  /** Takes an event in, and says what the caller sees of it. */
  read(event: Event): Event[];
  /** The step's whole answer, after its last event; `null` if it broke off. */
  take(): Answer | null;
  /** The end of the caller's stream, after the last step. */
  end(usage: object | undefined): Event[];
}

/** The words of one API. */
export interface Api<Body, Message extends Kept, Call, Answer, Event> {
  format: Format;
  /** Where `create` is in the client. */
  path: readonly string[];
  historyOf(body: Body): Message[];
  /** Whether the user has written it: neither results of tools nor the gateway. */
  isWritten(message: Message): boolean;
  /** The calls that it has the results of. */
  answersIn(message: Message): string[];
  /** Puts another text in the place of a result. */
  edit(message: Message, callId: string, text: string): void;
  /**
   * What is left of something that the caller has given back after these steps, which the history has whole: the caller kept it as it
   * was shown, with what the model said in the steps, and without calls that are not the caller's.
   */
  left(given: Message, steps: Message[]): Message | null;
  /** What two neighbours become where something between them went; `null`: what they were. */
  joined?(before: Message, after: Message): Message | null;
  /** Whether the turn of this message is one without skills, and has to stay so. */
  staysAway?(history: Message[], at: number): boolean;
  /** Does to the history what else a turn asks for that has begun, or not begun. */
  settle?(history: Message[], at: number, turn: TurnStart | null): void;
  request(body: Body, turn: TurnStart | null, front: Front | null): Body;
  nameOf(tool: unknown): string | undefined;
  callName(call: Call): string;
  read(answer: Answer): Made<Message, Call>;
  /** The answer without the calls that are ours. */
  shown(answer: Answer, isOurs: (call: Call) => boolean, usage: object | undefined): Answer;
  results(messages: Step["messages"]): Message[];
  unreachable(calls: Call[]): Message[];
  reader(isOurs: (name: string) => boolean): Reader<Event, Answer>;
}

/** A message as the vendor takes it. */
export function wire<Message extends Kept>({
  skill_append_id: _,
  skill_step: __,
  skill_outage: ___,
  ...message
}: Message): Omit<Message, keyof Kept> {
  return message;
}
