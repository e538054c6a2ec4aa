// The well-known index: the skills of each scope path by caller, their archives, and cache headers.

import { env } from "cloudflare:workers";
import { unzipSync } from "fflate";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { publicSigningKeySchema } from "../../src/domain/attestation/statement";
import { verifyVersion } from "../../src/domain/attestation/verify";
import { COMPAT_LIMITS } from "../../src/domain/compat/limits";
import { sha256Hex } from "../../src/domain/digest";
import { readPackage } from "../../src/domain/package/package";
import { ADMIN_KEY, call, keyFor } from "../support/call";
import { publishOwn, publishPublic } from "../support/chat-turns";

interface Entry {
  name: string;
  type: string;
  description: string;
  url: string;
  digest: string;
  attestation: string;
  version: string;
  files: string[];
}

const INDEX = "/.well-known/agent-skills/index.json";
let ada: string;
beforeAll(async () => {
  ada = await keyFor("doors-ada");
});
afterEach(() => vi.useRealTimers());

const get = (path: string, key: string | null = null, headers: Record<string, string> = {}) =>
  call("GET", path, { key, headers });
async function entries(place: string, key: string | null = null): Promise<Entry[]> {
  const answer = await get(`${place}${INDEX}`, key);
  expect(answer.status).toBe(200);
  return (await answer.json<{ skills: Entry[] }>()).skills;
}
const names = async (place: string, key: string | null = null) => (await entries(place, key)).map(({ name }) => name);
const archiveOf = (place: string, { url }: Entry) => `${place}/.well-known/agent-skills/${url}`;
const open = async (id: string) => expect((await call("PUT", `/api/v1/open-skills/${id}`)).status).toBe(200);
const close = async (id: string) => expect((await call("DELETE", `/api/v1/open-skills/${id}`)).status).toBe(204);
const files = { "scripts/run.sh": "echo hi\n".repeat(200), "notes/ü.txt": "x" };

describe("the index without a key", () => {
  it("has what is on the open list, as both generations of clients read it, and its archive hashes to its digest", async () => {
    const { id } = await publishPublic({ name: "opened", description: "Opened.", files });
    await publishPublic({ name: "merely-public" });
    expect(await names("")).toEqual([]);
    await open(id);
    const [entry] = await entries("");
    expect(entry).toMatchObject({
      ...{ name: "opened", type: "archive", description: "Opened." },
      ...{ version: expect.stringMatching(/^ver_/), files: ["SKILL.md", "notes/ü.txt", "scripts/run.sh"] },
    });
    const older = await get("/.well-known/skills/index.json");
    expect([older.headers.get("cache-control"), await older.json()]).toMatchObject([
      "public, max-age=60",
      { skills: [entry] },
    ]);
    expect(await entries("/s/public")).toEqual([entry]);
    expect(await entries("/s/public/opened")).toEqual([entry]);

    const archive = await get(archiveOf("", entry!));
    expect([archive.status, archive.headers.get("content-type"), archive.headers.get("cache-control")]).toEqual([
      ...[200, "application/zip", "public, max-age=31536000, immutable"],
    ]);
    const bytes = new Uint8Array(await archive.arrayBuffer());
    expect(`sha256:${await sha256Hex(bytes)}`).toBe(entry!.digest);
    const unpacked = unzipSync(bytes);
    expect(Object.keys(unpacked)).toEqual(entry!.files);
    expect(new TextDecoder().decode(unpacked["scripts/run.sh"])).toBe(files["scripts/run.sh"]);

    const keySet = await (await get("/.well-known/jwks.json")).json<{ keys: unknown[] }>();
    const keys = keySet.keys.map((key) => publicSigningKeySchema.parse(key));
    const { package: found } = await readPackage(bytes, { fileName: "opened.zip" });
    const expected = { zipSha256: found?.zipSha256 ?? "", name: "opened", skillId: id, versionId: entry!.version };
    const signed = await get(archiveOf("", { ...entry!, url: entry!.attestation }));
    expect(await verifyVersion(await signed.json(), keys, expected)).toHaveProperty("statement");
    expect((await get(archiveOf("", { ...entry!, url: `-/opened/${"0".repeat(64)}.json` }))).status).toBe(404);
    expect(
      (await get(archiveOf("", { ...entry!, url: entry!.attestation.replace("opened", "merely-public") }))).status,
    ).toBe(404);

    const file = await get("/.well-known/skills/opened/scripts/run.sh");
    expect([file.status, await file.text(), file.headers.get("content-security-policy")]).toEqual([
      ...[200, files["scripts/run.sh"], "sandbox; default-src 'none'"],
    ]);
    const text = await get("/.well-known/skills/opened/SKILL.md");
    expect([text.headers.get("content-type"), await text.text()]).toEqual([
      "text/markdown; charset=utf-8",
      expect.stringContaining("name: opened"),
    ]);
  });

  it("says that everything else was never there, whatever it is called", async () => {
    const { id } = await publishPublic({ name: "closed" });
    await open(id);
    const [entry] = (await entries("")).filter(({ name }) => name === "closed");
    await close(id);
    const own = await publishOwn(ada, { name: "adas-own" });
    const [mine] = await entries("/s/own", ada);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
    const nothing = await (await get("/s/never/was")).json<Record<string, unknown>>();
    for (const path of [
      archiveOf("", entry!),
      archiveOf("/s/public", entry!),
      archiveOf("", mine!),
      `/s/public${INDEX}/../x`,
      `/s/own${INDEX}`,
      `/s/own/adas-own${INDEX}`,
      `/s/group/anything${INDEX}`,
      `/s/public/closed${INDEX}`,
      "/.well-known/skills/closed/SKILL.md",
      "/.well-known/skills/adas-own/SKILL.md",
      `/.well-known/agent-skills/-/${own.id}/x.zip`,
      "/.well-known/agent-skills/",
    ]) {
      const answer = await get(path);
      const body = await answer.json<Record<string, unknown>>();
      expect([path, answer.status, { ...body, request_id: "" }]).toEqual([path, 404, { ...nothing, request_id: "" }]);
    }
  });

  it("answers an archive that it knows without D1, and for a minute at most after it was closed", async () => {
    const { id } = await publishPublic({ name: "known-by-digest" });
    await open(id);
    const [entry] = (await entries("")).filter(({ name }) => name === "known-by-digest");
    const asked = vi.spyOn(env.DB, "withSession");
    const answer = await get(archiveOf("", entry!));
    await answer.body?.cancel();
    expect([answer.status, asked.mock.calls.length]).toEqual([200, 0]);
    asked.mockRestore();
    await close(id);
    expect(await names("")).not.toContain("known-by-digest");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
    expect((await get(archiveOf("", entry!))).status).toBe(404);
  });

  it("reports to a client with the current index that nothing changed", async () => {
    const first = await get(`/s/public${INDEX}`);
    const etag = first.headers.get("etag") ?? "";
    await first.body?.cancel();
    expect((await get(`/s/public${INDEX}`, null, { "if-none-match": etag })).status).toBe(304);
  });
});

