// The signed statement about a version, over HTTP.

import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { publicSigningKeySchema } from "../../../../src/domain/attestation/statement";
import { verifyVersion } from "../../../../src/domain/attestation/verify";
import { attestationOfVersion } from "../../../../src/services/registry/attestations";
import { rotateSecrets } from "../../../../src/services/secrets/secrets";
import { publicKeys } from "../../../../src/services/secrets/signing";
import { readScopeUse } from "../../../../src/storage/d1/usage";
import { call, keyFor } from "../../../support/call";
import { contextOf } from "../../../support/context";
import { form, skillZip } from "../../../support/skill";
import { idOf, problemOf, published, SKILLS, type Skill } from "./published";

const GIT = { type: "git", url: "https://github.com/owner/repo", commit: "0123456789abcdef0123456789abcdef01234567" };

let alice: string;
let bob: string;
beforeAll(async () => {
  alice = await keyFor("attest-alice");
  bob = await keyFor("attest-bob");
});

const pathOf = (skill: Skill, version = skill.status.version_id) =>
  `${SKILLS}/${idOf(skill)}/versions/${version}/attestation`;
const keysOf = async () => {
  const response = await call("GET", "/.well-known/jwks.json", { key: null });
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  return z.object({ keys: z.array(publicSigningKeySchema) }).parse(await response.json()).keys;
};
const expected = (skill: Skill) => ({
  ...{ zipSha256: skill.status.fileHash, name: skill.metadata.name },
  ...{ skillId: idOf(skill), versionId: skill.status.version_id },
});
const stored = (version: string) =>
  env.DB.prepare("SELECT key_id FROM version_attestations WHERE version_id = ?").bind(version).first();

describe("the attestation of a version", () => {
  it("is signed with the publish, is about the ZIP as downloaded, and is named by the download", async () => {
    const source = { source: JSON.stringify(GIT) };
    const skill = await published({ name: "attested", version: "1.0.0" }, { key: alice }, source);
    expect(await stored(skill.status.version_id)).not.toBeNull();
    const download = await call("GET", `${SKILLS}/${idOf(skill)}/download`, { key: alice });
    expect(download.headers.get("link")).toBe(`<${pathOf(skill)}>; rel="describedby"; type="application/json"`);
    const answer = await call("GET", pathOf(skill), { key: alice });
    const verified = await verifyVersion(await answer.json(), await keysOf(), expected(skill));
    expect(verified).toMatchObject({
      statement: {
        predicate: {
          skill: { scope: "user" },
          version: { label: "1.0.0" },
          signed_later_at: null,
          source: { url: GIT.url, commit: GIT.commit },
        },
      },
    });
  });

  it("is there for every version, and stays what it was", async () => {
    const first = await published({ name: "attested-twice", version: "1.0.0" }, { key: alice });
    const before = await (await call("GET", pathOf(first), { key: alice })).text();
    const body = form(skillZip({ name: "attested-twice", version: "2.0.0" }));
    const second = await (await call("PUT", `${SKILLS}/${idOf(first)}`, { key: alice, body })).json<Skill>();
    for (const version of [first, second]) {
      const answer = await call("GET", pathOf(version), { key: alice });
      expect(await verifyVersion(await answer.json(), await keysOf(), expected(version))).toHaveProperty("statement");
    }
    expect(await (await call("GET", pathOf(first), { key: alice })).text()).toBe(before);
  });

  it("is not readable without the skill, and goes with it", async () => {
    const skill = await published({ name: "attested-gone" }, { key: alice });
    expect(await problemOf(call("GET", pathOf(skill), { key: bob }))).toMatchObject({ code: "SKILL_NOT_FOUND" });
    expect(await problemOf(call("GET", pathOf(skill, "ver_0"), { key: alice }))).toMatchObject({
      code: "VERSION_NOT_FOUND",
    });
    expect((await call("GET", pathOf(skill), { key: null })).status).toBe(401);
    expect((await call("DELETE", `${SKILLS}/${idOf(skill)}`, { key: alice })).status).toBe(204);
    expect(await stored(skill.status.version_id)).toBeNull();
  });

  it("of a version without one is made at the first request, says so, and is stored once", async () => {
    const skill = await published({ name: "attested-later" }, { key: alice });
    await env.DB.prepare("DELETE FROM version_attestations WHERE version_id = ?").bind(skill.status.version_id).run();
    const ask = async () => (await call("GET", pathOf(skill), { key: alice })).text();
    const [one, two] = await Promise.all([ask(), ask()]);
    expect(two).toBe(one);
    expect(await ask()).toBe(one);
    expect(await verifyVersion(JSON.parse(one), await keysOf(), expected(skill))).toMatchObject({
      statement: { predicate: { signed_later_at: expect.any(String) } },
    });
  });

  it("counts in the database quota of its owner", async () => {
    const skill = await published({ name: "attested-counted" }, { key: alice });
    const used = async () => (await readScopeUse(contextOf("attest-alice").db, "user:attest-alice")).databaseBytes;
    const before = await used();
    const row = env.DB.prepare(
      "DELETE FROM version_attestations WHERE version_id = ? RETURNING length(envelope) AS bytes",
    );
    const gone = await row.bind(skill.status.version_id).first<{ bytes: number }>();
    expect(before - (await used())).toBe(gone?.bytes);
  });

  it("does not exist for a draft, or without SECRETS_KEY", async () => {
    const body = form(skillZip({ name: "attested-draft" }));
    const draft = await call("PUT", `${SKILLS}/drafts/attested-draft`, { key: alice, body });
    const { version_id } = await draft.json<{ version_id: string }>();
    expect(await stored(version_id)).toBeNull();
    const skill = await published({ name: "attested-keyless" }, { key: alice });
    await env.DB.prepare("DELETE FROM version_attestations WHERE version_id = ?").bind(skill.status.version_id).run();
    const keyless = contextOf("attest-alice", { settings: {} });
    await expect(attestationOfVersion(keyless, idOf(skill), skill.status.version_id)).rejects.toMatchObject({
      reason: "VERSION_NOT_SIGNED",
    });
  });
});

