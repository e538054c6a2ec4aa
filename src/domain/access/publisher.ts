// Trusted publishers: which CI jobs can publish which skills. A rule is an exact claim, or a prefix that ends with `*`.

import * as z from "zod";
import { PUBLISHER_LIMITS } from "../limits";
import { isLocalHttp } from "../loopback";
import type { Claims } from "./claims";
import type { Provenance } from "./provenance";

export const PUBLISHER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The claims that identify a project. Every publisher has a rule for one of them. */
const IDENTITIES = ["repository", "repository_id", "project_path", "project_id", "sub"] as const;
/** Numbers, which have no meaningful prefix. */
const NUMBERED: ReadonlySet<string> = new Set(["repository_id", "repository_owner_id", "project_id", "namespace_id"]);
/** Separators of the parts of a claim. `*` does not stand for them. */
const SEPARATORS = /[/:]/g;

const text = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[^\p{Cc}\p{Cf}]*$/u, "contains control characters");

/**
 * Whether a URL is written as issuers write it: https, or this machine's http in development; no query, no fragment, no user; in the form
 * that the URL parser writes, except for the slash after the host.
 */
function isIssuer(value: string): boolean {
  const url = URL.parse(value);
  if (url === null || (url.protocol !== "https:" && !isLocalHttp(url))) return false;
  if (url.username !== "" || url.password !== "" || /[?#]/.test(value)) return false;
  return url.href === value || url.href === `${value}/`;
}

/** What a publisher declares. */
export const publisherEntrySchema = z.lazy(() =>
  z.strictObject({
    /** The issuer (`iss`) of the tokens, exactly as tokens contain it. */
    issuer: text(PUBLISHER_LIMITS.issuerChars).refine(isIssuer, "is not an https URL in normal form"),
    /** The audience (`aud`) of the tokens. Default: the origin of the gateway. */
    audience: text(PUBLISHER_LIMITS.valueChars).optional(),
    claims: z
      .record(text(PUBLISHER_LIMITS.claimChars), text(PUBLISHER_LIMITS.valueChars))
      .superRefine((rules, { addIssue }) => {
        for (const issue of problemsOf(rules)) addIssue({ code: "custom", ...issue });
      }),
    /** Names of the skills that it can publish. */
    skills: z.array(text(PUBLISHER_LIMITS.skillChars)).min(1).max(PUBLISHER_LIMITS.skills),
    /** Lifetime of a key in minutes. */
    key_minutes: z.int().min(1).max(PUBLISHER_LIMITS.keyMinutes).default(PUBLISHER_LIMITS.keyMinutesDefault),
  }),
);
export type PublisherEntry = z.infer<typeof publisherEntrySchema>;

/** Rules by claim. */
type Rules = Readonly<Record<string, string>>;

function problemsOf(rules: Rules): { message: string; path: string[] }[] {
  const found = Object.entries(rules).flatMap(([claim, rule]) => {
    const message = problemOf(claim, rule);
    return message === null ? [] : [{ message, path: [claim] }];
  });
  const count = Object.keys(rules).length;
  if (count > PUBLISHER_LIMITS.rules)
    found.push({ message: `has more than ${PUBLISHER_LIMITS.rules} rules`, path: [] });
  if (!IDENTITIES.some((claim) => Object.hasOwn(rules, claim)))
    found.push({ message: `needs a rule for one of ${IDENTITIES.join(", ")}`, path: [] });
  return found;
}

function problemOf(claim: string, rule: string): string | null {
  const at = rule.indexOf("*");
  if (at === -1) return null;
  if (at !== rule.length - 1) return "has `*` before its end";
  if (NUMBERED.has(claim)) return "is an id, which has no prefix";
  if (at === 0) return "needs text before `*`";
  const parts = rule.match(SEPARATORS)?.length ?? 0;
  // The first part is the owner. In `sub`, it is the kind of subject, and the owner follows.
  const least = claim === "sub" ? 2 : claim === "repository" || claim === "project_path" ? 1 : 0;
  return parts >= least && !SEPARATORS_FIRST.test(rule) ? null : "needs the whole owner before `*`";
}

const SEPARATORS_FIRST = /^[/:]|[/:]{2}/;

/**
 * Returns the first claim that does not have the form that its rule requires; `null` if all have. A claim must be a text: a list or a number
 * matches no rule. `*` stands for any characters except `/` and `:`.
 */
export function unmatchedClaim(rules: Rules, claims: Claims): string | null {
  const entries = Object.entries(rules);
  return (
    entries.find(([claim, rule]) => !isMatch(rule, Object.hasOwn(claims, claim) ? claims[claim] : null))?.[0] ?? null
  );
}

function isMatch(rule: string, claim: unknown): boolean {
  if (typeof claim !== "string") return false;
  if (!rule.endsWith("*")) return claim === rule;
  const start = rule.slice(0, -1);
  return claim.startsWith(start) && claim.length > start.length && !/[/:]/.test(claim.slice(start.length));
}

/** What a key of a publisher can do: publish these skills in this scope. */
export interface PublisherRights {
  scope: string;
  skills: readonly string[];
  provenance: Provenance;
}

/** Why a token was not exchanged. Only the audit log and the publisher's managers see it. */
export type ExchangeRefusal =
  | "unknown_publisher"
  | "malformed"
  | "issuer_mismatch"
  | "issuer_unavailable"
  | "signature_invalid"
  | "algorithm_not_allowed"
  | "audience_mismatch"
  | "expired"
  | "not_yet_valid"
  | "too_old"
  | "claims_invalid"
  | "replayed"
  | "ambiguous"
  | `claim_mismatch:${string}`;
