// The API for hosts and variables of skills: approving hosts, setting values, and the rights for both. Values are never returned.

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../../support/call";
import { publishOwn, publishPublic, talk } from "../../support/chat-turns";
import { logged } from "../../support/logs";
import { bearer, imitateHosts, nextName, printed, type Sent, said } from "../../support/skill-network";

const VALUE = "planted-value-5c1d77";
const NETWORK = "network: [api.example.org, files.example.org]\nenv: [TOKEN, OTHER]";
const SKILLS = "/api/v1/kinds/skills";
const MINE = "/api/v1/me/skill-env";

interface Problem {
  code: string;
  detail: string;
  issues?: { code: string; path: string }[];
  declared?: string[];
  skill_ids?: string[];
}
interface Variables {
  skill_id: string;
  network: string[];
  env: string[];
  values: { name: string; shared: boolean; hosts: string[]; last_used_at: string | null }[];
  missing: string[];
}

const codeOf = async (answer: Response) => [answer.status, (await answer.json<Problem>()).code];
const publish = async (frontmatter = NETWORK, name = nextName()) => (await publishPublic({ name, frontmatter })).id;
const set = (key: string | undefined, skill: string, json: object) =>
  call("PUT", `${MINE}/${skill}`, { ...(key === undefined ? {} : { key }), json });
const read = async (key: string, skill: string) => (await call("GET", `${MINE}/${skill}`, { key })).json<Variables>();
const rowsOf = async (statement: string, ...bound: string[]) =>
  (
    await env.DB.prepare(statement)
      .bind(...bound)
      .all()
  ).results;
const acts = async (skill: string) =>
  (await (await call("GET", `/api/v1/audit?resource_id=${skill}&limit=50`)).text()).replaceAll(/"at":"[^"]*"/g, "");

