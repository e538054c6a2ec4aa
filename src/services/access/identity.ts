// Identifies the caller of a request: a key of the gateway, the environment's key, or a token of the issuer, and for a service the user it
// acts for. `identity-lookup.ts` reads D1.

import { ADMIN_USER, canActAs, isNameable, type Principal, USER_ID } from "../../domain/access/access";
import { isBookmark } from "../../domain/access/bookmark";
import { readKeyId } from "../../domain/access/key";
import { limitsOf } from "../../domain/access/key-scope";
import { isToken } from "../../domain/access/token";
import { readSessionId, SESSION_TIMES } from "../../domain/console/session";
import { sha256Hex } from "../../domain/digest";
import { GatewayError } from "../../domain/errors";
import type { Settings } from "../../domain/settings/settings";
import { hasBuiltInSignIn } from "../../domain/settings/sign-in";
import { readBearer } from "../../domain/sign-in/tokens";
import { KEY_OF_PUBLISHER, type KeyCredential, SESSION, TOKEN_OF_GRANT } from "../../storage/d1/identity";
import type { Fetching } from "../../upstream/issuer-keys";
import type { Caller } from "../context";
import { currentSessionMarks, ENVIRONMENT_KEY, isSessionOriginValid, isUsable, TOKEN_KEY } from "./credential";
import { type Found, findIdentity, type IdentityStores, type Trust } from "./identity-lookup";
import { logIgnoredGroups } from "./ignored-groups";
import { readToken, type TokenBearer } from "./token";

/** The credentials that a request presents. */
export interface PresentedCredential {
  bearer: string | null;
  /** The secret of a session cookie, passed on by the console's edge only. */
  session: string | null;
  onBehalfOf: string | null;
  /** The end user named by a front end, and the header it was named in. Used only for callers that can act for others. */
  endUser: { header: string; userId: string } | null;
  requestId: string;
  /** The request's path with its query. */
  path: string;
  /** The canonical MCP URL of the request, which a grant's token must be valid for. */
  resource: string | null;
  /** The caller's D1 bookmark. Reads must not be older. */
  bookmark: string | null;
}

/** Everything needed to identify a caller. */
export interface IdentityRequest extends Omit<Fetching, "now">, IdentityStores {
  development: boolean;
}

/** The caller and the stored key. */
export interface Identified {
  caller: Caller;
  key: KeyCredential | null;
  /** The primary confirmed it for this request. */
  certain: boolean;
}

/**
 * Returns the caller. Throws `unauthenticated` unless the key or token is valid. The message does not say what is wrong with it.
 *
 * @param admit throws for a principal that cannot make this request
 */
export async function identify(
  looking: IdentityRequest,
  shown: PresentedCredential,
  trust: Trust,
  admit: (principal: Principal) => void,
): Promise<Identified> {
  const { endUser, onBehalfOf } = shown;
  const found = await identifyBearer(looking, shown, trust, admit);
  if (endUser === null) return found;
  const { header, userId } = endUser;
  if (onBehalfOf !== null && onBehalfOf !== userId)
    throw badHeader(
      header,
      "names another user than `On-Behalf-Of`",
      "Two headers name different users. Send one of them.",
    );
  // Any key can send this header. Keys that cannot act for others always act as themselves.
  if (onBehalfOf !== null || !canActAs(found.caller.principal)) return found;
  if (!USER_ID.test(userId)) throw badHeader(header, "is not a user id", USER_FORM);
  return identifyBearer(looking, { ...shown, onBehalfOf: userId }, trust, admit);
}

