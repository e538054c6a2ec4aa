// The link with which whoever has just started a gateway on this machine signs an MCP host in, as the user `me`: once, within ten minutes.

import { say } from "../kit/refusal.mjs";

const USER = "me";

/**
 * Makes the link.
 * @param {string} url of the gateway
 * @param {string} adminKey
 * @returns {Promise<string | null>} `null`: this gateway signs nobody in itself, or none could be made, which was said
 */
export async function signInLink(url, adminKey) {
  try {
    const answer = await fetch(new URL("/api/v1/sign-ins", url), {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
      body: JSON.stringify({ user_id: USER }),
      signal: AbortSignal.timeout(10_000),
    });
    const body = await answer.json();
    if (answer.ok) return body.url;
    // An issuer signs people in, or links of earlier starts still wait: both are as they should be.
    if (answer.status !== 409) say(`There is no sign-in link: ${answer.status} ${body.detail}`);
    return null;
  } catch (error) {
    say(`There is no sign-in link: ${error.message}`);
    return null;
  }
}
