// Skill code that calls declared hosts: approval, values and their owners.

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { askWith } from "../../support/app";
import { ADMIN_KEY, call, keyFor } from "../../support/call";
import { publishPublic, talk, textOf } from "../../support/chat-turns";
import { logged } from "../../support/logs";
import { providerSkill } from "../../support/provider";
import {
  approve,
  bearer,
  expectNoValue,
  HOSTS,
  imitateHosts,
  NETWORK,
  nextName,
  place,
  printed,
  type Sent,
  said,
  setEnv,
  VALUE,
} from "../../support/skill-network";

let sent: Sent[] = [];

beforeEach(() => {
  sent = imitateHosts();
});
afterEach(() => {
  vi.restoreAllMocks();
});

it("sends the value in place of its placeholder, which is all that code has", async () => {
  const { run, user } = await place();
  const result = await run(
    `const { TOKEN } = process.env;
    await fetch("https://api.example.org/json", ${bearer});
    await fetch("https://api.example.org/json", { method: "POST", body: "x", headers: { "X-Key": TOKEN, authorization: "Basic " + btoa("me:" + TOKEN) } });
    console.log(JSON.stringify(Object.keys(process.env)), TOKEN);`,
  );
  expect(said(result)).toMatch(/"TOKEN".* skillgate_TOKEN_[0-9a-f]{24}\n$/);
  expect(sent.map(({ method, headers }) => [method, headers.authorization, headers["x-key"]])).toEqual([
    ["GET", `Bearer ${VALUE}`, undefined],
    ["POST", `Basic ${btoa(`me:${VALUE}`)}`, VALUE],
  ]);
  expectNoValue(result);
  const audit = await (await call("GET", `/api/v1/audit?action=skill.request&limit=10`)).json<{ items: object[] }>();
  const mine = audit.items.filter((item) => JSON.stringify(item).includes("api.example.org"));
  expect(mine).toHaveLength(1);
  expect(mine).toMatchObject([{ action: "skill.request", after: { host: "api.example.org" } }]);
  expectNoValue(audit);
  const exported = await (await call("GET", `/api/v1/users/${user}/export`)).text();
  expect(exported).toContain('"TOKEN"');
  expectNoValue(exported);
  expectNoValue(logged(/./));
});
describe("the value of", () => {
  const USE = `console.log(process.env.TOKEN === undefined ? "none" : "some"); ${printed("https://api.example.org/json")}`;

  it("another user is not used, and the result names what is missing", async () => {
    const { id } = await place({ name: "shared-tool" });
    const key = await keyFor("without-value");
    await approve(id, ...HOSTS);
    const { run } = await place({ value: null });
    const result = await run(USE);
    expect(said(result)).toMatch(/^none/);
    expect(result.structuredContent?.missing_env).toEqual(["TOKEN", "OTHER"]);
    expect(textOf(result)).toContain("**Not set**: TOKEN, OTHER.");
    expect(key).not.toBe("");
    expectNoValue(sent);
  });

  it("the gateway is used if the user has none, and the user's own before it", async () => {
    const { run, id, user } = await place({ value: null });
    await setEnv(null, id, "TOKEN", "value-of-everybody", HOSTS);
    await run(USE);
    expect(sent.at(-1)?.headers.authorization).toBe("Bearer value-of-everybody");
    await setEnv(user, id, "TOKEN", "value-of-the-user", HOSTS);
    const result = await run(USE);
    expect(sent.at(-1)?.headers.authorization).toBe("Bearer value-of-the-user");
    expect(said(result)).toContain("[secret TOKEN]");
  });

  it.each([
    ["that was moved to another skill", "UPDATE skill_env SET skill_id = ?1 WHERE skill_id = ?2"],
    ["that was given to another user", "UPDATE skill_env SET scope = 'user:' || ?3 WHERE skill_id = ?2"],
    [
      "whose hosts were extended",
      `UPDATE skill_env SET hosts = '["evil.example.com","api.example.org"]' WHERE skill_id = ?2`,
    ],
  ])("a row %s is not used", async (_, statement) => {
    const [one, other] = [await place(), await place({ value: null })];
    await env.DB.prepare(statement)
      .bind(...[other.id, one.id, other.user].slice(0, statement.includes("?3") ? 3 : 2))
      .run();
    for (const { run } of [one, other]) expect(said(await run(USE))).toMatch(/^none/);
    expectNoValue(sent);
  });

  it("a user is encrypted again with a new key, and with the first one after that", async () => {
    const { run } = await place();
    const other = "YW5vdGhlciBrZXkgb2YgMzIgYnl0ZXMgZm9yIHRlc3Q=";
    const rotate = async (SECRETS_KEY: string, SECRETS_KEYS_PREVIOUS: string) => {
      const init = { method: "POST", headers: { authorization: `Bearer ${ADMIN_KEY}` } };
      const answer = await askWith({ SECRETS_KEY, SECRETS_KEYS_PREVIOUS }, "/api/v1/secrets/rotate", init);
      expect(answer.status).toBe(200);
    };
    await rotate(other, env.SECRETS_KEY);
    expect(said(await run(USE))).toMatch(/^none/);
    await rotate(env.SECRETS_KEY, other);
    expect(said(await run(USE))).toMatch(/^some/);
  });

  it("a deleted skill goes with it", async () => {
    const { id, user } = await place({ name: "short-lived" });
    expect((await call("DELETE", `/api/v1/kinds/skills/${id}?force=true`)).status).toBe(204);
    const rows = await env.DB.prepare("SELECT 1 FROM skill_env WHERE scope = ?1").bind(`user:${user}`).all();
    expect(rows.results).toEqual([]);
    const again = await place({ name: "short-lived", value: null });
    expect(said(await again.run(USE))).toMatch(/^none/);
  });

  it("an erased user is deleted", async () => {
    const { user } = await place();
    expect((await call("DELETE", `/api/v1/users/${user}`)).status).toBeLessThan(300);
    const rows = await env.DB.prepare("SELECT 1 FROM skill_env WHERE scope = ?1").bind(`user:${user}`).all();
    expect(rows.results).toEqual([]);
  });
});

