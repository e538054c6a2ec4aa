// Turns on D1's read replicas: free copies of the database around the world that can serve the queries of a session.

import { say } from "./refusal.mjs";

/** The manual step for the case that the API call fails. */
const STEP =
  "Turn on read replication by hand: dash.cloudflare.com, Storage & databases, D1, the database, Settings, Enable Read Replication. Without it, every request that is not cached goes to the primary database.";

/**
 * Turns on read replication, unless it is on. A failure does not stop a deployment: it is reported, with the manual step that remains.
 * @param {{ account: string, database: string, token: string | undefined, base?: string | undefined }} where
 */
export async function ensureReplication({ account, database, token, base = "https://api.cloudflare.com/client/v4" }) {
  if (!token) return say(`Read replication was not checked, because CLOUDFLARE_API_TOKEN is not set. ${STEP}`);
  const url = `${base}/accounts/${account}/d1/database/${database}`;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  try {
    const before = await answerOf(await fetch(url, { headers }));
    if (before.read_replication?.mode === "auto") return;
    say("turning on read replication");
    const body = JSON.stringify({ read_replication: { mode: "auto" } });
    const after = await answerOf(await fetch(url, { method: "PUT", headers, body }));
    if (after.read_replication?.mode !== "auto") throw new Error("Cloudflare did not confirm it");
  } catch (error) {
    say(`Read replication is off: ${error.message}. ${STEP}`);
  }
}

/** Returns the result in a response of Cloudflare's API. Throws the API's reason if the request failed. */
async function answerOf(response) {
  const answer = await response.json().catch(() => null);
  if (response.ok && answer?.success === true && answer.result) return answer.result;
  const why = answer?.errors?.[0]?.message ?? "no reason given";
  const hint = [401, 403].includes(response.status) ? " (the token needs the permission D1 Edit)" : "";
  throw new Error(`Cloudflare returned HTTP ${response.status}: ${why}${hint}`);
}
