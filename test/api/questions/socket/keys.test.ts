// The key behind a socket, which is checked for the lifetime of the socket.

import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { call } from "../../../support/call";
import { holdClock, pass, releaseClock, ring } from "../../../support/clock";
import { expectLog } from "../../../support/logs";
import { conversationOf, Page } from "../../../support/page";
import { HOUR, MINUTE, revocable, sentAway } from "./admission";

afterEach(() => {
  releaseClock();
  vi.restoreAllMocks();
});

describe("the key behind a socket", () => {
  it("is checked on every answer", async () => {
    const { key, revoke } = await revocable("karl");
    const id = await conversationOf("karl");
    const ask = () =>
      call("POST", `/api/v1/conversations/${id}/requests`, {
        as: "karl",
        json: { action: "a", payload: 1, wait_ms: 0 },
      });
    const { request_id } = await (await ask()).json<{ request_id: string }>();
    const page = await Page.greeted(id, { key });
    const neighbour = await Page.greeted(id, { as: "karl" });
    await revoke();
    page.answer(request_id, { success: true });
    expect((await page.closed).code).toBe(4401);
    const state = await call("GET", `/api/v1/conversations/${id}/requests/${request_id}`, { as: "karl" });
    expect(await state.json()).toMatchObject({ state: "pending" });
    neighbour.answer(request_id, { success: true });
    expect(await neighbour.next("ack")).toMatchObject({ success: true });
  });

  it("is checked every ten minutes, and its resume ticket with it", async () => {
    holdClock();
    const { key, revoke } = await revocable("kim");
    const lent = await revocable("service", { scopes: ["act_as"] });
    const id = await conversationOf("kim");
    const own = await Page.greeted(id, { key });
    const forKim = await Page.greeted(id, { key: lent.key, as: "kim" });
    const kept = await Page.greeted(id, { as: "kim" });
    await revoke();
    pass(10 * MINUTE - 1);
    await ring(id, "kim");
    await own.pong();
    expect(own.isClosed).toBe(false);
    pass(1);
    expect(await ring(id, "kim")).toBe(true);
    expect((await own.closed).code).toBe(4401);
    const { resume } = own.frames[0] as { resume: string };
    expect(await sentAway(id, { ticket: resume })).toBe(4401);
    await lent.revoke();
    pass(10 * MINUTE);
    expect(await ring(id, "kim")).toBe(true);
    expect((await forKim.closed).code).toBe(4401);
    await kept.pong();
    expect(kept.isClosed).toBe(false);
  });

  it("may expire, too", async () => {
    holdClock();
    const { key } = await revocable("kurt", { expires_at: new Date(Date.now() + 5 * MINUTE).toISOString() });
    const id = await conversationOf("kurt");
    const page = await Page.greeted(id, { key });
    pass(10 * MINUTE);
    await ring(id, "kurt");
    expect((await page.closed).code).toBe(4401);
  });

  it("is given the benefit of the doubt while storage is away, but no answer is taken", async () => {
    expectLog("storage_failed");
    holdClock();
    const { key } = await revocable("kaya");
    const id = await conversationOf("kaya");
    const made = await call("POST", `/api/v1/conversations/${id}/requests`, {
      key,
      json: { action: "a", payload: 1, wait_ms: 0, timeout_ms: 24 * HOUR },
    });
    const { request_id } = await made.json<{ request_id: string }>();
    const page = await Page.greeted(id, { key });
    await env.DB.exec("ALTER TABLE keys RENAME TO keys_away");
    try {
      // The cached state of the key has expired.
      pass(11_000);
      page.answer(request_id, { success: true });
      expect(await page.next("error")).toMatchObject({ code: "UNAVAILABLE", request_id });
      pass(10 * MINUTE);
      expect(await ring(id, "kaya")).toBe(true);
      await page.pong();
      expect(page.isClosed).toBe(false);
    } finally {
      await env.DB.exec("ALTER TABLE keys_away RENAME TO keys");
    }
    page.answer(request_id, { success: true, result: 2 });
    expect(await page.next("ack")).toMatchObject({ success: true });
    pass(MINUTE);
    expect(await ring(id, "kaya")).toBe(true);
    await page.pong();
    expect(page.isClosed).toBe(false);
  });
});
