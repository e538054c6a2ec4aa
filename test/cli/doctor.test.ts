// `skillgate doctor`: the health of a gateway, and whether it accepts the key.

import { afterAll, beforeAll, expect, it } from "vitest";
import { Stub, send, WorkFolder } from "../support/skillgate";

const ADVICE = "bwrap is not installed. Install it: apt-get install bubblewrap";
const HEALTHY = { status: "ok", version: "1.2.3", checks: { d1: "ok", executor: "absent" } };

let work: WorkFolder;
beforeAll(async () => {
  work = await WorkFolder.make();
});
afterAll(() => work.remove());

async function doctor(health: { status: number; body: object }, key = "sgw_good") {
  const stub = await Stub.open((request, response) => {
    if (request.url === "/health") return send(response, health.status, health.body);
    if (request.headers.authorization !== "Bearer sgw_good")
      return send(response, 401, { code: "UNAUTHENTICATED", detail: "The key is not good." });
    return send(response, 200, { user_id: "ann", role: "user" });
  });
  try {
    return await work.run("doctor", "--url", stub.url, "--key", key);
  } finally {
    stub.close();
  }
}

it("reports a healthy gateway", async () => {
  const { code, stdout } = await doctor({ status: 200, body: HEALTHY });
  expect(code).toBe(0);
  expect(stdout).toMatch(/version 1\.2\.3: ok\nd1 +ok\nexecutor +absent\nkey +of ann\n$/);
});

it("reports what is missing and how to install it", async () => {
  const issues = [{ code: "EXECUTOR_UNAVAILABLE", message: ADVICE }];
  const { code, stdout } = await doctor({ status: 200, body: { ...HEALTHY, status: "degraded", issues } });
  expect([code, stdout]).toEqual([1, expect.stringContaining(`EXECUTOR_UNAVAILABLE  ${ADVICE}`)]);
});

it("reports what an optional part needs, which is no failure", async () => {
  const issues = [{ code: "EXECUTOR_UNAVAILABLE", message: ADVICE }];
  const { code, stdout } = await doctor({ status: 200, body: { ...HEALTHY, issues } });
  expect([code, stdout]).toEqual([0, expect.stringContaining(`EXECUTOR_UNAVAILABLE  ${ADVICE}`)]);
});

it("reports a gateway whose storage does not respond", async () => {
  const { code, stdout } = await doctor({
    status: 503,
    body: { ...HEALTHY, status: "failed", checks: { d1: "failed" } },
  });
  expect([code, stdout]).toEqual([1, expect.stringMatching(/: failed\nd1 +failed\n/)]);
});

it("reports a key that is not accepted", async () => {
  const { code, stdout } = await doctor({ status: 200, body: HEALTHY }, "sgw_other");
  expect([code, stdout]).toEqual([3, expect.stringMatching(/key +refused\n.*The key is not good/)]);
});
