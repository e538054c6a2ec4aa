// Servers that somebody owns: the gateway, a group or a user. Whose a server is says who may use it; its entry may narrow that to the
// conversations of some ghosts.

import * as z from "zod";
import type { JsonObject } from "../json";
import { serverEntrySchema } from "./entry";
import { MCP_LIMITS } from "./limits";

const ghosts = () =>
  z
    .array(z.string().regex(/^gho_[A-Za-z0-9_-]{1,60}$/, "is not the id of a ghost"))
    .max(MCP_LIMITS.namedGhosts)
    .optional();

/** An entry of a group or a user. `ghosts`: only conversations with one of these have it, and nothing else does. */
export const userServerEntrySchema = z.lazy(() => serverEntrySchema.unwrap().extend({ ghosts: ghosts() }));
export type UserServerEntry = z.infer<typeof userServerEntrySchema>;

/** An entry of the gateway. `guard`: only tools whose texts are as an admin approved them. */
export const gatewayEntrySchema = z.lazy(() =>
  userServerEntrySchema.unwrap().extend({ guard: z.boolean().optional() }),
);
export type GatewayServerEntry = z.infer<typeof gatewayEntrySchema>;

/** The digest that each approved tool had. */
export const approvedSchema = z.lazy(() => z.record(z.string(), z.string()));
export type ApprovedTools = z.infer<typeof approvedSchema>;

/** What is of these scopes, in their order: what comes first hides what comes later. */
export function inOrderOf<T extends { scope: string }>(scopes: readonly string[], servers: readonly T[]): T[] {
  return servers.toSorted((a, b) => scopes.indexOf(a.scope) - scopes.indexOf(b.scope));
}

/** Whether a conversation with this ghost has a server; `null` stands for none, and for whatever is no conversation. */
export function isForGhost(entry: JsonObject, ghost: string | null): boolean {
  const { ghosts: named } = entry;
  return !Array.isArray(named) || (ghost !== null && named.includes(ghost));
}

/** What a guard of tools goes by; `null` where there is none. Nothing approved is nothing offered. */
export function guardOf(entry: JsonObject, approved: ApprovedTools | null): ApprovedTools | null {
  return entry.guard === true ? (approved ?? {}) : null;
}
