// Creates grants for tests: a code as the consent page creates it, exchanged at the token endpoint.

import { env, exports } from "cloudflare:workers";
import { settingsFrom } from "../../src/domain/settings/settings";
import type { Approved } from "../../src/domain/sign-in/grant";
import { newId, primaryDatabase } from "../../src/edge/context";
import { issueCode } from "../../src/services/sign-in/codes";
import type { SignInContext } from "../../src/services/sign-in/context";
import type { IssuedTokens } from "../../src/services/sign-in/exchange";
import { challengeOf } from "../../src/services/sign-in/refresh-tokens";

export const ORIGIN = "https://gateway.test";
export const CLIENT = "https://host.example/client.json";
export const REDIRECT = "http://127.0.0.1:33418/callback";
export const VERIFIER = "a-verifier-of-forty-three-characters-or-more-";
export const MCP = `${ORIGIN}/mcp`;

const approved = async (more: Partial<Approved>): Promise<Approved> => ({
  ...{ userId: "ada", via: "link", viaId: "link-1", keyId: null, claimed: [], endsAt: null },
  ...{ clientId: CLIENT, clientName: "Host", redirectUri: REDIRECT, resource: MCP },
  challenge: await challengeOf(VERIFIER),
  ...more,
});

/** Returns the context of the sign-in use cases. */
export function signingIn(): SignInContext {
  const named = { requestId: "test", newId: newId, now: () => Date.now() };
  return { db: primaryDatabase(env), settings: settingsFrom(env), ...named };
}

/** Returns a code that a user has just approved. */
export async function codeFor(more: Partial<Approved> = {}): Promise<string> {
  return issueCode(signingIn(), await approved(more));
}

/** Posts a form to an OAuth endpoint. */
export function post(path: string, form: Record<string, string> | string[][], headers: Record<string, string> = {}) {
  return exports.default.fetch(`${ORIGIN}${path}`, { method: "POST", body: new URLSearchParams(form), headers });
}

export const codeForm = (code: string, more: Record<string, string> = {}) => ({
  ...{ grant_type: "authorization_code", code, client_id: CLIENT, redirect_uri: REDIRECT, code_verifier: VERIFIER },
  ...more,
});

export const refreshForm = (refresh_token: string, more: Record<string, string> = {}) => ({
  ...{ grant_type: "refresh_token", refresh_token, client_id: CLIENT },
  ...more,
});

/** Returns the tokens in a response. Throws for any other response. */
export async function tokensIn(answer: Response): Promise<IssuedTokens> {
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.json<IssuedTokens>();
}

/** Returns the OAuth error of a response, with its status. */
export async function errorIn(answer: Response): Promise<string> {
  const { error } = await answer.json<{ error?: string }>();
  return `${answer.status} ${error}`;
}

/** Signs in and returns the tokens. */
export async function signedIn(more: Partial<Approved> = {}): Promise<IssuedTokens> {
  return tokensIn(await post("/oauth/token", codeForm(await codeFor(more))));
}

export async function refreshed(token: string): Promise<IssuedTokens> {
  return tokensIn(await post("/oauth/token", refreshForm(token)));
}

const initialize = {
  ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

/** Sends the first request of an MCP host with a token. */
export async function initializeWith(
  path: string,
  token: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const answer = await exports.default.fetch(`${ORIGIN}${path}`, {
    method: "POST",
    body: JSON.stringify(initialize),
    headers: {
      ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
      accept: "application/json, text/event-stream",
      ...headers,
    },
  });
  // The body is read to its end, so that no work continues in the next test.
  return new Response(await answer.text(), answer);
}

/** Moves all stored times of grants into the past by `ms`. */
export async function pass(ms: number): Promise<void> {
  const older = (table: string, columns: string[]) =>
    env.DB.prepare(`UPDATE ${table} SET ${columns.map((column) => `${column} = ${column} - ${ms}`).join(", ")}`);
  const times = ["created_at", "expires_at"];
  await env.DB.batch([
    older("grants", [...times, "idle_until", "rotated_at", "last_used_at", "ended_at"]),
    older("grant_tokens", times),
    older("grant_codes", [...times, "grant_until"]),
  ]);
}
