// What a hostile source, or a hostile user of a source, can do to the gateway.

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import {
  begin,
  beginIndex,
  entryOf,
  fates,
  flatZip,
  IMPORTS,
  over,
  reportOf,
  SCHEMA,
  Site,
} from "../support/import-source";
import { skillZip } from "../support/skill";
import { gzipOf, tarOf } from "../support/tar";

const INDEX = "/.well-known/agent-skills/index.json";
let site: Site;
let key: string;
let users = 0;
beforeEach(async () => {
  site = new Site();
  Site.open(site);
  key = await keyFor(`abuser-${++users}`);
});
afterEach(() => vi.restoreAllMocks());

const refusal = async (source: object, more: object = {}) => {
  const answer = await call("POST", IMPORTS, { key, json: { source, ...more } });
  const body = await answer.json<{ code: string; issues?: { code: string; path?: string }[] }>();
  return [answer.status, body.issues?.[0]?.code ?? body.code];
};
const skillsOf = async (by: string) => {
  const answer = await call("GET", "/api/v1/kinds/skills", { key: by });
  return (await answer.json<{ items: { metadata: { name: string } }[] }>()).items.map(({ metadata }) => metadata.name);
};

describe("where an import may not lead", () => {
  const REFUSED = [
    "https://169.254.169.254/latest/meta-data/",
    "https://10.0.0.1/",
    "https://[fd00::1]/",
    "https://metadata.google.internal/computeMetadata/v1/",
    "https://instance-data.ec2.internal/",
    "https://printer.local/",
    "https://intranet/",
    "https://user:password@skills.dev/",
    "file:///etc/passwd",
    "ftp://skills.dev/",
    "https://skills.dev\\@10.0.0.1/",
    "https://gateway.test/s/public",
    "https://gateway.test:443/",
  ];
  it.each(REFUSED)("%s is rejected before a request is sent", async (url) => {
    for (const type of ["index", "archive", "gateway"])
      expect(await refusal({ type, url })).toEqual([400, "SOURCE_REFUSED"]);
    expect(site.asked).toEqual([]);
  });

  it("no redirect leads to another host, private or not, and no secret goes along", async () => {
    for (const location of [
      "https://10.0.0.1/",
      "http://127.0.0.1:8787/",
      "https://elsewhere.dev/",
      "//elsewhere.dev/",
    ]) {
      site.says(INDEX, () => new Response(null, { status: 302, headers: { location } }));
      const done = await over(key, await beginIndex(key, site));
      expect([done.state, done.problem?.code]).toEqual(["failed", "SOURCE_REFUSED"]);
    }
    const asked = vi.mocked(fetch).mock.calls.map(([url]) => new URL(String(url)).host);
    expect(asked.filter((host) => /10\.0|8787|elsewhere/.test(host))).toEqual([]);
  });

  it("no entry of an index leads to another host, however it is written", async () => {
    const bytes = flatZip({ name: "x" });
    const urls = [
      "https://10.0.0.1/x.zip",
      "//elsewhere.dev/x.zip",
      "http://127.0.0.1/x",
      "data:,x",
      "file:///etc/passwd",
    ];
    await site.index([], await Promise.all(urls.map((url, n) => entryOf(`x-${n}`, bytes, { url }))));
    site.forget();
    const done = await over(key, await beginIndex(key, site));
    expect(new Set(Object.values(fates(done)))).toEqual(new Set(["SOURCE_OTHER_HOST"]));
    expect(site.fetched).toEqual([]);
  });
});

