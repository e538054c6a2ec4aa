import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { buildGateway } from "../../scripts/build/worker.mjs";
import { parseSchedule } from "../../scripts/local/cron.mjs";
import { openGateway } from "../../scripts/local/gateway.mjs";
import { applyMigrations } from "../../scripts/local/migrate.mjs";

it.each([
  ["17 * * * *", "2026-11-21T03:17:00Z", true],
  ["17 * * * *", "2026-11-21T03:18:00Z", false],
  ["*/15 * * * *", "2026-11-21T03:45:00Z", true],
  ["*/15 * * * *", "2026-11-21T03:46:00Z", false],
  ["0 3-5,22 * * *", "2026-11-21T22:00:00Z", true],
  ["0 3-5,22 * * *", "2026-11-21T06:00:00Z", false],
  ["0 0 */10 * *", "2026-11-21T00:00:00Z", true],
  ["0 0 * * 6", "2026-11-21T00:00:00Z", true],
  ["0 0 * * 0", "2026-11-21T00:00:00Z", false],
])("%s at %s: %s", (cron, at, due) => {
  expect(parseSchedule(cron)(new Date(at))).toBe(due);
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
