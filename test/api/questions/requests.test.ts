import { afterEach, describe, expect, it } from "vitest";
import { call, keyFor } from "../../support/call";
import { holdClock, pass, releaseClock, ring } from "../../support/clock";
import { askPage, conversationOf, Page, type RequestBody, requestState } from "../../support/page";

afterEach(releaseClock);

const path = (id: string, rest = "") => `/api/v1/conversations/${id}/requests${rest}`;
const respond = (id: string, rid: string, json: unknown, more: Record<string, string> = {}) =>
  call("POST", path(id, `/${rid}/response`), { json, headers: more });

describe("a request", () => {
  it("is pending for 30 s when nothing else is said", async () => {
    holdClock();
    const id = await conversationOf(null);
    const answer = await call("POST", path(id), { json: { action: "confirm", payload: null, wait_ms: 0 } });
    expect(answer.status).toBe(202);
    const body = await answer.json<RequestBody>();
    expect(body).toEqual({
      request_id: expect.stringMatching(/^req_/),
      state: "pending",
      deadline: new Date(Date.now() + 30_000).toISOString(),
    });
    const one = await call("GET", path(id, `/${body.request_id}`));
    expect(one.status).toBe(202);
    expect(await one.json()).toMatchObject({ skill_name: null, action: "confirm", payload: null, attempt: 0 });
  });

  it("expires at its deadline, by its alarm or at a request", async () => {
    holdClock();
    const id = await conversationOf(null);
    const page = await Page.greeted(id);
    const byAlarm = await askPage(id);
    const byLook = await askPage(id, { timeout_ms: 60_000 });
    pass(29_999);
    await ring(id);
    expect((await requestState(id, byAlarm.request_id)).state).toBe("pending");
    pass(1);
    expect(await ring(id)).toBe(true);
    expect(await page.next("skill:cancelled")).toMatchObject({ request_id: byAlarm.request_id, reason: "expired" });
    const expired = { state: "expired", success: false, error: "No answer within 30s" };
    expect(await requestState(id, byAlarm.request_id)).toMatchObject(expired);
    pass(30_000);
    expect(await requestState(id, byLook.request_id)).toMatchObject({
      state: "expired",
      error: "No answer within 60s",
    });
    const late = await respond(id, byAlarm.request_id, { success: true });
    expect(late.status).toBe(409);
    expect(await late.json()).toMatchObject({ code: "EXPIRED" });
  });

  it("sets one alarm, for the earliest due time", async () => {
    holdClock();
    const id = await conversationOf(null);
    const long = await askPage(id, { timeout_ms: 100_000 });
    const short = await askPage(id, { timeout_ms: 1_000 });
    const middle = await askPage(id, { timeout_ms: 50_000 });
    const states = async () =>
      Promise.all([long, short, middle].map(async (r) => (await requestState(id, r.request_id)).state));
    pass(1_000);
    expect(await ring(id)).toBe(true);
    expect(await states()).toEqual(["pending", "expired", "pending"]);
    pass(49_000);
    expect(await ring(id)).toBe(true);
    pass(50_000);
    expect(await ring(id)).toBe(true);
    expect(await states()).toEqual(["expired", "expired", "expired"]);
    // The idle check is still due.
    expect(await ring(id)).toBe(true);
    expect((await call("GET", `/api/v1/conversations/${id}`)).status).toBe(200);
  });

  it("is answered over HTTP once; the waiting caller receives the answer at once", async () => {
    const id = await conversationOf(null);
    const waiting = call("POST", path(id), { json: { action: "pick", payload: {}, wait_ms: 60_000 } });
    let listed: RequestBody[] = [];
    while (listed.length === 0) {
      listed = (await (await call("GET", path(id, "?state=pending"))).json<{ items: RequestBody[] }>()).items;
    }
    const rid = listed[0]!.request_id;
    const first = await respond(id, rid, { success: false, error: { message: "no file", line: 3 } });
    expect(await first.json()).toEqual({ success: true });
    const answer = await waiting;
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      request_id: rid,
      state: "resolved",
      success: false,
      error: { message: "no file", line: 3 },
    });
    const second = await respond(id, rid, { success: true });
    expect(second.status).toBe(409);
    expect(await second.json()).toMatchObject({ code: "ALREADY_RESOLVED" });
    expect((await respond(id, "req_nothing", { success: true })).status).toBe(404);
    const tagged = await call("GET", path(id, `/${rid}`));
    const again = await call("GET", path(id, `/${rid}`), { headers: { "if-none-match": tagged.headers.get("etag")! } });
    expect(again.status).toBe(304);
  });

  it("answers every waiting caller, over HTTP and from tools", async () => {
    const id = await conversationOf(null);
    const { request_id } = await askPage(id);
    const waiting = [1, 2, 3].map(() => requestState(id, request_id, "?wait_ms=60000"));
    await respond(id, request_id, { success: true, result: 1 });
    for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject({ state: "resolved", result: 1 });
  });

  it("comes back pending when the wait is over before the deadline is", async () => {
    const id = await conversationOf(null);
    const { state, request_id } = await askPage(id, { wait_ms: 30 });
    expect(state).toBe("pending");
    expect((await requestState(id, request_id, "?wait_ms=20")).state).toBe("pending");
    expect(await askPage(id, { wait_ms: 60_000, timeout_ms: 40 })).toMatchObject({
      state: "expired",
      error: "No answer within 0.04s",
    });
  });

  it("is cancelled once, and its caller and its pages are notified", async () => {
    const id = await conversationOf(null);
    const page = await Page.greeted(id);
    const waiting = askPage(id, { wait_ms: 60_000 });
    const { request_id } = await page.next("skill:request");
    expect((await call("DELETE", path(id, `/${request_id}`))).status).toBe(204);
    expect(await waiting).toMatchObject({ state: "cancelled", success: false });
    expect(await page.next("skill:cancelled")).toMatchObject({ request_id, reason: "cancelled" });
    expect((await call("DELETE", path(id, `/${request_id}`))).status).toBe(204);
    page.answer(request_id, { success: true });
    expect(await page.next("ack")).toMatchObject({ success: false, error: "already_resolved" });
    expect((await call("DELETE", path(id, "/req_nothing"))).status).toBe(404);
    const resolved = await askPage(id);
    await respond(id, resolved.request_id, { success: true });
    expect((await call("DELETE", path(id, `/${resolved.request_id}`))).status).toBe(409);
  });

  it("says at once that no page is connected, when the caller wants one", async () => {
    const id = await conversationOf(null);
    const json = { action: "render", payload: 1, require_client: true, wait_ms: 0 };
    const headers = { "idempotency-key": "k" };
    const refused = await call("POST", path(id), { json, headers });
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ code: "NO_CLIENT" });
    await Page.open(id); // A socket counts as a page only after its hello frame.
    expect((await call("POST", path(id), { json })).status).toBe(409);
    const page = await Page.greeted(id);
    expect((await call("POST", path(id), { json, headers })).status).toBe(202);
    await page.next("skill:request");
    page.socket.close(1000);
    await page.closed;
    // The same idempotency key returns the same request, even if no page is connected.
    expect((await call("POST", path(id), { json, headers })).status).toBe(202);
  });

  it("is found again by its Idempotency-Key, at whatever state it is", async () => {
    holdClock();
    const id = await conversationOf(null);
    const json = { action: "render", payload: { a: 1 }, wait_ms: 0 };
    const once = (key: string, body: unknown = json) =>
      call("POST", path(id), { json: body, headers: { "idempotency-key": key } });
    const first = await (await once("a")).json<RequestBody>();
    expect(await (await once("a")).json()).toEqual(first);
    expect((await (await once("b")).json<RequestBody>()).request_id).not.toBe(first.request_id);
    const other = await once("a", { ...json, payload: { a: 2 } });
    expect(other.status).toBe(409);
    expect(await other.json()).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
    await respond(id, first.request_id, { success: true, result: "x" });
    const done = await once("a");
    expect(done.status).toBe(200);
    expect(await done.json()).toMatchObject({ request_id: first.request_id, result: "x" });
    // An answer sent twice with one idempotency key counts once.
    const again = await (await once("c")).json<RequestBody>();
    const twice = [1, 2].map(() => respond(id, again.request_id, { success: true }, { "idempotency-key": "d" }));
    for (const answer of await Promise.all(twice)) expect(answer.status).toBe(200);
    pass(24 * 60 * 60_000 + 1);
    const tomorrow = await (await once("a")).json<RequestBody>();
    expect(tomorrow).toMatchObject({ state: "pending" });
    expect(tomorrow.request_id).not.toBe(first.request_id);
    expect((await call("GET", path(id, `/${first.request_id}`))).status).toBe(404);
  });

  it("is listed newest first, page by page, and pending ones in the conversation", async () => {
    const id = await conversationOf(null);
    const made: RequestBody[] = [];
    for (const action of ["one", "two", "three"]) made.push(await askPage(id, { action, skill_name: "s" }));
    await respond(id, made[0]!.request_id, { success: true });
    const first = await (await call("GET", path(id, "?limit=2"))).json<{ items: unknown[]; next_cursor: string }>();
    expect(first.items).toMatchObject([{ action: "three" }, { action: "two", state: "pending", skill_name: "s" }]);
    const rest = await call("GET", path(id, `?limit=2&cursor=${first.next_cursor}`));
    expect(await rest.json()).toMatchObject({ items: [{ action: "one", state: "resolved" }], next_cursor: null });
    const pending = await (await call("GET", path(id, "?state=pending"))).json<{ items: unknown[] }>();
    expect(pending.items).toHaveLength(2);
    const status = await (await call("GET", `/api/v1/conversations/${id}`)).json<{ pending: unknown[] }>();
    expect(status.pending).toMatchObject([{ action: "two" }, { action: "three" }]);
    expect(JSON.stringify([first, status])).not.toContain("graph TD");
  });

  it("is another's 404", async () => {
    const id = await conversationOf(null);
    const { request_id } = await askPage(id);
    const key = await keyFor("mallory");
    for (const [method, rest, json] of [
      ["GET", "", undefined],
      ["GET", `/${request_id}`, undefined],
      ["DELETE", `/${request_id}`, undefined],
      ["POST", `/${request_id}/response`, { success: true }],
      ["POST", "", { action: "a", payload: 1 }],
    ] as const) {
      expect((await call(method, path(id, rest), { key, json })).status).toBe(404);
    }
    // A request belongs to one conversation and is not found in others.
    const other = await conversationOf(null);
    expect((await respond(other, request_id, { success: true })).status).toBe(404);
    expect((await requestState(id, request_id)).state).toBe("pending");
  });
});