describe("the index with a key", () => {
  it("has the skills that the key can read, each scope below its URL, and is not cached", async () => {
    const bob = await keyFor("doors-bob");
    await publishOwn(bob, { name: "bobs" });
    await publishPublic({ name: "for-everybody" });
    expect(await names("/s/own", bob)).toEqual(["bobs"]);
    expect(await names("/s/public", bob)).toContain("for-everybody");
    expect(await names("/s/public")).not.toContain("for-everybody");
    const [entry] = await entries("/s/own", bob);
    const archive = await get(archiveOf("/s/own", entry!), bob);
    expect([archive.status, archive.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
    await archive.body?.cancel();
    // The digest of another archive opens nothing, below any base URL.
    for (const place of ["/s/own", "/s/public", ""])
      expect((await get(archiveOf(place, entry!), ada)).status).toBe(404);
    expect((await get(`/s/own${INDEX}`, "sgw_wrong")).status).toBe(401);
  });

  it("has a group's skills for its members, also where the group is called like a path", async () => {
    for (const group of ["own", "public-", "a.zip", "group"]) {
      const made = await call("POST", "/api/v1/groups", { key: ADMIN_KEY, json: { name: group } });
      expect(made.status).toBe(201);
      await call("PUT", `/api/v1/groups/${group}/members/doors-gil`, { json: { role: "Developer" } });
    }
    const gil = await keyFor("doors-gil");
    await publishOwn(gil, { name: "gils-own" });
    const inGroup = await publishOwn(gil, { name: "of-group-own" }, "own");
    expect(inGroup.id).toMatch(/^skl_/);
    expect(await names("/s/group/own", gil)).toEqual(["of-group-own"]);
    expect(await names("/s/group/group", gil)).toEqual([]);
    expect(await names("/s/own", gil)).toEqual(["gils-own"]);
    for (const place of ["/s/group/own", "/s/group/own%2F..", "/s/group/user:doors-gil", "/s/group/public"]) {
      expect([place, (await get(`${place}${INDEX}`, ada)).status]).toEqual([place, 404]);
    }
  });

  it("accepts a key with `skills:read` and no key with another scope", async () => {
    const reader = await keyFor("doors-ada", { scopes: ["skills:read"] });
    const other = await keyFor("doors-ada", { scopes: ["conversations"] });
    expect((await get(`/s/own${INDEX}`, reader)).status).toBe(200);
    expect((await get(`/s/own${INDEX}`, other)).status).toBe(403);
    expect((await get("/api/search?q=x", other)).status).toBe(403);
  });

  it("keeps an indexed archive while a newer version is published, and removes a yanked one", async () => {
    const cy = await keyFor("doors-cy");
    const { id, version_id } = await publishOwn(cy, { name: "moving", version: "1.0.0" });
    const [before] = await entries("/s/own", cy);
    await publishOwn(cy, { name: "moving", version: "2.0.0", body: "New." });
    const [after] = await entries("/s/own", cy);
    expect([after!.digest === before!.digest, after!.version === before!.version]).toEqual([false, false]);
    const old = await get(archiveOf("/s/own", before!), cy);
    expect(old.status).toBe(200);
    await old.body?.cancel();
    await call("POST", `/api/v1/kinds/skills/${id}/versions/${version_id}/yank`, { key: cy });
    expect((await get(archiveOf("/s/own", before!), cy)).status).toBe(404);
  });
});

it("says that it is cut where there are more skills than it has room for", async () => {
  const key = await keyFor("doors-many");
  for (const name of ["m-a", "m-b", "m-c"]) await publishOwn(key, { name });
  const index = async () => (await get(`/s/own${INDEX}`, key)).json<{ skills: { name: string }[]; cut?: object }>();
  expect(await index()).not.toHaveProperty("cut");
  const most = vi.spyOn(COMPAT_LIMITS, "indexedSkills", "get").mockReturnValue(2 as never);
  const { skills, cut } = await index();
  expect([skills.map(({ name }) => name), cut]).toEqual([
    ["m-a", "m-b"],
    { shown: 2, about: expect.stringContaining("<base URL>/<skill>") },
  ]);
  // Skills that the index leaves out are available at their own path.
  expect(await names("/s/own/m-c", key)).toEqual(["m-c"]);
  const listed = await get("/api/v1/skills?ownerHandle=own", key);
  expect(await listed.json()).toMatchObject({ items: [{}, {}], cut: true });
  most.mockRestore();
});

describe("what clients of the index cannot take", () => {
  it("is left out, and the skill says why", async () => {
    const dee = await keyFor("doors-dee");
    const { id } = await publishOwn(dee, { name: "Über_Skill" });
    await publishOwn(dee, { name: "plain" });
    expect(await names("/s/own", dee)).toEqual(["plain"]);
    const shown = await (await get(`/api/v1/kinds/skills/${id}`, dee)).json<{ status: { left_out: unknown } }>();
    expect(shown.status.left_out).toMatchObject([
      { door: "well-known", code: "NAME_NOT_STRICT" },
      { door: "marketplace", code: "NAME_NOT_STRICT" },
      { door: "clawhub", code: "NAME_NOT_SLUG" },
    ]);
    const fine = await (await get("/api/v1/kinds/skills?name=plain", dee)).json<{ items: { status: object }[] }>();
    expect(fine.items[0]!.status).not.toHaveProperty("left_out");
  });

  it("makes the archive of a version from before, whichever request comes first", async () => {
    const eve = await keyFor("doors-eve");
    await publishOwn(eve, { name: "from-before", files });
    const [entry] = await entries("/s/own", eve);
    await env.DB.prepare("DELETE FROM version_archives WHERE version_id = ?").bind(entry!.version).run();
    await env.PACKAGES.delete(`packages/${entry!.version}.flat.zip`);
    const [one, two] = await Promise.all([entries("/s/own", eve), entries("/s/own", eve)]);
    expect([one, two]).toEqual([[entry], [entry]]);
    // An object without its row, as after an interrupted request.
    await env.DB.prepare("DELETE FROM version_archives WHERE version_id = ?").bind(entry!.version).run();
    expect(await entries("/s/own", eve)).toEqual([entry]);
    const archive = await get(archiveOf("/s/own", entry!), eve);
    expect(`sha256:${await sha256Hex(new Uint8Array(await archive.arrayBuffer()))}`).toBe(entry!.digest);
  });
});

describe("a search", () => {
  it("finds what one sees, with where to add it from", async () => {
    const fay = await keyFor("doors-fay");
    await publishOwn(fay, { name: "otter-private", description: "All about otters." });
    const { id } = await publishPublic({ name: "otter-open", description: "Otters for all." });
    await publishPublic({ name: "otter-public", description: "Otters for keys." });
    await open(id);
    const found = async (path: string, key: string | null = null) =>
      (await (await get(`${path}?q=otters&limit=20`, key)).json<{ skills: { name: string; source: string }[] }>())
        .skills;
    expect(await found("/api/search")).toMatchObject([
      { name: "otter-open", source: "https://gateway.test/s/public/otter-open", installs: 0 },
    ]);
    expect((await found("/api/search", fay)).map(({ name }) => name).sort()).toEqual([
      ...["otter-open", "otter-private", "otter-public"],
    ]);
    expect(await found("/s/own/api/search", fay).catch(String)).toMatchObject([
      { source: "https://gateway.test/s/own/otter-private" },
    ]);
  });
});
