// Runs the gateway under measurement: the bench's Worker in Miniflare, without the asset router, in a temporary folder that is deleted when
// it stops. Also contains the helpers of the rows.

import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { bundleWorker } from "../scripts/build/bundle.mjs";
import { prepareAssets } from "../scripts/build/static.mjs";
import { root } from "../scripts/kit/files.mjs";
import { Miniflare, quietWorkers, Response } from "../scripts/kit/miniflare.mjs";
import { readWranglerConfig } from "../scripts/kit/wrangler-config.mjs";
import { runtimes } from "./memory.mjs";

export const ADMIN_KEY = "sgw_bench_admin_key_of_this_process_only";
const { compatibility_date, compatibility_flags } = await readWranglerConfig();
export const COMPATIBILITY = { date: compatibility_date, flags: compatibility_flags };
/** Any name will do on one machine. */
export const DATABASE = "00000000-0000-0000-0000-000000000000";

/** @typedef {Awaited<ReturnType<typeof startGateway>>} Gateway */

/**
 * @param {{ development?: boolean, entry?: string, bindings?: Record<string, string>, state?: string, assets?: Record<string, Uint8Array>,
 * plugins?: import("esbuild").Plugin[] }} [options] `development`: allows calls to servers on this machine; `entry`: a Worker other than
 * the bench's, without floors; `bindings`: additional settings; `state`: a folder for its data, which is not deleted; `assets`: static
 * files by path, instead of those of the build; `plugins`: further ones for the bundle
 */
export async function startGateway(options = {}) {
  await prepareAssets();
  const state = options.state ?? (await mkdtemp(path.join(os.tmpdir(), "gateway-bench-")));
  const { modules } = await bundleWorker({
    entry: options.entry ?? "bench/worker.ts",
    release: true,
    development: options.development ?? false,
    plugins: options.plugins,
  });
  const running = quietWorkers(
    [
      {
        name: "skill-gateway",
        modules: Object.entries(modules).map(([name, contents]) => ({ type: "ESModule", path: name, contents })),
        compatibilityDate: COMPATIBILITY.date,
        compatibilityFlags: COMPATIBILITY.flags,
        bindings: { GATEWAY_ADMIN_KEY: ADMIN_KEY, LOG_REQUESTS: "false", ...options.bindings },
        d1Databases: { DB: DATABASE },
        r2Buckets: { PACKAGES: "skill-gateway" },
        durableObjects: {
          CONVERSATIONS: { className: "Conversation", useSQLite: true },
          EVENTS: { className: "EventHub", useSQLite: true },
          ...(options.entry === undefined && {
            IMPORTS: { className: "Import", useSQLite: true },
            METER: { className: "Meter", useSQLite: true },
            FLOOR: { className: "Floor", useSQLite: true },
            ASKING: { className: "AskingFloor", useSQLite: true },
          }),
        },
        workerLoaders: { LOADER: {} },
        serviceBindings: { ASSETS: (request) => serveAsset(request, options.assets ?? {}) },
      },
    ],
    { resourcePersistencePath: path.join(state, "v3") },
  );
  const miniflare = new Miniflare(running);
  let url = await miniflare.ready;
  let db = await miniflare.getD1Database("DB");
  await migrate(db);

  const client = clientOf(url);
  const { keyOf } = client;
  const crowds = [];
  return {
    ...client,
    get db() {
      return db;
    },
    get url() {
      return url;
    },
    /** Kills the runtime while it works, and restarts it on the stored data. */
    async kill() {
      for (const pid of await runtimes()) process.kill(pid, "SIGKILL");
      await miniflare.setOptions(running);
      url = await miniflare.ready;
      db = await miniflare.getD1Database("DB");
    },
    /** Sends over one persistent connection per concurrent request, up to the limit `connections`. */
    crowd(connections) {
      const many = new http.Agent({ keepAlive: true, maxSockets: connections });
      crowds.push(many);
      return sender(url, many);
    },
    /** A user's request to publish a ZIP. */
    async upload(user, zip, fileName = "skill.zip", route = "/api/v1/kinds/skills/upload") {
      const form = new FormData();
      form.set("file", new Blob([zip], { type: "application/zip" }), fileName);
      const encoded = new globalThis.Response(form);
      return {
        method: "POST",
        route,
        headers: { authorization: `Bearer ${await keyOf(user)}`, "content-type": encoded.headers.get("content-type") },
        body: Buffer.from(await encoded.arrayBuffer()),
      };
    },
    async stop() {
      client.close();
      for (const each of crowds) each.destroy();
      await miniflare.dispose();
      if (options.state === undefined) await rm(state, { recursive: true, force: true });
    },
  };
}

