import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, vi } from "vitest";
import { buildGateway } from "../../scripts/build/worker.mjs";
import { openGateway } from "../../scripts/local/gateway.mjs";
import { applyMigrations } from "../../scripts/local/migrate.mjs";
import { runEveryHour } from "../../scripts/local/schedules.mjs";

it("every schedule is fired at each full hour", () => {
  vi.useFakeTimers({ now: new Date("2026-11-21T03:17:30Z") });
  try {
    const fired: string[] = [];
    runEveryHour(["17 * * * *", "0 3 * * *"], (cron, at) => fired.push(`${cron} at ${at.toISOString()}`));
    vi.advanceTimersByTime(42.5 * 60_000 - 1);
    expect(fired).toEqual([]);
    vi.advanceTimersByTime(1);
    const four = ["17 * * * * at 2026-11-21T04:00:00.000Z", "0 3 * * * at 2026-11-21T04:00:00.000Z"];
    expect(fired).toEqual(four);
    vi.advanceTimersByTime(60 * 60_000);
    expect(fired).toEqual([...four, ...four.map((line) => line.replace("T04", "T05"))]);
  } finally {
    vi.useRealTimers();
  }
});

it("a schedule of wrangler.toml reaches the Worker", async () => {
  const state = await mkdtemp(path.join(tmpdir(), "skill-gateway-cron-"));
  const { modules } = await buildGateway();
  const gateway = await openGateway({
    modules,
    variables: {},
    state,
    port: 0,
    owner: "",
    onRuntime: () => {},
    onLost: () => {},
  });
  try {
    await gateway.ready();
    await applyMigrations(await gateway.database());
    expect(gateway.schedules.length).toBeGreaterThan(0);
    for (const cron of gateway.schedules) expect(await gateway.runSchedule(cron, new Date())).toBe("ok");
  } finally {
    await gateway.stop();
    await rm(state, { recursive: true, force: true });
  }
});
