// Simulates a host that signs its user in, and the user's browser with cookies, forms and redirects.

import { exports } from "cloudflare:workers";
import { expect } from "vitest";
import { askWith } from "./app";

export const GATEWAY = "https://gateway.test";
export const BACK = "http://127.0.0.1:33418/callback";
/** S256 of `VERIFIER`. */
export const VERIFIER = "a-verifier-of-a-test-with-forty-three-letters-or-more";
export const CHALLENGE = "HUvjLWEVyXUX4OvzzJL5eCQgZUEdsZ_a854gpmghYl0";

type Settings = Record<string, unknown>;

/** A browser with cookies. It does not follow redirects automatically. */
export class Browser {
  readonly cookies = new Map<string, string>();

  constructor(private readonly settings: Settings = {}) {}

  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.cookies.size > 0) headers.set("cookie", [...this.cookies].map((pair) => pair.join("=")).join("; "));
    const answer = await askWith(this.settings, path.replace(GATEWAY, ""), { redirect: "manual", ...init, headers });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (/max-age=0/i.test(set)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return answer;
  }

  /** Submits a form of a gateway page with a browser's headers. */
  post(path: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    const marks = { origin: "null", "sec-fetch-site": "same-origin" };
    return this.send(path, { method: "POST", body: new URLSearchParams(form), headers: { ...marks, ...headers } });
  }
}

export interface Asked {
  client_id: string;
  redirect_uri: string;
  response_type: string;
  code_challenge: string;
  code_challenge_method: string;
  resource: string;
  state: string;
  [more: string]: string;
}

/** Registers a client and returns its id. */
export async function register(metadata: object = {}, settings: Settings = {}): Promise<string> {
  const body = JSON.stringify({ client_name: "A host", redirect_uris: [BACK], ...metadata });
  const answer = await askWith(settings, "/oauth/register", { method: "POST", body });
  const { client_id } = await answer.json<{ client_id: string }>();
  expect(answer.status).toBe(201);
  return client_id;
}

/** Returns the path of a host's authorization request. */
export async function request(more: Record<string, string | null> = {}): Promise<string> {
  const asked: Record<string, string | null> = {
    client_id: more.client_id === undefined ? await register() : null,
    redirect_uri: BACK,
    response_type: "code",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    resource: `${GATEWAY}/mcp`,
    state: "of the host",
    ...more,
  };
  const given = Object.entries(asked).filter((entry): entry is [string, string] => entry[1] !== null);
  return `/oauth/authorize?${new URLSearchParams(given)}`;
}

/** Opens the sign-in page and returns its path. */
export async function openPage(browser: Browser, more: Record<string, string | null> = {}): Promise<string> {
  const answer = await browser.send(await request(more));
  expect([answer.status, await answer.text()]).toEqual([303, ""]);
  return (answer.headers.get("location") ?? "").replace(GATEWAY, "");
}

/** Signs in on the page with a key and approves. Returns the redirect URL. */
export async function allow(browser: Browser, page: string, key: string): Promise<URL> {
  const signedIn = await browser.post(page, { how: "key", key });
  expect([signedIn.status, await signedIn.text()]).toEqual([303, ""]);
  const allowed = await browser.post(page, { how: "approve" });
  expect(allowed.status).toBe(303);
  return new URL(allowed.headers.get("location") ?? "");
}

/** Exchanges a code for tokens. */
export function redeem(code: string, clientId: string, more: Record<string, string> = {}): Promise<Response> {
  const form = {
    grant_type: "authorization_code",
    code,
    client_id: clientId,
    redirect_uri: BACK,
    code_verifier: VERIFIER,
  };
  return exports.default.fetch(`${GATEWAY}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({ ...form, ...more }),
  });
}
