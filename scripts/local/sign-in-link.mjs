// The links of whoever has just started a gateway on this machine, each good once, within ten minutes: one signs an MCP host in as the user
// `me`, the other opens the console as the gateway's operator.

import { say } from "../kit/refusal.mjs";

/**
 * Makes the link for an MCP host.
 * @param {string} url of the gateway
 * @param {string} adminKey
 * @returns {Promise<string | null>} `null`: this gateway signs nobody in itself, or none could be made, which was said
 */
export function signInLink(url, adminKey) {
  return linkFor(url, adminKey, { user_id: "me" });
}

/**
 * Makes the link to the console.
 * @param {string} url of the gateway
 * @param {string} adminKey
 * @returns {Promise<string | null>} `null`: this gateway has no console, or none could be made, which was said
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
    // An issuer signs people in, there is no console, or links of earlier starts still wait: each is as it should be.
    if (answer.status !== 409) say(`There is no sign-in link: ${answer.status} ${body.detail}`);
    return null;
  } catch (error) {
    say(`There is no sign-in link: ${error.message}`);
    return null;
  }
}
