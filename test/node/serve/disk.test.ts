// Rejecting changes when the state cannot be written.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Refusal } from "../../../scripts/kit/refusal.mjs";
import { checkWritable, RESERVE, storageProblem } from "../../../scripts/serve/disk.mjs";

let state: string;
beforeAll(async () => {
  state = await mkdtemp(path.join(tmpdir(), "skill-gateway-disk-"));
});
afterAll(() => rm(state, { recursive: true, force: true }));

const check = async () => {};

it("accepts a folder with room, also before the first start has made it", async () => {
  await checkWritable(state);
  await checkWritable(path.join(state, "missing"));
  expect(await storageProblem(state, { check, free: async () => RESERVE })).toBeNull();
});

it("rejects changes below the reserve, and names both figures", async () => {
  const problem = await storageProblem(state, { check, free: async () => RESERVE - 1 });
  expect(problem).toMatchObject({
    status: 507,
    code: "DISK_FULL",
    detail: expect.stringContaining("63 MiB free, 64 MiB needed"),
  });
});

it("rejects changes while the state is read-only", async () => {
  const readOnly = async () => {
    throw new Refusal("read-only");
  };
  expect(await storageProblem(state, { check: readOnly })).toMatchObject({ status: 503, code: "STATE_READ_ONLY" });
  const broken = async () => {
    throw new Error("unknown");
  };
  await expect(storageProblem(state, { check: broken })).rejects.toThrow("unknown");
});