describe("a hostile source cannot", () => {
  it("name a hundred thousand skills, or answer without an end", async () => {
    const entry = { name: "a", type: "archive", url: "a.zip", digest: `sha256:${"0".repeat(64)}`, description: "A" };
    site.says(INDEX, { $schema: SCHEMA, skills: Array.from({ length: 5_001 }, () => 1) });
    expect((await over(key, await beginIndex(key, site))).problem?.code).toBe("SOURCE_TOO_LARGE");
    const all = JSON.stringify({ $schema: SCHEMA, skills: Array.from({ length: 100_000 }, () => entry) });
    site.says(INDEX, all);
    expect((await over(key, await beginIndex(key, site))).problem?.code).toBe("SOURCE_TOO_LARGE");
    let sent = 0;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      sent += 1 << 20;
      controller.enqueue(new Uint8Array(1 << 20).fill(32));
    };
    site.says(INDEX, () => new Response(new ReadableStream({ pull })));
    expect((await over(key, await beginIndex(key, site))).problem?.code).toBe("SOURCE_TOO_LARGE");
    expect(sent).toBeLessThan(12 << 20);
  });

  it("send an endless artifact, or a bomb, at the cost of more than that skill", async () => {
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) =>
      controller.enqueue(new Uint8Array(1 << 20));
    site.says("/endless.zip", () => new Response(new ReadableStream({ pull })));
    const bomb = await gzipOf(tarOf([{ path: "SKILL.md", text: new Uint8Array(40 << 20) }]));
    site.says("/bomb.tgz", bomb);
    const linked = await gzipOf(
      tarOf([
        { path: "SKILL.md", text: "x" },
        { path: "l", type: "2" },
      ]),
    );
    site.says("/linked.tgz", linked);
    const out = await gzipOf(
      tarOf([
        { path: "SKILL.md", text: "x" },
        { path: "../../out", text: "x" },
      ]),
    );
    site.says("/out.tgz", out);
    await site.index(
      [{ name: "fine" }],
      [
        await entryOf("endless", new Uint8Array(1), { url: "/endless.zip" }),
        await entryOf("bomb", bomb, { url: "/bomb.tgz" }),
        await entryOf("linked", linked, { url: "/linked.tgz" }),
        await entryOf("out", out, { url: "/out.tgz" }),
      ],
    );
    const done = await over(key, await beginIndex(key, site));
    expect(fates(done)).toEqual({
      ...{ fine: "created", endless: "SOURCE_TOO_LARGE", bomb: "SOURCE_TOO_LARGE", linked: "ARCHIVE_LINK" },
      out: "PACKAGE_INVALID",
    });
  });

  it("return another skill under a listed name", async () => {
    const other = skillZip({ name: "squatted" });
    site.says("/.well-known/agent-skills/innocent.zip", other);
    await site.index([], [await entryOf("innocent", other)]);
    expect(fates(await over(key, await beginIndex(key, site)))).toEqual({ innocent: "NAME_MISMATCH" });
    expect(await skillsOf(key)).toEqual([]);
  });

  it("turn bad as a mirror: names of others, yanked content, nothing at all", async () => {
    const admin = await keyFor(`mirror-admin-${users}`, { role: "admin" });
    await site.index([{ name: "kept" }, { name: "pulled" }]);
    const first = await over(admin, await beginIndex(admin, site, { mirror: true }));
    await publishOwn(admin, { name: "others" });
    const pulled = first.items.find(({ name }) => name === "pulled")!;
    const yank = `/api/v1/kinds/skills/${pulled.skill_id}/versions/${pulled.version_id}/yank`;
    expect((await call("POST", yank, { key: admin })).status).toBe(200);
    await site.index([
      { name: "others", body: "Evil." },
      { name: "pulled", body: "Other." },
    ]);
    const second = await over(admin, await beginIndex(admin, site));
    expect(fates(second)).toMatchObject({ others: "NAME_TAKEN", pulled: "updated" });
    await site.index([{ name: "pulled" }]);
    expect(fates(await over(admin, await beginIndex(admin, site)))).toMatchObject({ pulled: "VERSION_YANKED" });
    site.says(INDEX, { $schema: SCHEMA, skills: [] });
    const empty = await over(admin, await beginIndex(admin, site));
    expect(empty).toMatchObject({ state: "done", mirror: true, counts: { removed: 2 } });
    expect((await skillsOf(admin)).sort()).toEqual(["kept", "others", "pulled"]);
  });

  it("take names in the way of another source of the same scope", async () => {
    const rival = new Site();
    vi.restoreAllMocks();
    Site.open(site, rival);
    await site.index([{ name: "wanted" }]);
    await rival.index([{ name: "wanted", body: "Rival." }]);
    await over(key, await beginIndex(key, site));
    expect(fates(await over(key, await beginIndex(key, rival)))).toEqual({ wanted: "NAME_TAKEN" });
  });
});

