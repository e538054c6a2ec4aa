import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { CLIENT_CAPABILITIES } from "../../../src/domain/servers/memory";
import { rotateSecrets, storeSecret, usableSecrets } from "../../../src/services/secrets/secrets";
import { fillServerVariables, fingerprintOfTarget } from "../../../src/services/servers/variables";
import { contextOf } from "../../support/context";

const key = (letter: string) => btoa(letter.repeat(32));
const [A, B] = [key("a"), key("b")];
const hosts = ["mcp.example.com", "*.tools.example.com"];
const v = (name: string) => `\${{${name}}}`;

/** A user whose counters stay constant, so that only changes of the test are visible. */
function someone(
  settings: Record<string, string> = { SECRETS_KEY: A },
  more: { admin?: boolean; groups?: string[]; count?: number } = {},
) {
  const context = contextOf(more.admin === true ? "root" : "ada", {
    settings,
    principal: {
      role: more.admin === true ? "admin" : "user",
      groups: (more.groups ?? []).map((group) => ({ group, role: "Maintainer" as const })),
    },
  });
  return { ...context, caller: { ...context.caller, counters: { public: more.count ?? Math.random() } } };
}

/** A caller is a member of the groups that it claims. */
async function joins(userId: string, group: string): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("INSERT INTO groups (name, folded, created_by) VALUES (?1, ?1, 'root')").bind(group),
    env.DB.prepare(
      "INSERT INTO group_members (group_name, user_id, role, created_by) VALUES (?, ?, 'Maintainer', 'root')",
    ).bind(group, userId),
  ]);
}

describe("usable secrets", () => {
  it("are not those of a group that one was in a moment ago", async () => {
    const ada = () => someone(undefined, { groups: ["left"] });
    await joins("ada", "left");
    await storeSecret(ada(), { kind: "group", group: "left" }, { name: "L1", value: "left-value", hosts });
    const found = async () => (await usableSecrets(ada(), ["L1"])).get("L1")?.value;
    expect(await found()).toBe("left-value");
    await env.DB.prepare("DELETE FROM group_members WHERE user_id = 'ada' AND group_name = 'left'").run();
    expect(await found()).toBe(undefined);
    // A token's claim is read in every request and is in no table.
    const claiming = ada();
    const groups = [{ group: "left", role: "Maintainer" as const, claimed: true as const }];
    const principal = { ...claiming.caller.principal, groups };
    const claimed = await usableSecrets({ ...claiming, caller: { ...claiming.caller, principal } }, ["L1"]);
    expect(claimed.get("L1")?.value).toBe("left-value");
  });

  it("are own ones before the group's before the gateway's", async () => {
    const admin = someone(undefined, { admin: true });
    const ada = () => someone(undefined, { groups: ["team"] });
    await joins("ada", "team");
    await storeSecret(admin, { kind: "gateway" }, { name: "P", value: "gateway-value", hosts });
    const found = async () => (await usableSecrets(ada(), ["P"])).get("P")?.value;
    expect(await found()).toBe("gateway-value");
    await storeSecret(ada(), { kind: "group", group: "team" }, { name: "P", value: "group-value", hosts });
    expect(await found()).toBe("group-value");
    await storeSecret(ada(), { kind: "user" }, { name: "P", value: "own-value-1", hosts });
    expect(await found()).toBe("own-value-1");
    expect((await usableSecrets(someone(undefined, {}), ["Q"])).size).toBe(0);
  });

  it("survive a rotation of the deployment's key without a gap", async () => {
    const admin = (settings: Record<string, string>) => someone(settings, { admin: true });
    await storeSecret(admin({ SECRETS_KEY: A }), { kind: "gateway" }, { name: "R", value: "rotated-value", hosts });
    const both = { SECRETS_KEY: B, SECRETS_KEYS_PREVIOUS: A };
    const read = async (settings: Record<string, string>) =>
      (await usableSecrets(someone(settings), ["R"])).get("R")?.value;
    expect(await read(both)).toBe("rotated-value");
    expect(await read({ SECRETS_KEY: B })).toBeUndefined();
    let remaining = 1;
    while (remaining > 0) ({ remaining } = await rotateSecrets(admin(both)));
    expect(await read({ SECRETS_KEY: B })).toBe("rotated-value");
    expect(await rotateSecrets(admin(both))).toEqual({ rotated: 0, remaining: 0 });
  });

  it("do not decrypt elsewhere, or when tampered with", async () => {
    const ada = someone();
    await storeSecret(ada, { kind: "user" }, { name: "T", value: "tamper-value", hosts });
    await storeSecret(ada, { kind: "user" }, { name: "U", value: "other-value1", hosts });
    await env.DB.prepare(
      "UPDATE secrets SET (iv, ciphertext) = (SELECT iv, ciphertext FROM secrets WHERE name = 'T') WHERE name = 'U'",
    ).run();
    await env.DB.prepare("UPDATE secrets SET ciphertext = 'AAAA' || substr(ciphertext, 5) WHERE name = 'T'").run();
    expect((await usableSecrets(someone(), ["T", "U"])).size).toBe(0);
  });

  it("are not stored without a key", async () => {
    const attempt = storeSecret(someone({}), { kind: "user" }, { name: "N", value: "no-key-value", hosts });
    await expect(attempt).rejects.toMatchObject({ code: "unavailable", reason: "SECRETS_UNAVAILABLE" });
  });

  it("show their last use", async () => {
    await storeSecret(someone(), { kind: "user" }, { name: "L", value: "last-used-value", hosts });
    const used = () => env.DB.prepare("SELECT last_used_at FROM secrets WHERE name = 'L'").first("last_used_at");
    expect(await used()).toBeNull();
    await usableSecrets(someone(), ["L"]);
    expect(await used()).toBeTypeOf("number");
  });

  it("count as used only where no more specific one took their place", async () => {
    await storeSecret(
      someone(undefined, { admin: true }),
      { kind: "gateway" },
      { name: "M", value: "gateway-m", hosts },
    );
    await storeSecret(someone(), { kind: "user" }, { name: "M", value: "own-value-m", hosts });
    await usableSecrets(someone(), ["M"]);
    const { results } = await env.DB.prepare(
      "SELECT scope FROM secrets WHERE name = 'M' AND last_used_at IS NOT NULL",
    ).all();
    expect(results).toEqual([{ scope: "user:ada" }]);
  });
});

