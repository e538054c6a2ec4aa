import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { emptyPlace, kill, newPlace, type Run, readLock, start, until } from "./launcher";

/** Returns `"ready"`, or the way the run ended. */
function outcomeOf(run: Run) {
  const ready = run.ready().then(
    () => "ready",
    () => run.exit,
  );
  return Promise.race([run.exit, ready]);
}

it("a second start on a running state refuses, says where the first one is, and disturbs nothing", async () => {
  const place = await newPlace();
  const first = start(place);
  const gateway = await first.ready();
  const second = start(place);
  expect(await second.exit).toBe(1);
  expect(second.stdout).toEqual([]);
  expect(second.stderr.join("\n")).toContain(
    `already running on ${place.state}: ${gateway.url} (process ${first.process.pid})`,
  );
  expect((await gateway.fetch("/api/v1/me")).status).toBe(200);
});

it("of starts at the same moment one wins", async () => {
  const place = await emptyPlace();
  const runs = [start(place), start(place), start(place)];
  expect((await Promise.all(runs.map(outcomeOf))).sort()).toEqual([1, 1, "ready"]);
  const gateway = await Promise.any(runs.map((run) => run.ready()));
  // Without the lock, each start would create its own keys.
  expect(await readFile(place.vars, "utf8")).toMatch(
    new RegExp(`^GATEWAY_ADMIN_KEY="${gateway.key}"\nSECRETS_KEY="[^"]{44}"\n$`),
  );
});

it("of starts at the same moment on a state that was left behind one wins", async () => {
  const place = await newPlace();
  const killed = start(place);
  await killed.ready();
  const { runtime } = await killed.lock();
  await killed.stop("SIGKILL");
  const runs = [start(place), start(place), start(place)];
  expect((await Promise.all(runs.map(outcomeOf))).sort()).toEqual([1, 1, "ready"]);
  expect((await readLock(place))?.runtime?.pid).not.toBe(runtime.pid);
});

it.each([
  ["empty", ""],
  ["half-written", '{"id":"x","port":8787,"laun'],
  ["of a dead process", '{"id":"x","port":8787,"launcher":{"pid":4194300,"began":"x"},"runtime":null,"group":false}'],
  // Process ids are reused, especially in containers.
  [
    "whose numbers others have now",
    JSON.stringify({
      id: "x",
      port: 8787,
      launcher: { pid: process.pid, began: "at another time" },
      runtime: { pid: process.ppid, began: "at another time" },
      group: false,
    }),
  ],
])("a lock that is %s is in nobody's way", async (_, content) => {
  const place = await newPlace();
  await mkdir(place.state, { recursive: true });
  await writeFile(path.join(place.state, "gateway.lock"), content);
  const run = start(place);
  await until("the lock is its own", async () => {
    const lock = await readLock(place);
    return lock !== null && lock.launcher.pid === run.process.pid && lock.runtime !== null;
  });
});

it("a port of another program is named, and the lock is given back", async () => {
  const place = await newPlace();
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });
  const run = start(place, { port });
  expect(await run.exit).toBe(1);
  expect(run.stderr.join("\n")).toBe(`Port ${port} is taken by another program. Choose another one with --port.`);
  expect(await readLock(place)).toBeNull();
  server.close();
});

describe("a start that is killed leaves nothing in the way", () => {
  it("when it had just taken the lock", async () => {
    const place = await emptyPlace();
    const killed = start(place);
    await until("the lock is there", () => readLock(place));
    await killed.stop("SIGKILL");
    await start(place).ready();
  });

  it("when it had just started workerd", async () => {
    const place = await emptyPlace();
    const killed = start(place);
    const { port } = await killed.lock();
    await killed.stop("SIGKILL");
    await start(place, { port }).ready();
  });

  it("when workerd was not even written down", async () => {
    const place = await newPlace();
    const killed = start(place);
    await killed.ready();
    const lock = await killed.lock();
    await killed.stop("SIGKILL");
    if (process.platform !== "linux") return kill(lock.runtime.pid);
    await writeFile(path.join(place.state, "gateway.lock"), JSON.stringify({ ...lock, runtime: null }));
    const run = start(place, { port: lock.port });
    await run.ready();
    expect(run.stderr).toEqual(["stopping processes of a killed gateway"]);
  });
});
