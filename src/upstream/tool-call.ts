// Creates requests during which the server can ask questions: tool calls and others.

import type { Client } from "@modelcontextprotocol/client";
import { type JsonObject, type JsonValue, jsonObject } from "../domain/json";
import type { LogLevel } from "../domain/servers/log";
import type { WholeResult } from "../domain/servers/result";
import type { ServerQuestion } from "../domain/servers/round";
import { type TraceContext, traceFields } from "../domain/telemetry/trace-context";
import { NO_TIMEOUT_MS } from "./connection";
import type { Deadline } from "./deadline";
import type { QuestionHandler } from "./server-questions";

/** A progress notification of a tool. */
export interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

/** Receives the log messages of a call as they arrive. */
export interface ServerLogs {
  least: LogLevel;
  receive(params: unknown): void;
}

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Called with the complete result if it is truncated. */
  onCut?: (whole: WholeResult) => void;
  /** The name under which the tool is offered. Defaults to its own name. */
  shown?: string;
  /** Receives the server's log messages during the call, from a minimum level. */
  logs?: ServerLogs | undefined;
  /** Answers the server's questions during the call. Without it, the server cannot ask any. */
  inquiry?: QuestionHandler | undefined;
  /** The span in which the server is called. */
  trace?: TraceContext | null | undefined;
}

/** Options of other requests. */
export type AskOptions = Pick<CallOptions, "signal" | "inquiry">;

/** One request that can be sent over several connections. After a lost session, answered questions are not sent to the user again. */
export interface RepeatableRequest {
  logs: ServerLogs | undefined;
  inquiry: QuestionHandler | undefined;
  next: NextRound;
  /** Sends the request with the parameters in `next`. */
  send(client: Client, deadline: Deadline): Promise<unknown>;
}

/** The state of a repeated call: its additional parameters and its open questions. */
export interface NextRound {
  /** The number of rounds of questions. */
  count: number;
  asked: readonly ServerQuestion[];
  /** `null` until the questions are answered, or if there are none. */
  params: { inputResponses: Record<string, JsonValue>; requestState?: string } | null;
  state: string | null;
}

/** The parts of a tool call: its arguments, and the schema that the server declares for them. */
interface NamedCall extends Pick<CallOptions, "onProgress" | "logs" | "inquiry" | "trace"> {
  tool: string;
  args: JsonObject;
  inputSchema: JsonObject | undefined;
}

/** Creates a tool call. Each progress notification extends its deadline. */
export function toolRequest({
  tool,
  args,
  inputSchema,
  onProgress,
  logs,
  inquiry,
  trace = null,
}: NamedCall): RepeatableRequest {
  const next = nextOf(inquiry);
  const send = (client: Client, deadline: Deadline) => {
    // Always requested, because progress extends the deadline.
    const onprogress = (progress: Progress) => {
      deadline.extend();
      onProgress?.(progress);
    };
    // Without the output schema: a result that does not match it is still returned.
    const toolDefinition = { name: tool, inputSchema: { ...inputSchema, type: "object" as const } };
    // Servers of 2026 send log messages on request only. Servers of 2025 send them without a request.
    const asks = logs !== undefined && client.getProtocolEra() === "modern";
    const level = asks ? { "io.modelcontextprotocol/logLevel": logs.least } : {};
    const named = trace === null ? {} : traceFields(trace);
    const meta = asks || trace !== null ? { _meta: { ...level, ...named } } : {};
    const options = { ...optionsFor(inquiry, deadline), onprogress, toolDefinition };
    return client.callTool({ name: tool, arguments: args, ...meta, ...next.params }, options);
  };
  return { logs, inquiry, next, send };
}

/** Creates any other request. */
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

/** Returns the initial state of a request: empty, or restored after its Durable Object was evicted. */
function nextOf(inquiry: QuestionHandler | undefined): NextRound {
  const begun = inquiry?.begun ?? null;
  if (begun?.era !== "modern") return { count: 0, asked: [], params: null, state: null };
  return { count: begun.count, asked: begun.asked, params: null, state: begun.state };
}