describe("a change of the key", () => {
  const key = (letter: string) => btoa(letter.repeat(32));
  const [A, B] = [key("a"), key("b")];
  const before = { SECRETS_KEY: A };
  const both = { SECRETS_KEY: B, SECRETS_KEYS_PREVIOUS: A };
  const after = { SECRETS_KEY: B };
  const keysUnder = (settings: Record<string, string>) => publicKeys(contextOf("root", { settings }).settings);
  const root = (settings: Record<string, string>) => contextOf("root", { settings, principal: { role: "admin" } });

  it("keeps what was signed, signs it again with the rotation, and leaves a changed one alone", async () => {
    const skills = [
      await published({ name: "rotated-a" }, { key: alice }),
      await published({ name: "rotated-b" }, { key: alice }),
    ];
    const read = (settings: Record<string, string>, skill: Skill) =>
      attestationOfVersion(contextOf("attest-alice", { settings }), idOf(skill), skill.status.version_id);
    const [good, bad] = skills as [Skill, Skill];
    for (const skill of skills) {
      await env.DB.prepare("DELETE FROM version_attestations WHERE version_id = ?").bind(skill.status.version_id).run();
      await read(before, skill);
    }
    const original = await read(both, good);
    expect(await verifyVersion(original, await keysUnder(both), expected(good))).toHaveProperty("statement");
    await env.DB.prepare(
      "UPDATE version_attestations SET envelope = json_set(envelope, '$.signatures[0].sig', 'AAAA') WHERE version_id = ?",
    )
      .bind(bad.status.version_id)
      .run();
    expect(await rotateSecrets(root(both))).toMatchObject({ remaining: 1 });
    const renewed = await read(after, good);
    expect(renewed.payload).toBe(original.payload);
    expect(await verifyVersion(renewed, await keysUnder(after), expected(good))).toHaveProperty("statement");
    expect(await verifyVersion(await read(both, bad), await keysUnder(both), expected(bad))).toHaveProperty("problem");
  });

  it("to one that does not know the old key, as after a restore elsewhere, signs at the first request", async () => {
    const skill = await published({ name: "restored" }, { key: alice });
    const envelope = await attestationOfVersion(
      contextOf("attest-alice", { settings: { SECRETS_KEY: key("c") } }),
      idOf(skill),
      skill.status.version_id,
    );
    expect(await verifyVersion(envelope, await keysUnder({ SECRETS_KEY: key("c") }), expected(skill))).toMatchObject({
      statement: { predicate: { signed_later_at: expect.any(String) } },
    });
  });
});
