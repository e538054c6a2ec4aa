// Publishing with ClawHub's clients, and attacks on it: tickets of others, changed bytes, ambiguous versions.

import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { COMPAT_LIMITS } from "../../src/domain/compat/limits";

import { ADMIN_KEY, call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { API, ask, install, publishSlug, release, sha256, skillText, upload } from "../support/clawhub";
import { runCron } from "../support/skill-use";

let ada: string;
let bob: string;
beforeAll(async () => {
  [ada, bob] = [await keyFor("pub-ada"), await keyFor("pub-bob")];
  await call("POST", "/api/v1/groups", { key: ADMIN_KEY, json: { name: "pub-crew" } });
  await call("PUT", "/api/v1/groups/pub-crew/members/pub-ada", { json: { role: "Developer" } });
  await call("PUT", "/api/v1/groups/pub-crew/members/pub-bob", { json: { role: "Reporter" } });
});
afterEach(() => vi.useRealTimers());

const told = async (answer: Response) => [answer.status, await answer.text()] as const;
const parts = async () => (await env.DB.prepare("SELECT id FROM upload_parts").all()).results.length;
const objects = async () => (await env.PACKAGES.list({ prefix: "uploads/" })).objects.length;
const named = async (slug: string, key: string) => {
  const { items } = await (await ask(`/skills/${slug}/versions`, key)).json<{ items: { version: string }[] }>();
  return items.map(({ version }) => version);
};

describe("a publish", () => {
  it("stores the files as they are, with the version beside them, and uses its tickets up", async () => {
    const files = { "SKILL.md": skillText("pub-one"), "scripts/run.sh": "echo hi\n", "empty.txt": "", "ü.txt": "ü" };
    const answer = await publishSlug(ada, { slug: "pub-one", files, version: "1.2.3" });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        ...{ ok: true, skillId: expect.stringMatching(/^skl_/), versionId: expect.stringMatching(/^ver_/) },
        ...{ slug: "pub-one", version: "1.2.3", status: "published", publicationStatus: "published" },
      },
    ]);
    const installed = await install("pub-one", ada);
    expect([installed.files, installed.detail?.latestVersion.version]).toEqual([files, "1.2.3"]);
    expect([await parts(), await objects()]).toEqual([0, 0]);
    // The gateway's own API has the label, too.
    const { items } = await (await call("GET", "/api/v1/kinds/skills?name=pub-one", { key: ada })).json<{
      items: { spec: { version: string } }[];
    }>();
    expect(items[0]!.spec.version).toBe("1.2.3");
  });

  it("again creates no version: a retry gets the same response, another name for the content is rejected", async () => {
    const files = { "SKILL.md": skillText("pub-again") };
    const once = await (await publishSlug(ada, { slug: "pub-again", files })).json();
    expect(await (await publishSlug(ada, { slug: "pub-again", files })).json()).toEqual(once);
    expect(await told(await publishSlug(ada, { slug: "pub-again", files, version: "2.0.0" }))).toEqual([
      ...[409, "These files were already published as version 1.0.0 of 'pub-again'. Nothing was published."],
    ]);
    const other = { "SKILL.md": skillText("pub-again", "Changed.") };
    const [status, text] = await told(await publishSlug(ada, { slug: "pub-again", files: other }));
    expect([status, text]).toEqual([
      409,
      "Version 1.0.0 of 'pub-again' already exists with other content. Use another version label.",
    ]);
    expect(await named("pub-again", ada)).toEqual(["1.0.0"]);
  });

  it("continues the numbers of versions, and uses no number twice", async () => {
    await publishOwn(ada, { name: "pub-numbers" });
    const at = (version: string, body: string) =>
      publishSlug(ada, { slug: "pub-numbers", version, files: { "SKILL.md": skillText("pub-numbers", body) } });
    for (const version of ["0.0.1", "0.0.3", "0.0.99"])
      expect(await told(await at(version, version))).toEqual([409, expect.stringContaining("the next one of")]);
    expect((await at("0.0.2", "Two.")).status).toBe(200);
    expect((await at("1.0.0", "Three.")).status).toBe(200);
    expect(await named("pub-numbers", ada)).toEqual(["1.0.0", "0.0.2", "0.0.1"]);
  });

  it("goes to its owner by the right for it", async () => {
    const to = async (key: string, owner: string, slug: string) =>
      (await publishSlug(key, { slug, owner, files: { "SKILL.md": skillText(slug) } })).status;
    expect(await to(ada, "group.pub-crew", "pub-crews")).toBe(200);
    expect(await to(bob, "group.pub-crew", "pub-bobs")).toBe(403);
    expect(await to(ada, "public", "pub-adas")).toBe(403);
    expect(await to(ADMIN_KEY, "public", "pub-admins")).toBe(200);
    expect(await to(ada, "pub-bob", "pub-other")).toBe(404);
    expect(await to(ada, "group.other", "pub-other")).toBe(404);
    expect((await install("pub-crews", bob, "group.pub-crew")).files).toHaveProperty("SKILL.md");
    expect((await install("pub-admins", bob)).detail?.owner.handle).toBe("public");
    // The slug sets the name of the skill. Files with a different name stay unchanged, and the response has a warning.
    const named = { "SKILL.md": skillText("written-otherwise") };
    expect((await publishSlug(ada, { slug: "pub-named", files: named })).status).toBe(200);
    expect((await install("pub-named", ada)).files).toEqual(named);
  });

  it("reports problems of the files, and stores nothing", async () => {
    const before = [await parts(), await objects()];
    const answer = await publishSlug(ada, { slug: "pub-bad", files: { "README.md": "No skill." } });
    expect(await told(answer)).toEqual([422, expect.stringContaining("SKILL.md")]);
    expect([await parts(), await objects()]).toEqual(before);
    expect((await ask("/skills/pub-bad", ada)).status).toBe(404);
  });
});

