// Errors for rejected uploads: invalid packages and taken names.

import { GatewayError, type Issue, withReasons } from "../../domain/errors";
import { type PackageOutcome, SIZE_ISSUES } from "../../domain/package/package";

/** The error for an invalid package, with all issues. */
export function refusedPackage({ issues }: PackageOutcome): GatewayError {
  const facts = { issues: issues.map((issue: Issue) => ({ ...issue })) };
  if (issues.some((issue) => SIZE_ISSUES.has(issue.code))) {
    // Size issues first, because they determine the status.
    const first = issues.toSorted((a, b) => Number(SIZE_ISSUES.has(b.code)) - Number(SIZE_ISSUES.has(a.code)));
    const message = withReasons("The package is too large.", first);
    return new GatewayError("too_large", "PACKAGE_TOO_LARGE", message, facts);
  }
  if (issues.every((issue) => issue.code === "NAME_MISMATCH")) {
    const message = withReasons("The package is another skill than the one named.", issues);
    return new GatewayError("unprocessable", "NAME_MISMATCH", message, facts);
  }
  const message = withReasons("The package is not a valid skill.", issues);
  return new GatewayError("unprocessable", "PACKAGE_INVALID", message, facts);
}

/** The error for a new resource whose name is taken. */
export function nameTaken(name: string): GatewayError {
  return new GatewayError("conflict", "NAME_TAKEN", `A skill '${name}' already exists. Choose another name.`, { name });
}

/** The error for a name that looks like an existing one. */
export function nameConflict(known: string, name: string): GatewayError {
  const message = `The name '${name}' is too similar to the existing skill '${known}': some file systems do not distinguish them. Choose another name.`;
  return new GatewayError("conflict", "NAME_CONFLICT", message, { name: known });
}
