import { expect, it } from "vitest";
import { type Gateway, isAlive, newPlace, type Run, readLock, start, until } from "./launcher";

/** Checks that the gateway does not answer, its processes ended and its lock is released. */
async function expectGone(run: Run, gateway: Gateway, runtime: number): Promise<void> {
  await expect(fetch(new URL("/health", gateway.url))).rejects.toThrow();
  expect(isAlive(runtime)).toBe(false);
  expect(await readLock(run.place)).toBeNull();
}

it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s ends everything in good order", async (signal) => {
  const run = start(await newPlace());
  const gateway = await run.ready();
  const { runtime } = await run.lock();
  const began = performance.now();
  await run.stop(signal);
  expect(performance.now() - began).toBeLessThan(30_000);
  expect(await run.exit).toBe(0);
  await expectGone(run, gateway, runtime.pid);
});

it.each(["SIGTERM", "SIGINT"] as const)("%s to npm ends everything too", async (signal) => {
  const run = start(await newPlace(), { npm: true });
  const gateway = await run.ready();
  const { runtime } = await run.lock();
  const began = performance.now();
  await run.stop(signal);
  expect(performance.now() - began).toBeLessThan(30_000);
  await expectGone(run, gateway, runtime.pid);
});

it("a signal in the middle of a start ends it", async () => {
  const run = start(await newPlace());
  const { runtime } = await run.lock();
  await run.stop();
  expect(run.stdout).toEqual([]);
  expect(isAlive(runtime.pid)).toBe(false);
  expect(await readLock(run.place)).toBeNull();
});

it("kill -9 of npm ends the launcher in good order", async () => {
  const run = start(await newPlace(), { npm: true });
  const gateway = await run.ready();
  const { launcher, runtime } = await run.lock();
  expect(launcher.pid).not.toBe(run.process.pid);
  await run.stop("SIGKILL");
  await until("the launcher is gone", async () => (await readLock(run.place)) === null);
  await expectGone(run, gateway, runtime.pid);
});
