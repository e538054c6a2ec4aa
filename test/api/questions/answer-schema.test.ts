// Questions with an `answer_schema`: the Durable Object checks every answer against it, whoever sends the answer.

import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { call, keyFor } from "../../support/call";
import { evict, holdClock, objectOf, pass, releaseClock, ring } from "../../support/clock";
import { askPage, conversationOf, Page, requestState } from "../../support/page";

afterEach(releaseClock);

const CONFIRMED = {
  answer_schema: { type: "object", properties: { confirmed: { type: "boolean" } }, required: ["confirmed"] },
};
const respond = (id: string, request: string, json: object) =>
  call("POST", `/api/v1/conversations/${id}/requests/${request}/response`, { json });

describe("an answer with a schema", () => {
  it("that does not fit is refused with what is wrong, and the question waits for a better one", async () => {
    const id = await conversationOf(null);
    const [page, other] = [await Page.greeted(id), await Page.greeted(id)];
    const { request_id } = await askPage(id, CONFIRMED);
    await page.next("skill:request");
    page.answer(request_id, { success: true, result: { confirmed: "yes" } });
    const refused = await page.next("ack");
    expect(refused).toMatchObject({ success: false, error: "invalid_answer" });
    expect("problems" in refused && refused.problems).toEqual([expect.stringContaining("confirmed")]);
    page.answer(request_id, { success: true });
    expect(await page.next("ack")).toMatchObject({ error: "invalid_answer" });
    expect((await requestState(id, request_id)).state).toBe("pending");
    // Also after the object was evicted.
    await evict(id);
    const overHttp = await respond(id, request_id, { success: true, result: {} });
    expect([overHttp.status, await overHttp.json()]).toMatchObject([
      400,
      { code: "INVALID_ANSWER", issues: [{ code: "INVALID_ANSWER", path: "result" }] },
    ]);
    expect(other.count("skill:cancelled")).toBe(0);
    other.answer(request_id, { success: true, result: { confirmed: false } });
    expect(await other.next("ack")).toMatchObject({ success: true });
    expect(await requestState(id, request_id)).toMatchObject({ state: "resolved", result: { confirmed: false } });
  });

  it("may be a failure in whatever words; one that comes too late is late, whatever it is", async () => {
    const id = await conversationOf(null);
    const { request_id } = await askPage(id, CONFIRMED);
    const page = await Page.greeted(id);
    page.answer(request_id, { success: false, error: { no: "dialogue" } });
    expect(await page.next("ack")).toMatchObject({ success: true });
    const late = await respond(id, request_id, { success: true, result: 1 });
    expect([late.status, await late.json()]).toMatchObject([409, { code: "ALREADY_RESOLVED" }]);
  });

  it("has at most 16 KiB, is sent by an allowed caller, and is deleted with its question", async () => {
    const id = await conversationOf(null);
    const asking = (answer_schema: unknown, more: object = {}) =>
      call("POST", `/api/v1/conversations/${id}/requests`, {
        json: { action: "a", wait_ms: 0, answer_schema },
        ...more,
      });
    expect((await asking({ description: "x".repeat(16 * 1024) })).status).toBe(400);
    expect((await asking(["object"])).status).toBe(400);
    expect((await asking({}, { key: await keyFor("mallory-of-schemas") })).status).toBe(404);
    const schemas = () =>
      runInDurableObject(objectOf(id), (_, { storage }) =>
        storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM answer_schemas").one(),
      );
    holdClock();
    await askPage(id, CONFIRMED);
    pass(30_000);
    expect(await ring(id)).toBe(true);
    await askPage(id);
    expect(await schemas()).toEqual({ n: 1 });
    pass(2 * 24 * 60 * 60_000);
    await askPage(id);
    expect(await schemas()).toEqual({ n: 0 });
  });
});
