// The life of a container of Cloudflare: start, failures, and its end when it is idle.

import { expect, it } from "vitest";
import { ContainerHost, IDLE_MS, PORT } from "../../executor/cloudflare/container.mjs";

interface Behaviour {
  /** The attempts to reach the server that fail before it listens. */
  silent?: number;
  /** Why the container ends while it starts. */
  dies?: string;
  isRunning?: boolean;
  stored?: Record<string, unknown>;
  startMs?: number;
}

/** A host with a container and a storage in memory. */
function hostWith({ silent = 0, dies, isRunning = false, stored = {}, startMs = 60_000 }: Behaviour = {}) {
  const seen: { start: object[]; requests: Request[]; ports: number[]; destroyed: number; alarms: number[] } = {
    ...{ start: [], requests: [], ports: [], destroyed: 0, alarms: [] },
  };
  const values = new Map(Object.entries(stored));
  const died = Promise.withResolvers<void>();
  died.promise.catch(() => undefined);
  let left = silent;
  const container = {
    running: isRunning,
    start(options: object) {
      seen.start.push(options);
      container.running = true;
    },
    monitor: () => died.promise,
    getTcpPort: (port: number) => ({
      async fetch(request: Request) {
        if (dies !== undefined) {
          container.running = false;
          died.reject(new Error(dies));
          await died.promise.catch(() => undefined);
        }
        if (dies !== undefined || left-- > 0) throw new Error("the container is not listening");
        seen.ports.push(port);
        seen.requests.push(request);
        return Response.json({ protocol: 1, name: "bubblewrap" });
      },
    }),
    async destroy() {
      seen.destroyed++;
      container.running = false;
    },
  };
  const storage = {
    get: async (key: string) => values.get(key),
    put: async (key: string, value: unknown) => {
      values.set(key, value);
    },
    setAlarm: async (at: number) => {
      seen.alarms.push(at);
    },
  };
  const host = new ContainerHost({ container, storage, version: "v2", startMs, retryMs: 0 });
  const run = () => {
    const headers = { authorization: "Bearer the key of the gateway", "content-type": "text/plain" };
    return host.fetch(new Request("https://executor.example/v1/runs", { method: "POST", body: "run", headers }));
  };
  return { host, seen, values, container, run };
}

const about = new Request("https://executor.example/v1/executor");

it("passes a request on when the server listens, with the container's own key", async () => {
  const { seen, run, values } = hostWith({ silent: 3 });
  expect((await run()).status).toBe(200);
  const sent = seen.requests.at(-1);
  expect(sent?.url).toBe("http://executor/v1/runs");
  expect(sent?.headers.get("authorization")).toBe(`Bearer ${values.get("key")}`);
  expect(sent?.headers.get("content-type")).toBe("text/plain");
  expect(await sent?.text()).toBe("run");
  expect(seen.start).toEqual([
    {
      env: { EXECUTOR_KEY: values.get("key"), EXECUTOR_PROBE: "later", HOST: "0.0.0.0", PORT: String(PORT) },
      enableInternet: false,
    },
  ]);
  expect(new Set(seen.ports)).toEqual(new Set([PORT]));
});

it.each([
  ["that ends while it starts", { dies: "no instance is free" }, "no instance is free"],
  ["that never listens", { silent: Number.POSITIVE_INFINITY, startMs: 0 }, "it did not start within 0 s"],
])("reports a container %s, and starts it again with the next request", async (_, behaviour, problem) => {
  const { seen, run, container } = hostWith(behaviour);
  const response = await run();
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({
    error: { code: "EXECUTOR_UNAVAILABLE", message: `The container does not respond: ${problem}` },
  });
  container.running = false;
  await run();
  expect(seen.start).toHaveLength(2);
});

it("uses a container that still runs after its object was evicted", async () => {
  const { seen, run } = hostWith({ isRunning: true, stored: { key: "the key of before" } });
  await run();
  expect(seen.start).toEqual([]);
  expect(seen.requests.at(-1)?.headers.get("authorization")).toBe("Bearer the key of before");
});

it("replaces a running container whose key is unknown", async () => {
  const { seen, run } = hostWith({ isRunning: true });
  expect((await run()).status).toBe(200);
  expect([seen.destroyed, seen.start.length]).toEqual([1, 1]);
});

it("asks again what the executor has after a new deployment", async () => {
  const { host, seen, values } = hostWith({ stored: { description: { version: "v1", body: { protocol: 0 } } } });
  expect(await (await host.fetch(about)).json()).toEqual({ protocol: 1, name: "cloudflare" });
  const requests = seen.requests.length;
  expect(await (await host.fetch(about)).json()).toEqual({ protocol: 1, name: "cloudflare" });
  expect(seen.requests).toHaveLength(requests);
  expect(values.get("description")).toMatchObject({ version: "v2" });
});

it("ends a container that is idle, after every request that could still run, and starts another one later", async () => {
  const { host, seen, run } = hostWith();
  const began = Date.now();
  await run();
  // The longest run, and the time that the gateway waits for its start.
  expect(seen.alarms.at(-1)).toBeGreaterThanOrEqual(began + 300_000 + 15_000);
  expect(seen.alarms.at(-1)).toBeLessThanOrEqual(Date.now() + IDLE_MS);
  await run();
  expect(seen.alarms).toHaveLength(2);
  await host.alarm();
  expect(seen.destroyed).toBe(1);
  await host.alarm();
  expect(seen.destroyed).toBe(1);
  const keys = seen.start.length;
  await run();
  expect(seen.start).toHaveLength(keys + 1);
});

it("starts a container anew for a request that arrives while it ends", async () => {
  const { host, seen, run, container } = hostWith();
  await run();
  const ended = Promise.withResolvers<void>();
  container.destroy = async () => {
    await ended.promise;
    container.running = false;
  };
  const ending = host.alarm();
  const next = run();
  ended.resolve();
  await ending;
  expect((await next).status).toBe(200);
  expect(seen.start).toHaveLength(2);
});