describe("a server's variables", () => {
  const headers = { Authorization: `Bearer ${v("secrets.TOKEN")}`, "X-User": v("user.id") };

  it("are filled into URL and headers, and known to the redactor", async () => {
    await storeSecret(someone(), { kind: "user" }, { name: "TOKEN", value: "a b/c-secret", hosts });
    const url = `https://x.tools.example.com/mcp/${v("conversation.id")}?k=${v("secrets.TOKEN")}`;
    const filled = await fillServerVariables(someone(), { conversationId: "c1" }, "s", { url, headers, timeout: 5 });
    if ("problem" in filled) throw new Error(filled.problem);
    expect(filled.target).toEqual({
      name: "s",
      type: "streamable-http",
      url: "https://x.tools.example.com/mcp/c1?k=a%20b%2Fc-secret",
      headers: { Authorization: "Bearer a b/c-secret", "X-User": "ada" },
      era: "auto",
      abilities: CLIENT_CAPABILITIES,
      connectMs: 30_000,
      callMs: 5_000,
      redactor: expect.anything(),
    });
    expect(filled.target.redactor.text(JSON.stringify(filled.target))).not.toMatch(/c-secret/);
    const fingerprint = async (timeout: number) => {
      const again = await fillServerVariables(someone(), { conversationId: "c1" }, "s", { url, headers, timeout });
      if ("problem" in again) throw new Error(again.problem);
      return fingerprintOfTarget(someone(), again.target);
    };
    const before = await fingerprint(5);
    expect(before).not.toContain("c-secret");
    expect(await fingerprint(9)).toBe(before);
    await storeSecret(someone(), { kind: "user" }, { name: "TOKEN", value: "another-secret", hosts });
    expect(await fingerprint(5)).not.toBe(before);
  });

  it.each([
    ["https://evil.example.com/mcp", "not bound to the host evil.example.com"],
    ["https://tools.example.com/mcp", "not bound"],
    ["https://mcp.example.com.evil.com/mcp", "not bound"],
    ["https://xtools.example.com/mcp", "not bound"],
  ])("take no secret to a host it is not bound to: %s", async (url, problem) => {
    await storeSecret(someone(), { kind: "user" }, { name: "TOKEN", value: "bound-secret", hosts });
    const filled = await fillServerVariables(someone(), {}, "s", { url, headers });
    expect(filled).toEqual({ problem: expect.stringContaining(problem) });
    expect(JSON.stringify(filled)).not.toContain("bound-secret");
  });

  it("refuse the server when they are unknown, absent or have no value here", async () => {
    const fill = (value: string) =>
      fillServerVariables(someone(), {}, "s", { url: "https://mcp.example.com/", headers: { X: value } });
    expect(await fill(v("secrets.ABSENT"))).toEqual({ problem: "the secret 'ABSENT' was not found" });
    expect(await fill(v("env.HOME"))).toEqual({ problem: expect.stringContaining("env.HOME") });
    expect(await fill(v("conversation.id"))).toEqual({ problem: expect.stringContaining("conversation.id") });
  });
});
