import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { buildGateway } from "../../scripts/build/worker.mjs";
import { openGateway } from "../../scripts/local/gateway.mjs";
import { applyMigrations } from "../../scripts/local/migrate.mjs";
import { runSchedules } from "../../scripts/local/schedules.mjs";

it("a schedule in minutes is fired at its interval, and every other one at each full hour", () => {
  vi.useFakeTimers({ now: new Date("2026-11-21T03:17:30Z") });
  try {
    const fired: string[] = [];
    runSchedules(["17 * * * *", "0 3 * * *"], (cron, at) => fired.push(`${cron} at ${at.toISOString()}`));
    vi.advanceTimersByTime(42.5 * 60_000 - 1);
    expect(fired).toEqual([]);
    vi.advanceTimersByTime(1);
    const four = ["17 * * * * at 2026-11-21T04:00:00.000Z", "0 3 * * * at 2026-11-21T04:00:00.000Z"];
    expect(fired).toEqual(four);
    vi.advanceTimersByTime(60 * 60_000);
    expect(fired).toEqual([...four, ...four.map((line) => line.replace("T04", "T05"))]);
    fired.length = 0;
    runSchedules(["*/20 * * * *"], (cron, at) => fired.push(`${cron} at ${at.toISOString().slice(11, 16)}`));
    vi.advanceTimersByTime(59 * 60_000);
    expect(fired).toEqual(["*/20 * * * * at 05:20", "*/20 * * * * at 05:40"]);
  } finally {
    vi.useRealTimers();
  }
});

async function opened() {
  const state = await mkdtemp(path.join(tmpdir(), "skill-gateway-cron-"));
  const { modules } = await buildGateway();
  const watched = { onRuntime: () => {}, onLost: () => {} };
  const gateway = await openGateway({ modules, variables: {}, state, port: 0, owner: "", ...watched });
  onTestFinished(async () => {
    await gateway.stop();
    await rm(state, { recursive: true, force: true });
  });
  await gateway.ready();
  await applyMigrations(await gateway.database());
  return gateway;
}

it("a schedule of wrangler.toml reaches the Worker", async () => {
  const gateway = await opened();
  const database = await gateway.database();
  const entry = JSON.stringify({ url: "https://127.0.0.1/not-allowed-when-deployed" });
  await database.prepare("INSERT INTO mcp_servers (name, entry, created_by) VALUES ('one', ?, 'x')").bind(entry).run();
  const checks = async () => (await database.prepare("SELECT server FROM server_checks").all()).results;
  const [hourly, ...others] = gateway.schedules;
  expect(await gateway.runSchedule(hourly, new Date())).toBe("ok");
  expect(await checks()).toEqual([]);
  // The Worker compares the expression of the checks with its own.
  for (const cron of others) expect(await gateway.runSchedule(cron, new Date())).toBe("ok");
  expect(await checks()).toEqual([{ server: "one" }]);
});

it("a schedule does not block this process while workerd is stuck, so that the watchdog can end it", async () => {
  const gateway = await opened();
  const pid = gateway.runtime();
  const isStopped = async () => (await readFile(`/proc/${pid}/stat`, "utf8")).includes(") T ");
  process.kill(pid, "SIGSTOP");
  // If this process were blocked, only another one could continue workerd.
  const rescue = spawn("sh", ["-c", `sleep 20; kill -CONT ${pid}`]);
  const run = gateway.runSchedule(gateway.schedules[0] ?? "", new Date());
  await setTimeout(500);
  expect(await isStopped()).toBe(true);
  process.kill(pid, "SIGCONT");
  expect(await run).toBe("ok");
  rescue.kill();
});
