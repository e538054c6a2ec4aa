// From a server's entry to where it is reached: variables filled, deadlines chosen, and the key under which it is remembered.

import { z } from "zod";
import { sha256Hex } from "../domain/digest";
import type { UpstreamTarget } from "../domain/upstream";
import type { Context } from "./context";
import type { ServerRef } from "./servers";
import type { Session } from "./session";

/** A server that can be reached. */
export interface Aim {
  /** Names what is remembered of it: another URL, header or secret is another key. */
  key: string;
  target: UpstreamTarget;
  /** Whether the entry lets a tool through. */
  lets(tool: string): boolean;
  /** Takes the entry's secrets out of whatever leaves. */
  redact<T>(value: T): T;
  problem?: never;
}

/** A server that cannot, and why. `unsupported`: it never could be here. */
export interface Unreachable {
  problem: string;
  unsupported: boolean;
}

const entrySchema = z.looseObject({
  type: z.enum(["streamable-http", "http", "sse"]).default("streamable-http"),
  url: z.string(),
  headers: z.record(z.string(), z.string()).default({}),
  timeout: z.number().positive().max(300).optional(),
  connect_timeout: z.number().positive().max(300).optional(),
  allow: z.array(z.string()).optional(),
  deny: z.array(z.string()).optional(),
  era: z.enum(["auto", "legacy", "modern"]).default("auto"),
});

export async function aimAt(context: Context, _session: Session, ref: ServerRef): Promise<Aim | Unreachable> {
  const parsed = entrySchema.safeParse(ref.entry);
  if (!parsed.success) return { problem: "its entry is not valid", unsupported: true };
  const { type, url, headers, timeout, connect_timeout, allow, deny, era } = parsed.data;
  const { MCP_CALL_TIMEOUT_S, MCP_CONNECT_TIMEOUT_S } = context.settings;
  const target: UpstreamTarget = {
    name: ref.name,
    type: type === "sse" ? "sse" : "streamable-http",
    url,
    headers,
    era,
    connectMs: (connect_timeout ?? MCP_CONNECT_TIMEOUT_S) * 1_000,
    callMs: (timeout ?? MCP_CALL_TIMEOUT_S) * 1_000,
  };
  const key = await sha256Hex(JSON.stringify([ref.source, ref.skill?.name, ref.name, target.type, url, headers, era]));
  return {
    key,
    target,
    lets: (tool) => (allow === undefined || allow.includes(tool)) && !deny?.includes(tool),
    redact: (value) => value,
  };
}
