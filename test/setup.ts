// Each file begins with an empty registry, whatever files ran in this worker before it.

import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, vi } from "vitest";
// What the gateway loads with its first use. Here a module comes through a connection of the pool, and where two objects ask for one at the
// same time, one of them waits for the other's I/O, which the runtime refuses.
import "../src/api/edge";
import "../src/app";
import "../src/api/reference/document";
import "../src/chat/edges";
import "../src/compat/clawhub/edges";
import "../src/compat/clawhub/publishing";
import "../src/compat/edges";
import "../src/conversation/live";
import "../src/cron";
import "../src/domain/package/flat";
import "../src/services/doors/agent-plugin";
import "../src/chat/endpoint";
import "../src/mcp/exchange";
import "../src/mcp/routes";
import "../src/domain/package/yaml-parser";
import "../src/services/access/jose";
import "../src/upstream/mcp-client";
import "../src/services/chat/object";
import "../src/imports/ring";
import "../src/services/housekeeping";
import "../src/services/registry/assess";
import "../src/services/registry/draft-push";
import "../src/services/registry/publish";
import "../src/services/registry/share";
import "../src/services/tools/describe";
import "../src/services/tools/provided";
import "../src/services/tools/script";
import { emptyDatabase } from "./support/empty";
import "./support/isolate";
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

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
