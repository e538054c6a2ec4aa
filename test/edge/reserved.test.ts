// Reserved ids of the gateway: callers cannot act for them, create keys for them, or add them to a group.

import { beforeAll, describe, expect, it } from "vitest";
import { call, keyFor } from "../support/call";

const RESERVED = ["admin", "0", "deployment"];
const ALL = ["act_as", "skills:read", "skills:write", "ghosts", "groups", "secrets", "keys", "conversations", "mcp"];
const GROUP = "rsv-team";

describe.each(RESERVED)("the gateway's own user '%s'", (user) => {
  let service: string;
  beforeAll(async () => {
    service = await keyFor("rsv-service", { scopes: ALL });
    await call("POST", "/api/v1/groups", { json: { name: GROUP } });
    await call("POST", "/api/v1/kinds/ghosts", {
      json: { metadata: { name: "of-admin" }, spec: { systemPrompt: "mine" } },
    });
  });

  it("is acted for by no service, whatever its key may", async () => {
    const secret = { value: "a-secret-value", hosts: ["evil.example.com"], scope: "group", group_name: GROUP };
    const asks: [string, string, object?][] = [
      ["GET", "/api/v1/me"],
      ["GET", "/api/v1/kinds/ghosts"],
      ["PUT", `/api/v1/groups/${GROUP}/members/rsv-mallory`, { role: "Owner" }],
      ["PUT", "/api/v1/secrets/TEAM", secret],
      ["POST", "/api/v1/kinds/ghosts", { metadata: { name: "of-nobody" }, spec: {} }],
      ["POST", "/api/v1/conversations/rsv/turns", { conversation: {} }],
      ["POST", "/mcp/rsv", { jsonrpc: "2.0", id: 1, method: "tools/list" }],
      ["DELETE", `/api/v1/groups/${GROUP}`],
    ];
    for (const [method, path, json] of asks) {
      // The environment's key gives no more rights than a service's key.
      for (const key of [service, undefined]) {
        const answer = await call(method, path, {
          as: user,
          ...(key === undefined ? {} : { key }),
          ...(json === undefined ? {} : { json }),
        });
        expect([method, path, answer.status]).toEqual([method, path, 403]);
        expect(await answer.text()).toMatch(/"ACT_AS_DENIED"/);
      }
    }
    // The test below added this member before this test runs for the next user.
    const others = user === RESERVED[0] ? [] : [{ user_id: "rsv-reporter", role: "Reporter" }];
    const members = await call("GET", `/api/v1/groups/${GROUP}/members`);
    expect(await members.json()).toMatchObject({ items: [{ user_id: "admin", role: "Owner" }, ...others] });
    expect((await call("GET", "/api/v1/me", { key: service, as: "rsv-anybody" })).status).toBe(200);
  });

  it("gets no key", async () => {
    const answer = await call("POST", "/api/v1/keys", { json: { user_id: user } });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ issues: [{ path: "user_id" }] });
  });

  it("is put into no group", async () => {
    const put = (id: string) => call("PUT", `/api/v1/groups/${GROUP}/members/${id}`, { json: { role: "Reporter" } });
    expect((await put(user)).status).toBe(400);
    expect([200, 201]).toContain((await put("rsv-reporter")).status);
  });

  it("answers by no page", async () => {
    const key = await keyFor("rsv-talker");
    await call("PUT", "/api/v1/conversations/rsv", { key, json: {} });
    const ticket = (user_id: string) => call("POST", "/api/v1/conversations/rsv/tickets", { key, json: { user_id } });
    expect((await ticket(user)).status).toBe(400);
    expect((await ticket("rsv-page")).status).toBe(201);
  });
});
