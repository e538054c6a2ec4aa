// Pre-registered clients, for hosts that require an id and a secret. They authenticate at the token endpoint.

import { hexOf } from "../digest";

/** Prefix of the ids of pre-registered clients. */
const KNOWN = "app_";

/** The id that the program of this name has towards the sign-in. */
export function preRegisteredClientId(name: string): string {
  return KNOWN + name;
}

/** The name of the program that an admin gave this id; `null` for an id of any other kind, which has no secret. */
export function preRegisteredClientName(id: string): string | null {
  return id.startsWith(KNOWN) ? id.slice(KNOWN.length) : null;
}

/** Returns a secret with these 32 random bytes. It is returned to the admin once; only its digest is stored. */
export function writeClientSecret(random: Uint8Array): string {
  return `sgs_${hexOf(random)}`;
}
