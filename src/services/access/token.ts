// Tokens of the configured issuer: whether one counts, and whom it speaks for. An answer never says what is
// wrong with a token, since that helps somebody who forges one.

import type { JWTVerifyGetKey } from "jose";
import { audiencesAt, type Bearer, bearerOf, type Claims } from "../../domain/access/token";
import { DURATIONS } from "../../domain/durations";
import { GatewayError } from "../../domain/errors";
import { ACCESS_LIMITS } from "../../domain/limits";
import { isKeyAddress } from "../../domain/settings/issuer";
import type { Settings } from "../../domain/settings/settings";
import { type Fetching, type KeySet, readKeySet, readNewerKeySet } from "../../upstream/issuer-keys";

let jose: typeof import("./jose") | null = null;

/** Sets with their keys made ready. */
const resolvers = new WeakMap<KeySet, JWTVerifyGetKey>();

/** Whom a good token speaks for, and until when, in milliseconds since the epoch. */
export interface TokenBearer extends Bearer {
  expires: number;
}

/**
 * Checks a token against the issuer's keys: its signature, issuer, audience, times and algorithm.
 * @param development whether keys may come over plain http from this machine
 * @param path of the request, with its query: a token may be for this URL alone
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

/** The same for these audiences, with all that the token says. */
export async function readClaims(
  settings: Settings,
  token: string,
  asking: Fetching,
  development: boolean,
  audience: string[],
): Promise<{ bearer: TokenBearer; claims: Claims }> {
  const { JWT_ISSUER: issuer, JWT_JWKS_URL: url } = settings;
  if (issuer === undefined || url === undefined || token.length > ACCESS_LIMITS.tokenChars) throw badToken();
  if (!isKeyAddress(url, development)) {
    throw new GatewayError(
      "unavailable",
      "MISCONFIGURED",
      "JWT_JWKS_URL is not an https address. The operator must change it.",
    );
  }
  jose ??= await import("./jose");
  const { jwtVerify, createLocalJWKSet, errors } = jose;
  const verify = (set: KeySet) => {
    const resolver = resolvers.get(set) ?? createLocalJWKSet(set);
    resolvers.set(set, resolver);
    return jwtVerify(token, resolver, {
      issuer,
      audience,
      algorithms: settings.JWT_ALGORITHMS,
      clockTolerance: DURATIONS.clockLeeway / 1_000,
      currentDate: new Date(asking.now),
      requiredClaims: ["exp"],
    });
  };
  try {
    const set = await readKeySet(url, asking);
    const { payload } = await verify(set).catch(async (error: unknown) => {
      // A key of that name may have been published since.
      const newer = error instanceof errors.JWKSNoMatchingKey ? await readNewerKeySet(url, set, asking) : null;
      if (newer === null) throw error;
      return verify(newer);
    });
    const bearer = bearerOf(payload, {
      user: settings.JWT_USER_CLAIM,
      name: settings.JWT_NAME_CLAIM,
      role: settings.JWT_ROLE_CLAIM,
      adminValue: settings.JWT_ADMIN_VALUE,
      groups: settings.JWT_GROUPS_CLAIM,
    });
    if (bearer === null) throw badToken();
    return { bearer: { ...bearer, expires: (payload.exp ?? 0) * 1_000 + DURATIONS.clockLeeway }, claims: payload };
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    // A published key that cannot be used, for one. The token's form alone leads to errors of the library's own kind.
    if (!(error instanceof errors.JOSEError)) {
      console.error(JSON.stringify({ event: "token_check_failed", error: String(error) }));
    }
    throw badToken();
  }
}

function badToken(): GatewayError {
  return new GatewayError(
    "unauthenticated",
    "UNAUTHENTICATED",
    "The token is not valid for this gateway. Get a new one from its issuer.",
  );
}
