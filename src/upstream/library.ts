// Reads the resources and prompts of a server: page by page, with a limit. An invalid entry does not affect the others.

import type { Client } from "@modelcontextprotocol/client";
import * as z from "zod";
import { type JsonObject, utf8Bytes } from "../domain/json";
import { UPSTREAM_LIMITS } from "../domain/limits";
import {
  type Library,
  listedPromptSchema,
  resourceSchema,
  resourceTemplateSchema,
} from "../domain/servers/library/library";
import { LIBRARY_LIMITS } from "../domain/servers/library/limits";
import { NO_TIMEOUT_MS } from "./connection";
import type { Sdk } from "./sdk";

/** By capability: the method, the field of its result with the entries, and the key of an entry. */
const LISTS = {
  resources: { capability: "resources", method: "resources/list", key: "resources", id: "uri" },
  templates: {
    capability: "resources",
    method: "resources/templates/list",
    key: "resourceTemplates",
    id: "uriTemplate",
  },
  prompts: { capability: "prompts", method: "prompts/list", key: "prompts", id: "name" },
} as const;

interface Asking {
  sdk: Sdk;
  client: Client;
  /** The capabilities that the server declared in its handshake. If unknown, all lists are requested. */
  capabilities: JsonObject | undefined;
  signal: AbortSignal;
}

/** Returns all entries of a server, up to the limits. Of two entries with the same name the first is used. */
export async function readLibrary(asking: Asking, now: () => number): Promise<Library> {
  const room = { bytes: LIBRARY_LIMITS.bytes, ttl: null as number | null };
  const [resources, templates, prompts] = await Promise.all([
    listOf(asking, LISTS.resources, resourceSchema, room),
    listOf(asking, LISTS.templates, resourceTemplateSchema, room),
    listOf(asking, LISTS.prompts, listedPromptSchema, room),
  ]);
  return { resources, templates, prompts, at: now(), ttl: room.ttl };
}

async function listOf<T extends object>(
  { sdk, client, capabilities, signal }: Asking,
  { capability, method, key, id }: (typeof LISTS)[keyof typeof LISTS],
  schema: z.ZodType<T>,
  room: { bytes: number; ttl: number | null },
): Promise<T[]> {
  if (capabilities !== undefined && capabilities[capability] === undefined) return [];
  const pageSchema = z.looseObject({
    nextCursor: z.string().optional(),
    ttlMs: z.number().nonnegative().optional().catch(undefined),
  });
  const found = new Map<unknown, T>();
  let cursor: string | undefined;
  for (let page = 1; page <= UPSTREAM_LIMITS.pages; page++) {
    const asked = { method, params: cursor === undefined ? {} : { cursor } };
    const options = { signal, timeout: NO_TIMEOUT_MS };
    const answer = await client.request(asked, pageSchema, options).catch((error: unknown) => {
      // Many servers report missing support only with this error.
      if (error instanceof sdk.ProtocolError) return null;
      throw error;
    });
    if (answer === null) break;
    if (answer.ttlMs !== undefined) room.ttl = Math.min(room.ttl ?? answer.ttlMs, answer.ttlMs);
    const values: unknown = answer[key];
    for (const value of Array.isArray(values) ? values : []) addEntry(schema.safeParse(value).data, id, found, room);
    const { nextCursor } = answer;
    if (nextCursor === undefined || nextCursor === cursor || found.size >= LIBRARY_LIMITS.things) break;
    cursor = nextCursor;
  }
  return [...found.values()];
}

function addEntry<T extends object>(
  thing: T | undefined,
  id: string,
  found: Map<unknown, T>,
  room: { bytes: number },
): void {
  if (thing === undefined || found.size >= LIBRARY_LIMITS.things) return;
  const name = Object.entries(thing).find(([key]) => key === id)?.[1];
  const bytes = utf8Bytes(JSON.stringify(thing));
  if (found.has(name) || bytes > room.bytes) return;
  room.bytes -= bytes;
  found.set(name, thing);
}
