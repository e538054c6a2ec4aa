// Simulates the parts of Cloudflare's API that `npm run deploy` needs, in memory. CLOUDFLARE_API_BASE_URL directs wrangler to it.

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export interface Account {
  url: string;
  databases: { name: string; uuid: string; read_replication?: { mode: string } }[];
  buckets: string[];
  /** Names of the migrations whose statements were received. */
  migrated: string[];
  /** Metadata of each uploaded version. */
  uploads: {
    script: string;
    main_module: string;
    bindings: { name: string; type: string; text?: string; id?: string }[];
    /** The Durable Objects that have a container. */
    containers?: { class_name: string }[];
    /** File names of the uploaded modules. */
    modules: string[];
  }[];
  /** The container applications. */
  applications: { id: string; name: string; max_instances: number; configuration: { image: string } }[];
  /** Requests that change state. */
  writes: string[];
  /** Requests that the simulation does not support. */
  unknown: string[];
  close(): void;
}

type Answer = unknown | undefined;

/** The id of every version. */
const VERSION = "11111111-2222-4333-8444-555555555555";

export async function newAccount(): Promise<Account> {
  const account: Account = {
    url: "",
    databases: [],
    buckets: [],
    migrated: [],
    uploads: [],
    applications: [],
    writes: [],
    unknown: [],
    close: () => {},
  };
  const server = createServer(async (request, response) => {
    const call = `${request.method} ${new URL(request.url ?? "", "http://x").pathname.replace("/client/v4", "")}`;
    const result = answer(account, call, await bodyOf(request));
    if (result === undefined) account.unknown.push(call);
    if (request.method !== "GET") account.writes.push(call);
    response.writeHead(result == null ? 404 : 200, { "content-type": "application/json" });
    const errors = result == null ? [{ code: 10007, message: `there is no ${call}` }] : [];
    const pages = Array.isArray(result)
      ? { page: 1, per_page: 100, count: result.length, total_count: result.length }
      : {};
    response.end(JSON.stringify({ success: result != null, errors, messages: [], result, result_info: pages }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  account.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/client/v4`;
  account.close = () => server.close();
  return account;
}

/** Returns `null` if the resource does not exist, and `undefined` for an unsupported request. */
function answer(account: Account, call: string, body: string): Answer {
  const [, path = ""] = /^\w+ \/accounts\/acc(\/.*)$/.exec(call) ?? [];
  const method = call.split(" ")[0];
  if (call === "GET /user/tokens/verify") return { id: "token", status: "active" };
  if (call === "GET /user") return { id: "user", email: "someone@example.com" };
  if (call === "GET /accounts") return [{ id: "acc", name: "Account" }];
  if (call === "GET /memberships") return [{ id: "member", account: { id: "acc", name: "Account" } }];

  if (path === "/d1/database" && method === "GET") return account.databases;
  if (path === "/d1/database") {
    const database = { name: JSON.parse(body).name, uuid: crypto.randomUUID() };
    account.databases.push(database);
    return database;
  }
  if (/^\/d1\/database\/[^/]+\/query$/.test(path))
    return [{ success: true, results: query(account, body), meta: { duration: 1 } }];
  if (/^\/d1\/database\/[^/]+$/.test(path) && method === "PUT") {
    const [database] = account.databases;
    if (database !== undefined) database.read_replication = JSON.parse(body).read_replication;
    return database;
  }
  if (/^\/d1\/database\/[^/]+$/.test(path)) return { ...account.databases[0], version: "production" };

  const bucket = /^\/r2\/buckets\/([^/]+)$/.exec(path)?.[1];
  if (bucket !== undefined) return account.buckets.includes(bucket) ? { name: bucket } : null;
  if (path === "/r2/buckets" && method === "GET") {
    return { buckets: account.buckets.map((name) => ({ name, creation_date: "2026-01-01T00:00:00.000Z" })) };
  }
  if (path === "/r2/buckets") {
    account.buckets.push(JSON.parse(body).name);
    return {};
  }

  if (path === "/workers/subdomain") return { subdomain: "someone" };
  const [, script, rest = ""] = /^\/workers\/(?:scripts|services|workers)\/([\w-]+)(\/.*)?$/.exec(path) ?? [];
  if (script !== undefined) return answerForScript(account, { call, script, rest, body });
  return answerForContainers(account, { method, path, body });
}

function answerForScript(
  account: Account,
  { call, script, rest, body }: { call: string; script: string; rest: string; body: string },
): Answer {
  const uploads = account.uploads.filter((upload) => upload.script === script);
  if (call.startsWith("PUT ") && rest === "") {
    const metadata = JSON.parse(/name="metadata"\r\n\r\n(.*?)\r\n/.exec(body)?.[1] ?? "");
    const modules = [...body.matchAll(/filename="([^"]+)"\r\nContent-Type: application\/javascript\+module/gi)];
    account.uploads.push({ script, ...metadata, modules: modules.map((match) => match[1]) });
    return { id: script, startup_time_ms: 1, deployment_id: VERSION };
  }
  if (rest === "/assets-upload-session") return { jwt: "a.b.c", buckets: [] };
  if (rest === "/secrets") return uploads.length > 0 ? secretsOf(uploads) : null;
  if (rest === "/subdomain") return { enabled: true, previews_enabled: false };
  if (rest === "/schedules") return {};
  if (call.includes("/workers/workers/"))
    return { id: "worker", subdomain: { enabled: true, previews_enabled: false } };
  if (rest === `/versions/${VERSION}`) {
    const bindings = uploads.at(-1)?.bindings ?? [];
    return {
      resources: { bindings: bindings.map((binding) => ({ ...binding, namespace_id: `namespace-of-${script}` })) },
    };
  }
  // Requested before a deployment, to detect changes by others.
  return null;
}

function answerForContainers(
  account: Account,
  { method, path, body }: { method: string | undefined; path: string; body: string },
): Answer {
  if (path === "/containers/me")
    return { external_account_id: "acc", limits: { disk_mb_per_deployment: 20_000 }, legacy_identity: "acc" };
  if (/^\/containers\/registries\/[^/]+\/credentials$/.test(path))
    return { account_id: "acc", registry_host: "registry.cloudflare.com", username: "v1", password: "password" };
  if (path === "/containers/applications" && method === "GET") return account.applications;
  if (path === "/containers/applications") {
    const application = { ...JSON.parse(body), id: crypto.randomUUID() };
    account.applications.push(application);
    return application;
  }
  return undefined;
}

function query(account: Account, body: string): unknown[] {
  const { sql } = JSON.parse(body) as { sql: string };
  const inserted = /INSERT INTO "?d1_migrations"?.*?'([^']+)'/is.exec(sql)?.[1];
  if (inserted !== undefined) account.migrated.push(inserted);
  return /^SELECT/.test(sql) ? account.migrated.map((name, id) => ({ id, name, applied_at: "2026-01-01" })) : [];
}

function secretsOf(uploads: Account["uploads"]): { name: string; type: string }[] {
  const bindings = uploads.flatMap((upload) => upload.bindings);
  return bindings.filter(({ type }) => type === "secret_text").map(({ name, type }) => ({ name, type }));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("latin1");
}
