// The executor in Cloudflare Containers. The Worker runs in workerd, and a simulated container starts the server of the image on this
// machine. Nothing here runs in an account.

import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { json } from "node:stream/consumers";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { serveExecutor } from "../../executor/server.mjs";
import { convertV4MiniflareOptions, Miniflare } from "../../scripts/kit/miniflare.mjs";
import { readWranglerConfig } from "../../scripts/kit/wrangler-config.mjs";
import { canConfine, given, KEY, Machine } from "../support/executor-network";
import { expectNoProcess } from "../support/left-processes";

/** On a busy machine a run starts late. */
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const root = path.dirname(path.dirname(import.meta.dirname));
/** Seconds that no test waits for. */
const FOREVER = 2_000 + Math.random();

const startSchema = z.strictObject({
  id: z.string(),
  env: z.record(z.string(), z.string()),
  enableInternet: z.boolean(),
});
type Start = z.infer<typeof startSchema>;

/** The started containers, and their servers. */
const starts: Start[] = [];
const servers = new Map<string, Awaited<ReturnType<typeof serveExecutor>>>();
let miniflare: InstanceType<typeof Miniflare>;
let url: string;

const machine = createServer(async (request, response) => {
  const body = await json(request);
  if (request.url === "/stop") {
    const { id } = z.object({ id: z.string() }).parse(body);
    await servers.get(id)?.close();
    return response.end();
  }
  const start = startSchema.parse(body);
  starts.push(start);
  const server = await serveExecutor({ key: start.env.EXECUTOR_KEY ?? "", parallel: 1, checksFirst: "none" });
  servers.set(start.id, server);
  response.end(server.url);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => machine.listen(0, "127.0.0.1", resolve));
  const built = await build({
    entryPoints: [path.join(root, "test/support/executor-container.mjs")],
    ...{ bundle: true, format: "esm", write: false, external: ["cloudflare:workers"] },
  });
  const config = await readWranglerConfig(path.join(root, "executor/cloudflare/wrangler.toml"));
  const [binding] = config.durable_objects.bindings;
  miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: built.outputFiles[0]?.text ?? "",
      compatibilityDate: config.compatibility_date,
      compatibilityFlags: config.compatibility_flags,
      bindings: {
        EXECUTOR_KEY: KEY,
        MACHINE: `http://127.0.0.1:${(machine.address() as AddressInfo).port}`,
        VERSION: { id: "version-1" },
      },
      durableObjects: { [binding.name]: { className: binding.class_name, useSQLite: true } },
    }),
  );
  url = (await miniflare.ready).origin;
});
afterAll(async () => {
  await miniflare?.dispose();
  await Promise.all([...servers.values()].map((server) => server.close()));
  machine.close();
});

/** The form of a shell script, as the gateway sends it. */
function formOf(script: string, network?: { id: string }): FormData {
  const form = new FormData();
  form.set("run", JSON.stringify({ language: "shell", path: "/skill/a.sh", ms: 300_000, network }));
  form.append("file", new Blob([script]), encodeURIComponent("/skill/a.sh"));
  return form;
}
const headersOf = (session: string) => ({ authorization: `Bearer ${KEY}`, "executor-session": session });
const post = (script: string, { session }: { session: string }) =>
  fetch(`${url}/v1/runs`, { method: "POST", body: formOf(script), headers: headersOf(session) });

const resultSchema = z.object({ stdout: z.string(), exit_code: z.number().nullable() });
async function resultOf(response: Response) {
  const part = (await response.formData()).get("result");
  return resultSchema.parse(JSON.parse(part === null || typeof part === "string" ? "" : await part.text()));
}

it.each([
  ["a wrong key", "/v1/executor", { headers: { authorization: "Bearer wrong" } }, 401],
  ["no key", "/v1/executor", {}, 401],
  ["another path", "/v1/other", { headers: { authorization: `Bearer ${KEY}` } }, 404],
  ["another method", "/v1/runs", { headers: { authorization: `Bearer ${KEY}` } }, 404],
  ["a run without a session", "/v1/runs", { method: "POST", headers: { authorization: `Bearer ${KEY}` } }, 422],
  [
    "a session that is no name",
    "/v1/runs",
    { method: "POST", headers: { authorization: `Bearer ${KEY}`, "executor-session": "../../about" } },
    422,
  ],
])("refuses %s, and starts no container", async (_, route, init, status) => {
  const before = starts.length;
  const response = await fetch(url + route, init);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error: { code: expect.any(String), message: expect.any(String) } });
  expect(starts.length).toBe(before);
});

