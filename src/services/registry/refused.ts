// The refusals of an upload: what is no skill, and what has a name that is taken.

import { GatewayError, type Issue, withReasons } from "../../domain/errors";
import { type PackageOutcome, SIZE_ISSUES } from "../../domain/package/package";

/** Why an upload is no skill, with all that is wrong with it. */
export function refusedPackage({ issues }: PackageOutcome): GatewayError {
  const facts = { issues: issues.map((issue: Issue) => ({ ...issue })) };
  if (issues.some((issue) => SIZE_ISSUES.has(issue.code))) {
    // What is too large first: the rest would not have it refused as such.
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

/** The refusal of what is to be new, where something has its name. */
export function nameTaken(name: string): GatewayError {
  return new GatewayError("conflict", "NAME_TAKEN", `A skill '${name}' already exists. Choose another name.`, { name });
}

/** The refusal of a name that looks like one that is there. */
export function nameConflict(known: string, name: string): GatewayError {
  const message = `The name '${name}' is too similar to the existing skill '${known}': some file systems do not distinguish them. Choose another name.`;
  return new GatewayError("conflict", "NAME_CONFLICT", message, { name: known });
}
