// What is for admins only, and what anybody else is told.

import { isAdmin, type Principal } from "../domain/access/access";
import { GatewayError } from "../domain/errors";

/** Refuses anybody but an admin. */
export function requireAdmin(principal: Principal, message?: string): void {
  if (!isAdmin(principal)) throw adminOnlyError(message);
}

export function adminOnlyError(message = "Only an admin may do this."): GatewayError {
  return new GatewayError("forbidden", "ADMIN_ONLY", message);
}
