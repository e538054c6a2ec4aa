// Quotas: settings of the operator, limits for users, and the usage that both can see.

import { describe, expect, it } from "vitest";
import { askWith } from "../support/app";
import { ADMIN_KEY, call, keyFor } from "../support/call";
import { form, skillZip } from "../support/skill";

interface Share {
  used: number;
  limit: number;
}
interface Me {
  user_id: string;
  quotas: Record<string, Share>;
  today: Record<string, Share>;
}

/** A gateway with these settings, as one key sees it. */
function gateway(key: string, settings: Record<string, string> = {}, as?: string) {
  const authorized = { authorization: `Bearer ${key}`, ...(as === undefined ? {} : { "on-behalf-of": as }) };
  const send = (method: string, path: string, json?: unknown) =>
    askWith(settings, path, {
      method,
      headers: { ...authorized, "content-type": "application/json" },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  const upload = (name: string, body = "Do.", fields: Record<string, string> = {}) =>
    askWith(settings, "/api/v1/kinds/skills/upload", {
      method: "POST",
      headers: authorized,
      body: form(skillZip({ name, body }), fields),
    });
  const me = async () => (await send("GET", "/api/v1/me")).json<Me>();
  return { send, upload, me };
}

const refusal = async (answer: Response) => {
  const { code, detail, quota, limit, used } = await answer.json<Record<string, unknown>>();
  return { status: answer.status, code, detail, quota, limit, used };
};

describe("a quota that the operator set", () => {
  it("holds for a user, is named in the error, and is in /me", async () => {
    const key = await keyFor("quota-ann");
    const { upload, me } = gateway(key, { QUOTA_SKILLS: "2", QUOTA_VERSIONS: "3", QUOTA_PACKAGES_MIB: "4" });
    for (const name of ["one", "two"]) expect((await upload(name)).status).toBe(201);
    expect(await refusal(await upload("three"))).toEqual({
      status: 409,
      code: "QUOTA_EXCEEDED",
      detail: "Skill limit reached (2 per user). Delete a skill first.",
      ...{ quota: "skills", limit: 2, used: 2 },
    });
    expect((await upload("two", "Otherwise.")).status).toBe(201);
    expect(await refusal(await upload("two", "Once more."))).toMatchObject({ quota: "versions", limit: 3, used: 3 });
    const { quotas, today } = await me();
    expect(quotas).toMatchObject({ skills: { used: 2, limit: 2 }, versions: { used: 3, limit: 3 } });
    expect(quotas.bytes?.limit).toBe(4 * 1024 * 1024);
    expect(quotas.bytes?.used).toBeGreaterThan(300);
    expect(today.uploads).toEqual({ used: 5, limit: 50_000 });
    // Without the settings, the limit is higher again.
    expect((await gateway(key).upload("three")).status).toBe(201);
  });

  it("holds for a group, times the factor, and the group shows it", async () => {
    const group = "quota-crew";
    await call("POST", "/api/v1/groups", { json: { name: group } });
    await call("PUT", `/api/v1/groups/${group}/members/quota-dev`, { json: { role: "Developer" } });
    const key = await keyFor("quota-dev");
    const { send, upload, me } = gateway(key, { QUOTA_SKILLS: "1", QUOTA_GROUP_FACTOR: "2" });
    const into = (name: string) => upload(name, "Do.", { namespace: group });
    for (const name of ["a1", "b1"]) expect((await into(name)).status).toBe(201);
    expect(await refusal(await into("c1"))).toMatchObject({
      detail: "Skill limit reached (2 per group). Delete a skill first.",
      ...{ quota: "skills", limit: 2, used: 2 },
    });
    const seen = await (await send("GET", `/api/v1/groups/${group}`)).json<Me>();
    expect(seen.quotas).toMatchObject({ skills: { used: 2, limit: 2 }, ghosts: { used: 0, limit: 4_000 } });
    expect(seen.quotas).not.toHaveProperty("keys");
    expect((await me()).quotas.skills).toEqual({ used: 0, limit: 1 });
  });

  it("holds for ghosts, keys, and what is made in a day", async () => {
    const key = await keyFor("quota-bea");
    const settings = { QUOTA_GHOSTS: "1", QUOTA_KEYS: "2", DAILY_UPLOADS: "1", DAILY_KEYS: "3" };
    const { send, upload, me } = gateway(key, settings);
    const ghost = (name: string) => send("POST", "/api/v1/kinds/ghosts", { metadata: { name }, spec: {} });
    expect((await ghost("first")).status).toBe(201);
    expect(await refusal(await ghost("second"))).toMatchObject({ quota: "ghosts", limit: 1, used: 1 });
    expect((await upload("one")).status).toBe(201);
    expect(await refusal(await upload("two"))).toMatchObject({
      status: 429,
      code: "DAILY_LIMIT",
      detail: "Daily limit reached (1 uploads per user and day). Try again tomorrow (UTC).",
      limit: 1,
    });
    const admin = gateway(ADMIN_KEY, settings);
    const another = () => admin.send("POST", "/api/v1/keys", { user_id: "quota-bea" });
    expect((await another()).status).toBe(201);
    expect(await refusal(await another())).toMatchObject({ quota: "keys", limit: 2, used: 2 });
    expect((await another()).status).toBe(429);
    const { quotas, today } = await me();
    expect(quotas).toMatchObject({ ghosts: { used: 1, limit: 1 }, keys: { used: 2, limit: 2 } });
    // Failed attempts count, but the usage never exceeds the limit.
    expect(today).toMatchObject({ uploads: { used: 1, limit: 1 }, keys: { used: 3, limit: 3 } });
  });

  it("that makes no sense stops the gateway, and is named", async () => {
    const log = { LOG_REQUESTS: "false" };
    for (const [name, value] of [
      ["QUOTA_SKILLS", "0"],
      ["QUOTA_VERSIONS", "many"],
      ["QUOTA_DATABASE_MIB", "10241"],
      ["QUOTA_GROUP_FACTOR", "1.5"],
      ["DAILY_UPLOADS", ""],
      ["QUOTA_SKILL", "5"],
    ] as const) {
      const answer = await askWith({ ...log, [name]: value }, "/api/v1/me", {
        headers: { authorization: `Bearer ${ADMIN_KEY}` },
      });
      expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining(name)]);
    }
  });
});