describe.runIf(canConfine)("a container", () => {
  it("runs the scripts of one session, without a network and with a key of its own", async () => {
    const before = starts.length;
    const [one, other] = ["session-of-alice-1", "session-of-bob-00001"];
    // Two runs at once start one container.
    const runs = await Promise.all([one, one, other].map((session) => post("echo ran; touch /tmp/kept", { session })));
    for (const run of runs) expect(await resultOf(run)).toEqual({ stdout: "ran\n", exit_code: 0 });
    const again = await post("ls /tmp", { session: one });
    expect(await resultOf(again)).toEqual({ stdout: "", exit_code: 0 });
    const started = starts.slice(before);
    expect(new Set(started.map(({ id }) => id)).size).toBe(2);
    expect(started).toHaveLength(2);
    const keys = started.map(({ env }) => env.EXECUTOR_KEY ?? "");
    expect(new Set([...keys, KEY]).size).toBe(3);
    for (const { env, enableInternet } of started) {
      expect(enableInternet).toBe(false);
      expect(Object.keys(env).sort()).toEqual(["EXECUTOR_KEY", "EXECUTOR_PROBE", "HOST", "PORT"]);
    }
  });

  it("describes the executor once per deployment", async () => {
    const before = starts.length;
    const about = async () =>
      (await fetch(`${url}/v1/executor`, { headers: { authorization: `Bearer ${KEY}` } })).json();
    const first = await about();
    expect(first).toMatchObject({ protocol: 1, name: "cloudflare", network: true, languages: expect.any(Array) });
    for (const server of servers.values()) await server.close();
    servers.clear();
    expect(await about()).toEqual(first);
    expect(starts.length).toBe(before + 1);
  });

  it("sends requests to declared hosts through the gateway, with its values", async () => {
    given.approved = ["api.example.org"];
    given.values = new Map([["TOKEN", { value: "a-value-that-is-secret", hosts: ["api.example.org"] }]]);
    const hosts = new Machine(url);
    hosts.begin(() => new Response("answered"));
    try {
      const script = `const headers = { authorization: "Bearer " + process.env.TOKEN };
console.log(await (await fetch("https://api.example.org/v1", { headers })).text());
console.log((await fetch("https://files.example.org/")).status);`;
      const run = await hosts.run("javascript", script);
      expect(run).toMatchObject({ exit_code: 0, executor: "remote", stdout: "answered\n403\n" });
      expect(hosts.sent).toMatchObject([
        { url: "https://api.example.org/v1", headers: { authorization: "Bearer a-value-that-is-secret" } },
      ]);
    } finally {
      hosts.end();
    }
  });

  it("ends the run of a caller that has gone, and then serves the session again", async () => {
    const session = "session-of-carol-01";
    const script = `node -e 'fetch("https://api.example.org/started")' & sleep ${FOREVER}`;
    const form = new Response(formOf(script, { id: crypto.randomUUID() }));
    const headers = { ...headersOf(session), "content-type": form.headers.get("content-type") ?? "" };
    const caller = httpRequest(`${url}/v1/runs`, { method: "POST", headers });
    caller.on("error", () => {});
    caller.end(Buffer.from(await form.arrayBuffer()));
    const [response]: IncomingMessage[] = await once(caller, "response");
    response?.on("error", () => {});
    // The script has sent a request, so it runs.
    const [first]: Buffer[] = response === undefined ? [] : await once(response, "data");
    expect(String(first)).toContain("/started");
    // workerd on this machine notices only a connection that is reset.
    caller.socket?.resetAndDestroy();
    // The server of the container runs one script at a time.
    expect(await resultOf(await post("echo next", { session }))).toEqual({ stdout: "next\n", exit_code: 0 });
    await expectNoProcess(`sleep ${FOREVER}`);
  });
});
