// Exchanges the token of a CI job for a short-lived key of a trusted publisher. All refusals have the same error, so that nobody can find
// out which publishers exist; the audit log and the publisher contain the reason.

import type { JWTPayload } from "jose";
import { namespaceOfScope, PUBLIC_SCOPE } from "../../domain/access/access";
import type { AuditAction, AuditEntry } from "../../domain/access/audit";
import { provenanceOf } from "../../domain/access/provenance";
import { type ExchangeRefusal, unmatchedClaim } from "../../domain/access/publisher";
import { sha256Hex } from "../../domain/digest";
import { DURATIONS } from "../../domain/durations";
import { GatewayError, refusalIn } from "../../domain/errors";
import type { JsonObject } from "../../domain/json";
import { ACCESS_LIMITS, PUBLISHER_LIMITS } from "../../domain/limits";
import { Recent } from "../../domain/recent";
import type { Settings } from "../../domain/settings/settings";
import { writeBearer } from "../../domain/sign-in/tokens";
import { type Actor, recording, recordOnly } from "../../storage/d1/audit";
import type { Database } from "../../storage/d1/database";
import { KEY_OF_PUBLISHER } from "../../storage/d1/identity";
import { findPublishers, insertPublishingKey, noteRefusal, type PublisherRow } from "../../storage/d1/publishers";
import { guardedFetch } from "../../upstream/fetch";
import { readKeysUrl } from "../../upstream/issuer-server";
import { scopeInLog } from "../audit";
import { type TokenProblem, verifyToken } from "./token";

/** The context of an exchange: there is no caller. */
export interface ExchangeContext {
  /** The primary. */
  db: Database;
  settings: Settings;
  requestId: string;
  /** Milliseconds since the epoch. */
  now(): number;
  newId(prefix: string): string;
  /** Whether issuers can be on this machine. */
  development: boolean;
}

/** The issued key. */
export interface IssuedKey {
  key: string;
  expiresAt: number;
  skills: string[];
  /** Where the key publishes: `public`, a group, or `default`. */
  namespace: string;
}

/**
 * Returns a key for a CI job's token.
 *
 * @param publisherId the publisher; `null`: the public one that the token matches. Publishers of users and groups must be named, because
 * anybody can register one for another user's repository, which would then receive its skills.
 */
export async function exchangeToken(
  context: ExchangeContext,
  token: string,
  publisherId: string | null,
): Promise<IssuedKey> {
  const stated = await claimsIn(token);
  const issuer = stated?.iss;
  if (typeof issuer !== "string") throw refuse(context, "malformed");
  const found = await findPublishers(context.db, publisherId, issuer, PUBLISHER_LIMITS.perScope);
  if (found.length === 0) throw refuse(context, "unknown_publisher");
  const candidates = found.filter((publisher) => publisher.issuer === issuer);
  if (candidates.length === 0) return refuseRecorded(context, found, "issuer_mismatch");

  const verified = await matchingPublisher(context, token, issuer, candidates);
  if (typeof verified === "string") return refuseRecorded(context, candidates, verified);
  const { publisher, claims } = verified;
  return issue(context, publisher, claims, token);
}

