// Exchanges the OIDC token of a CI job for a key that can publish, so that no key is stored in the CI system.

import * as z from "zod";
import type { Work } from "./context";
import { nothingAnswers } from "./gateway";
import { EXIT, misused, Problem } from "./problem";
import { chosenUrl, type SignedIn, type Typed } from "./sign-in";

const tokenSchema = z.object({ value: z.string() });
const keySchema = z.object({ key: z.string(), skills: z.array(z.string()), namespace: z.string() });
const refusalSchema = z.object({ code: z.string(), detail: z.string() });

/** A key of a trusted publisher, and where it publishes. */
export interface PublishingKey extends SignedIn {
  /** `public`, a group, or `default` for a user's own skills. */
  namespace: string;
}

const SECONDS = 30;

/**
 * Returns a key for the CI job that runs the program; `null` outside of a CI job that has a token, and if a key is given.
 *
 * @param publisher id of the publisher, by default that of SKILLGATE_PUBLISHER
 */
export async function keyOfJob(work: Work, typed: Typed, publisher: string | undefined): Promise<PublishingKey | null> {
  const { env } = work;
  const id = publisher || env.SKILLGATE_PUBLISHER || undefined;
  if (typed.key !== undefined && publisher !== undefined) throw misused("--key and --publisher exclude each other.");
  if (publisher === undefined && (typed.key || env.GATEWAY_KEY)) return null;
  const hasToken = env.SKILLGATE_ID_TOKEN || env.ACTIONS_ID_TOKEN_REQUEST_URL;
  if (!hasToken && id === undefined) return null;
  const url = await chosenUrl(work, typed);
  if (!isProtected(url)) throw new Problem(EXIT.usage, `${url} is not https, so it could leak the token. Use https.`);
  const token = await tokenOfJob(work, new URL(url).origin);
  const response = await ask(work, url, `${url}/api/v1/trusted-publishing/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token, ...(id === undefined ? {} : { publisher: id }) }),
  });
  const refused = refusalSchema.safeParse(response.body);
  if (!response.ok && refused.success)
    throw new Problem(EXIT.key, `${response.status} ${refused.data.code}: ${refused.data.detail}`);
  const made = keySchema.safeParse(response.body);
  if (!response.ok || !made.success)
    throw new Problem(EXIT.unreachable, `${url} did not exchange the token (HTTP ${response.status}). Check the URL.`);
  return { url, key: made.data.key, namespace: made.data.namespace };
}

/** Returns the token of GitLab CI and others, which the job has as a variable, or requests that of GitHub Actions. */
async function tokenOfJob(work: Work, audience: string): Promise<string> {
  const { SKILLGATE_ID_TOKEN, ACTIONS_ID_TOKEN_REQUEST_URL, ACTIONS_ID_TOKEN_REQUEST_TOKEN } = work.env;
  if (SKILLGATE_ID_TOKEN) return SKILLGATE_ID_TOKEN;
  if (!ACTIONS_ID_TOKEN_REQUEST_URL || !ACTIONS_ID_TOKEN_REQUEST_TOKEN) {
    throw new Problem(
      EXIT.key,
      "The job has no token. GitHub Actions: add `permissions: id-token: write`. GitLab CI and others: set SKILLGATE_ID_TOKEN.",
    );
  }
  const target = new URL(ACTIONS_ID_TOKEN_REQUEST_URL);
  target.searchParams.set("audience", audience);
  const headers = { authorization: `Bearer ${ACTIONS_ID_TOKEN_REQUEST_TOKEN}`, accept: "application/json" };
  const { ok, status, body } = await ask(work, target.origin, target.href, { headers });
  const read = tokenSchema.safeParse(body);
  if (ok && read.success) return read.data.value;
  throw new Problem(EXIT.unreachable, `GitHub Actions returned no token (HTTP ${status}). Run the job again.`);
}

/** Sends a request and returns its JSON; `null` for other responses. */
async function ask(work: Work, name: string, url: string, init: RequestInit) {
  const signal = AbortSignal.any([work.signal, AbortSignal.timeout(SECONDS * 1_000)]);
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal });
    const text = await response.text();
    return { ok: response.ok, status: response.status, body: jsonOf(text) };
  } catch (error) {
    throw nothingAnswers(name, error);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Whether nobody on the network can read what is sent: https, or this machine. */
function isProtected(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
}
