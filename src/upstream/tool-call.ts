// What is sent to a server that may ask something before it answers: a call of a tool, or any other request.

import type { Client } from "@modelcontextprotocol/client";
import { type JsonObject, type JsonValue, jsonObject } from "../domain/json";
import type { LogLevel } from "../domain/servers/log";
import type { WholeResult } from "../domain/servers/result";
import type { ServerQuestion } from "../domain/servers/round";
import { NO_TIMEOUT_MS } from "./connection";
import type { Deadline } from "./deadline";
import type { QuestionHandler } from "./server-questions";

/** What a tool says of how far it is. */
export interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

/** Where a call's log messages go, as they come. */
export interface ServerLogs {
  least: LogLevel;
  hear(params: unknown): void;
}

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Is given the whole of a result of which something is left out. */
  onCut?: (whole: WholeResult) => void;
  /** What the tool is called where it is offered; its own name otherwise. */
  shown?: string;
  /** Who hears what the server logs meanwhile, and from which level on. */
  logs?: ServerLogs | undefined;
  /** Who answers what the server asks meanwhile; without one it may ask nothing. */
  inquiry?: QuestionHandler | undefined;
}

/** What whoever asks for anything else may want. */
export type AskOptions = Pick<CallOptions, "signal" | "inquiry">;

/** One request, whichever connections carry it: what was answered is not asked again where a session was lost. */
export interface RepeatableRequest {
  logs: ServerLogs | undefined;
  inquiry: QuestionHandler | undefined;
  next: NextRound;
  /** Sends it, with what `next` says. */
  send(client: Client, deadline: Deadline): Promise<unknown>;
}

/** What goes into a call that is made again, and what it waits for. */
export interface NextRound {
  /** How often the server has asked. */
  count: number;
  asked: readonly ServerQuestion[];
  /** `null` until what was asked is answered, and where nothing was. */
  params: { inputResponses: Record<string, JsonValue>; requestState?: string } | null;
  state: string | null;
}

/** What a call of a tool is told by: its arguments, and the schema that the server gave for them. */
interface NamedCall extends Pick<CallOptions, "onProgress" | "logs" | "inquiry"> {
  tool: string;
  args: JsonObject;
  inputSchema: JsonObject | undefined;
}

/** A call of a tool. Each progress that the server tells gives it its time again. */
export function toolRequest({ tool, args, inputSchema, onProgress, logs, inquiry }: NamedCall): RepeatableRequest {
  const next = nextOf(inquiry);
  const send = (client: Client, deadline: Deadline) => {
    // Asked for in any case: a call that goes on is given time.
    const onprogress = (progress: Progress) => {
      deadline.extend();
      onProgress?.(progress);
    };
    // Given without its output schema: a result that does not keep to it is still the result.
    const toolDefinition = { name: tool, inputSchema: { ...inputSchema, type: "object" as const } };
    // A server of 2026 logs only to whom asks for it; of one of 2025 comes what it logs by itself.
    const asks = logs !== undefined && client.getProtocolEra() === "modern";
    const meta = asks ? { _meta: { "io.modelcontextprotocol/logLevel": logs.least } } : {};
    const options = { ...optionsFor(inquiry, deadline), onprogress, toolDefinition };
    return client.callTool({ name: tool, arguments: args, ...meta, ...next.params }, options);
  };
  return { logs, inquiry, next, send };
}

/** Any other request. */
export function plainRequest(
  method: string,
  params: JsonObject,
  inquiry: QuestionHandler | undefined,
): RepeatableRequest {
  const next = nextOf(inquiry);
  const send = (client: Client, deadline: Deadline) =>
    client.request({ method, params: { ...params, ...next.params } }, jsonObject, optionsFor(inquiry, deadline));
  return { logs: undefined, inquiry, next, send };
}

function optionsFor(inquiry: QuestionHandler | undefined, { signal }: Deadline) {
  return { signal, timeout: NO_TIMEOUT_MS, ...(inquiry === undefined ? {} : { allowInputRequired: true }) };
}

/** Where a request begins: at its beginning, or with what was asked before its object was gone. */
function nextOf(inquiry: QuestionHandler | undefined): NextRound {
  const begun = inquiry?.begun ?? null;
  if (begun?.era !== "modern") return { count: 0, asked: [], params: null, state: null };
  return { count: begun.count, asked: begun.asked, params: null, state: begun.state };
}