/** Returns the one candidate whose rules the verified token satisfies, or the reason why there is none. */
async function matchingPublisher(
  context: ExchangeContext,
  token: string,
  issuer: string,
  candidates: readonly PublisherRow[],
): Promise<{ publisher: PublisherRow; claims: JWTPayload } | ExchangeRefusal> {
  const now = context.now();
  const ask = guardedAsk(context.development);
  const expected = {
    ...{ issuer, audience: [...new Set(candidates.map(({ audience }) => audience))] },
    ...{ algorithms: context.settings.JWT_ALGORITHMS, maxAge: DURATIONS.publisherToken },
    required: ["exp", "iat", "sub"],
  };
  let checked: Awaited<ReturnType<typeof verifyToken>>;
  try {
    const url = await keysUrlOf(issuer, ask, context);
    checked = await verifyToken(token, { ...expected, url }, { fetch: ask, now });
  } catch (error) {
    if (refusalIn(error)?.code !== "unavailable") throw error;
    return "issuer_unavailable";
  }
  if ("problem" in checked) return reasonOf(checked);
  const { claims } = checked;
  if (typeof claims.sub !== "string") return "claims_invalid";
  const audiences = [claims.aud ?? []].flat();
  const addressed = candidates.filter(({ audience }) => audiences.includes(audience));
  const matching = addressed.filter((publisher) => unmatchedClaim(publisher.claims, claims) === null);
  const [publisher] = matching;
  if (matching.length > 1) return "ambiguous";
  if (publisher !== undefined) return { publisher, claims };
  const claim = addressed.map((one) => unmatchedClaim(one.claims, claims))[0];
  return claim === undefined || claim === null ? "audience_mismatch" : `claim_mismatch:${claim}`;
}

async function issue(
  context: ExchangeContext,
  publisher: PublisherRow,
  claims: JWTPayload,
  token: string,
): Promise<IssuedKey> {
  const now = context.now();
  const id = context.newId("p").slice(2);
  const key = writeBearer("sgp", id, crypto.getRandomValues(new Uint8Array(32)));
  const expiresAt = now + publisher.keyMinutes * 60_000;
  const provenance = provenanceOf(publisher.name, publisher.issuer, claims);
  const entry = entryOf(publisher, "publisher.exchange", { ...provenance, expires_at: expiresAt }, { exchanged: id });
  const recorded = recording(context.db, actorOf(context, publisher, KEY_OF_PUBLISHER + id), entry);
  const stored = await insertPublishingKey(recorded, {
    ...{ id, hash: await sha256Hex(key), publisherId: publisher.id, revision: publisher.revision },
    ...{ token: await tokenDigest(claims, token), provenance, createdAt: now, expiresAt },
    keptUntil: Math.max(expiresAt, now + DURATIONS.publisherToken) + 2 * DURATIONS.clockLeeway,
  });
  if (stored === "replayed") return refuseRecorded(context, [publisher], "replayed");
  if (stored === "changed") throw refuse(context, "unknown_publisher");
  const namespace = publisher.scope === PUBLIC_SCOPE ? PUBLIC_SCOPE : namespaceOfScope(publisher.scope);
  return { key, expiresAt, skills: publisher.skills, namespace };
}

/** Returns the digest by which a repeated token is found. The signature is not part of it, because some have several valid forms. */
function tokenDigest({ iss, jti }: JWTPayload, token: string): Promise<string> {
  const id = typeof jti === "string" && jti !== "" ? ["jti", jti] : ["token", token.slice(0, token.lastIndexOf("."))];
  return sha256Hex(JSON.stringify([iss, ...id]));
}

/** Returns the unverified claims of a token; `null` if it is not a token. */
async function claimsIn(token: string): Promise<JWTPayload | null> {
  if (token.length > ACCESS_LIMITS.tokenChars) return null;
  const { decodeJwt } = await import("./jose");
  try {
    return decodeJwt(token);
  } catch {
    // jose throws for everything that is not a token with a JSON object.
    return null;
  }
}

const REASONS: Readonly<Record<string, ExchangeRefusal>> = {
  ERR_JOSE_ALG_NOT_ALLOWED: "algorithm_not_allowed",
  ERR_JOSE_NOT_SUPPORTED: "algorithm_not_allowed",
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: "signature_invalid",
  ERR_JWKS_NO_MATCHING_KEY: "signature_invalid",
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: "signature_invalid",
};

const REASONS_BY_CLAIM: Readonly<Record<string, ExchangeRefusal>> = {
  aud: "audience_mismatch",
  iss: "issuer_mismatch",
  nbf: "not_yet_valid",
  iat: "not_yet_valid",
};

