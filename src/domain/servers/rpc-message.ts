// Reads JSON-RPC messages that pass through, and creates error responses for them.

import * as z from "zod";
import { decodeBase64 } from "../base64";
import { isJsonObject, type JsonObject, parseExactly } from "../json";

const rpcIdSchema = z.union([z.string(), z.number()]);
export type RpcId = z.infer<typeof rpcIdSchema>;

/** The fields that are read of a message. Invalid ones count as absent. */
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

/** A posted body. In MCP 2025-03-26 it can contain several messages. */
export interface RpcBody {
  /** The parsed JSON; `undefined` if the body is not JSON. */
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

/** The fields that decide whether a message is allowed. */
const JUDGED = ["jsonrpc", "id", "method", "params"];
const JUDGED_PARAMS = ["name"];

/**
 * Whether every parser reads the body as this one does: only messages, and no member that differs from a checked one only in case, which
 * some parsers treat as equal (in Go the last one wins).
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

/** Writes a body again: duplicate members occur once, numbers stay as written. */
export function rewriteRpcBody(text: string): string {
  return JSON.stringify(parseExactly(text));
}

/** Returns the ids of its requests, which receive responses. */
export function requestIds({ messages }: RpcBody): RpcId[] {
  return messages.flatMap(({ id, method }) => (id === undefined || method === undefined ? [] : [id]));
}

/** Returns the names of the tools that the body calls. */
export function calledTools({ messages }: RpcBody): string[] {
  return messages.flatMap(({ method, params }) => (method === "tools/call" ? [params?.name ?? ""] : []));
}

/** Whether the headers that repeat parts of a message match it, because a server can use either. */
export function agrees(posted: RpcBody, headers: Headers): boolean {
  const method = headers.get("mcp-method");
  const tool = decodedHeader(headers.get("mcp-name"));
  const tools = calledTools(posted);
  return (
    (method === null || hasMethod(posted, method)) && (tool === null || tools.length === 0 || tools.includes(tool))
  );
}

/** Decodes a header value; values with special characters are written `=?base64?…?=`. */
function decodedHeader(value: string | null): string | null {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value ?? "")?.[1];
  if (encoded === undefined) return value;
  try {
    return new TextDecoder().decode(decodeBase64(encoded));
  } catch {
    return value;
  }
}

/** Whether one of the messages has one of these methods. */
export function hasMethod({ messages }: RpcBody, ...methods: string[]): boolean {
  return messages.some(({ method }) => method !== undefined && methods.includes(method));
}

/** Returns an error response to a request; `null` if the request id is unknown. */
export function rpcError(id: RpcId | null, code: number, message: string, data?: JsonObject): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } });
}

const answerSchema = z.lazy(() => z.object({ id: rpcIdSchema, method: z.never().optional() }));

/** Returns the id of the request to which a message is the response; `null` if it is not a response. */
export function answeredId(message: unknown): RpcId | null {
  return answerSchema.safeParse(message).data?.id ?? null;
}

const toolListSchema = z.lazy(() => z.looseObject({ result: z.looseObject({ tools: z.array(z.unknown()) }) }));
const namedSchema = z.lazy(() => z.looseObject({ name: z.string() }));

/** Removes restricted tools from a tool list, including those without a name. Other messages stay unchanged. */
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

/** Returns the tools in a message's list, each with its name. */
export function toolsIn(message: unknown): [name: string, tool: unknown][] {
  if (Array.isArray(message)) return message.flatMap(toolsIn);
  return (toolListSchema.safeParse(message).data?.result.tools ?? []).flatMap((tool): [string, unknown][] => {
    const named = namedSchema.safeParse(tool).data;
    return named === undefined ? [] : [[named.name, tool]];
  });
}
