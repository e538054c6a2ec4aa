// What a server asks in the middle of a call, and who answers it.

import type { Client } from "@modelcontextprotocol/client";
import { type JsonObject, jsonObject } from "../domain/json";
import type { ClientCapabilities } from "../domain/servers/memory";
import type { Round, ServerQuestion } from "../domain/servers/round";
import type { Sdk } from "./sdk";

/** What became of a question: a result of its method, or the error of JSON-RPC that says why there is none. */
export type QuestionOutcome =
  | { result: JsonObject; error?: never }
  | { error: { code: number; message: string }; result?: never };

/** Who answers what a server asks during one call. */
export interface QuestionHandler {
  /** What can be asked, as this call's server is told it. */
  readonly abilities: ClientCapabilities;
  /** Where an earlier run of the same call stands. */
  readonly begun: Round | null;
  /** Notes where the call stands, before anybody is asked. */
  note(round: Round): void;
  /** Answers what is asked together, each in its place. */
  answer(questions: readonly ServerQuestion[]): Promise<QuestionOutcome[]>;
}

/** The host that made a call, where it can be asked. */
export interface HostLink {
  readonly abilities: ClientCapabilities;
  /** The call's next round begins: what was answered in another one does not hold in it. */
  begin(round: number): void;
  /** Asks all of it together. */
  ask(questions: readonly ServerQuestion[]): Promise<QuestionOutcome[]>;
}

/** A call whose server may ask: as its result is found by, and who made it. */
export interface CallWithQuestions {
  id: string;
  turn: number;
  /** A digest of the call's name and arguments. */
  request: string;
  /** Aborted when nobody waits for the call any more. */
  signal: AbortSignal;
  host: HostLink | null;
}

/** `remarks` are for the model, beside the call's result: why something was not asked. */
export interface CallQuestionHandler extends QuestionHandler {
  readonly remarks: readonly string[];
  /** The call is over: what is open still is withdrawn. */
  close(): void;
}

/** A call that its server may ask something and log for, by the connection it is on. */
export interface QuestionableCall {
  /** Takes a log message. */
  hear(params: unknown): void;
  ask(question: ServerQuestion): Promise<QuestionOutcome>;
}

/** Has a client answer what its server asks, in the name of the one call that is under way. */
export function receiveQuestions(sdk: Sdk, client: Client, inquiries: ReadonlySet<QuestionableCall>): void {
  client.fallbackRequestHandler = async ({ id, method, params }) => {
    const [asked, ...others] = inquiries;
    // On a connection that several calls share, nobody can tell which of them is meant; after a call nobody waits.
    const response =
      asked === undefined || others.length > 0
        ? NO_ANSWERER
        : await asked.ask({ key: `${id}`, method, params: jsonObject.parse(params ?? {}) });
    if (response.error !== undefined) throw new sdk.ProtocolError(response.error.code, response.error.message);
    return response.result;
  };
}

/** Has a client pass on what its server logs during the one call that is under way. */
export function receiveLogs(client: Client, inquiries: ReadonlySet<QuestionableCall>): void {
  client.setNotificationHandler("notifications/message", ({ params }) => {
    const [call, ...others] = inquiries;
    if (others.length === 0) call?.hear(params);
  });
}

/** The answer to a question that is no call's. */
export const NO_ANSWERER: QuestionOutcome = {
  error: { code: -32600, message: "The request cannot be assigned to a single running call." },
};
