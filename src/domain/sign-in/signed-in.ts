// The signed-in user on a page, as an approval needs it.

import type { Approved } from "./grant";

/** The user and how they signed in. */
export type SignedIn = Pick<Approved, "userId" | "via" | "viaId" | "keyId" | "claimed" | "endsAt">;
