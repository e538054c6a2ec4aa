// The deployed gateway's D1 and R2 as a store, through Cloudflare's API with the login that wrangler has.

import { createWriteStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { chooseAccount, logIn } from "../kit/account.mjs";
import { Refusal } from "../kit/refusal.mjs";
import { runWrangler } from "../kit/wrangler.mjs";
import { readWranglerConfig } from "../kit/wrangler-config.mjs";

const API = "https://api.cloudflare.com/client/v4";

/** Opens the database and the bucket that wrangler.toml names, in the account of the login. */
export async function openDeployed() {
  const config = await readWranglerConfig();
  const accounts = await logIn();
  const account = await chooseAccount(config, accounts);
  const [{ database_name }, { bucket_name }] = [config.d1_databases[0], config.r2_buckets[0]];
  const headers = await credentials();
  const base = `${process.env.CLOUDFLARE_API_BASE_URL || API}/accounts/${config.account_id ?? process.env.CLOUDFLARE_ACCOUNT_ID}`;

  const ask = (route, init = {}) =>
    fetch(base + route, { ...init, headers: { ...headers, ...init.headers }, signal: AbortSignal.timeout(120_000) });
  const asked = async (route, init) => {
    const answer = await ask(route, init);
    const body = await answer.json().catch(() => ({}));
    if (answer.ok && body.success === true) return body.result;
    const reasons = (body.errors ?? []).map(({ message }) => message).join("; ");
    throw new Refusal(`Cloudflare returned HTTP ${answer.status} for ${route.split("?")[0]}: ${reasons}`);
  };

  const found = await asked(`/d1/database?name=${encodeURIComponent(database_name)}`);
  const database = found.find(({ name }) => name === database_name)?.uuid;
  if (database === undefined)
    throw new Refusal(
      `D1 database ${database_name} not found in the account ${account}. Create it with: npm run deploy`,
    );
  const object = (key) => `/r2/buckets/${bucket_name}/objects/${key}`;

  return {
    name: `the D1 database ${database_name} and the R2 bucket ${bucket_name} of ${account}`,
    stop: async () => {},
    async query(sql) {
      const headers = { "content-type": "application/json" };
      const answer = await asked(`/d1/database/${database}/query`, {
        method: "POST",
        headers,
        body: JSON.stringify({ sql }),
      });
      return answer[0].results;
    },
    async readPackage(key) {
      const answer = await ask(object(key));
      if (answer.status === 404) return null;
      if (!answer.ok) throw new Refusal(`R2 returned HTTP ${answer.status} for ${key}.`);
      return new Uint8Array(await answer.arrayBuffer());
    },
    async writePackage(key, body) {
      const answer = await ask(object(key), { method: "PUT", headers: { "content-type": "application/zip" }, body });
      if (!answer.ok) throw new Refusal(`R2 returned HTTP ${answer.status} for ${key}. The object was not written.`);
    },
    /** One import. D1 applies all of it or none. */
    async run(statements) {
      const folder = await mkdtemp(path.join(tmpdir(), "skill-gateway-restore-"));
      const file = path.join(folder, "rows.sql");
      try {
        await pipeline(Readable.from(ended(statements)), createWriteStream(file, { mode: 0o600 }));
        // A separate config, because wrangler.toml does not contain the real id of the database.
        const named = { binding: "DB", database_name, database_id: database };
        const worker = path.join(folder, "wrangler.json");
        await writeFile(worker, JSON.stringify({ name: config.name, d1_databases: [named] }));
        const args = ["d1", "execute", database_name, "--remote", "--yes", "--file", file, "--config", worker];
        const { code, stdout, stderr } = await runWrangler(args);
        if (code !== 0) throw new Refusal(`The rows were not written, and D1 was not changed:\n${stdout}${stderr}`);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

async function* ended(statements) {
  for await (const statement of statements) yield `${statement};\n`;
}

async function credentials() {
  const { code, stdout, stderr } = await runWrangler(["auth", "token", "--json"]);
  if (code !== 0) throw new Refusal(`wrangler did not return its login: ${stderr}`);
  const login = JSON.parse(stdout.slice(stdout.indexOf("{")));
  return login.type === "api_key"
    ? { "x-auth-key": login.key, "x-auth-email": login.email }
    : { authorization: `Bearer ${login.token}` };
}