describe("callers without permission", () => {
  const file = { "SKILL.md": skillText("pub-x") };
  const good = async (key: string) => {
    const [path, text] = ["SKILL.md", file["SKILL.md"]];
    return upload(key, path, text);
  };
  const base = { slug: "pub-x", version: "1.0.0" };

  /** Each request with its expected status. */
  const ABUSES: [string, () => Promise<Response>, number][] = [
    ["publishes another's upload", async () => release(bob, { ...base, files: [await good(ada)] }), 404],
    [
      "fills another's ticket",
      async () => {
        const { uploadTicket } = await good(ada);
        return call("POST", `${API}/skills/-/uploads/${uploadTicket}`, { key: bob, body: file["SKILL.md"] });
      },
      404,
    ],
    [
      "publishes a ticket that was never filled",
      async () => {
        const said = { path: "SKILL.md", size: 5, sha256: sha256("12345") };
        const asked = await call("POST", `${API}/skills/-/upload-url`, { key: ada, json: said });
        const { uploadTicket } = await asked.json<{ uploadTicket: string }>();
        return release(ada, { ...base, files: [{ ...said, storageId: uploadTicket, uploadTicket }] });
      },
      404,
    ],
    [
      "says another digest of an upload",
      async () => release(ada, { ...base, files: [{ ...(await good(ada)), sha256: "0".repeat(64) }] }),
      404,
    ],
    [
      "says another size of an upload",
      async () => release(ada, { ...base, files: [{ ...(await good(ada)), size: 1 }] }),
      404,
    ],
    ["publishes an old ticket", async () => release(ada, { ...base, files: [await used()] }), 404],
    [
      "sends other bytes than the ticket is for",
      async () => {
        const said = { path: "a", size: 3, sha256: sha256("abc") };
        const asked = await call("POST", `${API}/skills/-/upload-url`, { key: ada, json: said });
        const { uploadUrl } = await asked.json<{ uploadUrl: string }>();
        return call("POST", new URL(uploadUrl).pathname, { key: ada, body: "xyz" });
      },
      400,
    ],
    [
      "sends more bytes than the ticket is for",
      async () => {
        const said = { path: "a", size: 3, sha256: sha256("abc") };
        const asked = await call("POST", `${API}/skills/-/upload-url`, { key: ada, json: said });
        const { uploadUrl } = await asked.json<{ uploadUrl: string }>();
        return call("POST", new URL(uploadUrl).pathname, { key: ada, body: "abc".repeat(100_000) });
      },
      413,
    ],
    [
      "asks for a ticket of a file that is too large",
      () =>
        call("POST", `${API}/skills/-/upload-url`, {
          key: ada,
          json: { path: "a", size: 2 ** 31, sha256: sha256("") },
        }),
      413,
    ],
    [
      "asks for a ticket of less than nothing",
      () => call("POST", `${API}/skills/-/upload-url`, { key: ada, json: { path: "a", size: -1, sha256: sha256("") } }),
      400,
    ],
    ["publishes without a key", async () => release(null, { ...base, files: [] }), 401],
    ["publishes nothing", () => release(ada, { ...base, files: [] }), 400],
    [
      "climbs out of the folder",
      async () => release(ada, { ...base, files: [{ ...(await good(ada)), path: "../x/SKILL.md" }] }),
      422,
    ],
    [
      "names an absolute path",
      async () => release(ada, { ...base, files: [{ ...(await good(ada)), path: "/etc/SKILL.md" }] }),
      422,
    ],
    ["names a path twice", async () => release(ada, { ...base, files: [await good(ada), await good(ada)] }), 422],
    [
      "names a path twice in two cases",
      async () => release(ada, { ...base, files: [await good(ada), { ...(await good(ada)), path: "skill.md" }] }),
      422,
    ],
    ["takes a slug for a path", async () => release(ada, { ...base, slug: "../pub-x", files: [await good(ada)] }), 400],
    ["takes the slug of tickets", async () => release(ada, { ...base, slug: "-", files: [await good(ada)] }), 400],
    [
      "takes a version for a range",
      async () => release(ada, { ...base, version: "^1.0.0", files: [await good(ada)] }),
      400,
    ],
    [
      "takes a version with a line in it",
      async () => release(ada, { ...base, version: "1.0.0\n", files: [await good(ada)] }),
      400,
    ],
    [
      "publishes for a few by a tag",
      async () => release(ada, { ...base, tags: ["beta"], files: [await good(ada)] }),
      400,
    ],
    [
      "moves a skill to another owner",
      async () => release(ada, { ...base, migrateOwner: true, files: [await good(ada)] }),
      400,
    ],
    [
      "publishes with a key that reads",
      async () => release(await keyFor("pub-ada", { scopes: ["skills:read"] }), base),
      403,
    ],
    [
      "asks for a ticket with a key that reads",
      async () =>
        call("POST", `${API}/skills/-/upload-url`, {
          key: await keyFor("pub-r", { scopes: ["skills:read"] }),
          json: {},
        }),
      403,
    ],
    [
      "sends half a body",
      () =>
        call("POST", `${API}/skills`, { key: ada, body: '{"slug":', headers: { "content-type": "application/json" } }),
      400,
    ],
    ["deletes by a path that is none", () => call("DELETE", `${API}/skills/pub-x`, { key: ada }), 404],
    [
      "hands on a public skill's bytes",
      async () => release(ada, { ...base, ownerHandle: "public", files: [await good(ada)] }),
      403,
    ],
  ];

  async function used() {
    const part = await good(ada);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + COMPAT_LIMITS.partsMs + 1 });
    return part;
  }

  it.each(ABUSES)("%s", async (_, send, status) => {
    const answer = await send();
    const text = await answer.text();
    expect([answer.status, text]).toEqual([status, expect.stringMatching(/\S/)]);
    expect(text).not.toMatch(/\.ts:|at async|SQLITE|D1_ERROR/);
    expect(await install("pub-x", ada)).toMatchObject({ stopped: 404 });
  });
});

it("limits unpublished files, and sweeps abandoned ones", async () => {
  const key = await keyFor("pub-hoarder");
  const said = { path: "a", size: 8 * 2 ** 20, sha256: sha256("a") };
  const most = COMPAT_LIMITS.partBytes / said.size;
  for (let at = 0; at < most; at++)
    expect((await call("POST", `${API}/skills/-/upload-url`, { key, json: said })).status).toBe(200);
  const [status, text] = await told(
    await call("POST", `${API}/skills/-/upload-url`, { key, json: { ...said, size: 1 } }),
  );
  expect([status, text]).toEqual([409, expect.stringContaining("within an hour")]);
  await upload(ada, "left.txt", "left");
  expect(await objects()).toBeGreaterThan(0);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * COMPAT_LIMITS.partsMs + 60_000 });
  expect((await call("POST", `${API}/skills/-/upload-url`, { key, json: { ...said, size: 1 } })).status).toBe(200);
  await runCron();
  expect(await objects()).toBe(0);
  expect(await parts()).toBe(1);
});
