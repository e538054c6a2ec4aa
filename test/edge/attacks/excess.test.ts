// Attacks with too much data or too many requests.

import { describe, expect, it } from "vitest";
import { conversation, keyOfUser } from "../../api/matrix/actors";
import { call } from "../../support/call";
import { form, skillZip } from "../../support/skill";
import { closed, fill, type Operation, SKILLS } from "./operations";

describe("too much of everything", () => {
  it("in headers is refused, or of no consequence", async () => {
    const big = "x".repeat(8 * 1024);
    for (const name of [
      "x-request-id",
      "x-d1-bookmark",
      "if-none-match",
      "range",
      "accept",
      "user-agent",
      "x-anything",
    ]) {
      const answer = await call("GET", "/api/v1/me", { headers: { [name]: big } });
      expect([name, answer.status < 500 || answer.status === 503]).toEqual([name, true]);
    }
    expect((await call("GET", "/api/v1/me", { as: big })).status).toBe(400);
    const key = { "idempotency-key": big };
    expect((await call("POST", "/api/v1/conversations", { json: {}, headers: key })).status).toBe(400);
    expect((await call("POST", `${SKILLS}/upload`, { body: form(skillZip()), headers: key })).status).toBe(400);
  });

  it("in fields and lists is refused", async () => {
    const long = "x".repeat(10_000);
    const many = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
    const attempts: [string, string, unknown][] = [
      ["POST", "/api/v1/keys", { user_id: long }],
      ["POST", "/api/v1/keys", { user_id: "x", name: long }],
      ["POST", "/api/v1/keys", { user_id: "x", groups: many(65) }],
      ["POST", "/api/v1/keys", { user_id: "x", scopes: Array.from({ length: 17 }, () => "mcp") }],
      ["POST", "/api/v1/groups", { name: long }],
      ["POST", "/api/v1/groups", { name: "g", display_name: long }],
      ["POST", `${SKILLS}/invoke`, { skill_name: long }],
      ["POST", "/api/v1/kinds/ghosts", { metadata: { name: long }, spec: {} }],
      ["POST", "/api/v1/kinds/ghosts", { metadata: { name: "g" }, spec: { skills: many(1_001) } }],
      ["POST", "/api/v1/kinds/ghosts", { metadata: { name: "g" }, spec: { systemPrompt: "x".repeat(300 * 1024) } }],
      ["PUT", "/api/v1/conversations/big", { metadata: { x: "x".repeat(17 * 1024) } }],
      ["POST", "/api/v1/conversations", { id: long }],
    ];
    for (const [method, path, json] of attempts) {
      const answer = await call(method, path, { json });
      expect([path, answer.status]).toEqual([path, 400]);
    }
    for (const query of [`limit=101`, `limit=${"9".repeat(400)}`, `skip=-1`, `skip=1e9`, `cursor=${long}`]) {
      expect((await call("GET", `${SKILLS}?${query}`)).status).toBe(400);
    }
  });

  it.each(
    closed
      .filter(({ bodyTypes }) => bodyTypes.includes("application/json"))
      .map((operation): [string, Operation] => [operation.route, operation]),
  )("in depth does not bring down %s", async (_, { method, template }) => {
    const path = fill(template, {});
    for (const depth of [101, 200_000]) {
      const nested = "[".repeat(depth) + "]".repeat(depth);
      const objects = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
      for (const body of [nested, objects, `{"spec":${nested}}`, `{"metadata":{"name":"x","a":${nested}}}`]) {
        const answer = await call(method, path, { body, headers: { "content-type": "application/json" } });
        expect([400, 404]).toContain(answer.status);
      }
    }
  });

  it("in depth does not crash routes that accept any JSON", async () => {
    const { id, request_id } = await conversation();
    const key = await keyOfUser("self");
    const base = `/api/v1/conversations/${id}`;
    for (const depth of [90, 5_000, 100_000]) {
      const nested = "[".repeat(depth) + "]".repeat(depth);
      const attempts: [string, string, string][] = [
        ["POST", "/api/v1/kinds/ghosts", `{"metadata":{"name":"deep"},"spec":{"mcpServers":{"a":${nested}}}}`],
        ["PUT", base, `{"metadata":{"a":${nested}}}`],
        ["POST", `${base}/turns`, `{"history":[{"role":"user","content":${nested}}]}`],
        ["POST", `${base}/restore`, `{"history":[{"role":"user","content":${nested}}]}`],
        [
          "POST",
          `${base}/tool-calls`,
          `{"calls":[{"id":"1","name":"load_skill","arguments":{"skill_name":${nested}}}]}`,
        ],
        ["POST", `${base}/requests`, `{"action":"a","payload":${nested},"wait_ms":0}`],
        ["POST", `${base}/requests/${request_id}/response`, `{"success":true,"result":${nested}}`],
      ];
      for (const [method, path, body] of attempts) {
        const answer = await call(method, path, { key, body, headers: { "content-type": "application/json" } });
        expect(answer.status, `${method} ${path} ${depth}`).toBeLessThan(500);
        await answer.arrayBuffer();
      }
    }
    expect((await call("GET", base, { key })).status).toBe(200);
  });
});
