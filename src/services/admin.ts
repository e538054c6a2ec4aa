// Restricts use cases to admins.

import { isAdmin, type Principal } from "../domain/access/access";
import { GatewayError } from "../domain/errors";

/** Throws unless the caller is an admin. */
export function requireAdmin(principal: Principal, message?: string): void {
  if (!isAdmin(principal)) throw adminOnlyError(message);
}

export function adminOnlyError(message = "Only admins can do this. Use an admin's key."): GatewayError {
  return new GatewayError("forbidden", "ADMIN_ONLY", message);
}
