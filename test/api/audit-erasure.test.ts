// Erasing a user in the audit log: entries retain the action, the time and the pseudonym, but no text that the user wrote.

import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { AUDIT_ACTIONS, type AuditAction, KEPT_AFTER_ERASURE, RESOURCE_TYPES } from "../../src/domain/access/audit";
import { primaryDatabase } from "../../src/edge/context";
import { recordOnly } from "../../src/storage/d1/audit";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { form, skillZip } from "../support/skill";

/** Part of every text that the user writes in this test. */
const WRITTEN = "zanzibar";

interface Row {
  seq: number;
  at: number;
  actor: string;
  key_id: string;
  action: AuditAction;
  resource_type: string;
  resource_id: string;
  request_id: string;
  before: string | null;
  after: string | null;
}

async function rowsOf(actor: string): Promise<Row[]> {
  const { results } = await env.DB.prepare("SELECT * FROM audit WHERE actor = ? ORDER BY seq").bind(actor).all<Row>();
  return results;
}

async function pseudonymOf(user: string): Promise<string> {
  const found = await env.DB.prepare("SELECT pseudonym FROM pseudonyms WHERE user_id = ?")
    .bind(user)
    .first<string>("pseudonym");
  if (found === null) throw new Error(`${user} has no pseudonym`);
  return found;
}

async function erase(user: string): Promise<void> {
  const answer = await call("DELETE", `/api/v1/users/${user}`);
  expect(await answer.json()).toMatchObject({ complete: true });
}

const fixed = ({ seq, at, actor, key_id, action, resource_type }: Row) => ({
  seq,
  at,
  actor,
  key_id,
  action,
  resource_type,
});

