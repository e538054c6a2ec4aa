// Pages that connect before the first message: the ticket creates the conversation.

import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { dayOf } from "../../../../src/domain/access/quota";
import { settingsFrom } from "../../../../src/domain/settings/settings";
import { call, keyFor } from "../../../support/call";
import { Page } from "../../../support/page";

const fresh = () => `new-${crypto.randomUUID()}`;
const tickets = (id: string) => `/api/v1/conversations/${id}/tickets`;

describe("a ticket for a chat that is new", () => {
  it("makes its conversation, and opens its socket at once", async () => {
    const key = await keyFor("newcomer");
    const id = fresh();
    const made = await call("POST", tickets(id), { key });
    expect(made.status).toBe(201);
    const { ticket } = await made.json<{ ticket: string }>();
    const page = await Page.greeted(id, { ticket });
    expect(page.frames[0]).toMatchObject({ type: "welcome", conversation: id, turn: 0, active: [] });
    const { items } = await (await call("GET", "/api/v1/conversations", { key })).json<{ items: { id: string }[] }>();
    expect(items.map((item) => item.id)).toContain(id);
  });

  it("leaves the first turn to say how the conversation is to be", async () => {
    const key = await keyFor("newcomer");
    const id = fresh();
    await call("POST", tickets(id), { key });
    const settings = { retention_turns: 2, format: "openai", metadata: { a: 1 } };
    const turn = await call("POST", `/api/v1/conversations/${id}/turns`, { key, json: { conversation: settings } });
    expect(await turn.json()).toMatchObject({ turn: 1 });
    const status = await call("GET", `/api/v1/conversations/${id}`, { key });
    expect(await status.json()).toMatchObject({ turn: 1, settings });
  });

  it("changes nothing of one that is there", async () => {
    const key = await keyFor("newcomer");
    const id = fresh();
    await call("PUT", `/api/v1/conversations/${id}`, { key, json: { retention_turns: 7 } });
    expect((await call("POST", tickets(id), { key })).status).toBe(201);
    const status = await call("GET", `/api/v1/conversations/${id}`, { key });
    expect(await status.json()).toMatchObject({ settings: { retention_turns: 7 } });
  });

  it("belongs to its user, even if others have a conversation with this id, and shows nothing of theirs", async () => {
    const [alice, mallory] = [await keyFor("ticket-alice"), await keyFor("ticket-mallory")];
    const id = fresh();
    await call("PUT", `/api/v1/conversations/${id}`, { key: alice, json: { metadata: { secret: 1 } } });
    const made = await call("POST", tickets(id), { key: mallory });
    const page = await Page.greeted(id, { ticket: (await made.json<{ ticket: string }>()).ticket });
    const asked = await call("POST", `/api/v1/conversations/${id}/requests`, {
      key: alice,
      json: { action: "ask", require_client: true, wait_ms: 0 },
    });
    expect([asked.status, page.count("skill:request")]).toEqual([409, 0]);
    const status = await call("GET", `/api/v1/conversations/${id}`, { key: mallory });
    expect(JSON.stringify(await status.json())).not.toContain("secret");
  });

  it("counts against the daily limit of conversations", async () => {
    const user = "ticket-many";
    const key = await keyFor(user);
    await env.DB.prepare("INSERT INTO usage (subject, kind, window_start, count) VALUES (?, 'conversations', ?, ?)")
      .bind(user, dayOf(Date.now()), settingsFrom({}).DAILY_CONVERSATIONS - 1)
      .run();
    const id = fresh();
    expect((await call("POST", tickets(id), { key })).status).toBe(201);
    const refused = await call("POST", tickets(fresh()), { key });
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: "DAILY_LIMIT" }]);
    // The existing conversation is not counted again.
    expect((await call("POST", tickets(id), { key })).status).toBe(201);
  });

  it("requires a key with access to conversations", async () => {
    const key = await keyFor("ticket-reader", { scopes: ["skills:read"] });
    expect((await call("POST", tickets(fresh()), { key })).status).toBe(403);
  });
});

it("a first turn without `conversation` says what to send", async () => {
  const answer = await call("POST", `/api/v1/conversations/${fresh()}/turns`, {
    key: await keyFor("newcomer"),
    json: {},
  });
  expect([answer.status, await answer.json()]).toMatchObject([
    404,
    { code: "CONVERSATION_NOT_FOUND", detail: expect.stringContaining("`conversation: {}`") },
  ]);
});
