// One call of a tool on a connection, and what whoever makes it may want beside its result.

import type { Client } from "@modelcontextprotocol/client";
import type { JsonObject } from "../domain/json";
import type { WholeResult } from "../domain/servers/result";
import { NEVER } from "./connection";
import type { Deadline } from "./deadline";

/** What a tool says of how far it is. */
export interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Is given the whole of a result of which something is left out. */
  onCut?: (whole: WholeResult) => void;
  /** What the tool is called where it is offered; its own name otherwise. */
  shown?: string;
}

/** Sends a call. Each progress that the server tells gives it its time again. */
export function sendCall(
  client: Client,
  { tool, args, inputSchema }: { tool: string; args: JsonObject; inputSchema: JsonObject | undefined },
  deadline: Deadline,
  onProgress: CallOptions["onProgress"],
): Promise<unknown> {
  // Asked for in any case: a call that goes on is given time.
  const onprogress = (progress: Progress) => {
    deadline.extend();
    onProgress?.(progress);
  };
  const options = { signal: deadline.signal, timeout: NEVER, onprogress };
  // Given without its output schema: a result that does not keep to it is still the result.
  const toolDefinition = { name: tool, inputSchema: { ...inputSchema, type: "object" as const } };
  return client.callTool({ name: tool, arguments: args }, { ...options, toolDefinition });
}
