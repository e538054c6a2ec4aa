// The state of an MCP server between calls, as plain data: enough to make the next call with one request.

import * as z from "zod";
import { DURATIONS } from "../durations";
import { type JsonObject, jsonObject } from "../json";
import { toolHintsSchema } from "../tool";
import { breakerSchema, CLOSED } from "./breaker";
import type { Instance } from "./instances";
import { librarySchema } from "./library/library";
import type { Redactor } from "./redactor";

/** The protocol generation of a server: with sessions (up to 2025-11-25), or without (from 2026-07-28). */
export type Era = "legacy" | "modern";

/** What a server can request during a call, as MCP client capabilities. */
export interface ClientCapabilities {
  elicitation?: { form?: JsonObject; url?: JsonObject };
  sampling?: JsonObject;
  roots?: JsonObject;
}

/** Declared in every session. Whether somebody can answer is determined when a server asks. */
export const CLIENT_CAPABILITIES: ClientCapabilities = { elicitation: { form: {}, url: {} } };

/** How the token of a server is replaced after the server rejected it. */
export interface TargetSignIn {
  /** Returns what to send instead of these headers; `null` if the user must sign in again. `renew` is `null` if nobody is signed in. */
  renew: ((rejected: UpstreamTarget["headers"]) => Promise<Pick<UpstreamTarget, "headers" | "redactor"> | null>) | null;
}

/** A resolved server: variables filled, defaults applied. Contains secrets: never stored, logged or returned. */
export interface UpstreamTarget {
  name: string;
  type: "streamable-http" | "sse" | "websocket";
  url: string;
  /** Present if the server has several addresses, of which `url` is one. */
  instances?: readonly Instance[];
  headers: Readonly<Record<string, string>>;
  era: "auto" | Era;
  /** Removes the filled-in secrets from responses before anything else reads them. */
  redactor: Redactor;
  /** The capabilities declared at the start of a session. */
  abilities: ClientCapabilities;
  /** Present if users sign in to the server. */
  signIn?: TargetSignIn;
  /** Timeout for connecting and for reading the list of tools, in milliseconds. */
  connectMs: number;
  /** Timeout for a call, including everything it needs, in milliseconds. */
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
    /** Digest for the guard; absent in lists of earlier gateways. */
    digest: z.string().optional(),
  }),
);
export type UpstreamTool = z.infer<typeof upstreamToolSchema>;

const listSchema = z.lazy(() =>
  z.object({
    tools: z.array(upstreamToolSchema),
    /** Time of the read, in milliseconds since the epoch; 0 if the server announced a change since. */
    at: z.number(),
    /** Cache lifetime that the server declares, in milliseconds. */
    ttl: z.number().nullable(),
    /** Tools left out, with reasons. */
    problems: z.array(z.string()),
  }),
);
export type ToolList = z.infer<typeof listSchema>;

export const upstreamMemorySchema = z.lazy(() =>
  z.object({
    era: z.object({ kind: z.enum(["legacy", "modern"]), at: z.number() }).nullable(),
    /** For the legacy era; `id` is `null` if the server has no sessions. */
    session: z
      .object({
        id: z.string().nullable(),
        protocol: z.string(),
        /** Position of the instance that has the session. */
        instance: z.number().optional(),
      })
      .nullable(),
    /** The response to `server/discover` of the modern era. */
    discover: jsonObject.nullable(),
    server: z
      .object({
        name: z.string(),
        version: z.string(),
        protocol: z.string(),
        /** The capabilities it declares; earlier gateways did not store them. */
        capabilities: jsonObject.optional(),
      })
      .nullable(),
    list: listSchema.nullable(),
    /** Its resources and prompts; `null` until a host requests them. */
    library: librarySchema.nullable().default(null),
    breaker: breakerSchema,
  }),
);

/** Everything that is stored between calls. It contains no secret except the server's own session id. */
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

/** Whether all calls use one connection, which is also the session. Such servers are of the legacy era. */
export function hasOneConnection({ type }: Pick<UpstreamTarget, "type">): boolean {
  return type !== "streamable-http";
}

/** Returns the cached era; `null` if the server must be asked. */
export function cachedEra(
  memory: UpstreamMemory,
  target: Pick<UpstreamTarget, "era" | "type">,
  now: number,
): Era | null {
  if (hasOneConnection(target)) return "legacy";
  if (target.era !== "auto") return target.era;
  return memory.era !== null && now - memory.era.at < DURATIONS.era ? memory.era.kind : null;
}

/** Whether a list can be used without reading it again. */
export function isFresh(list: Pick<ToolList, "at" | "ttl"> | null, now: number): boolean {
  return list !== null && now - list.at < Math.min(list.ttl ?? DURATIONS.toolList, DURATIONS.toolListMost);
}
