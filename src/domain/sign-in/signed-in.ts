// Who has signed in on a page, and how: what an approval takes from it.

import type { Approved } from "./grant";

/** How somebody has shown who they are. */
export type SignedIn = Pick<Approved, "userId" | "via" | "viaId" | "keyId" | "claimed" | "endsAt">;