async function identifyBearer(
  looking: IdentityRequest,
  shown: Omit<PresentedCredential, "endUser">,
  trust: Trust,
  admit: (principal: Principal) => void,
): Promise<Identified> {
  const { session, onBehalfOf, requestId, path, resource, bookmark } = shown;
  const bearer = session ?? shown.bearer;
  if (bearer === null)
    throw unauthenticated(`Authentication required. Send \`Authorization: Bearer <key>\`.${setUp(looking.settings)}`);
  if (onBehalfOf !== null && !USER_ID.test(onBehalfOf)) throw badHeader("On-Behalf-Of", "is not a user id", USER_FORM);
  if (bookmark !== null && !isBookmark(bookmark)) throw badHeader("X-D1-Bookmark", "is not a bookmark", BOOKMARK_FORM);
  const digest = await sha256Hex(bearer);
  const proof = session === null ? await proofOf(looking, bearer, digest, path) : sessionProof(session);
  const marks = "session" in proof ? await currentSessionMarks(looking.settings) : null;
  if ("grantToken" in proof && resource === null) throw elsewhere();
  const claimed = onBehalfOf === null && "token" in proof ? proof.token.claimed : [];
  const own = "token" in proof ? proof.token.userId : "keyId" in proof ? null : ADMIN_USER;
  const asked = { keyId: "keyId" in proof ? proof.keyId : "", userId: onBehalfOf ?? own, claimed };
  const judge = ({ key, groups, counters, asOf, stale, certain }: Found): Identified => {
    if ("grantToken" in proof) checkResource(key, digest, resource, looking.now());
    if (marks !== null && !(isLive(key, digest, looking.now()) && isSessionOriginValid(marks, key)))
      throw sessionEnded();
    const holder = { ...holderOf(proof, key, digest, looking.now()), groups };
    const principal = onBehalfOf === null ? holder : onBehalf(holder, onBehalfOf);
    admit(principal);
    return { caller: { principal, counters, asOf, requestId, stale }, key, certain };
  };
  const identified = await findIdentity(looking, { asked, trust, least: bookmark, judge });
  if ("token" in proof && onBehalfOf === null) logIgnoredGroups(proof.token, identified.caller.principal.groups);
  return identified;
}

const USER_FORM = "Use 1-128 of A-Za-z0-9._:@+=-.";
const BOOKMARK_FORM =
  "`X-D1-Bookmark` is not valid. Send the value of an earlier answer unchanged, or remove the header.";

function badHeader(header: string, what: string, message: string): GatewayError {
  return new GatewayError("invalid", "INVALID_REQUEST", `${header} ${what}.`, {
    issues: [{ code: "INVALID_FIELD", message, path: header }],
  });
}

/** The kind of credential, as far as it can be determined without D1. */
type Proof =
  | { environment: true }
  | { token: TokenBearer }
  | { keyId: string; grantToken?: true }
  | { keyId: string; session: true };

function sessionProof(secret: string): Proof {
  const id = readSessionId(secret);
  if (id === null) throw sessionEnded();
  return { keyId: SESSION + id, session: true };
}

async function proofOf(looking: IdentityRequest, bearer: string, digest: string, path: string): Promise<Proof> {
  const { settings } = looking;
  const { GATEWAY_ADMIN_KEY: adminKey } = settings;
  if (adminKey !== undefined && sameText(digest, await adminDigest(adminKey))) return { environment: true };
  if (isToken(bearer)) {
    const asking = { fetch: looking.fetch, now: looking.now() };
    return { token: await readToken(settings, bearer, asking, looking.development, path) };
  }
  const grantToken = readBearer("sga", bearer);
  if (grantToken !== null && hasBuiltInSignIn(settings))
    return { keyId: TOKEN_OF_GRANT + grantToken, grantToken: true };
  const publisherKey = readBearer("sgp", bearer);
  if (publisherKey !== null) return { keyId: KEY_OF_PUBLISHER + publisherKey };
  const keyId = readKeyId(bearer);
  if (keyId === "mistyped") throw unauthenticated("The key is mistyped: its checksum does not match. Copy it again.");
  if (keyId === null) throw unauthenticated("The key does not have the format of this gateway. Copy it again.");
  return { keyId };
}

let adminKey: { key: string; digest: string } | null = null;

