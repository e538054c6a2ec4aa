// D1's read replicas: copies of the database around the world, free of charge, that queries of a session may be answered by.

import { say } from "./refusal.mjs";

/** Where to do by hand what could not be done here. */
const STEP =
  "Turn on read replication by hand: dash.cloudflare.com, Storage & databases, D1, the database, Settings, Enable Read Replication. Until then every cold request goes to the one primary.";

/**
 * Turns on read replication, unless it is on. A deployment does without: what hinders it is said, with the one step that is left.
 * @param {{ account: string, database: string, token: string | undefined, base?: string | undefined }} where
 */
export async function ensureReplication({ account, database, token, base = "https://api.cloudflare.com/client/v4" }) {
  if (!token) return say(`Read replication was not looked at: that takes CLOUDFLARE_API_TOKEN. ${STEP}`);
  const url = `${base}/accounts/${account}/d1/database/${database}`;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  try {
    const before = await answerOf(await fetch(url, { headers }));
    if (before.read_replication?.mode === "auto") return;
    say("turning on read replication");
    const body = JSON.stringify({ read_replication: { mode: "auto" } });
    const after = await answerOf(await fetch(url, { method: "PUT", headers, body }));
    if (after.read_replication?.mode !== "auto") throw new Error("Cloudflare did not say that it is on");
  } catch (error) {
    say(`Read replication is not on: ${error.message}. ${STEP}`);
  }
}

/** What an answer of Cloudflare's API is about; throws with its reason when it is a refusal. */
async function answerOf(response) {
  const answer = await response.json().catch(() => null);
  if (response.ok && answer?.success === true && answer.result) return answer.result;
  const why = answer?.errors?.[0]?.message ?? "no reason given";
  const hint = [401, 403].includes(response.status) ? " (the token needs the permission D1 Edit)" : "";
  throw new Error(`Cloudflare answered ${response.status}: ${why}${hint}`);
}