function reasonOf({ problem, claim = "", isMissing = false }: TokenProblem): ExchangeRefusal {
  if (problem === "ERR_JWT_EXPIRED") return claim === "iat" ? "too_old" : "expired";
  if (isMissing && claim !== "aud") return "claims_invalid";
  if (problem === "ERR_JWT_CLAIM_VALIDATION_FAILED") return REASONS_BY_CLAIM[claim] ?? "claims_invalid";
  return REASONS[problem] ?? "malformed";
}

/** Addresses of issuers' keys, for the lifetime of the isolate. */
const addresses = new Recent<string, { url: string | null; at: number }>(PUBLISHER_LIMITS.issuers);

/** Returns the URL of an issuer's keys. A known one is used while the issuer is unavailable. Throws `unavailable` if there is none. */
async function keysUrlOf(
  issuer: string,
  ask: (url: string, init: RequestInit) => Promise<Response>,
  { development, now }: ExchangeContext,
): Promise<string> {
  const known = addresses.get(issuer);
  const age = now() - (known?.at ?? 0);
  if (known !== undefined && known.url !== null && age < DURATIONS.keySetFresh) return known.url;
  if (known !== undefined && known.url === null && age < DURATIONS.keySetRetry) throw unavailable();
  try {
    const url = await readKeysUrl(issuer, ask, development);
    addresses.set(issuer, { url, at: now() });
    return url;
  } catch (error) {
    if (refusalIn(error)?.code !== "unavailable") throw error;
    if (known !== undefined && known.url !== null) return known.url;
    addresses.set(issuer, { url: null, at: now() });
    throw error;
  }
}

function unavailable(): GatewayError {
  return new GatewayError("unavailable", "ISSUER_UNAVAILABLE", "The issuer of the token does not respond. Try again.");
}

/** Users choose issuers, so requests to them follow the host policy. */
function guardedAsk(development: boolean) {
  const guard = {
    ...{ development, headersMs: DURATIONS.keySetFetch, totalMs: DURATIONS.keySetFetch },
    bytes: ACCESS_LIMITS.keySetBytes,
  };
  return (url: string, init: RequestInit) => guardedFetch(url, init, guard);
}

/** Writes a log line, and returns the error. */
function refuse({ requestId }: ExchangeContext, reason: ExchangeRefusal): GatewayError {
  console.log(JSON.stringify({ event: "publisher_token_refused", reason, request_id: requestId }));
  return new GatewayError(
    "unauthenticated",
    "PUBLISHER_TOKEN_REFUSED",
    "The token was not accepted. Ask the owner of the publisher to read its `last_refusal`.",
  );
}

/** Also records the refusal, at most once per interval and publisher: strangers cause refusals, and the audit log only grows. */
async function refuseRecorded(
  context: ExchangeContext,
  publishers: readonly PublisherRow[],
  reason: ExchangeRefusal,
): Promise<never> {
  const error = refuse(context, reason);
  // A token that fits no public publisher by its claims could be anybody's.
  const [publisher] = publishers;
  if (publishers.length > 1 || publisher === undefined) throw error;
  const at = context.now();
  if (await noteRefusal(context.db, publisher.id, { at, reason, since: at - DURATIONS.publisherRefusal }))
    await recordOnly(
      context.db,
      actorOf(context, publisher, publisher.id),
      entryOf(publisher, "publisher.refuse", { reason }, null),
    );
  throw error;
}

/** Returns the actor of an entry: the user for whom the publisher acts. */
function actorOf(context: ExchangeContext, { createdBy }: PublisherRow, keyId: string): Actor {
  const pseudonyms = { pseudonym: context.newId("usr"), otherPseudonym: context.newId("usr") };
  return { userId: createdBy, keyId, requestId: context.requestId, ...pseudonyms };
}

function entryOf(
  { scope, name }: PublisherRow,
  action: AuditAction,
  after: JsonObject,
  when: AuditEntry["when"],
): AuditEntry {
  const resourceId = `${scopeInLog(scope)}/${name}`;
  return { action, resourceType: "publisher", resourceId, before: null, after, about: null, when };
}
