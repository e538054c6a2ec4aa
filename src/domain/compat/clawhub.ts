// What ClawHub's clients are told of the skills here: whose they are, under which slug, at which version, and whether one may trust them.

import { groupScope, type Membership, PUBLIC_SCOPE, userScope } from "../access/access";
import { sha256Hex } from "../digest";
import type { Issue } from "../errors";
import { isStrictName } from "./well-known";

/** Whose skills a request is about. */
export type Owner = { kind: "own" } | { kind: "public" } | { kind: "group"; group: string };

const PUBLIC = "public";
const GROUP = "group.";
const OWN = "own";

/** Who looks: its own skills are those of its id. */
interface Looking {
  userId: string;
  groups: readonly Pick<Membership, "group">[];
}

/** The handle of a user: the id, unless its clients would read that as something else or refuse it. */
export function handleOf(userId: string): string {
  const folded = userId.toLowerCase();
  const isOther = folded === PUBLIC || folded.startsWith(GROUP) || folded.startsWith("@") || folded.includes("..");
  return isOther ? OWN : userId;
}

/** The handle that a skill's scope has for whoever sees it. */
export function ownerHandleOf(scope: string, userId: string | null): string {
  if (scope === PUBLIC_SCOPE || userId === null) return PUBLIC;
  return scope === userScope(userId) ? handleOf(userId) : GROUP + scope.slice(groupScope("").length);
}

/**
 * Whom a handle means to somebody; `null`: nobody that this one may know of. Clients fold handles to lower case, so case does not count
 * unless two groups differ in nothing else.
 */
export function readOwner(handle: string, looking: Looking | null): Owner | null {
  const text = handle.trim().replace(/^@+/, "");
  const folded = text.toLowerCase();
  if (folded === PUBLIC) return { kind: "public" };
  if (looking === null) return null;
  if (folded.startsWith(GROUP)) {
    const named = looking.groups.filter(({ group }) => GROUP + group.toLowerCase() === folded);
    const exact = named.find(({ group }) => group === text.slice(GROUP.length));
    const group = exact ?? (named.length === 1 ? named[0] : undefined);
    return group === undefined ? null : { kind: "group", group: group.group };
  }
  return folded === OWN || folded === handleOf(looking.userId).toLowerCase() ? { kind: "own" } : null;
}

/** Why clients of ClawHub cannot take a skill; empty: it is offered. A blocked version is shown as such. */
export function exclusionsForClawHub({ name }: { name: string }): Issue[] {
  if (isStrictName(name)) return [];
  const message =
    "Clients of this registry accept only names of a-z, 0-9 and single hyphens. Publish the skill under such a name.";
  return [{ code: "NAME_NOT_SLUG", message }];
}

const LEGAL = String.raw`(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)`;
const SEMVER = new RegExp(
  String.raw`^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-${LEGAL}(?:\.${LEGAL})*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$`,
);
const NUMBERED = /^0\.0\.(0|[1-9]\d{0,14})$/;
const VERSION_CHARS = 128;

/** Whether its clients take this text for a version. */
export function isVersionName(text: string): boolean {
  return text.length <= VERSION_CHARS && SEMVER.test(text);
}

/**
 * What a version is called here: its label, or `0.0.<number>` where that is none that its clients take. A label that looks like the
 * number of another version is not used: a name means one version, whatever is published later.
 */
export function versionNameOf({ label, number }: { label: string | null; number: number }): string {
  const usable = label !== null && isVersionName(label) && !NUMBERED.test(label);
  return usable ? label : `0.0.${number}`;
}

/** The number in a version's name; `null` in one that has none. */
export function numberOfVersionName(name: string): number | null {
  const digits = NUMBERED.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

const order = new Intl.Collator("en-US");

/** What its clients compare a folder by: the digests of all its files but hidden ones, by path. */
export function fingerprintOf(files: readonly { path: string; sha256: string }[]): Promise<string> {
  const lines = files
    .filter(({ path }) => !path.split("/").some((part) => part.startsWith(".") || part === "node_modules"))
    .toSorted((a, b) => order.compare(a.path, b.path))
    .map(({ path, sha256 }) => `${path}:${sha256}`);
  return sha256Hex(lines.join("\n"));
}

/** What is known of a version that says whether one may trust it. */
export interface Judged {
  warnings: readonly Issue[];
  blockedFor: string | null;
}

/** What its clients are told of a version before they install it: findings make them ask, and a block makes them refuse. */
export function moderationOf({ warnings, blockedFor }: Judged) {
  const high = warnings.filter(({ severity }) => severity === "high");
  const verdict = blockedFor !== null ? "malicious" : high.length > 0 ? "suspicious" : "clean";
  return {
    isSuspicious: high.length > 0,
    isMalwareBlocked: blockedFor !== null,
    verdict,
    reasonCodes: [...new Set(high.map(({ code }) => code))],
    summary: blockedFor,
    evidence: high.map(({ code, message, path = "SKILL.md", line = 0 }) => {
      return { code, severity: "critical" as const, file: path, line, message, evidence: "" };
    }),
  };
}
