// One call of a tool on a connection, and what whoever makes it may want beside its result.

import type { Client } from "@modelcontextprotocol/client";
import type { JsonObject, JsonValue } from "../domain/json";
import type { LogLevel } from "../domain/servers/log";
import type { WholeResult } from "../domain/servers/result";
import type { ServerQuestion } from "../domain/servers/round";
import { NEVER } from "./connection";
import type { Deadline } from "./deadline";
import type { Inquiry } from "./inquiry";

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
  inquiry?: Inquiry | undefined;
}

/** One call, whichever connections carry it: what was answered is not asked again where a session was lost. */
export interface SentCall {
  tool: string;
  args: JsonObject;
  inputSchema: JsonObject | undefined;
  onProgress: CallOptions["onProgress"];
  logs: ServerLogs | undefined;
  inquiry: Inquiry | undefined;
  next: NextRound;
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

/** Sends a call. Each progress that the server tells gives it its time again. */
export function sendCall(
  client: Client,
  { tool, args, inputSchema, onProgress, logs, inquiry, next }: SentCall,
  deadline: Deadline,
): Promise<unknown> {
  // Asked for in any case: a call that goes on is given time.
  const onprogress = (progress: Progress) => {
    deadline.extend();
    onProgress?.(progress);
  };
  const allow = inquiry === undefined ? {} : { allowInputRequired: true };
  const options = { signal: deadline.signal, timeout: NEVER, onprogress, ...allow };
  // Given without its output schema: a result that does not keep to it is still the result.
  const toolDefinition = { name: tool, inputSchema: { ...inputSchema, type: "object" as const } };
  // A server of 2026 logs only to whom asks for it; of one of 2025 comes what it logs by itself.
  const asks = logs !== undefined && client.getProtocolEra() === "modern";
  const meta = asks ? { _meta: { "io.modelcontextprotocol/logLevel": logs.least } } : {};
  return client.callTool({ name: tool, arguments: args, ...meta, ...next.params }, { ...options, toolDefinition });
}
