// Servers of the gateway, a group or a user. The owner determines who can use a server; its entry can restrict it to conversations of some
// ghosts.

import * as z from "zod";
import type { JsonObject } from "../json";
import { serverEntrySchema } from "./entry";
import { MCP_LIMITS } from "./limits";
import { secretsIn } from "./template";

const ghosts = () =>
  z
    .array(z.string().regex(/^gho_[A-Za-z0-9_-]{1,60}$/, "is not the id of a ghost"))
    .max(MCP_LIMITS.namedGhosts)
    .optional();

/**
 * A client that an admin or the owner has registered at the issuer of a server, and the scopes to request. `grant`: whether each user signs
 * in, or the client itself is the account (client credentials).
 */
const oauthSchema = () =>
  z
    .strictObject({
      grant: z.enum(["authorization_code", "client_credentials"]).optional(),
      client_id: z.string().min(1).max(2_048).optional(),
      client_secret: z
        .string()
        .max(256)
        .refine(
          (text) => secretsIn([text]).length === 1 && /^\$\{\{[^{}]*\}\}$/.test(text),
          "must name a secret, as headers do",
        )
        .optional(),
      scopes: z
        .array(z.string().regex(/^[\x21\x23-\x5B\x5D-\x7E]{1,256}$/, "is not a scope"))
        .max(50)
        .optional(),
    })
    .refine(
      ({ grant, client_id, client_secret }) =>
        grant !== "client_credentials" || (client_id !== undefined && client_secret !== undefined),
      "client_credentials needs client_id and client_secret",
    );
export type OAuthEntry = z.infer<ReturnType<typeof oauthSchema>>;

/** Returns how the gateway gets tokens for a stored server; `null` if its entry does not name it. */
export function oauthOf({ oauth }: JsonObject): OAuthEntry | null {
  return oauthSchema().safeParse(oauth).data ?? null;
}

/** The limit of the registry's format for descriptions. */
const description = () => z.string().trim().min(1).max(100).optional();

/** An entry of a group or a user. `ghosts`: the server is only in conversations with one of these ghosts. */
export const userServerEntrySchema = z.lazy(() =>
  serverEntrySchema.unwrap().extend({ ghosts: ghosts(), oauth: oauthSchema().optional(), description: description() }),
);
export type UserServerEntry = z.infer<typeof userServerEntrySchema>;

/**
 * An entry of the gateway. `guard`: only tools that are unchanged since an admin approved them. `public`: callers without a key see its name
 * and description in the registry.
 */
export const gatewayEntrySchema = z.lazy(() =>
  userServerEntrySchema.unwrap().extend({ guard: z.boolean().optional(), public: z.boolean().optional() }),
);
export type GatewayServerEntry = z.infer<typeof gatewayEntrySchema>;

/** The digest of each tool at the time of its approval. */
export const approvedSchema = z.lazy(() => z.record(z.string(), z.string()));
export type ApprovedTools = z.infer<typeof approvedSchema>;

/** Returns the servers of these scopes, in their order; the first of a name wins. */
export function inOrderOf<T extends { scope: string }>(scopes: readonly string[], servers: readonly T[]): T[] {
  return servers.toSorted((a, b) => scopes.indexOf(a.scope) - scopes.indexOf(b.scope));
}

/** Whether a conversation with this ghost has a server; `null`: no ghost, or no conversation. */
export function isForGhost(entry: JsonObject, ghost: string | null): boolean {
  const { ghosts: named } = entry;
  return !Array.isArray(named) || (ghost !== null && named.includes(ghost));
}

/** Returns the approved tools of a guard; `null` without a guard. Without approvals, nothing is offered. */
export function guardOf(entry: JsonObject, approved: ApprovedTools | null): ApprovedTools | null {
  return entry.guard === true ? (approved ?? {}) : null;
}
