// The API for hosts of skills and for shared values: who can approve and share, and what a run uses.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../../support/call";
import { publishOwn, publishPublic, talk } from "../../support/chat-turns";
import { bearer, imitateHosts, nextName, printed, type Sent, said } from "../../support/skill-network";
import {
  acts,
  codeOf,
  DECLARED,
  PLANTED,
  type Problem,
  publishDeclaring,
  readVariables,
  SKILLS,
  setValues,
} from "../../support/skill-network-api";

describe("the hosts of a skill", () => {
  const put = (key: string | undefined, id: string, hosts: string[]) =>
    call("PUT", `${SKILLS}/${id}/network`, { ...(key === undefined ? {} : { key }), json: { hosts } });

  it("wait until they are approved, and are approved and revoked as a list", async () => {
    const id = await publishDeclaring();
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

  describe("that two admins change", () => {
    const change = (id: string, hosts: string[], tag: string) =>
      call("PUT", `${SKILLS}/${id}/network`, { json: { hosts }, headers: { "if-match": tag } });
    const tagOf = async (id: string) => (await call("GET", `${SKILLS}/${id}/network`)).headers.get("etag") ?? "";
    const approved = async (id: string) =>
      (await (await call("GET", `${SKILLS}/${id}/network`)).json<{ approved: string[] }>()).approved;

    it("are approved by the one with the current tag", async () => {
      const id = await publishDeclaring();
      const tag = await tagOf(id);
      const first = await change(id, ["api.example.org"], tag);
      expect(first.status).toBe(200);
      expect(await codeOf(await change(id, ["files.example.org"], tag))).toEqual([412, "NETWORK_CHANGED"]);
      expect(await approved(id)).toEqual(["api.example.org"]);
      const next = first.headers.get("etag") ?? "";
      expect(next).toBe(await tagOf(id));
      // A compressing proxy weakens tags.
      expect((await change(id, [], `W/${next}`)).status).toBe(200);
      expect((await change(id, ["files.example.org"], "*")).status).toBe(200);
      expect(await codeOf(await change(id, [], next))).toEqual([412, "NETWORK_CHANGED"]);
    });

    it("are not approved if another version declares others meanwhile, even a host that was reviewed", async () => {
      const name = nextName();
      const id = await publishDeclaring(DECLARED, name);
      const tag = await tagOf(id);
      await publishDeclaring(`${DECLARED.replace("]", ", new.example.org]")}`, name);
      expect(await codeOf(await change(id, ["api.example.org"], tag))).toEqual([412, "NETWORK_CHANGED"]);
      expect(await approved(id)).toEqual([]);
    });

    it("are changed and recorded once if both requests arrive at the same time, also to revoke", async () => {
      const id = await publishDeclaring();
      const raced = async (lists: string[][]) => {
        const tag = await tagOf(id);
        const answers = await Promise.all(lists.map((hosts) => change(id, hosts, tag)));
        const statuses = answers.map(({ status }) => status);
        expect(statuses.toSorted()).toEqual([200, 412, 412]);
        expect(await approved(id)).toEqual(lists[statuses.indexOf(200)]);
      };
      await raced([["api.example.org"], ["files.example.org"], ["api.example.org", "files.example.org"]]);
      await raced([[], [], []]);
      expect((await acts(id)).match(/"action":"skill.network.put"/g)).toHaveLength(2);
    });

    it("of a stranger's skill are not found, with and without a tag", async () => {
      const { id } = await publishOwn(await keyFor("net-tagged"), { name: nextName(), frontmatter: DECLARED });
      expect(await codeOf(await change(id, [], '"x"'))).toEqual([404, "SKILL_NOT_FOUND"]);
    });
  });

  it("have a tag that changes with the approval", async () => {
    const id = await publishDeclaring();
    const path = `${SKILLS}/${id}/network`;
    const tag = (await call("GET", path)).headers.get("etag") ?? "";
    expect((await call("GET", path, { headers: { "if-none-match": tag } })).status).toBe(304);
    await put(undefined, id, ["api.example.org"]);
    expect((await call("GET", path, { headers: { "if-none-match": tag } })).status).toBe(200);
  });

  it("that no version declares are refused together, with those that are declared", async () => {
    const name = nextName();
    const id = await publishDeclaring("network: [old.example.org]", name);
    await publishDeclaring("network: [api.example.org]", name);
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
    const { id } = await publishOwn(owner ?? "", { name: nextName(), frontmatter: DECLARED }, "net-team");
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
    const id = await publishDeclaring();
    expect(await codeOf(await call("PUT", `${SKILLS}/${id}/network`, { json }))).toEqual([400, "INVALID_REQUEST"]);
  });

  it("of a deleted skill do not come back with another of the same name", async () => {
    const name = nextName();
    const id = await publishDeclaring(DECLARED, name);
    await put(undefined, id, ["api.example.org"]);
    await call("DELETE", `${SKILLS}/${id}?force=true`);
    const again = await publishDeclaring(DECLARED, name);
    expect(await (await call("GET", `${SKILLS}/${again}/network`)).json()).toMatchObject({ approved: [] });
  });
});

describe("shared values", () => {
  const share = (key: string | undefined, id: string, json: object = { values: { TOKEN: PLANTED } }) =>
    call("PUT", `${SKILLS}/${id}/env`, { ...(key === undefined ? {} : { key }), json });

  it("are set by admins only, and everybody sees that they are set", async () => {
    const id = await publishDeclaring();
    const key = await keyFor("share-ada");
    expect(await codeOf(await share(key, id))).toEqual([403, "ADMIN_ONLY"]);
    expect((await share(undefined, id)).status).toBe(200);
    expect(await readVariables(key, id)).toMatchObject({
      values: [{ name: "TOKEN", shared: true, last_used_at: null }],
    });
    await setValues(key, id, { values: { TOKEN: `${PLANTED}-own` } });
    expect((await readVariables(key, id)).values.map(({ shared }) => shared)).toEqual([false, true]);
    expect(await codeOf(await call("DELETE", `${SKILLS}/${id}/env`, { key }))).toEqual([403, "ADMIN_ONLY"]);
    expect((await call("DELETE", `${SKILLS}/${id}/env?name=TOKEN`)).status).toBe(204);
    expect(await codeOf(await call("DELETE", `${SKILLS}/${id}/env`))).toEqual([404, "SKILL_ENV_NOT_FOUND"]);
    expect((await readVariables(key, id)).values.map(({ shared }) => shared)).toEqual([false]);
    expect(await acts(id)).not.toContain(PLANTED);
  });

  it("of the skill of a group that the admin does not see are refused", async () => {
    const key = await keyFor("share-owner");
    const { id } = await publishOwn(key, { name: nextName(), frontmatter: DECLARED });
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
    const { id } = await publishPublic({ name, frontmatter: DECLARED, files });
    const chat = await talk({ key });
    return { id, run: () => chat.use("execute_skill_script", { skill_name: name, script_path: "scripts/main.mjs" }) };
  }

  it("uses what the API set, from the next run: approval, value, change, revocation", async () => {
    const key = await keyFor("run-ada");
    const { id, run } = await runner(nextName(), key);
    expect(said(await run())).toContain("declared, but not approved");
    await call("PUT", `${SKILLS}/${id}/network`, { json: { hosts: ["api.example.org"] } });
    await setValues(key, id, { values: { TOKEN: PLANTED } });
    expect(said(await run())).toMatch(/^200/);
    expect(sent.at(-1)?.headers.authorization).toBe(`Bearer ${PLANTED}`);
    await setValues(key, id, { values: { TOKEN: `${PLANTED}-2` } });
    await run();
    expect(sent.at(-1)?.headers.authorization).toBe(`Bearer ${PLANTED}-2`);
    expect((await readVariables(key, id)).values[0]?.last_used_at).not.toBeNull();
    // Bound to another host only: it is not sent here.
    await setValues(key, id, { values: { TOKEN: `${PLANTED}-3` }, hosts: ["files.example.org"] });
    await run();
    expect(JSON.stringify(sent)).not.toContain(`${PLANTED}-3`);
    await call("PUT", `${SKILLS}/${id}/network`, { json: { hosts: [] } });
    expect(said(await run())).toContain("declared, but not approved");
  });

  it("of another member or of a skill of the same name in another scope does not use the value", async () => {
    const name = nextName();
    const [ada, bob] = [await keyFor("run-owner"), await keyFor("run-other")];
    const { id } = await runner(name, ada);
    await call("PUT", `${SKILLS}/${id}/network`, { json: { hosts: ["api.example.org"] } });
    await setValues(ada, id, { values: { TOKEN: PLANTED } });
    const { run } = await runner(name, bob);
    expect(said(await run())).toMatch(/^200/);
    const own = await publishOwn(ada, { name, frontmatter: DECLARED });
    expect((await readVariables(ada, own.id)).missing).toEqual(["TOKEN", "OTHER"]);
    expect(JSON.stringify(sent)).not.toContain(PLANTED);
  });
});
