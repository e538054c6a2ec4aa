// The link that opens the demo of the gateway on this machine signed in: with a key that may chat as the user `demo`, and ends by itself.

import { say } from "../kit/refusal.mjs";

const USER = "demo";
const NAME = "link of the demo";
const MS = 12 * 3_600_000;
/** Links of earlier starts that stay good, so that a page which is open survives some restarts. */
const EARLIER = 4;

/**
 * Makes the link. The key is in the fragment, which no browser sends anywhere, and the page takes it out of its address at once.
 * @param {string} url of the gateway
 * @param {string} adminKey
 * @returns {Promise<string | null>} `null`: no key could be made, which was said, and everything else works
 */
export async function demoLink(url, adminKey) {
  const request = async (method, route, body) => {
    const answer = await fetch(new URL(`/api/v1/keys${route}`, url), {
      method,
      headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.status} ${text.slice(0, 500)}`);
    return text === "" ? null : JSON.parse(text);
  };
  try {
    const { items } = await request("GET", "?limit=100");
    const earlier = items.filter(({ user_id, name }) => user_id === USER && name === NAME);
    for (const { id } of earlier.slice(EARLIER)) await request("DELETE", `/${id}`);
    const expires_at = new Date(Date.now() + MS).toISOString();
    const { key } = await request("POST", "", { user_id: USER, name: NAME, scopes: ["conversations"], expires_at });
    return `${url}/demo#key=${key}`;
  } catch (error) {
    say(`There is no link to the demo, which asks for a key instead: ${error.message}`);
    return null;
  }
}
