// Attacks with guessed keys. `edge/tokens.test.ts` covers tokens, `api/groups.test.ts` covers roles.

import { describe, expect, it, vi } from "vitest";
import { writeKey } from "../../../src/domain/access/key";
import { askWith } from "../../support/app";
import { ADMIN_KEY, call, keyFor } from "../../support/call";
import { raw } from "./operations";

/** Returns everything in a response except values that differ between requests. */
async function told(answer: Response) {
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !PER_REQUEST.has(name)));
  return { status: answer.status, headers, body: (await answer.text()).replace(/"request_id":"[^"]*"/, "") };
}
const PER_REQUEST = new Set(["x-request-id", "server-timing", "x-d1-bookmark", "date"]);

describe("guessing keys", () => {
  it("teaches nothing: one answer for an unknown id, a wrong secret, a revoked and an expired key", async () => {
    const { id, key } = await (await call("POST", "/api/v1/keys", { json: { user_id: "guessed" } })).json<{
      id: string;
      key: string;
    }>();
    const expired = await keyFor("guessed", { expires_at: "2020-01-01T00:00:00Z" });
    const wrongSecret = writeKey(id, new Uint8Array(32));
    const unknownId = writeKey("00000000000000000000000000", new Uint8Array(32));
    const answers = [];
    for (const guess of [wrongSecret, unknownId, expired]) {
      answers.push(await told(await call("GET", "/api/v1/me", { key: guess })));
    }
    await call("DELETE", `/api/v1/keys/${id}`);
    answers.push(await told(await call("GET", "/api/v1/me", { key })));
    expect(answers[0]!.status).toBe(401);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });

  it("compares digests in constant time, of stored keys and of the environment's", async () => {
    const compare = vi.spyOn(crypto.subtle, "timingSafeEqual");
    const key = await keyFor("compared");
    for (const guess of [writeKey(key.split("_")[1]!, new Uint8Array(32)), `${ADMIN_KEY.slice(0, -1)}x`]) {
      compare.mockClear();
      expect((await askWith({}, "/api/v1/me", { headers: { authorization: `Bearer ${guess}` } })).status).toBe(401);
      // The digests have equal length, so no information leaks before the comparison.
      expect(compare.mock.calls.length).toBeGreaterThan(0);
      for (const [left, right] of compare.mock.calls) expect([left.byteLength, right.byteLength]).toEqual([64, 64]);
    }
    compare.mockRestore();
  });

  it("does not work with other schemes, several keys, or keys in other places", async () => {
    for (const authorization of [
      `Basic ${btoa(`admin:${ADMIN_KEY}`)}`,
      ADMIN_KEY,
      "Bearer",
      "Bearer ",
      `Bearer ${ADMIN_KEY} x`,
      `Bearer ${ADMIN_KEY}, Bearer ${ADMIN_KEY}`,
      `Token ${ADMIN_KEY}`,
      `Bearer ${"x".repeat(16 * 1024)}`,
    ]) {
      expect((await raw("/api/v1/me", { headers: { authorization } })).status).toBe(401);
    }
    for (const name of ["access_token", "key", "token", "authorization"]) {
      expect((await raw(`/api/v1/me?${name}=${ADMIN_KEY}`, {})).status).toBe(401);
      expect((await raw("/api/v1/me", { headers: { cookie: `${name}=${ADMIN_KEY}` } })).status).toBe(401);
      expect((await raw("/api/v1/me", { headers: { "x-api-key": ADMIN_KEY } })).status).toBe(401);
    }
  });
});
