// Maps skills to ClawHub's terms: owner handle, slug, version name and moderation.

import { groupScope, type Membership, PUBLIC_SCOPE, userScope } from "../access/access";
import { sha256Hex } from "../digest";
import type { Issue } from "../errors";
import { isStrictName } from "./well-known";

/** The owner whose skills a request concerns. */
export type Owner = { kind: "own" } | { kind: "public" } | { kind: "group"; group: string };

const PUBLIC = "public";
const GROUP = "group.";
const OWN = "own";

/** The viewer, whose own skills are those of its id. */
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

/** Returns the handle of a skill's scope for a viewer. */
export function ownerHandleOf(scope: string, userId: string | null): string {
  if (scope === PUBLIC_SCOPE || userId === null) return PUBLIC;
  return scope === userScope(userId) ? handleOf(userId) : GROUP + scope.slice(groupScope("").length);
}

/**
 * Returns the owner of a handle; `null` if the viewer cannot see it. Clients convert handles to lower case, so case is ignored unless two
 * groups differ only in case.
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

/** Returns why ClawHub's clients cannot use a skill; empty: they can. A blocked version is shown as blocked. */
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

/** Whether ClawHub's clients accept this text as a version. */
export function isVersionName(text: string): boolean {
  return text.length <= VERSION_CHARS && SEMVER.test(text);
}

/**
 * Returns the name of a version: its label, or `0.0.<number>` if clients do not accept the label. A label that looks like another version's
 * number is not used, so that a name always means one version.
 */
export function versionNameOf({ label, number }: { label: string | null; number: number }): string {
  const usable = label !== null && isVersionName(label) && !NUMBERED.test(label);
  return usable ? label : `0.0.${number}`;
}

/** Returns the number in a version's name; `null` if there is none. */
export function numberOfVersionName(name: string): number | null {
  const digits = NUMBERED.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

const order = new Intl.Collator("en-US");

/** Returns the fingerprint by which clients compare folders: the digests of all files except hidden ones, by path. */
export function fingerprintOf(files: readonly { path: string; sha256: string }[]): Promise<string> {
  const lines = files
    .filter(({ path }) => !path.split("/").some((part) => part.startsWith(".") || part === "node_modules"))
    .toSorted((a, b) => order.compare(a.path, b.path))
    .map(({ path, sha256 }) => `${path}:${sha256}`);
  return sha256Hex(lines.join("\n"));
}

/** The facts of a version that determine moderation. */
export interface Judged {
  warnings: readonly Issue[];
  blockedFor: string | null;
}

/** Returns what clients see before installing a version: findings require a confirmation, a block prevents it. */
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