describe("the hosts of a skill", () => {
  const put = (key: string | undefined, id: string, hosts: string[]) =>
    call("PUT", `${SKILLS}/${id}/network`, { ...(key === undefined ? {} : { key }), json: { hosts } });

  it("wait until they are approved, and are approved and revoked as a list", async () => {
    const id = await publish();
    const reader = await keyFor("net-reader");
    const state = async () => (await call("GET", `${SKILLS}/${id}/network`, { key: reader })).json();
    const declared = ["api.example.org", "files.example.org"];
    expect(await state()).toEqual({ declared, approved: [], waiting: declared });
    const changed = await put(undefined, id, ["Files.example.org", "files.example.org"]);
    const after = { declared, approved: ["files.example.org"], waiting: ["api.example.org"] };
    expect([changed.status, await changed.json()]).toEqual([200, after]);
    expect(await state()).toEqual(after);
    const entry = (await acts(id)).match(/"action":"skill.network.put".*?"after":\{[^}]*\}/)?.[0];
    expect(entry).toContain('"before":{"hosts":[]}');
    expect(entry).toContain('"after":{"hosts":["files.example.org"]}');
    expect((await put(undefined, id, [])).status).toBe(200);
    expect(await state()).toEqual({ declared, approved: [], waiting: declared });
  });

  it("have a tag that changes with the approval", async () => {
    const id = await publish();
    const path = `${SKILLS}/${id}/network`;
    const tag = (await call("GET", path)).headers.get("etag") ?? "";
    expect((await call("GET", path, { headers: { "if-none-match": tag } })).status).toBe(304);
    await put(undefined, id, ["api.example.org"]);
    expect((await call("GET", path, { headers: { "if-none-match": tag } })).status).toBe(200);
  });

  it("that no version declares are refused together, with those that are declared", async () => {
    const name = nextName();
    const id = await publish("network: [old.example.org]", name);
    await publish("network: [api.example.org]", name);
    const refused = await put(undefined, id, ["evil.example.com", "api.example.org", "*.example.org"]);
    const problem = await refused.json<Problem>();
    expect([refused.status, problem.code]).toEqual([400, "NETWORK_NOT_DECLARED"]);
    expect(problem.issues?.map(({ path }) => path)).toEqual(["hosts.0", "hosts.2"]);
    expect(problem.declared).toEqual(["api.example.org", "old.example.org"]);
    // An older version declares it, so a roll back needs no second approval.
    expect((await put(undefined, id, ["old.example.org"])).status).toBe(200);
    expect(await (await call("GET", `${SKILLS}/${id}/network`)).json()).toEqual({
      declared: ["api.example.org"],
      approved: ["old.example.org"],
      waiting: ["api.example.org"],
    });
  });

  it("are approved by Maintainers of the group, and not by its other members or an admin outside of it", async () => {
    const [owner, maintainer, developer, reporter, outside] = await Promise.all(
      ["net-owner", "net-maintainer", "net-developer", "net-reporter", "net-outside"].map((user) => keyFor(user)),
    );
    await call("POST", "/api/v1/groups", { json: { name: "net-team" } });
    for (const [user, role] of [
      ["net-owner", "Owner"],
      ["net-maintainer", "Maintainer"],
      ["net-developer", "Developer"],
      ["net-reporter", "Reporter"],
    ])
      await call("PUT", `/api/v1/groups/net-team/members/${user}`, { json: { role } });
    const { id } = await publishOwn(owner ?? "", { name: nextName(), frontmatter: NETWORK }, "net-team");
    expect(await codeOf(await put(reporter, id, ["api.example.org"]))).toEqual([403, "ROLE_TOO_LOW"]);
    expect(await codeOf(await put(developer, id, ["api.example.org"]))).toEqual([403, "ROLE_TOO_LOW"]);
    expect(await codeOf(await put(outside, id, ["api.example.org"]))).toEqual([404, "SKILL_NOT_FOUND"]);
    expect((await put(maintainer, id, ["api.example.org"])).status).toBe(200);
  });

  it.each([
    ["a host that is no text", { hosts: [1] }],
    ["another member", { hosts: [], approve: true }],
    ["no list", {}],
    ["too many", { hosts: Array.from({ length: 101 }, (_, n) => `h${n}.example.org`) }],
  ])("are refused as %s", async (_, json) => {
    const id = await publish();
    expect(await codeOf(await call("PUT", `${SKILLS}/${id}/network`, { json }))).toEqual([400, "INVALID_REQUEST"]);
  });

  it("of a deleted skill do not come back with another of the same name", async () => {
    const name = nextName();
    const id = await publish(NETWORK, name);
    await put(undefined, id, ["api.example.org"]);
    await call("DELETE", `${SKILLS}/${id}?force=true`);
    const again = await publish(NETWORK, name);
    expect(await (await call("GET", `${SKILLS}/${again}/network`)).json()).toMatchObject({ approved: [] });
  });
});

