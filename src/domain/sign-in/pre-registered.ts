// Programs that an admin has made known: hosts whose forms ask for an id and a secret. They prove themselves at the token endpoint.

import { hexOf } from "../digest";

/** How the id of a program that an admin has made known begins. */
const KNOWN = "app_";

/** The id that the program of this name has towards the sign-in. */
export function preRegisteredClientId(name: string): string {
  return KNOWN + name;
}

/** The name of the program that an admin gave this id; `null` for an id of any other kind, which has no secret. */
export function preRegisteredClientName(id: string): string | null {
  return id.startsWith(KNOWN) ? id.slice(KNOWN.length) : null;
}

/** A secret of these 32 random bytes. It is shown once; its digest is kept. */
export function writeClientSecret(random: Uint8Array): string {
  return `sgs_${hexOf(random)}`;
}
