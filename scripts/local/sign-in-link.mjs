// Creates the links that a local start prints. Each works once, within ten minutes: one signs an MCP host in as the user `me`, the other
// opens the console as the gateway's operator.

import { say } from "../kit/refusal.mjs";

/**
 * Creates the link for an MCP host.
 * @param {string} url of the gateway
 * @param {string} adminKey
 * @returns {Promise<string | null>} `null` if this gateway does not sign users in itself, or after an error, which has been printed
 */
export function signInLink(url, adminKey) {
  return linkFor(url, adminKey, { user_id: "me" });
}

/**
 * Creates the link to the console.
 * @param {string} url of the gateway
 * @param {string} adminKey
 * @returns {Promise<string | null>} `null` if this gateway has no console, or after an error, which has been printed
 */
export function consoleLink(url, adminKey) {
  return linkFor(url, adminKey, { user_id: "admin", purpose: "console" });
}

async function linkFor(url, adminKey, wanted) {
  try {
    const answer = await fetch(new URL("/api/v1/sign-ins", url), {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
      body: JSON.stringify(wanted),
      signal: AbortSignal.timeout(10_000),
    });
    const body = await answer.json();
    if (answer.ok) return body.url;
    // 409 is not an error: an external issuer signs users in, the console is off, or links of earlier starts are still unused.
    if (answer.status !== 409) say(`The sign-in link was not created: ${answer.status} ${body.detail}`);
    return null;
  } catch (error) {
    say(`The sign-in link was not created: ${error.message}`);
    return null;
  }
}
