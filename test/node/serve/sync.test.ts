// Objects of R2 are on the disk before a put resolves.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { syncHandler } from "../../../scripts/serve/sync.mjs";
import { withDurableBucket } from "../../../scripts/serve/worker/durable.js";

let place: string;
beforeAll(async () => {
  place = await mkdtemp(path.join(tmpdir(), "skill-gateway-sync-"));
  const index = path.join(place, "r2", "miniflare-R2BucketObject");
  const blobs = path.join(place, "r2", "bucket", "blobs");
  for (const folder of [index, blobs]) await mkdir(folder, { recursive: true });
  const db = new DatabaseSync(path.join(index, "a.sqlite"));
  db.exec("CREATE TABLE _mf_objects (key TEXT PRIMARY KEY, blob_id TEXT)");
  db.exec("INSERT INTO _mf_objects VALUES ('here', 'blob'), ('gone', 'missing')");
  db.close();
  await writeFile(path.join(blobs, "blob"), "bytes");
});
afterAll(() => rm(place, { recursive: true, force: true }));

const request = (key: string) => new Request("http://sync/", { method: "POST", body: key });

it("syncs the object of a key, and accepts one that was deleted meanwhile", async () => {
  const handle = syncHandler(place, "bucket");
  for (const key of ["here", "gone", "unknown"]) expect((await handle(request(key))).status).toBe(204);
});

it("reports what it cannot sync", async () => {
  const handle = syncHandler(path.join(place, "missing"), "bucket");
  const answer = await handle(request("here"));
  expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining("ENOENT")]);
});

it("a put resolves after the sync, fails with it, and needs none if its condition does not hold", async () => {
  const steps: string[] = [];
  let status = 204;
  const bucket = {
    async put(key: string) {
      steps.push(`put ${key}`);
      return key === "exists" ? null : { key };
    },
    get: (key: string) => `got ${key}`,
  };
  const SYNC = {
    async fetch(_: string, { body }: { body: string }) {
      steps.push(`sync ${body}`);
      return new Response(status === 204 ? null : "the disk is broken", { status });
    },
  };
  const env = { PACKAGES: bucket, SYNC, OTHER: 1 };
  const { PACKAGES, ...rest } = withDurableBucket(env, "PACKAGES");
  expect(rest).toEqual({ OTHER: 1 });
  expect(withDurableBucket(env, "PACKAGES").PACKAGES).toBe(PACKAGES);
  expect(await PACKAGES.put("a")).toEqual({ key: "a" });
  expect(await PACKAGES.put("exists")).toBeNull();
  expect(PACKAGES.get("a")).toBe("got a");
  expect(steps).toEqual(["put a", "sync a", "put exists"]);
  status = 500;
  await expect(PACKAGES.put("b")).rejects.toThrow("the object was not synced: the disk is broken");
});