async function adminDigest(key: string): Promise<string> {
  if (adminKey?.key !== key) adminKey = { key, digest: await sha256Hex(key) };
  return adminKey.digest;
}

/** Returns the owner of the credential. The user's groups are added later. */
function holderOf(proof: Proof, key: KeyCredential | null, digest: string, now: number): Omit<Principal, "groups"> {
  if ("environment" in proof) return { userId: ADMIN_USER, role: "admin", scopes: ["act_as"], keyId: ENVIRONMENT_KEY };
  if ("token" in proof) {
    const { userId, name, role, expires } = proof.token;
    return { userId, name, role, scopes: [], keyId: `${TOKEN_KEY}:${expires}:${digest.slice(0, 16)}` };
  }
  if (!isLive(key, digest, now)) throw unauthenticated("The key is unknown, expired or revoked. Create a new one.");
  const { userId, role, scopes, session, publisher } = key;
  if (publisher !== undefined) return { userId, role, scopes, keyId: key.id, publisher };
  if (session === undefined) return { userId, role, scopes, keyId: key.grant?.id ?? key.id };
  const { name, ...rest } = session;
  const named = name === null ? {} : { name };
  const isFresh = now - session.signedInAt < SESSION_TIMES.fresh;
  const id = key.id.slice(SESSION.length);
  return { userId, ...named, role, scopes, keyId: key.id, session: { id, isFresh, ...rest } };
}

/**
 * A grant's token is valid for one URL. Expired tokens have a different error from unknown ones, so that the host refreshes instead of
 * guessing.
 */
function checkResource(key: KeyCredential | null, digest: string, resource: string | null, now: number): void {
  if (key?.grant === undefined || !sameText(key.hash, digest)) return;
  if (key.grant.resource !== resource) throw elsewhere();
  if (isUsable(key, now)) return;
  throw new GatewayError(
    "unauthenticated",
    "TOKEN_ENDED",
    "The token has expired or was revoked. Refresh it or sign in again.",
  );
}

function elsewhere(): GatewayError {
  return new GatewayError(
    "unauthenticated",
    "TOKEN_ELSEWHERE",
    "The token was issued for another URL. Sign in at this URL.",
  );
}

/** The same error whether or not the session ever existed. */
function sessionEnded(): GatewayError {
  return new GatewayError("unauthenticated", "SESSION_ENDED", "Not signed in, or the session expired. Sign in.");
}

function isLive(key: KeyCredential | null, digest: string, now: number): key is KeyCredential {
  return isUsable(key, now) && sameText(key.hash, digest);
}

/** Returns the named user with plain rights, limited by the scopes of the service's key. The service's role is not passed on. */
function onBehalf(service: Principal, userId: string): Principal {
  if (!canActAs(service)) {
    throw new GatewayError(
      "forbidden",
      "ACT_AS_DENIED",
      "This key cannot act for other users. It needs the scope `act_as`.",
    );
  }
  if (!isNameable(userId)) {
    const message = `The user id '${userId}' is reserved for the gateway. Name one of your users.`;
    throw new GatewayError("forbidden", "ACT_AS_DENIED", message);
  }
  return { userId, role: "user", groups: service.groups, scopes: limitsOf(service.scopes), keyId: service.keyId };
}

/** Setup hint for a gateway without a first key and without an issuer, where no other key can exist. */
function setUp({ GATEWAY_ADMIN_KEY, JWT_ISSUER }: Settings): string {
  if (GATEWAY_ADMIN_KEY !== undefined || JWT_ISSUER !== undefined) return "";
  return " If the gateway is new, its operator creates the first key with the secret GATEWAY_ADMIN_KEY (`npm run deploy` sets it).";
}

function unauthenticated(message: string): GatewayError {
  return new GatewayError("unauthenticated", "UNAUTHENTICATED", message);
}

const encoder = new TextEncoder();

/** Compares digests in constant time. */
function sameText(a: string, b: string): boolean {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  return left.byteLength === right.byteLength && crypto.subtle.timingSafeEqual(left, right);
}
