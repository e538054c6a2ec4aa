// JSON-RPC messages as they pass through: what has to be known of one to forward it, and errors made in its name.

import * as z from "zod";
import { decodeBase64 } from "../base64";
import { isJsonObject, type JsonObject, parseExactly } from "../json";

const rpcIdSchema = z.union([z.string(), z.number()]);
export type RpcId = z.infer<typeof rpcIdSchema>;

/** What is read of a message; the rest is the server's. What is malformed reads as absent. */
const messageSchema = z.lazy(() =>
  z.object({
    id: rpcIdSchema.optional().catch(undefined),
    method: z.string().optional().catch(undefined),
    params: z
      .object({ name: z.string().optional().catch(undefined) })
      .optional()
      .catch(undefined),
  }),
);
type RpcMessage = z.infer<typeof messageSchema>;

/** A posted body. One of 2025-03-26 may hold several messages. */
export interface RpcBody {
  /** What `JSON.parse` made of it; `undefined` when it is no JSON. */
  value: unknown;
  messages: readonly RpcMessage[];
}

export function readRpcBody(text: string): RpcBody {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { value: undefined, messages: [] };
  }
  const messages = (Array.isArray(value) ? value : [value]).map((one) => messageSchema.safeParse(one).data ?? {});
  return { value, messages };
}

/** The members by which a message is judged. */
const JUDGED = ["jsonrpc", "id", "method", "params"];
const JUDGED_PARAMS = ["name"];

/**
 * Whether every reader finds in it what was read here: nothing but messages, and none with a member that is one of those it is
 * judged by in other letters, which some readers take for the same (Go's, and the last one counts).
 */
export function isPlain({ value }: RpcBody): boolean {
  return (Array.isArray(value) ? value : [value]).every((one: unknown) => {
    if (!isJsonObject(one)) return false;
    return spellsOnly(one, JUDGED) && (!isJsonObject(one.params) || spellsOnly(one.params, JUDGED_PARAMS));
  });
}

function spellsOnly(part: Record<string, unknown>, names: readonly string[]): boolean {
  return Object.keys(part).every((key) => names.includes(key) || !names.includes(key.toUpperCase().toLowerCase()));
}

/** What a posted text says, written anew: members that it names twice are there once, and numbers are as they were. */
export function rewriteRpcBody(text: string): string {
  return JSON.stringify(parseExactly(text));
}

/** The ids of the requests in it: those that get an answer. */
export function requestIds({ messages }: RpcBody): RpcId[] {
  return messages.flatMap(({ id, method }) => (id === undefined || method === undefined ? [] : [id]));
}

/** The names of the tools that it calls. */
export function calledTools({ messages }: RpcBody): string[] {
  return messages.flatMap(({ method, params }) => (method === "tools/call" ? [params?.name ?? ""] : []));
}

/** Whether the headers that repeat a message say what it says, as a server may go by either. */
export function agrees(posted: RpcBody, headers: Headers): boolean {
  const method = headers.get("mcp-method");
  const tool = decodedHeader(headers.get("mcp-name"));
  const tools = calledTools(posted);
  return (
    (method === null || hasMethod(posted, method)) && (tool === null || tools.length === 0 || tools.includes(tool))
  );
}

/** A header's value; what cannot stand in a header is written `=?base64?…?=`. */
function decodedHeader(value: string | null): string | null {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value ?? "")?.[1];
  if (encoded === undefined) return value;
  try {
    return new TextDecoder().decode(decodeBase64(encoded));
  } catch {
    return value;
  }
}

/** Whether one of its messages has one of these methods. */
export function hasMethod({ messages }: RpcBody, ...methods: string[]): boolean {
  return messages.some(({ method }) => method !== undefined && methods.includes(method));
}

/** An error in the name of a request; `null` where no request is known. */
export function rpcError(id: RpcId | null, code: number, message: string, data?: JsonObject): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } });
}

const answerSchema = z.lazy(() => z.object({ id: rpcIdSchema, method: z.never().optional() }));

/** The id of the request that a message answers; `null` when it is no answer. */
export function answeredId(message: unknown): RpcId | null {
  return answerSchema.safeParse(message).data?.id ?? null;
}

const toolListSchema = z.lazy(() => z.looseObject({ result: z.looseObject({ tools: z.array(z.unknown()) }) }));
const namedSchema = z.lazy(() => z.looseObject({ name: z.string() }));

/** The message without the tools that may not be seen, if it is a list of tools; else as it is. What has no name may not. */
export function withoutTools(message: unknown, isAllowed: (name: string, tool: unknown) => boolean): unknown {
  if (Array.isArray(message)) return message.map((one) => withoutTools(one, isAllowed));
  const list = toolListSchema.safeParse(message).data;
  if (list === undefined) return message;
  const tools = list.result.tools.filter((tool) => {
    const named = namedSchema.safeParse(tool).data;
    return named !== undefined && isAllowed(named.name, tool);
  });
  return { ...list, result: { ...list.result, tools } };
}

/** The tools that a message lists, each with its name. */
export function toolsIn(message: unknown): [name: string, tool: unknown][] {
  if (Array.isArray(message)) return message.flatMap(toolsIn);
  return (toolListSchema.safeParse(message).data?.result.tools ?? []).flatMap((tool): [string, unknown][] => {
    const named = namedSchema.safeParse(tool).data;
    return named === undefined ? [] : [[named.name, tool]];
  });
}