describe("limits of requests", () => {
  it("caps the payload and the answer at 256 KiB of JSON, in bytes", async () => {
    const id = await conversationOf(null);
    const fits = "x".repeat(256 * 1024 - 2);
    expect((await call("POST", path(id), { json: { action: "a", payload: fits, wait_ms: 0 } })).status).toBe(202);
    for (const payload of [`${fits}x`, "é".repeat(128 * 1024)]) {
      const answer = await call("POST", path(id), { json: { action: "a", payload, wait_ms: 0 } });
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
    }
    const { request_id } = await askPage(id);
    expect((await respond(id, request_id, { success: true, result: fits })).status).toBe(413);
    expect((await requestState(id, request_id)).state).toBe("pending");
    const room = fits.slice(0, fits.length - '{"success":true,"result":}'.length);
    expect((await respond(id, request_id, { success: true, result: room })).status).toBe(200);
  });

  it("refuses values outside their bounds, all at once", async () => {
    const id = await conversationOf(null);
    const json = { action: "", timeout_ms: 0, wait_ms: 60_001, require_client: "yes", skill_name: "" };
    const answer = await call("POST", path(id), { json });
    expect(answer.status).toBe(400);
    const { issues } = await answer.json<{ issues: { path: string }[] }>();
    expect(issues.map((issue) => issue.path).sort()).toEqual([
      "action",
      "require_client",
      "skill_name",
      "timeout_ms",
      "wait_ms",
    ]);
    const { request_id } = await askPage(id);
    for (const query of ["?wait_ms=60001", "?wait_ms=-1", "?wait_ms=x"]) {
      expect((await call("GET", path(id, `/${request_id}${query}`))).status).toBe(400);
    }
  });

  it("lets 128 wait at once", async () => {
    const id = await conversationOf(null);
    for (let n = 0; n < 128; n++) await askPage(id);
    const answer = await call("POST", path(id), { json: { action: "a", payload: 1, wait_ms: 0 } });
    expect(answer.status).toBe(429);
    expect(answer.headers.get("retry-after")).not.toBeNull();
  });
});