describe("approval", () => {
  it("is mentioned when a version is published, until it is given", async () => {
    const codes = async (frontmatter: string) => {
      const { warnings } = await publishPublic({ name: "told", frontmatter });
      return warnings.flatMap(({ code, message }) => (code === "NETWORK_NOT_APPROVED" ? message : []));
    };
    const { id } = await publishPublic({ name: "told", frontmatter: "author: me" });
    await approve(id, "api.example.org");
    expect(await codes("network: [api.example.org]")).toEqual([]);
    expect(await codes("network: [api.example.org, new.example.org]")).toEqual([
      "Code of this skill cannot call new.example.org yet. Somebody who manages the skill approves the hosts: `skillgate network told --approve`.",
    ]);
  });

  it("applies to the next run, also when it is withdrawn", async () => {
    const { run, id } = await place({ hosts: [] });
    const source = printed("https://api.example.org/json");
    expect(said(await run(source))).toContain("declared, but not approved");
    await approve(id, "api.example.org");
    expect(said(await run(source))).toMatch(/^200/);
    await approve(id);
    expect(said(await run(source))).toContain("declared, but not approved");
  });

  it("of a host that the current version does not declare has no effect", async () => {
    const { run, id } = await place({ frontmatter: "network: [files.example.org]" });
    await approve(id, "api.example.org", "files.example.org");
    expect(said(await run(printed("https://api.example.org/json", "{}")))).toContain("cannot call 'api.example.org'");
  });

  it("is not needed by a skill that declares nothing, which has no network", async () => {
    const { run, id } = await place({ frontmatter: "author: me" });
    await approve(id, "api.example.org");
    expect(said(await run(printed("https://api.example.org/json", "{}")))).toContain("There is no network");
    expect(sent).toEqual([]);
  });
});

describe("other code", { tags: ["slow"] }, () => {
  it.each([
    [
      "Python",
      "scripts/main.py",
      `import os, urllib.request
asked = urllib.request.Request("https://api.example.org/json", headers={"Authorization": "Bearer " + os.environ["TOKEN"]})
print(urllib.request.urlopen(asked).read().decode())`,
    ],
    ["shell", "scripts/main.sh", `curl -s -H "Authorization: Bearer $TOKEN" https://api.example.org/json`],
    [
      "a shell script that starts Node",
      "scripts/main.sh",
      `node -e 'fetch("https://api.example.org/json", ${bearer}).then(async (a) => console.log(await a.text()))'`,
    ],
    [
      "a shell script that starts Python",
      "scripts/main.sh",
      `python3 - <<'EOF'
import os, urllib.request
asked = urllib.request.Request("https://api.example.org/json", headers={"Authorization": "Bearer " + os.environ["TOKEN"]})
print(urllib.request.urlopen(asked).read().decode())
EOF`,
    ],
  ])("%s sends values in the same way", async (_, path, source) => {
    const { run } = await place();
    const result = await run(path.endsWith(".sh") ? `#!/bin/bash\n${source}\n` : source, path);
    expect(said(result)).toContain("[secret TOKEN]");
    expect(sent.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${VALUE}`]);
    expectNoValue(result);
  });

  it("a tool of a provider sends values in the same way", async () => {
    const user = "tool-user";
    const key = await keyFor(user);
    const name = nextName();
    const skill = providerSkill(
      name,
      {
        ask: `const answer = await fetch("https://api.example.org/json", { headers: { authorization: context.env.TOKEN } });
          context.log(await answer.clone().text());
          return { answer: await answer.json() };`,
      },
      { frontmatter: NETWORK },
    );
    const { id } = await publishPublic(skill);
    await approve(id, ...HOSTS);
    await setEnv(user, id, "TOKEN", VALUE, HOSTS);
    const chat = await talk({ key });
    await chat.load(name);
    const result = await chat.use("ask");
    expect(JSON.stringify(result.structuredContent)).toContain("[secret TOKEN]");
    expect(sent.map(({ headers }) => headers.authorization)).toEqual([VALUE]);
    expectNoValue([result, logged(/./)]);
  });
});