describe("entries about an erased user", () => {
  it("keep what each action lists, and nothing else, whichever action it is", async () => {
    await keyFor("ear-every");
    const db = primaryDatabase(env);
    const values = [null, 7, true, false, ["a"], { a: [1] }, "word"];
    const actor = {
      userId: "ear-every",
      keyId: "k",
      requestId: `${WRITTEN}-1`,
      pseudonym: "usr_ear",
      otherPseudonym: "usr_o",
    };
    for (const action of AUDIT_ACTIONS) {
      const members = KEPT_AFTER_ERASURE[action].map((name, n) => [name, values[n % values.length] ?? null] as const);
      const said = { name: WRITTEN, base_url: WRITTEN, ...Object.fromEntries(members), nested: { deep: [WRITTEN] } };
      const resourceType = RESOURCE_TYPES.find((type) => action.startsWith(`${type}.`)) ?? "user";
      const resourceId = resourceType === "user" ? "x" : `user/${WRITTEN}`;
      const isOwn = ["conversation", "model", "own_server", "publisher", "secret"].includes(resourceType);
      const entry = { action, resourceType, resourceId: isOwn ? resourceId : "made-id", before: said, after: said };
      await recordOnly(db, actor, { ...entry, about: null, when: null });
    }
    const pseudonym = await pseudonymOf("ear-every");
    const before = await rowsOf(pseudonym);
    expect(new Set(before.map(({ action }) => action))).toEqual(new Set(AUDIT_ACTIONS));
    await erase("ear-every");
    const after = await rowsOf(pseudonym);
    expect(after.map(fixed)).toEqual(before.map(fixed));
    expect(JSON.stringify(after)).not.toContain(WRITTEN);
    for (const { action, before: was, after: is } of after) {
      const names = KEPT_AFTER_ERASURE[action];
      const expected = names.map((name, n) => [name, values[n % values.length] ?? null]);
      expect([action, JSON.parse(was ?? "{}")]).toEqual([action, Object.fromEntries(expected)]);
      expect([action, is]).toEqual([action, was]);
    }
  });

  it("have nothing of what the user published, stored, named and asked for", async () => {
    const group = "ear-team";
    await call("POST", "/api/v1/groups", { json: { name: group } });
    const key = await keyFor("ear-ada", { role: "admin", groups: [group] });
    const send = async (method: string, path: string, json?: unknown, body?: BodyInit) => {
      const given = body === undefined ? (json === undefined ? {} : { json }) : { body };
      const answer = await call(method, `/api/v1${path}`, {
        key,
        headers: { "x-request-id": `${WRITTEN}-2` },
        ...given,
      });
      expect([method, path, answer.status < 300, answer.status < 300 ? "" : await answer.text()]).toEqual([
        method,
        path,
        true,
        "",
      ]);
      return answer.status === 204 ? null : answer.json<{ metadata: { labels: { id: string } }; id: string }>();
    };
    const { id } = await publishOwn(key, { name: WRITTEN, version: `1.0.0-${WRITTEN}` });
    const draft = form(skillZip({ name: `${WRITTEN}-draft`, description: "A draft." }));
    await send("PUT", `/kinds/skills/drafts/${WRITTEN}-draft`, undefined, draft);
    await send("DELETE", `/kinds/skills/drafts/${WRITTEN}-draft`);
    const ghost = { kind: "Ghost", metadata: { name: WRITTEN, namespace: "default" }, spec: { skills: [WRITTEN] } };
    await send("POST", "/kinds/ghosts", ghost);
    await send("PUT", `/models/${WRITTEN}`, {
      api: ["openai-chat"],
      base_url: `https://api.example.com/${WRITTEN}`,
      model: WRITTEN,
    });
    await send("PUT", `/secrets/${WRITTEN.toUpperCase()}`, { value: "planted-value", hosts: [`${WRITTEN}.example`] });
    await send("PUT", `/servers/${WRITTEN}`, {
      url: `https://mcp.example.com/${WRITTEN}`,
      headers: { [`X-${WRITTEN}`]: "v" },
    });
    await send("POST", "/links", { name: WRITTEN, skills: [id] });
    await send("PUT", `/conversations/${WRITTEN}`, {});
    await send("DELETE", `/conversations/${WRITTEN}`);
    await send("PUT", `/groups/${group}`, { display_name: WRITTEN });
    await send("PUT", "/mcp-servers/ear-gateway", { url: "https://x.example/", headers: { [`X-${WRITTEN}`]: "v" } });
    await send("DELETE", "/mcp-servers/ear-gateway");
    const pseudonym = await pseudonymOf("ear-ada");
    const before = await rowsOf(pseudonym);
    expect(before.length).toBeGreaterThan(11);
    expect(JSON.stringify(before)).toContain(WRITTEN);
    await erase("ear-ada");
    const { results } = await env.DB.prepare("SELECT * FROM audit").all();
    expect(JSON.stringify(results)).not.toMatch(new RegExp(`${WRITTEN}|ear-ada`, "i"));
    expect((await rowsOf(pseudonym)).map(fixed)).toEqual(before.map(fixed));
  });

  it("lose the name of the user's skill that an admin deleted", async () => {
    const key = await keyFor("ear-bob");
    const { id } = await publishOwn(key, { name: `${WRITTEN}-skill` });
    expect((await call("DELETE", `/api/v1/kinds/skills/${id}`)).status).toBe(204);
    const pseudonym = await pseudonymOf("ear-bob");
    const read = async () => {
      const answer = await call("GET", `/api/v1/audit?resource_type=skill&resource_id=${id}&action=skill.delete`);
      const { items } = await answer.json<{ items: { user_id: string; before: object; after: object }[] }>();
      return items;
    };
    expect(await read()).toMatchObject([
      { user_id: "admin", before: { name: `${WRITTEN}-skill`, user_id: pseudonym } },
    ]);
    await erase("ear-bob");
    expect(await read()).toMatchObject([
      { user_id: "admin", before: { scope: "user", user_id: pseudonym }, after: { moderated: true } },
    ]);
    expect(JSON.stringify(await read())).not.toContain(WRITTEN);
  });

  it("are the only ones that change: the log of others stays append-only", async () => {
    const key = await keyFor("ear-eve");
    await publishOwn(key, { name: "ear-kept" });
    const gone = await keyFor("ear-gone");
    await publishOwn(gone, { name: "ear-lost" });
    const [alive, erased] = [await pseudonymOf("ear-eve"), await pseudonymOf("ear-gone")];
    await erase("ear-gone");
    const run = (sql: string, actor: string) => env.DB.prepare(sql).bind(actor).run();
    await expect(run("UPDATE audit SET after = NULL WHERE actor = ?", alive)).rejects.toThrow(/append-only/);
    for (const change of [
      "at = 0",
      "actor = 'x'",
      "action = 'x'",
      "key_id = 'x'",
      "resource_type = 'x'",
      "seq = seq + 1000",
    ])
      await expect(run(`UPDATE audit SET ${change} WHERE actor = ?`, erased)).rejects.toThrow(/append-only/);
    await expect(run("DELETE FROM audit WHERE actor = ?", erased)).rejects.toThrow(/append-only/);
  });
});