describe("a user cannot", () => {
  it("import into a group below Maintainer, import public skills, or mirror a source", async () => {
    const group = `abused-${users}`;
    await call("POST", "/api/v1/groups", { json: { name: group } });
    const source = { type: "index", url: site.origin };
    expect(await refusal(source, { namespace: group })).toEqual([404, "NAMESPACE_NOT_FOUND"]);
    await call("PUT", `/api/v1/groups/${group}/members/abuser-${users}`, { json: { role: "Developer" } });
    expect(await refusal(source, { namespace: group })).toEqual([403, "ROLE_TOO_LOW"]);
    expect((await refusal(source, { namespace: "public" }))[0]).toBe(403);
    expect((await refusal(source, { mirror: true }))[0]).toBe(403);
    const reader = await keyFor(`abuser-${users}`, { scopes: ["skills:read"] });
    expect((await call("POST", IMPORTS, { key: reader, json: { source } })).status).toBe(403);
  });

  it("see, cancel or delete another's import, or learn its source from the log", async () => {
    await site.index([{ name: "private" }]);
    const { id } = await over(
      key,
      await begin(key, { source: { type: "index", url: `${site.origin}/?token=hidden` } }),
    );
    const other = await keyFor(`abuser-${users}-other`);
    for (const [method, path] of [
      ["GET", ""],
      ["POST", "/cancel"],
      ["DELETE", ""],
    ] as const)
      expect((await call(method, `${IMPORTS}/${id}${path}`, { key: other })).status).toBe(404);
    expect(await (await call("GET", IMPORTS, { key: other })).json()).toEqual({ items: [] });
    const log = await (await call("GET", `/api/v1/audit?resource_id=${id}`)).text();
    expect(log).toContain(site.origin);
    expect(log).not.toContain("hidden");
  });

  it("send a secret of another scope or host; the response is never shown", async () => {
    const source = { type: "gateway", url: site.origin, scope: "group/crew", secret: "SOURCE_KEY" };
    const path = "/s/group/crew/.well-known/agent-skills/index.json";
    expect((await over(key, await begin(key, { source }))).problem?.code).toBe("SECRET_UNUSABLE");
    const put = (hosts: string[]) =>
      call("PUT", "/api/v1/secrets/SOURCE_KEY", { key, json: { value: "sgw_very_secret_1234", hosts } });
    expect((await put(["elsewhere.dev"])).status).toBeLessThan(300);
    expect((await over(key, await begin(key, { source }))).problem?.code).toBe("SECRET_UNUSABLE");
    expect(site.asked).toEqual([]);
    expect((await put([new URL(site.origin).hostname])).status).toBeLessThan(300);
    const echo = flatZip({ name: "echo", files: { "SKILL.md": "sgw_very_secret_1234" } });
    site.says(path, { $schema: SCHEMA, skills: [await entryOf("echo", echo, { url: "sgw_very_secret_1234.zip" })] });
    const done = await over(key, await begin(key, { source }));
    expect(site.asked.at(-1)!.headers.get("authorization")).toBe("Bearer sgw_very_secret_1234");
    expect(done.state).toBe("done");
    const { results } = await env.DB.prepare("SELECT * FROM imports").all();
    const { results: items } = await env.DB.prepare("SELECT * FROM import_items").all();
    const said = JSON.stringify([results, items, await reportOf(key, done.id)]);
    expect(said).toContain("SOURCE_KEY");
    expect(said).not.toContain("very_secret");
  });

  it("begin one with a sign-in that ends, or have more than there is room for", async () => {
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
       INSERT INTO imports SELECT 'imp_full' || i, 'user:abuser-${users}', '{"type":"index","url":"https://x.dev/"}', 'd' || i, 'abuser-${users}', 'k', 0, 1, 'done', NULL, NULL, NULL, 1, 1, 1, NULL FROM n`,
    ).run();
    expect(await refusal({ type: "index", url: site.origin })).toEqual([409, "TOO_MANY_IMPORTS"]);
    expect(await (await call("GET", `/api/v1/audit?action=import.run&actor=abuser-${users}`)).json()).toMatchObject({
      items: [],
    });
  });
});
