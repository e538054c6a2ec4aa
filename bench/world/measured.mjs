// Measures the calls that each operation waits for. The gateway runs in one Worker with the wrapper of test/support/world around its
// bindings. Every request is sent cold (to an isolate that has not served the caller) and warm (to one that has just served it).

import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { bundle } from "../../scripts/build/bundle.mjs";
import { root } from "../../scripts/kit/files.mjs";
import { Miniflare, quietWorkers, Response } from "../../scripts/kit/miniflare.mjs";
import { readWranglerConfig } from "../../scripts/kit/wrangler-config.mjs";
import { beside, publish } from "./lagging.mjs";
import { skillZip, toolZip } from "./skills.mjs";

const ADMIN_KEY = "sgw_bench_admin_key_of_this_process_only";

/**
 * @param {string} tree the folder of the gateway to measure: this one, or a checkout of an older one
 * @returns {Promise<{ journeys: Record<string, object[]>, held: { gate: string, ok: boolean }[] }>} the journeys of each operation, and the
 * checks with a lagging replica
 */
export async function measure(tree) {
  const gateway = await start(tree);
  try {
    return { journeys: await drive(gateway), held: await beside(gateway) };
  } finally {
    await gateway.stop();
  }
}

async function drive({ ask, keyFor, measured, page }) {
  const must = async (...given) => {
    const { status, text } = await measured(...given);
    if (status >= 300) throw new Error(`${JSON.stringify(given[1]).slice(0, 200)}: ${status} ${text.slice(0, 500)}`);
    return text;
  };
  const { key } = await keyFor("traveller");
  for (const name of ["first", "second", "third"]) await ask(key, publish(skillZip(name)));
  await ask(key, publish(toolZip("tool")));
  const chat = (id, rest, json) => ({ method: "POST", path: `/api/v1/conversations/${id}${rest}`, json });
  const call = (id, name, args) =>
    chat(id, "/tool-calls", { calls: [{ id: crypto.randomUUID(), name, arguments: args }] });
  const load = (id, skill_name) => call(id, "load_skill", { skill_name });
  let isolates = 0;
  const cold = () => `cold-${++isolates}`;
  /** An isolate that has just served the caller and finished its background work. */
  const warm = async () => {
    const isolate = `warm-${++isolates}`;
    for (let n = 0; n < 2; n++) await must(key, { method: "GET", path: "/api/v1/kinds/skills?limit=1" }, isolate);
    return isolate;
  };
  const found = {};
  const note = async (name, isolate, requests) => {
    found[name] = [];
    for (const request of requests) {
      const { status, text, journey } = await measured(key, request, isolate);
      if (status >= 300) throw new Error(`${name}: ${status} ${text.slice(0, 500)}`);
      found[name].push(journey);
    }
  };
  const message = (id, skill) => [chat(id, "/turns", {}), load(id, skill), call(id, "echo", { text: "x" })];
  /** Creates a conversation in its second turn, with the tool's skill loaded. */
  const stand = async (id) => {
    await ask(key, chat(id, "/turns", { conversation: {} }));
    await ask(key, load(id, "tool"));
  };

  // Objects of this isolate have read the skill before. No object has read that of the last row.
  await stand("zero");
  await ask(key, load("zero", "first"));
  await note("message, creating", cold(), [
    chat("new", "/turns", { conversation: {} }),
    load("new", "first"),
    call("new", "get_weather", {}),
  ]);
  await stand("one");
  await note("message, cold", cold(), message("one", "first"));
  await stand("two");
  await note("message, warm", await warm(), message("two", "first"));
  await stand("three");
  await note("message, cold, unread skill", cold(), message("three", "second"));
  await note("file, cold", cold(), [call("two", "read_skill", { skill_name: "first", file_path: "reference.md" })]);
  await note("file, warm", await warm(), [
    call("two", "read_skill", { skill_name: "first", file_path: "reference.md" }),
  ]);
  await note("publish, cold", cold(), [publish(skillZip("fourth"))]);
  await note("publish, warm", await warm(), [publish(skillZip("fifth"))]);
  await stand("asked");
  const [first, later] = await page(key, "asked");
  found["page's answer, first"] = [first];
  found["page's answer, later"] = [later];
  return found;
}

