// Draining of unused request bodies: all data of an honest client, and a limited amount of any other.

import { Hono } from "hono";
import { afterEach, expect, it, vi } from "vitest";
import { DURATIONS } from "../../src/domain/durations";
import { REQUEST_LIMITS } from "../../src/domain/limits";
import { drainBody } from "../../src/edge/drain-body";
import type { HttpEnv } from "../../src/edge/edge";
import { askWith } from "../support/app";

afterEach(() => vi.useRealTimers());

const MiB = 1024 * 1024;

/** Returns a body that counts the bytes read from it. */
function sending(bytes: number, then: "ends" | "breaks" | "stays" = "ends") {
  const sent = { bytes: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (sent.bytes < bytes) {
          sent.bytes += MiB;
          controller.enqueue(new Uint8Array(MiB));
        } else if (then === "ends") controller.close();
        else if (then === "breaks") controller.error(new Error("gone"));
        else await new Promise(() => {});
      },
    },
    { highWaterMark: 0 },
  );
  return { body, sent };
}

const app = new Hono<HttpEnv>().use(drainBody).post("/", (c) => c.text("no", 401));
const post = (body: ReadableStream, headers: Record<string, string> = {}) =>
  app.fetch(new Request("https://gateway.test/", { method: "POST", body, headers }));

it("all of a body that is not longer than bodies may be", async () => {
  const { body, sent } = sending(17 * MiB);
  expect((await post(body)).status).toBe(401);
  expect(sent.bytes).toBe(17 * MiB);
});

it("nothing of a body that declares more than the limit", async () => {
  const { body, sent } = sending(64 * MiB);
  expect((await post(body, { "content-length": `${64 * MiB}` })).status).toBe(401);
  expect(sent.bytes).toBe(0);
});

it("a limited part of a body without a declared length", async () => {
  const { body, sent } = sending(Number.POSITIVE_INFINITY);
  expect((await post(body)).status).toBe(401);
  expect(sent.bytes).toBeGreaterThan(REQUEST_LIMITS.uploadBytes);
  expect(sent.bytes).toBeLessThanOrEqual(REQUEST_LIMITS.unreadBytes + 2 * MiB);
});

it("the received part of a body that ends early or stops", async () => {
  expect((await post(sending(MiB, "breaks").body)).status).toBe(401);
  vi.useFakeTimers();
  const answer = post(sending(MiB, "stays").body);
  await vi.advanceTimersByTimeAsync(DURATIONS.hearOut);
  expect((await answer).status).toBe(401);
});

it("also where an address is too fast", async () => {
  const { body, sent } = sending(2 * MiB);
  const full = { limit: async () => ({ success: false }) };
  const answer = await askWith({ RATE_LIMITS: "true", ADDRESS_RATE: full }, "/api/v1/kinds/skills/upload", {
    method: "POST",
    headers: { "cf-connecting-ip": "192.0.2.77", "content-type": "multipart/form-data; boundary=x" },
    body,
  });
  expect([answer.status, sent.bytes]).toEqual([429, 2 * MiB]);
});
