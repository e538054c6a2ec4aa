// Verifies tokens of the configured issuer. Error messages do not say what is wrong with a token, because that would help an attacker.

import type { JWTPayload, JWTVerifyGetKey } from "jose";
import type { Claims } from "../../domain/access/claims";
import { audiencesAt, type Bearer, bearerOf } from "../../domain/access/token";
import { DURATIONS } from "../../domain/durations";
import { GatewayError } from "../../domain/errors";
import { ACCESS_LIMITS } from "../../domain/limits";
import { isKeyAddress } from "../../domain/settings/issuer";
import type { Settings } from "../../domain/settings/settings";
import { type Fetching, type KeySet, readKeySet, readNewerKeySet } from "../../upstream/issuer-keys";

let jose: typeof import("./jose") | null = null;

/** Imported keys by key set. */
const resolvers = new WeakMap<KeySet, JWTVerifyGetKey>();

/** The user of a valid token, and its expiry in milliseconds since the epoch. */
export interface TokenBearer extends Bearer {
  expires: number;
}

/**
 * Verifies a token against the issuer's keys: signature, issuer, audience, times and algorithm.
 * @param development whether keys can be fetched over plain http from this machine
 * @param path path of the request with its query, because a token can be restricted to one URL
 */
export async function readToken(
  settings: Settings,
  token: string,
  asking: Fetching,
  development: boolean,
  path: string,
): Promise<TokenBearer> {
  return (await readClaims(settings, token, asking, development, audiencesAt(settings.JWT_AUDIENCE, path))).bearer;
}

/** Like `readToken` for these audiences, and returns all claims. */
export async function readClaims(
  settings: Settings,
  token: string,
  asking: Fetching,
  development: boolean,
  audience: string[],
): Promise<{ bearer: TokenBearer; claims: Claims }> {
  const { JWT_ISSUER: issuer, JWT_JWKS_URL: url } = settings;
  if (issuer === undefined || url === undefined) throw badToken();
  if (!isKeyAddress(url, development)) {
    throw new GatewayError(
      "unavailable",
      "MISCONFIGURED",
      "JWT_JWKS_URL is not an https address. The operator must change it.",
    );
  }
  const { JWT_ALGORITHMS: algorithms } = settings;
  const verified = await verifyToken(token, { issuer, url, audience, algorithms, required: ["exp"] }, asking);
  if ("problem" in verified) throw badToken();
  const { claims } = verified;
  const bearer = bearerOf(claims, {
    user: settings.JWT_USER_CLAIM,
    name: settings.JWT_NAME_CLAIM,
    role: settings.JWT_ROLE_CLAIM,
    adminValue: settings.JWT_ADMIN_VALUE,
    groups: settings.JWT_GROUPS_CLAIM,
  });
  if (bearer === null) throw badToken();
  return { bearer: { ...bearer, expires: (claims.exp ?? 0) * 1_000 + DURATIONS.clockLeeway }, claims };
}

/** What a token must be. */
export interface ExpectedToken {
  issuer: string;
  /** URL of the issuer's keys. */
  url: string;
  /** The token must be for one of these. */
  audience: string[];
  algorithms: string[];
  /** Claims that must be present. */
  required: string[];
  /** Maximum time since `iat`, in milliseconds. */
  maxAge?: number;
}

/** What is wrong with a token: a code of jose, and for a claim its name and whether it is missing or has the wrong type. */
export interface TokenProblem {
  problem: string;
  claim?: string;
  isMissing?: boolean;
}

/**
 * Returns the claims of a token if the issuer's keys verify it, or a code of jose for what is wrong with it. Throws `unavailable` if the
 * issuer returns no keys.
 */
export async function verifyToken(
  token: string,
  { issuer, url, audience, algorithms, required, maxAge }: ExpectedToken,
  asking: Fetching,
): Promise<{ claims: JWTPayload } | TokenProblem> {
  if (token.length > ACCESS_LIMITS.tokenChars) return { problem: "ERR_JWT_INVALID" };
  jose ??= await import("./jose");
  const { jwtVerify, createLocalJWKSet, errors } = jose;
  const verify = (set: KeySet) => {
    const resolver = resolvers.get(set) ?? createLocalJWKSet(set);
    resolvers.set(set, resolver);
    return jwtVerify(token, resolver, {
      issuer,
      audience,
      algorithms,
      clockTolerance: DURATIONS.clockLeeway / 1_000,
      currentDate: new Date(asking.now),
      requiredClaims: required,
      ...(maxAge === undefined ? {} : { maxTokenAge: maxAge / 1_000 }),
    });
  };
  try {
    const set = await readKeySet(url, asking);
    const { payload } = await verify(set).catch(async (error: unknown) => {
      // The key may have been published since.
      const newer = error instanceof errors.JWKSNoMatchingKey ? await readNewerKeySet(url, set, asking) : null;
      if (newer === null) throw error;
      return verify(newer);
    });
    return { claims: payload };
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    const isOfClaim = error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired;
    if (isOfClaim) return { problem: error.code, claim: error.claim, isMissing: error.reason !== "check_failed" };
    if (error instanceof errors.JOSEError) return { problem: error.code };
    // For example, a published key that cannot be used. Malformed tokens cause the library's own errors.
    console.error(JSON.stringify({ event: "token_check_failed", error: String(error) }));
    return { problem: "ERR_JWT_INVALID" };
  }
}

function badToken(): GatewayError {
  return new GatewayError(
    "unauthenticated",
    "UNAUTHENTICATED",
    "The token is not valid for this gateway. Get a new one from its issuer.",
  );
}
