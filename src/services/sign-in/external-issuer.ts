// Signs in at the configured issuer: the OpenID Connect code flow with the gateway as a client. State, nonce and verifier are derived from
// the browser's cookie, so nothing is stored.

import type { Principal } from "../../domain/access/access";
import { encodeBase64 } from "../../domain/base64";
import { sha256Hex } from "../../domain/digest";
import { GatewayError, refusalIn } from "../../domain/errors";
import type { Settings } from "../../domain/settings/settings";
import type { SignedIn } from "../../domain/sign-in/grant";
import { withAnswer } from "../../domain/sign-in/redirect";
import type { PageOf } from "../../storage/d1/sign-in/pages";
import { exchangeIssuerCode, readIssuerServer } from "../../upstream/issuer-server";
import type { IdentityRequest } from "../access/identity";
import { readClaims } from "../access/token";
import type { SignInContext } from "./context";
import { note, type SignInFailure } from "./pages";

/** Returns the issuer and the gateway's client there; `null` if sign-in there is not configured. */
export function externalIssuerOf({ JWT_ISSUER: issuer, OIDC_CLIENT_ID: id, OIDC_CLIENT_SECRET: secret }: Settings) {
  return issuer === undefined || id === undefined ? null : { issuer, client: { id, secret } };
}

const HOUR = 60 * 60_000;

/** Returns the URL to redirect the browser to. */
export async function beginExternalSignIn(
  context: SignInContext,
  looking: IdentityRequest,
  pageId: string,
  secret: string,
  callback: string,
): Promise<string> {
  const outside = externalIssuerOf(context.settings);
  if (outside === null) throw noIssuer();
  const { authorize } = await readIssuerServer(outside.issuer, looking.fetch, looking.development);
  const marks = await marksOf(pageId, secret);
  return withAnswer(authorize, {
    response_type: "code",
    client_id: outside.client.id,
    redirect_uri: callback,
    scope: ["openid", "profile", ...context.settings.OAUTH_SCOPES.filter((scope) => scope !== "openid")].join(" "),
    state: marks.state,
    nonce: marks.nonce,
    code_challenge: marks.challenge,
    code_challenge_method: "S256",
  });
}

/** The issuer's response. */
export interface IssuerAnswer {
  code: string | null;
  state: string;
  /** The issuer's identity (RFC 9207); `null` if absent. */
  iss: string | null;
}

/** Signs in the issuer's user on a client's page. Returns `null` on success. */
export async function finishExternalSignIn(
  context: SignInContext,
  looking: IdentityRequest,
  page: PageOf,
  secret: string,
  answer: IssuerAnswer,
  callback: string,
): Promise<SignInFailure | null> {
  const who = await externalIdentityOf(context, looking, page.id, secret, answer, callback);
  return "problem" in who ? who : note(context, page, who.signedIn);
}

/** The user named by the issuer, with display name and claimed role. */
export interface ExternalIdentity {
  signedIn: SignedIn;
  name: string | null;
  role: Principal["role"];
}

/** Returns the issuer's user for the browser that started the sign-in with this id. */
export async function externalIdentityOf(
  context: SignInContext,
  looking: IdentityRequest,
  id: string,
  secret: string,
  { code, state, iss }: IssuerAnswer,
  callback: string,
): Promise<ExternalIdentity | SignInFailure> {
  const outside = externalIssuerOf(context.settings);
  if (outside === null) throw noIssuer();
  const { issuer, client } = outside;
  const marks = await marksOf(id, secret);
  if (state !== marks.state || (iss !== null && iss !== issuer)) return NOT_OURS;
  if (code === null)
    return { problem: "The sign-in was not completed. Try again, or sign in another way.", guess: false };
  const { token } = await readIssuerServer(issuer, looking.fetch, looking.development);
  const given = { code, redirectUri: callback, verifier: marks.verifier };
  const idToken = await exchangeIssuerCode(token, client, given, looking.fetch);
  const now = context.now();
  try {
    const { bearer, claims } = await readClaims(
      context.settings,
      idToken,
      { fetch: looking.fetch, now },
      looking.development,
      [client.id],
    );
    const isOurs = claims.nonce === marks.nonce && (claims.azp === undefined || claims.azp === client.id);
    if (!isOurs || typeof claims.sub !== "string") return NOT_OURS;
    const endsAt = now + context.settings.OIDC_SESSION_H * HOUR;
    const { userId, claimed, name = null, role } = bearer;
    const viaId = `${issuer} ${claims.sub}`;
    return { signedIn: { userId, via: "issuer", viaId, keyId: null, claimed, endsAt }, name, role };
  } catch (error) {
    if (refusalIn(error)?.code !== "unauthenticated") throw error;
    return { problem: "Your organization's sign-in returned a user id that is not allowed here.", guess: false };
  }
}

const NOT_OURS: SignInFailure = {
  problem: "The answer does not belong to this page. Sign in again.",
  guess: false,
};

/** Returns the id of the sign-in page in the `state` that the issuer returned. */
export function pageIdIn(state: string): string {
  return state.split(".")[0] ?? "";
}

/** Derives state, nonce and verifier from the browser's cookie, and the verifier's challenge. */
async function marksOf(pageId: string, secret: string) {
  const [state, nonce, verifier] = await Promise.all(
    ["state", "nonce", "verifier"].map((use) => sha256Hex(`sign-in ${use} ${pageId} ${secret}`)),
  );
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)));
  const challenge = encodeBase64(digest).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return { state: `${pageId}.${state}`, nonce: nonce ?? "", verifier: verifier ?? "", challenge };
}

function noIssuer(): GatewayError {
  return new GatewayError(
    "not_found",
    "NO_ISSUER",
    "Sign-in at an external issuer is disabled on this gateway. Sign in with a key.",
  );
}