/**
 * A client of a gateway, over one persistent connection.
 *
 * @param {URL} url
 */
export function clientOf(url) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const send = sender(url, agent);
  const keys = new Map();
  return {
    send,
    request,
    /** Sends JSON as a user and returns the parsed response. Throws unless the request succeeds. */
    async call(user, method, route, body) {
      const { text } = await send(await request(user, method, route, body));
      return text === "" ? null : JSON.parse(text);
    },
    keyOf,
    close: () => agent.destroy(),
  };

  async function request(user, method, route, body) {
    const headers = { authorization: `Bearer ${await keyOf(user)}` };
    if (body === undefined) return { method, route, headers };
    headers["content-type"] = "application/json";
    return { method, route, headers, body: Buffer.from(JSON.stringify(body)) };
  }

  async function keyOf(user) {
    if (user === null) return ADMIN_KEY;
    if (!keys.has(user)) {
      const body = Buffer.from(JSON.stringify({ user_id: user }));
      const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" };
      const { text } = await send({ method: "POST", route: "/api/v1/keys", headers, body });
      keys.set(user, JSON.parse(text).key);
    }
    return keys.get(user);
  }
}

/** Sends over one persistent connection. `ms` is the time from the first byte sent to the last byte received. */
function sender(url, agent) {
  return ({ method, route, headers = {}, body }) =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": body.length };
      const started = performance.now();
      const sent = http.request(
        { agent, host: url.hostname, port: url.port, method, path: route, headers: { ...headers, ...length } },
        (response) => {
          const chunks = [];
          response.on("data", (chunk) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const ms = performance.now() - started;
            const text = Buffer.concat(chunks).toString();
            if (response.statusCode >= 400) {
              reject(new Error(`${method} ${route}: ${response.statusCode} ${text.slice(0, 500)}`));
            } else resolve({ ms, text, headers: response.headers, status: response.statusCode });
          });
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
}

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };
/** As in the files of a deployment. */
const [, POLICY] = /^\/console\/\*\n(?: .*\n)*? {2}Content-Security-Policy: (.+)$/m.exec(
  await readFile(path.join(root, "public", "_headers"), "utf8"),
);

async function serveAsset(request, instead) {
  const asked = new URL(request.url).pathname;
  if (instead[asked] !== undefined) return new Response(instead[asked]);
  const name = asked === "/console/" ? "/console/index.html" : asked;
  if (!/^\/(tokens|sandbox|python|console(\/assets)?)\/[\w.-]+$/.test(name)) return new Response(null, { status: 404 });
  const headers = { "content-type": TYPES[path.extname(name)] ?? "application/json" };
  if (name.startsWith("/console/")) headers["content-security-policy"] = POLICY;
  return new Response(await readFile(path.join(root, "public", name)), { headers });
}

/** Applies the gateway's migrations, then creates similar tables for the floor of publishing. */
async function migrate(db) {
  const folder = path.join(root, "migrations");
  const files = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  // One call for each file: on a busy machine a connection that waited between hundreds of calls was closed.
  for (const file of files) await db.batch([db.prepare(await readFile(path.join(folder, file), "utf8"))]);
  await db.batch(
    [
      "CREATE TABLE bench_skills (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, name TEXT, version_id TEXT)",
      "CREATE INDEX bench_skills_name ON bench_skills (name)",
      "CREATE TABLE bench_versions (id TEXT PRIMARY KEY, upload TEXT, zip TEXT, size INTEGER, files TEXT, instructions TEXT)",
      "CREATE VIRTUAL TABLE bench_search USING fts5(name, description)",
      "CREATE TABLE bench_counters (scope TEXT PRIMARY KEY, value INTEGER)",
      "INSERT INTO bench_counters VALUES ('user:bench', 0)",
    ].map((statement) => db.prepare(statement)),
  );
}
