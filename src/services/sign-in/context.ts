// The context of sign-in use cases: there is no caller yet, and D1 is always the primary.

import type { Settings } from "../../domain/settings/settings";
import type { Database } from "../../storage/d1/database";

export interface SignInContext {
  /** The primary. */
  db: Database;
  settings: Settings;
  requestId: string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Returns a new id, as in `Context`. */
  newId(prefix: string): string;
}
