// Handles questions of an MCP server during a call.

import type { Client } from "@modelcontextprotocol/client";
import { type JsonObject, jsonObject } from "../domain/json";
import type { ClientCapabilities } from "../domain/servers/memory";
import type { Round, ServerQuestion } from "../domain/servers/round";
import type { Sdk } from "./sdk";

/** The outcome of a question: the result of its method, or a JSON-RPC error with the reason. */
export type QuestionOutcome =
  | { result: JsonObject; error?: never }
  | { error: { code: number; message: string }; result?: never };

/** Answers the questions of a server during one call. */
export interface QuestionHandler {
  /** The capabilities that this call declares to the server. */
  readonly abilities: ClientCapabilities;
  /** The state of an earlier attempt of the same call. */
  readonly begun: Round | null;
  /** Stores the state of the call before any question is sent. */
  note(round: Round): void;
  /** Answers several questions, in their order. */
  answer(questions: readonly ServerQuestion[]): Promise<QuestionOutcome[]>;
}

/** The MCP host that made a call, if it can receive questions. */
export interface HostLink {
  readonly abilities: ClientCapabilities;
  /** Starts the call's next round. Answers of other rounds are not valid in it. */
  begin(round: number): void;
  /** Sends all questions together. */
  ask(questions: readonly ServerQuestion[]): Promise<QuestionOutcome[]>;
}

/** A call in which the server can ask questions: the key of its result, and its caller. */
export interface CallWithQuestions {
  id: string;
  turn: number;
  /** A digest of the call's name and arguments. */
  request: string;
  /** Aborted if no client waits for the call any more. */
  signal: AbortSignal;
  host: HostLink | null;
}

/** `remarks` are added to the call's result for the model: the reasons why questions were not sent. */
export interface CallQuestionHandler extends QuestionHandler {
  readonly remarks: readonly string[];
  /** Ends the call and withdraws open questions. */
  close(): void;
}

/** A call for which the server can ask questions and send log messages, with its connection. */
export interface QuestionableCall {
  /** Receives a log message. */
  log(params: unknown): void;
  ask(question: ServerQuestion): Promise<QuestionOutcome>;
}

/** Makes a client answer the server's questions on behalf of the only call in progress. */
export function receiveQuestions(sdk: Sdk, client: Client, inquiries: ReadonlySet<QuestionableCall>): void {
  client.fallbackRequestHandler = async ({ id, method, params }) => {
    const [asked, ...others] = inquiries;
    // If several calls share a connection, the question cannot be assigned to one. After a call no client waits.
    const response =
      asked === undefined || others.length > 0
        ? NO_ANSWERER
        : await asked.ask({ key: `${id}`, method, params: jsonObject.parse(params ?? {}) });
    if (response.error !== undefined) throw new sdk.ProtocolError(response.error.code, response.error.message);
    return response.result;
  };
}

/** Makes a client forward the server's log messages during the only call in progress. */
export function receiveLogs(client: Client, inquiries: ReadonlySet<QuestionableCall>): void {
  client.setNotificationHandler("notifications/message", ({ params }) => {
    const [call, ...others] = inquiries;
    if (others.length === 0) call?.log(params);
  });
}

/** The answer to a question that belongs to no call. */
export const NO_ANSWERER: QuestionOutcome = {
  error: { code: -32600, message: "The request cannot be assigned to a single running call." },
};
