// The API for values of skills' variables: who can set and see them. Values are never returned.

import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { call, keyFor } from "../../support/call";
import { publishOwn } from "../../support/chat-turns";
import { logged } from "../../support/logs";
import { nextName } from "../../support/skill-network";
import {
  acts,
  codeOf,
  DECLARED,
  MINE,
  PLANTED,
  type Problem,
  publishDeclaring,
  readVariables,
  rowsOf,
  setValues,
} from "../../support/skill-network-api";

describe("values", () => {
  it("go in and never come out", async () => {
    const id = await publishDeclaring();
    const key = await keyFor("env-ada");
    const made = await setValues(key, id, { values: { TOKEN: PLANTED } });
    expect(made.status).toBe(200);
    const told = await made.text();
    expect(JSON.parse(told)).toMatchObject({
      skill_id: id,
      network: ["api.example.org", "files.example.org"],
      env: ["TOKEN", "OTHER"],
      values: [{ name: "TOKEN", shared: false, hosts: ["api.example.org", "files.example.org"], last_used_at: null }],
      missing: ["OTHER"],
    });
    // Sets the named value and leaves the other.
    await setValues(key, id, { values: { OTHER: `${PLANTED}-2` }, hosts: ["api.example.org"] });
    const one = await call("GET", `${MINE}/${id}`, { key });
    const all = await call("GET", MINE, { key });
    const exported = await call("GET", "/api/v1/users/env-ada/export", { key });
    const texts = [told, await one.text(), await all.text(), await exported.text(), await acts(id)];
    for (const text of texts) expect(text).toContain("TOKEN");
    const seen = [...texts, one.headers.get("etag"), logged(/./)].join();
    for (const form of [PLANTED, btoa(PLANTED).slice(0, 20)]) expect(seen).not.toContain(form);
    const stored = JSON.stringify(await rowsOf("SELECT * FROM skill_env WHERE skill_id = ?", id));
    expect(stored).not.toContain(PLANTED);
    expect(JSON.parse(texts[1] ?? "")).toMatchObject({ missing: [], values: [{ name: "OTHER" }, { name: "TOKEN" }] });
    expect(JSON.parse(texts[2] ?? "")).toMatchObject({
      items: [
        { skill_id: id, name: "OTHER", hosts: ["api.example.org"] },
        { skill_id: id, name: "TOKEN" },
      ],
      next_cursor: null,
    });
  });

  it("are listed page by page", async () => {
    const ids = [await publishDeclaring(), await publishDeclaring()].sort();
    const key = await keyFor("env-pages");
    for (const id of ids) await setValues(key, id, { values: { TOKEN: PLANTED, OTHER: PLANTED } });
    const seen: string[] = [];
    let cursor: string | null = "";
    for (let pages = 0; cursor !== null && pages < 9; pages++) {
      const answer: Response = await call("GET", `${MINE}?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`, { key });
      const page = await answer.json<{ items: { skill_id: string; name: string }[]; next_cursor: string | null }>();
      seen.push(...page.items.map(({ skill_id, name }) => `${skill_id} ${name}`));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(ids.flatMap((id) => [`${id} OTHER`, `${id} TOKEN`]));
  });

  it("are their user's alone, also in a group", async () => {
    const id = await publishDeclaring();
    const [ada, bob] = [await keyFor("alone-ada"), await keyFor("alone-bob")];
    await setValues(ada, id, { values: { TOKEN: PLANTED } });
    expect(await readVariables(bob, id)).toMatchObject({ values: [], missing: ["TOKEN", "OTHER"] });
    expect(await (await call("GET", MINE, { key: bob })).json()).toEqual({ items: [], next_cursor: null });
    expect(await codeOf(await call("DELETE", `${MINE}/${id}`, { key: bob }))).toEqual([404, "SKILL_ENV_NOT_FOUND"]);
    expect(await codeOf(await call("DELETE", `${MINE}/${id}`))).toEqual([404, "SKILL_ENV_NOT_FOUND"]);
    expect((await readVariables(ada, id)).values).toHaveLength(1);
  });

  it("of a skill that the caller cannot read are refused like those of a missing one", async () => {
    const [ada, bob] = [await keyFor("hidden-ada"), await keyFor("hidden-bob")];
    const { id } = await publishOwn(ada, { name: nextName(), frontmatter: DECLARED });
    for (const skill of [id, "skl_nothing"]) {
      expect(await codeOf(await call("GET", `${MINE}/${skill}`, { key: bob }))).toEqual([404, "SKILL_NOT_FOUND"]);
      expect(await codeOf(await setValues(bob, skill, { values: { TOKEN: PLANTED } }))).toEqual([
        404,
        "SKILL_NOT_FOUND",
      ]);
      expect(await codeOf(await call("DELETE", `${MINE}/${skill}`, { key: bob }))).toEqual([404, "SKILL_NOT_FOUND"]);
    }
  });

  it("can be named by the skill's name if it is in one scope only", async () => {
    const name = nextName();
    const open = await publishDeclaring(DECLARED, name);
    const key = await keyFor("named-ada");
    expect((await setValues(key, name, { values: { TOKEN: PLANTED } })).status).toBe(200);
    expect((await readVariables(key, open)).values).toHaveLength(1);
    const { id: own } = await publishOwn(key, { name, frontmatter: DECLARED });
    for (const answer of [
      await call("GET", `${MINE}/${name}`, { key }),
      await setValues(key, name, { values: { TOKEN: PLANTED } }),
      await call("DELETE", `${MINE}/${name}`, { key }),
    ]) {
      const problem = await answer.json<Problem>();
      expect([answer.status, problem.code]).toEqual([409, "SKILL_AMBIGUOUS"]);
      expect(problem.skill_ids).toEqual([own, open].sort());
    }
    // The value of one is not the value of the other.
    expect((await readVariables(key, own)).values).toEqual([]);
  });

  it("of names and hosts that are not declared are refused together", async () => {
    const id = await publishDeclaring();
    const json = {
      values: { TOKEN: PLANTED, PATH: PLANTED, MORE: PLANTED },
      hosts: ["evil.example.com", "api.example.org"],
    };
    const refused = await setValues(undefined, id, json);
    const problem = await refused.json<Problem>();
    expect([refused.status, problem.code]).toEqual([400, "ENV_NOT_DECLARED"]);
    expect(problem.issues?.map(({ code, path }) => `${code} ${path}`)).toEqual([
      "ENV_NOT_DECLARED values.PATH",
      "ENV_NOT_DECLARED values.MORE",
      "NETWORK_NOT_DECLARED hosts.0",
    ]);
    expect(JSON.stringify(problem)).not.toContain(PLANTED);
    expect(await rowsOf("SELECT 1 FROM skill_env WHERE skill_id = ?", id)).toEqual([]);
    const only = await setValues(undefined, id, { values: { TOKEN: PLANTED }, hosts: ["evil.example.com"] });
    expect(await codeOf(only)).toEqual([400, "NETWORK_NOT_DECLARED"]);
    const silent = await publishDeclaring("env: [TOKEN]");
    expect(await codeOf(await setValues(undefined, silent, { values: { TOKEN: PLANTED } }))).toEqual([
      400,
      "NETWORK_NOT_DECLARED",
    ]);
  });

  it.each([
    ["a line break", "planted\r\nvalue-1"],
    ["a line break at its end", "planted-value-1\n"],
    ["a control character", "planted\u0000value-1"],
    ["a space at its end", "planted-value-1 "],
    ["a letter that headers cannot contain", "planted-välue-1"],
    ["too few characters", "planted"],
    ["too many characters", `planted${"x".repeat(8_192)}`],
    ["no text", 12_345_678],
  ])("with %s are refused, and not repeated", async (_, value) => {
    const id = await publishDeclaring();
    const answer = await setValues(undefined, id, { values: { TOKEN: value } });
    const text = await answer.text();
    expect([answer.status, JSON.parse(text)]).toMatchObject([400, { code: "INVALID_REQUEST" }]);
    expect(text).not.toContain("planted");
    expect(logged(/planted/)).toEqual([]);
  });

  it.each([
    ["no value", { values: {} }],
    ["another member", { values: { TOKEN: PLANTED }, shared: true }],
    ["an empty list of hosts", { values: { TOKEN: PLANTED }, hosts: [] }],
    ["a name that is none", { values: { "1BAD": PLANTED } }],
  ])("with %s are refused", async (_, json) => {
    expect(await codeOf(await setValues(undefined, await publishDeclaring(), json))).toEqual([400, "INVALID_REQUEST"]);
  });

  it("can contain spaces inside", async () => {
    const id = await publishDeclaring();
    expect((await setValues(undefined, id, { values: { TOKEN: "token with spaces" } })).status).toBe(200);
  });

  it("have a limit per user that a replacement does not reach", async () => {
    const id = await publishDeclaring();
    const key = await keyFor("env-full");
    await fill(id);
    expect((await setValues(key, id, { values: { TOKEN: PLANTED } })).status).toBe(200);
    expect(await codeOf(await setValues(key, id, { values: { TOKEN: PLANTED, OTHER: PLANTED } }))).toEqual([
      409,
      "QUOTA_EXCEEDED",
    ]);
    expect((await setValues(key, id, { values: { TOKEN: `${PLANTED}-2` } })).status).toBe(200);
    // What was refused is not in the audit log.
    expect((await acts(id)).match(/skill\.env\.put/g)).toHaveLength(2);
  });

  it("are deleted one by one or together, also when the skill can no longer be read", async () => {
    const owner = await keyFor("left-owner", { groups: ["left-team"] });
    const key = await keyFor("left-ada");
    await call("PUT", "/api/v1/groups/left-team/members/left-ada", { json: { role: "Reporter" } });
    const { id } = await publishOwn(owner, { name: nextName(), frontmatter: DECLARED }, "left-team");
    expect((await setValues(key, id, { values: { TOKEN: PLANTED, OTHER: PLANTED } })).status).toBe(200);
    expect((await call("DELETE", `${MINE}/${id}?name=OTHER`, { key })).status).toBe(204);
    expect((await readVariables(key, id)).values.map(({ name }) => name)).toEqual(["TOKEN"]);
    await call("DELETE", "/api/v1/groups/left-team/members/left-ada");
    expect(await (await call("GET", MINE, { key })).json()).toMatchObject({
      items: [{ skill_id: id, skill_name: null, name: "TOKEN" }],
    });
    expect(await codeOf(await call("GET", `${MINE}/${id}`, { key }))).toEqual([404, "SKILL_NOT_FOUND"]);
    expect((await call("DELETE", `${MINE}/${id}`, { key })).status).toBe(204);
    expect(await (await call("GET", MINE, { key })).json()).toEqual({ items: [], next_cursor: null });
  });

  it("of an erased user are deleted, and their names leave the audit log", async () => {
    const id = await publishDeclaring();
    const key = await keyFor("env-erased");
    await setValues(key, id, { values: { TOKEN: PLANTED } });
    const erased = await call("DELETE", "/api/v1/users/env-erased");
    expect(await erased.json()).toMatchObject({ complete: true });
    expect(await rowsOf("SELECT 1 FROM skill_env WHERE scope = 'user:env-erased'")).toEqual([]);
    expect(await acts(id)).not.toContain("TOKEN");
  });

  it("are encrypted again with a new key", async () => {
    const id = await publishDeclaring();
    await setValues(undefined, id, { values: { TOKEN: PLANTED } });
    await env.DB.prepare("UPDATE skill_env SET key_id = 'gone' WHERE skill_id = ?").bind(id).run();
    const rotated = await (await call("POST", "/api/v1/secrets/rotate")).json<{ remaining: number }>();
    expect(rotated.remaining).toBeGreaterThan(0);
  });
});

/** Fills the scope of a user up to one free place. */
async function fill(id: string): Promise<void> {
  const statement = env.DB.prepare(
    `INSERT INTO skill_env (id, scope, skill_id, name, hosts, key_id, iv, ciphertext, created_by)
      VALUES (?1, 'user:env-full', ?2, ?3, '[]', 'k', '', '', 'env-full')`,
  );
  await env.DB.batch(Array.from({ length: 255 }, (_, n) => statement.bind(`env_full_${n}`, id, `N${n}`)));
}
