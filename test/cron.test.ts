import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import worker from "../src/index";

it("sweeps on schedule, and leaves alone what a publish may still commit", async () => {
  await env.PACKAGES.put("packages/ver_young.zip", "x");
  await env.DB.prepare(
    "INSERT INTO idempotency (user_id, key, request, status, subject, created_at) VALUES ('u', 'old', 'r', 201, 's', 0), ('u', 'new', 'r', 201, 's', ?)",
  )
    .bind(Date.now())
    .run();
  await worker.scheduled(createScheduledController(), env);
  expect(await env.PACKAGES.head("packages/ver_young.zip")).not.toBeNull();
  const left = await env.DB.prepare("SELECT key FROM idempotency").all();
  expect(left.results).toEqual([{ key: "new" }]);
});
