// What is known of a remote MCP server between calls, as plain data: enough to make the next call with a single request.

import * as z from "zod";
import { DURATIONS } from "../durations";
import { type JsonObject, jsonObject } from "../json";
import { toolHintsSchema } from "../tool";
import { breakerSchema, CLOSED } from "./breaker";
import { librarySchema } from "./library/library";
import type { Redactor } from "./redactor";

/** Which generation of the protocol a server speaks: sessions (to 2025-11-25), or none (from 2026-07-28). */
export type Era = "legacy" | "modern";

/** What a server may ask for in the middle of a call, as MCP has a client declare it. */
export interface ClientCapabilities {
  elicitation?: { form?: JsonObject; url?: JsonObject };
  sampling?: JsonObject;
  roots?: JsonObject;
}

/** What every session is begun with: whether somebody is there to be asked is seen when it is asked. */
export const CLIENT_CAPABILITIES: ClientCapabilities = { elicitation: { form: {}, url: {} } };

/** A server as it is to be reached: variables are filled, defaults applied. Holds secrets; never stored, logged or shown. */
export interface UpstreamTarget {
  name: string;
  type: "streamable-http" | "sse";
  url: string;
  headers: Readonly<Record<string, string>>;
  era: "auto" | Era;
  /** Takes the filled-in secrets out of what comes back, before anything else is done with it. */
  redactor: Redactor;
  /** What a server that keeps a session is told, when it begins, that it may ask for. */
  abilities: ClientCapabilities;
  /** Milliseconds for connecting, and for reading the list of tools. */
  connectMs: number;
  /** Milliseconds for a call, with all that it needs. */
  callMs: number;
}

const upstreamToolSchema = z.lazy(() =>
  z.object({
    name: z.string(),
    description: z.string(),
    inputSchema: jsonObject,
    annotations: toolHintsSchema.optional(),
    title: z.string().optional(),
    outputSchema: jsonObject.optional(),
    icons: z.array(jsonObject).optional(),
    _meta: jsonObject.optional(),
    /** Of all that it says of itself, for the guard; lists of an earlier gateway have none. */
    digest: z.string().optional(),
  }),
);
export type UpstreamTool = z.infer<typeof upstreamToolSchema>;

const listSchema = z.lazy(() =>
  z.object({
    tools: z.array(upstreamToolSchema),
    /** When it was read, in milliseconds since the epoch; 0 when the server has said since that it changed. */
    at: z.number(),
    /** How long the server says it holds, in milliseconds. */
    ttl: z.number().nullable(),
    /** What was left out, in words. */
    problems: z.array(z.string()),
  }),
);
export type ToolList = z.infer<typeof listSchema>;

export const upstreamMemorySchema = z.lazy(() =>
  z.object({
    era: z.object({ kind: z.enum(["legacy", "modern"]), at: z.number() }).nullable(),
    /** Of the legacy era; `id` is `null` where the server keeps no sessions. */
    session: z.object({ id: z.string().nullable(), protocol: z.string() }).nullable(),
    /** The answer to `server/discover`, of the modern era. */
    discover: jsonObject.nullable(),
    server: z
      .object({
        name: z.string(),
        version: z.string(),
        protocol: z.string(),
        /** What it says that it has; an earlier gateway kept none of it. */
        capabilities: jsonObject.optional(),
      })
      .nullable(),
    list: listSchema.nullable(),
    /** What it has beside tools; `null` until a host has asked. */
    library: librarySchema.nullable().default(null),
    breaker: breakerSchema,
  }),
);

/** Everything that outlives a call. No secret is in it but the server's own session id. */
export type UpstreamMemory = z.infer<typeof upstreamMemorySchema>;

export const NO_MEMORY: UpstreamMemory = {
  era: null,
  session: null,
  discover: null,
  server: null,
  list: null,
  library: null,
  breaker: CLOSED,
};

/** The era that is believed without asking again; `null` when the server has to be asked. */
export function cachedEra(
  memory: UpstreamMemory,
  target: Pick<UpstreamTarget, "era" | "type">,
  now: number,
): Era | null {
  if (target.type === "sse") return "legacy";
  if (target.era !== "auto") return target.era;
  return memory.era !== null && now - memory.era.at < DURATIONS.era ? memory.era.kind : null;
}

/** Whether a list may be used without asking again. */
export function isFresh(list: Pick<ToolList, "at" | "ttl"> | null, now: number): boolean {
  return list !== null && now - list.at < Math.min(list.ttl ?? DURATIONS.toolList, DURATIONS.toolListMost);
}