describe("what is used", () => {
  it("is shown for the user that a service acts for, and never for another", async () => {
    const [ann, bob] = [await keyFor("use-ann"), await keyFor("use-bob")];
    const service = await keyFor("use-service", { scopes: ["act_as", "conversations"] });
    await gateway(ann).upload("hers");
    await call("PUT", "/api/v1/conversations/use-1", { key: ann, json: {} });
    const own = await gateway(ann).me();
    expect([own.quotas.skills?.used, own.today.conversations?.used, own.quotas.keys?.used]).toEqual([1, 1, 1]);
    const acting = await gateway(service, {}, "use-ann").me();
    expect([acting.user_id, acting.quotas, acting.today]).toEqual(["use-ann", own.quotas, own.today]);
    for (const me of [await gateway(bob).me(), await gateway(service).me(), await gateway(service, {}, "use-bob").me()])
      expect([me.quotas.skills?.used, me.today.uploads?.used, me.today.conversations?.used]).toEqual([0, 0, 0]);
    // Callers without the right to act for a user receive none of that user's counts.
    const refused = await gateway(bob, {}, "use-ann").send("GET", "/api/v1/me");
    expect([refused.status, await refused.text()]).toEqual([403, expect.not.stringContaining("quotas")]);
  });

  it("is shown to any key of the user, whatever its scopes", async () => {
    const limited = await keyFor("use-cleo", { scopes: ["mcp"] });
    const { quotas } = await gateway(limited).me();
    expect(quotas.keys).toEqual({ used: 1, limit: 200 });
    expect((await gateway(limited).send("GET", "/api/v1/kinds/skills")).status).toBe(403);
  });

  it("of a group is its members' to see; to others it is no group", async () => {
    const group = "use-crew";
    await call("POST", "/api/v1/groups", { json: { name: group } });
    await call("PUT", `/api/v1/groups/${group}/members/use-dora`, { json: { role: "Reporter" } });
    const seen = async (user: string) => {
      const answer = await call("GET", `/api/v1/groups/${group}`, { key: await keyFor(user) });
      return { status: answer.status, text: await answer.text() };
    };
    expect(await seen("use-dora")).toEqual({ status: 200, text: expect.stringContaining('"quotas"') });
    expect(await seen("use-eve")).toEqual({ status: 404, text: expect.not.stringContaining("quotas") });
  });
});
