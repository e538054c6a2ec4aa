// Each file starts with an empty registry, whichever files ran in this worker before.

import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeEach, vi } from "vitest";
import { emptyDatabase } from "./support/empty";
import "./support/isolate";
import { beginLogs, captureLogs, checkLogs } from "./support/logs";
import { beginFile } from "./support/per-file";

async function emptyBucket(): Promise<void> {
  for (;;) {
    const { objects } = await env.PACKAGES.list();
    if (objects.length === 0) return;
    await env.PACKAGES.delete(objects.map(({ key }) => key));
  }
}

await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
await emptyDatabase(env.DB);
await emptyBucket();
await beginFile();
captureLogs();

// All files of a worker share its modules. After a reset, the counters of test/support would start again, while conversations stay stored.
vi.resetModules = () => {
  throw new Error(
    "vi.resetModules() affects later files. Import the module with a query instead (test/connections/kills.test.ts).",
  );
};

beforeEach(beginLogs);
afterEach(checkLogs);

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
