// Pre-registered clients, for hosts that require an id and a secret. They authenticate at the token endpoint.

import { hexOf } from "../digest";

/** Prefix of the ids of pre-registered clients. */
const KNOWN = "app_";

/** Returns the client id of a pre-registered client. */
export function preRegisteredClientId(name: string): string {
  return KNOWN + name;
}

/** Returns the name of the pre-registered client with this id; `null` for any other id, which has no secret. */
export function preRegisteredClientName(id: string): string | null {
  return id.startsWith(KNOWN) ? id.slice(KNOWN.length) : null;
}

/** Returns a secret with these 32 random bytes. It is returned to the admin once; only its digest is stored. */
export function writeClientSecret(random: Uint8Array): string {
  return `sgs_${hexOf(random)}`;
}
