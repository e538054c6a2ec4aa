// `npm run bench:grants`: many hosts exchange codes and refresh tokens at the same time while the runtime is killed repeatedly. Like real
// hosts, each repeats requests without a response, and half of the others. Exits with 1 if a host was signed out, if a code created two
// grants, or if a host's token does not work at the end. Prints a table for docs/benchmarks.md.
// usage: npm run bench:grants -- [--exchanges 10000] [--clients 100] [--kills 20]

import { createHash, randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { startGateway } from "./gateway.mjs";

const { values } = parseArgs({
  options: {
    exchanges: { type: "string", default: "10000" },
    clients: { type: "string", default: "100" },
    kills: { type: "string", default: "20" },
  },
});
const [exchanges, clients, kills] = [Number(values.exchanges), Number(values.clients), Number(values.kills)];
/** Number of refreshes after a host exchanged its code. */
const REFRESHES = 9;
const HOSTS = Math.ceil(exchanges / (REFRESHES + 1));

const VERIFIER = "a-verifier-of-forty-three-characters-or-more-";
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");
const CLIENT = "https://host.example/client.json";
const REDIRECT = "http://127.0.0.1:33418/callback";

const gateway = await startGateway({ bindings: { SECRETS_KEY: randomBytes(32).toString("base64") } });
const counts = { redeemed: 0, refreshed: 0, repeated: 0, unanswered: 0, lostCodes: 0, thrownOut: 0, forked: 0 };
const times = [];
/** @type {Promise<void>} */
let up = Promise.resolve();
try {
  const codes = await seed(HOSTS * 2);
  const began = performance.now();
  const killed = killing();
  let next = 0;
  const hosts = [];
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (next < HOSTS) hosts.push(await host(next++, codes));
    }),
  );
  await killed;
  process.exitCode = await judge(hosts, (performance.now() - began) / 1_000);
} finally {
  await gateway.stop();
}

/** Creates codes as after a consent. */
async function seed(count) {
  const codes = Array.from({ length: count }, (_, index) => codeText(`B${String(index).padStart(9, "0")}`));
  const until = Date.now() + 24 * 3_600_000;
  const rows = codes.map((code) =>
    gateway.db
      .prepare(
        "INSERT OR IGNORE INTO grant_codes (hash, user_id, via, via_id, claimed, client_id, client_name, resource, redirect_uri, challenge, expires_at) VALUES (?, ?, 'link', 'l', '[]', ?, 'Host', ?, ?, ?, ?)",
      )
      .bind(sha(code), `user-${code.slice(4, 14)}`, CLIENT, `${gateway.url.origin}/mcp`, REDIRECT, CHALLENGE, until),
  );
  for (let at = 0; at < rows.length; at += 100) {
    const some = rows.slice(at, at + 100);
    // Miniflare may have just closed a persistent connection.
    await gateway.db.batch(some).catch(() => gateway.db.batch(some));
  }
  return codes;
}

async function host(index, codes) {
  const form = { grant_type: "authorization_code", client_id: CLIENT, redirect_uri: REDIRECT, code_verifier: VERIFIER };
  let tokens = await once({ ...form, code: codes[index] });
  // If the response to a code is lost, the code cannot be used again: the user signs in again.
  if (tokens === null) {
    counts.lostCodes++;
    for (let again = HOSTS + index; tokens === null && again < codes.length; again += HOSTS)
      tokens = await once({ ...form, code: codes[again] });
  }
  if (tokens === null) return null;
  counts.redeemed++;
  for (let time = 0; time < REFRESHES; time++) {
    const shown = tokens.refresh_token;
    const twice = (index + time) % 2 === 0;
    const answers = await Promise.all([refreshed(shown), ...(twice ? [refreshed(shown)] : [])]);
    counts.repeated += twice ? 1 : 0;
    if (answers.includes(null)) {
      counts.thrownOut++;
      return null;
    }
    if (new Set(answers.map(({ refresh_token }) => refresh_token)).size > 1) counts.forked++;
    tokens = answers[0];
    counts.refreshed++;
  }
  return tokens;
}

/** Presents a refresh token until there is a response; `null`: it was rejected. */
async function refreshed(refresh_token) {
  for (;;) {
    const answer = await post({ grant_type: "refresh_token", refresh_token, client_id: CLIENT });
    if (answer === "unanswered") continue;
    return answer;
  }
}

async function once(form) {
  const answer = await post(form);
  return answer === "unanswered" ? null : answer;
}

async function post(form) {
  await up;
  const started = performance.now();
  try {
    const answer = await fetch(new URL("/oauth/token", gateway.url), {
      method: "POST",
      body: new URLSearchParams(form),
    });
    const text = await answer.text();
    if (answer.status >= 500) throw new Error(text);
    times.push(performance.now() - started);
    return answer.ok ? JSON.parse(text) : null;
  } catch {
    counts.unanswered++;
    return "unanswered";
  }
}

/** Kills the runtime at even intervals of finished work. */
async function killing() {
  const total = HOSTS * (REFRESHES + 1);
  for (let kill = 1; kill <= kills; kill++) {
    const due = (total * (kill - Math.random())) / kills;
    while (counts.redeemed + counts.refreshed < due && counts.redeemed + counts.thrownOut < HOSTS + 1) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (counts.redeemed + counts.refreshed + counts.thrownOut * 10 >= total - 1) break;
    }
    up = gateway.kill();
    await up;
  }
}

async function judge(hosts, seconds) {
  let dead = 0;
  for (const tokens of hosts) if (tokens === null || (await refreshed(tokens.refresh_token)) === null) dead++;
  const { results } = await gateway.db
    .prepare(
      "SELECT count(*) AS made, count(DISTINCT user_id) AS codes, sum(ended_at IS NOT NULL) AS ended FROM grants",
    )
    .all();
  const { made, codes, ended } = results[0];
  times.sort((a, b) => a - b);
  const at = (share) => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0);
  const bad = { "thrown out": counts.thrownOut, "two successors": counts.forked, "dead at the end": dead };
  const figures = {
    ...{ date: new Date().toISOString().slice(0, 10), hosts: hosts.length, "at once": clients, kills },
    ...{ exchanges: counts.redeemed + counts.refreshed, repeats: counts.repeated, unanswered: counts.unanswered },
    ...{ "codes lost": counts.lostCodes, ...bad, "codes with two grants": made - codes, "grants ended": ended ?? 0 },
    ...{ seconds: Math.round(seconds), "a second": Math.round(times.length / seconds) },
    ...{ "p50 ms": at(0.5), "p95 ms": at(0.95) },
  };
  console.log(tableOf(figures));
  return counts.thrownOut + counts.forked + dead + (made - codes) + (ended ?? 0) === 0 ? 0 : 1;
}

/** Prints a column for each count, as in docs/benchmarks.md. */
function tableOf(figures) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const names = Object.keys(figures);
  return [line(names), line(names.map(() => "---")), line(Object.values(figures))].join("\n");
}

function codeText(id) {
  const text = `sgc_${id}_${randomBytes(32).toString("hex")}`;
  return text + crc32(text).toString(16).padStart(8, "0");
}

function crc32(text) {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function sha(text) {
  return createHash("sha256").update(text).digest("hex");
}
