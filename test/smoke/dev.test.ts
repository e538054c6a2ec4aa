import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { isAlive, newPlace, readLock, runtimesOf, start } from "./launcher";
import { readSkill, upload } from "./skill";

const root = path.dirname(path.dirname(import.meta.dirname));

it("npm start and npm run dev share one state, and never at the same time", async () => {
  const place = await newPlace();
  const first = start(place);
  const id = await upload(await first.ready(), "shared", "From npm start.");
  await first.stop();

  const dev = start(place, { script: "dev", npm: true });
  const gateway = await dev.ready();
  expect(dev.stdout[0]).toBe(`✔ ready at ${gateway.url}`);
  expect(dev.stdout.at(-1)).toBe(`  Admin key  in ${place.vars}`);
  expect(await readSkill(gateway, id)).toContain("From npm start.");
  const other = await upload(gateway, "shared-too", "From npm run dev.");
  expect(await start(place).exit).toBe(1);

  await dev.stop();
  expect(runtimesOf(place)).toEqual([]);
  expect(await readLock(place)).toBeNull();
  expect(await readSkill(await start(place).ready(), other)).toContain("From npm run dev.");
});

it("a start takes over from a dev launcher that was killed", async () => {
  const place = await newPlace();
  const dev = start(place, { script: "dev" });
  const gateway = await dev.ready();
  const { runtime } = await dev.lock();
  await dev.stop("SIGKILL");
  const run = start(place, { port: Number(new URL(gateway.url).port) });
  await run.ready();
  expect(isAlive(runtime.pid)).toBe(false);
  const { runtime: gatewayProcess, runner } = await run.lock();
  const expected = process.platform === "linux" ? [gatewayProcess.pid, runner?.pid] : [];
  expect(runtimesOf(place).toSorted()).toEqual(expected.toSorted());
});

it("wrangler agrees about which migrations are applied", async () => {
  const place = await newPlace();
  const run = start(place);
  await run.ready();
  await run.stop();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      path.join(root, "node_modules", "wrangler", "bin", "wrangler.js"),
      ...["d1", "migrations", "list", "DB", "--local", "--persist-to", place.state],
    ],
    { cwd: root, env: { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false", WRANGLER_WRITE_LOGS: "false" } },
  );
  expect(stdout).toContain("No migrations to apply");
});