async function start(tree) {
  const state = await mkdtemp(path.join(os.tmpdir(), "gateway-world-"));
  const { compatibility_date, compatibility_flags } = await readWranglerConfig();
  const modules = await bundled(tree);
  const miniflare = new Miniflare(
    quietWorkers(
      [
        {
          name: "skill-gateway",
          modules,
          compatibilityDate: compatibility_date,
          compatibilityFlags: [...compatibility_flags, "nodejs_als"],
          bindings: { GATEWAY_ADMIN_KEY: ADMIN_KEY, LOG_REQUESTS: "false" },
          d1Databases: { DB: "primary", REPLICA_DB: "replica" },
          r2Buckets: { PACKAGES: "skill-gateway" },
          durableObjects: { CONVERSATIONS: { className: "Conversation", useSQLite: true } },
          workerLoaders: { LOADER: {} },
          serviceBindings: { ASSETS: serveAsset },
        },
      ],
      { resourcePersistencePath: path.join(state, "v3") },
    ),
  );
  const url = await miniflare.ready;
  for (const binding of ["DB", "REPLICA_DB"]) await migrate(await miniflare.getD1Database(binding), tree);

  async function send(key, { method, path: route, json, form }, prefix = "", headers = {}) {
    const body = json === undefined ? form?.() : JSON.stringify(json);
    return fetch(new URL(prefix + route, url), {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(json === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
  }
  async function ask(key, request) {
    const answer = await send(key, request);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${request.path}: ${answer.status} ${text.slice(0, 500)}`);
    return JSON.parse(text);
  }
  return {
    keyFor: (user) => ask(ADMIN_KEY, { method: "POST", path: "/api/v1/keys", json: { user_id: user } }),
    ask,
    async measured(key, request, isolate) {
      const headers = { ...request.headers, "x-test-isolate": isolate };
      return (await send(key, request, "/world/measure", headers)).json();
    },
    async lag(ms) {
      await send(ADMIN_KEY, { method: "POST", path: `/world/lag/${ms}` });
    },
    async page(key, id) {
      return (await send(key, { method: "POST", path: `/world/page/${id}` })).json();
    },
    async stop() {
      await miniflare.dispose();
      await rm(state, { recursive: true, force: true });
    },
  };
}

/** The Worker with the gateway of `tree`. */
async function bundled(tree) {
  const gateway = path.join(tree, "src/index.ts");
  const { define } = await readWranglerConfig();
  const { outputFiles } = await bundle({
    entryPoints: { index: path.join(root, "bench/world/worker.ts") },
    format: "esm",
    target: "es2024",
    supported: { using: true },
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    define: { "process.env.NODE_ENV": '"production"', __SKILLS_VERSION__: '"bench"', ...define },
    loader: { ".txt": "text" },
    splitting: true,
    outdir: root,
    entryNames: "index",
    chunkNames: "[name]-[hash]",
    plugins: [
      {
        name: "the gateway under measurement",
        setup({ onResolve }) {
          onResolve({ filter: /\/src\/index$/ }, () => ({ path: gateway }));
        },
      },
    ],
  });
  const files = outputFiles.map(({ path: file, text }) => ({
    type: "ESModule",
    path: path.basename(file),
    contents: text,
  }));
  return files.sort((a, b) => Number(b.path === "index.js") - Number(a.path === "index.js"));
}

async function migrate(db, tree) {
  const folder = path.join(tree, "migrations");
  for (const file of (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort()) {
    const statements = (await readFile(path.join(folder, file), "utf8")).split("--> statement-breakpoint");
    for (const statement of statements) await db.prepare(statement.trim()).run();
  }
}

async function serveAsset(request) {
  const file = path.join(root, "public", path.normalize(new URL(request.url).pathname));
  const text = file.startsWith(path.join(root, "public")) ? await readFile(file).catch(() => null) : null;
  return text === null ? new Response(null, { status: 404 }) : new Response(text);
}