describe("values", () => {
  it("go in and never come out", async () => {
    const id = await publish();
    const key = await keyFor("env-ada");
    const made = await set(key, id, { values: { TOKEN: VALUE } });
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
    await set(key, id, { values: { OTHER: `${VALUE}-2` }, hosts: ["api.example.org"] });
    const one = await call("GET", `${MINE}/${id}`, { key });
    const all = await call("GET", MINE, { key });
    const exported = await call("GET", "/api/v1/users/env-ada/export", { key });
    const texts = [told, await one.text(), await all.text(), await exported.text(), await acts(id)];
    for (const text of texts) expect(text).toContain("TOKEN");
    const seen = [...texts, one.headers.get("etag"), logged(/./)].join();
    for (const form of [VALUE, btoa(VALUE).slice(0, 20)]) expect(seen).not.toContain(form);
    const stored = JSON.stringify(await rowsOf("SELECT * FROM skill_env WHERE skill_id = ?", id));
    expect(stored).not.toContain(VALUE);
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
    const ids = [await publish(), await publish()].sort();
    const key = await keyFor("env-pages");
    for (const id of ids) await set(key, id, { values: { TOKEN: VALUE, OTHER: VALUE } });
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
    const id = await publish();
    const [ada, bob] = [await keyFor("alone-ada"), await keyFor("alone-bob")];
    await set(ada, id, { values: { TOKEN: VALUE } });
    expect(await read(bob, id)).toMatchObject({ values: [], missing: ["TOKEN", "OTHER"] });
    expect(await (await call("GET", MINE, { key: bob })).json()).toEqual({ items: [], next_cursor: null });
    expect(await codeOf(await call("DELETE", `${MINE}/${id}`, { key: bob }))).toEqual([404, "SKILL_ENV_NOT_FOUND"]);
    expect(await codeOf(await call("DELETE", `${MINE}/${id}`))).toEqual([404, "SKILL_ENV_NOT_FOUND"]);
    expect((await read(ada, id)).values).toHaveLength(1);
  });

  it("of a skill that the caller cannot read are refused like those of a missing one", async () => {
    const [ada, bob] = [await keyFor("hidden-ada"), await keyFor("hidden-bob")];
    const { id } = await publishOwn(ada, { name: nextName(), frontmatter: NETWORK });
    for (const skill of [id, "skl_nothing"]) {
      expect(await codeOf(await call("GET", `${MINE}/${skill}`, { key: bob }))).toEqual([404, "SKILL_NOT_FOUND"]);
      expect(await codeOf(await set(bob, skill, { values: { TOKEN: VALUE } }))).toEqual([404, "SKILL_NOT_FOUND"]);
      expect(await codeOf(await call("DELETE", `${MINE}/${skill}`, { key: bob }))).toEqual([404, "SKILL_NOT_FOUND"]);
    }
  });

  it("can be named by the skill's name if it is in one scope only", async () => {
    const name = nextName();
    const open = await publish(NETWORK, name);
    const key = await keyFor("named-ada");
    expect((await set(key, name, { values: { TOKEN: VALUE } })).status).toBe(200);
    expect((await read(key, open)).values).toHaveLength(1);
    const { id: own } = await publishOwn(key, { name, frontmatter: NETWORK });
    for (const answer of [
      await call("GET", `${MINE}/${name}`, { key }),
      await set(key, name, { values: { TOKEN: VALUE } }),
      await call("DELETE", `${MINE}/${name}`, { key }),
    ]) {
      const problem = await answer.json<Problem>();
      expect([answer.status, problem.code]).toEqual([409, "SKILL_AMBIGUOUS"]);
      expect(problem.skill_ids).toEqual([own, open].sort());
    }
    // The value of one is not the value of the other.
    expect((await read(key, own)).values).toEqual([]);
  });

  it("of names and hosts that are not declared are refused together", async () => {
    const id = await publish();
    const json = { values: { TOKEN: VALUE, PATH: VALUE, MORE: VALUE }, hosts: ["evil.example.com", "api.example.org"] };
    const refused = await set(undefined, id, json);
    const problem = await refused.json<Problem>();
    expect([refused.status, problem.code]).toEqual([400, "ENV_NOT_DECLARED"]);
    expect(problem.issues?.map(({ code, path }) => `${code} ${path}`)).toEqual([
      "ENV_NOT_DECLARED values.PATH",
      "ENV_NOT_DECLARED values.MORE",
      "NETWORK_NOT_DECLARED hosts.0",
    ]);
    expect(JSON.stringify(problem)).not.toContain(VALUE);
    expect(await rowsOf("SELECT 1 FROM skill_env WHERE skill_id = ?", id)).toEqual([]);
    const only = await set(undefined, id, { values: { TOKEN: VALUE }, hosts: ["evil.example.com"] });
    expect(await codeOf(only)).toEqual([400, "NETWORK_NOT_DECLARED"]);
    const silent = await publish("env: [TOKEN]");
    expect(await codeOf(await set(undefined, silent, { values: { TOKEN: VALUE } }))).toEqual([
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
    const id = await publish();
    const answer = await set(undefined, id, { values: { TOKEN: value } });
    const text = await answer.text();
    expect([answer.status, JSON.parse(text)]).toMatchObject([400, { code: "INVALID_REQUEST" }]);
    expect(text).not.toContain("planted");
    expect(logged(/planted/)).toEqual([]);
  });

  it.each([
    ["no value", { values: {} }],
    ["another member", { values: { TOKEN: VALUE }, shared: true }],
    ["an empty list of hosts", { values: { TOKEN: VALUE }, hosts: [] }],
    ["a name that is none", { values: { "1BAD": VALUE } }],
  ])("with %s are refused", async (_, json) => {
    expect(await codeOf(await set(undefined, await publish(), json))).toEqual([400, "INVALID_REQUEST"]);
  });

  it("can contain spaces inside", async () => {
    const id = await publish();
    expect((await set(undefined, id, { values: { TOKEN: "token with spaces" } })).status).toBe(200);
  });

  it("have a limit per user that a replacement does not reach", async () => {
    const id = await publish();
    const key = await keyFor("env-full");
    await fill(id);
    expect((await set(key, id, { values: { TOKEN: VALUE } })).status).toBe(200);
    expect(await codeOf(await set(key, id, { values: { TOKEN: VALUE, OTHER: VALUE } }))).toEqual([
      409,
      "QUOTA_EXCEEDED",
    ]);
    expect((await set(key, id, { values: { TOKEN: `${VALUE}-2` } })).status).toBe(200);
    // What was refused is not in the audit log.
    expect((await acts(id)).match(/skill\.env\.put/g)).toHaveLength(2);
  });

  it("are deleted one by one or together, also when the skill can no longer be read", async () => {
    const owner = await keyFor("left-owner", { groups: ["left-team"] });
    const key = await keyFor("left-ada");
    await call("PUT", "/api/v1/groups/left-team/members/left-ada", { json: { role: "Reporter" } });
    const { id } = await publishOwn(owner, { name: nextName(), frontmatter: NETWORK }, "left-team");
    expect((await set(key, id, { values: { TOKEN: VALUE, OTHER: VALUE } })).status).toBe(200);
    expect((await call("DELETE", `${MINE}/${id}?name=OTHER`, { key })).status).toBe(204);
    expect((await read(key, id)).values.map(({ name }) => name)).toEqual(["TOKEN"]);
    await call("DELETE", "/api/v1/groups/left-team/members/left-ada");
    expect(await (await call("GET", MINE, { key })).json()).toMatchObject({
      items: [{ skill_id: id, skill_name: null, name: "TOKEN" }],
    });
    expect(await codeOf(await call("GET", `${MINE}/${id}`, { key }))).toEqual([404, "SKILL_NOT_FOUND"]);
    expect((await call("DELETE", `${MINE}/${id}`, { key })).status).toBe(204);
    expect(await (await call("GET", MINE, { key })).json()).toEqual({ items: [], next_cursor: null });
  });

  it("of an erased user are deleted, and their names leave the audit log", async () => {
    const id = await publish();
    const key = await keyFor("env-erased");
    await set(key, id, { values: { TOKEN: VALUE } });
    const erased = await call("DELETE", "/api/v1/users/env-erased");
    expect(await erased.json()).toMatchObject({ complete: true });
    expect(await rowsOf("SELECT 1 FROM skill_env WHERE scope = 'user:env-erased'")).toEqual([]);
    expect(await acts(id)).not.toContain("TOKEN");
  });

  it("are encrypted again with a new key", async () => {
    const id = await publish();
    await set(undefined, id, { values: { TOKEN: VALUE } });
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

describe("shared values", () => {
  const share = (key: string | undefined, id: string, json: object = { values: { TOKEN: VALUE } }) =>
    call("PUT", `${SKILLS}/${id}/env`, { ...(key === undefined ? {} : { key }), json });

  it("are set by admins only, and everybody sees that they are set", async () => {
    const id = await publish();
    const key = await keyFor("share-ada");
    expect(await codeOf(await share(key, id))).toEqual([403, "ADMIN_ONLY"]);
    expect((await share(undefined, id)).status).toBe(200);
    expect(await read(key, id)).toMatchObject({ values: [{ name: "TOKEN", shared: true, last_used_at: null }] });
    await set(key, id, { values: { TOKEN: `${VALUE}-own` } });
    expect((await read(key, id)).values.map(({ shared }) => shared)).toEqual([false, true]);
    expect(await codeOf(await call("DELETE", `${SKILLS}/${id}/env`, { key }))).toEqual([403, "ADMIN_ONLY"]);
    expect((await call("DELETE", `${SKILLS}/${id}/env?name=TOKEN`)).status).toBe(204);
    expect(await codeOf(await call("DELETE", `${SKILLS}/${id}/env`))).toEqual([404, "SKILL_ENV_NOT_FOUND"]);
    expect((await read(key, id)).values.map(({ shared }) => shared)).toEqual([false]);
    expect(await acts(id)).not.toContain(VALUE);
  });

  it("of the skill of a group that the admin does not see are refused", async () => {
    const key = await keyFor("share-owner");
    const { id } = await publishOwn(key, { name: nextName(), frontmatter: NETWORK });
    expect(await codeOf(await share(undefined, id))).toEqual([404, "SKILL_NOT_FOUND"]);
  });
});

describe("a run", () => {
  let sent: Sent[] = [];
  beforeEach(() => {
    sent = imitateHosts();
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const script = printed("https://api.example.org/json", bearer);

  async function runner(name: string, key: string) {
    const files = { "scripts/main.mjs": script };
    const { id } = await publishPublic({ name, frontmatter: NETWORK, files });
    const chat = await talk({ key });
    return { id, run: () => chat.use("execute_skill_script", { skill_name: name, script_path: "scripts/main.mjs" }) };
  }

  it("uses what the API set, from the next run: approval, value, change, revocation", async () => {
    const key = await keyFor("run-ada");
    const { id, run } = await runner(nextName(), key);
    expect(said(await run())).toContain("declared, but not approved");
    await call("PUT", `${SKILLS}/${id}/network`, { json: { hosts: ["api.example.org"] } });
    await set(key, id, { values: { TOKEN: VALUE } });
    expect(said(await run())).toMatch(/^200/);
    expect(sent.at(-1)?.headers.authorization).toBe(`Bearer ${VALUE}`);
    await set(key, id, { values: { TOKEN: `${VALUE}-2` } });
    await run();
    expect(sent.at(-1)?.headers.authorization).toBe(`Bearer ${VALUE}-2`);
    expect((await read(key, id)).values[0]?.last_used_at).not.toBeNull();
    // Bound to another host only: it is not sent here.
    await set(key, id, { values: { TOKEN: `${VALUE}-3` }, hosts: ["files.example.org"] });
    await run();
    expect(JSON.stringify(sent)).not.toContain(`${VALUE}-3`);
    await call("PUT", `${SKILLS}/${id}/network`, { json: { hosts: [] } });
    expect(said(await run())).toContain("declared, but not approved");
  });

  it("of another member or of a skill of the same name in another scope does not use the value", async () => {
    const name = nextName();
    const [ada, bob] = [await keyFor("run-owner"), await keyFor("run-other")];
    const { id } = await runner(name, ada);
    await call("PUT", `${SKILLS}/${id}/network`, { json: { hosts: ["api.example.org"] } });
    await set(ada, id, { values: { TOKEN: VALUE } });
    const { run } = await runner(name, bob);
    expect(said(await run())).toMatch(/^200/);
    const own = await publishOwn(ada, { name, frontmatter: NETWORK });
    expect((await read(ada, own.id)).missing).toEqual(["TOKEN", "OTHER"]);
    expect(JSON.stringify(sent)).not.toContain(VALUE);
  });
});
