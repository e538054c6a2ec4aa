import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { readArchive } from "../../src/domain/package/archive";
import { type CallOptions, call, keyFor } from "../support/call";
import { form, type SkillFixture, skillZip, zip } from "../support/skill";

const SKILLS = "/api/v1/kinds/skills";
const GHOSTS = "/api/v1/kinds/ghosts";

interface Skill {
  metadata: { name: string; namespace: string; labels: { id: string; user_id: string } };
  spec: { prompt: string; version?: string; description: string };
  status: {
    state: string;
    version_id: string;
    fileHash: string;
    fileSize: number;
    uploadHash: string;
    warnings: { code: string }[];
    tokens: object;
  };
}

const upload = (skill: SkillFixture, options: CallOptions = {}, fields: Record<string, string> = {}) =>
  call("POST", `${SKILLS}/upload`, { ...options, body: form(skillZip(skill), fields) });

async function published(skill: SkillFixture, options: CallOptions = {}, fields: Record<string, string> = {}) {
  const answer = await upload(skill, options, fields);
  expect(answer.status).toBe(201);
  return answer.json<Skill>();
}

const idOf = (skill: Skill) => skill.metadata.labels.id;
const problemOf = async (answer: Response | Promise<Response>) => {
  const response = await answer;
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  const body = await response.json<{ code: string; status: number; issues?: { code: string; path?: string }[] }>();
  expect(body.status).toBe(response.status);
  return body;
};

let alice: string;
let bob: string;
let carol: string;
let dave: string;

beforeAll(async () => {
  alice = await keyFor("alice");
  bob = await keyFor("bob");
  carol = await keyFor("carol", { groups: ["team"] });
  dave = await keyFor("dave", { groups: ["team"] });
});

describe("upload", () => {
  it("publishes a skill and shows it as the seeds' resource", async () => {
    const bytes = skillZip({
      name: "mermaid-diagram",
      version: "1.0.0",
      description: "Draws diagrams.",
      frontmatter:
        'displayName: "Diagrams"\nauthor: me\ntags: [draw]\nbindShells: [Chat]\nconfig: {a: 1}\ndependencies: ["other@>=1.0.0"]',
      body: "# How\n\nDraw.",
      files: { "references/a.md": "x" },
    });
    const answer = await call("POST", `${SKILLS}/upload`, { key: alice, body: form(bytes) });
    expect(answer.status).toBe(201);
    const skill = await answer.json<Skill>();
    expect(skill).toMatchObject({
      apiVersion: "agent.wecode.io/v1",
      kind: "Skill",
      metadata: { name: "mermaid-diagram", namespace: "default", labels: { user_id: "alice" } },
      spec: {
        description: "Draws diagrams.",
        displayName: "Diagrams",
        prompt: "# How\n\nDraw.",
        version: "1.0.0",
        author: "me",
        tags: ["draw"],
        bindShells: ["Chat"],
        config: { a: 1 },
        tools: [],
        provider: {},
        mcpServers: {},
        dependencies: ["other@>=1.0.0"],
      },
      status: { state: "available", warnings: [{ code: "DEPENDENCY_MISSING", path: "SKILL.md" }] },
    });
    expect(idOf(skill)).toMatch(/^skl_[0-9A-Z]{26}$/);
    expect(skill.status.version_id).toMatch(/^ver_[0-9A-Z]{26}$/);
    const stored = await env.PACKAGES.get(`packages/${skill.status.version_id}.zip`);
    const zipped = new Uint8Array(await stored!.arrayBuffer());
    expect(zipped.length).toBe(skill.status.fileSize);
    const { entries, issues } = readArchive(zipped);
    expect(issues).toEqual([]);
    expect(entries.map((entry) => entry.path)).toEqual(["mermaid-diagram/SKILL.md", "mermaid-diagram/references/a.md"]);
  });

  it("answers equal content with what is there, however it was compressed", async () => {
    const first = await published({ name: "same" }, { key: alice });
    const again = await upload({ name: "same" }, { key: alice });
    expect(again.status).toBe(200);
    expect((await again.json<Skill>()).status.version_id).toBe(first.status.version_id);
    const other = await upload({ name: "same", body: "Other." }, { key: alice });
    expect(other.status).toBe(201);
    const third = await other.json<Skill>();
    expect(idOf(third)).toBe(idOf(first));
    const back = await upload({ name: "same" }, { key: alice });
    expect(back.status).toBe(200);
    expect((await back.json<Skill>()).status).toMatchObject({
      version_id: first.status.version_id,
      warnings: [{ code: "NOT_CURRENT" }],
    });
    const now = await (await call("GET", `${SKILLS}/${idOf(first)}`, { key: alice })).json<Skill>();
    expect(now.status.version_id).toBe(third.status.version_id);
  });

  it("refuses a label that has other content, and a name that differs only in case", async () => {
    const first = await published({ name: "labelled", version: "1.0.0" }, { key: alice });
    const answer = await problemOf(upload({ name: "labelled", version: "1.0.0", body: "x" }, { key: alice }));
    expect(answer).toMatchObject({ status: 409, code: "VERSION_EXISTS", version_id: first.status.version_id });
    expect(await problemOf(upload({ name: "Labelled" }, { key: alice }))).toMatchObject({
      status: 409,
      code: "NAME_CONFLICT",
    });
    expect((await upload({ name: "labelled", version: "1.0.0", body: "x" }, { key: bob })).status).toBe(201);
  });

  it("refuses a package with everything that is wrong with it", async () => {
    const bad = zip({ "x/SKILL.md": "no frontmatter", "x/../y": "1" });
    const answer = await problemOf(call("POST", `${SKILLS}/upload`, { key: alice, body: form(bad) }));
    expect(answer).toMatchObject({ status: 422, code: "PACKAGE_INVALID" });
    expect(answer.issues!.length).toBeGreaterThan(1);
    const mismatch = await problemOf(upload({ name: "one" }, { key: alice }, { name: "two" }));
    expect(mismatch).toMatchObject({ status: 422, code: "NAME_MISMATCH" });
    const huge = skillZip({ name: "huge", files: { "big.bin": new Uint8Array(6 * 1024 * 1024) } });
    expect(await problemOf(call("POST", `${SKILLS}/upload`, { key: alice, body: form(huge) }))).toMatchObject({
      status: 413,
      code: "PACKAGE_TOO_LARGE",
    });
  });

  it("names a skill at the root of its ZIP by the form, the frontmatter or the file", async () => {
    const bare = zip({ "SKILL.md": "---\ndescription: d\n---\nx" });
    const byForm = await call("POST", `${SKILLS}/upload`, { key: alice, body: form(bare, { name: "by-form" }) });
    expect((await byForm.json<Skill>()).metadata.name).toBe("by-form");
    const byFile = await call("POST", `${SKILLS}/upload`, { key: alice, body: form(bare, {}, "by-file.zip") });
    expect((await byFile.json<Skill>()).metadata.name).toBe("by-file");
  });

  it("refuses malformed forms with all issues, and other content types", async () => {
    const body = new FormData();
    body.set("file", "text");
    body.set("surprise", "1");
    const answer = await problemOf(call("POST", `${SKILLS}/upload`, { key: alice, body }));
    expect(answer).toMatchObject({ status: 400, code: "INVALID_REQUEST" });
    expect(answer.issues!.map((issue) => issue.path).sort()).toEqual(["form.file", "form.surprise"]);
    expect((await call("POST", `${SKILLS}/upload`, { key: alice, json: {} })).status).toBe(415);
    expect((await call("PATCH", `${SKILLS}/upload`, { key: alice })).status).toBe(405);
    const broken = await call("POST", `${SKILLS}/upload`, {
      key: alice,
      body: "no",
      headers: { "content-type": "multipart/form-data; boundary=x" },
    });
    expect(broken.status).toBe(400);
  });

  it("repeats its answer under an Idempotency-Key", async () => {
    const headers = { "idempotency-key": "k-1" };
    const first = await upload({ name: "once", version: "1" }, { key: alice, headers });
    expect(first.status).toBe(201);
    const made = await first.text();
    const second = await upload({ name: "once", version: "1" }, { key: alice, headers });
    expect(second.status).toBe(201);
    expect(await second.text()).toBe(made);
    expect(await problemOf(upload({ name: "once", version: "2" }, { key: alice, headers }))).toMatchObject({
      status: 409,
      code: "IDEMPOTENCY_KEY_REUSED",
    });
    const without = await upload({ name: "once", version: "1" }, { key: alice });
    expect(without.status).toBe(200);
    const bobs = await upload({ name: "once", version: "1" }, { key: bob, headers });
    expect(bobs.status).toBe(201);
    expect((await upload({ name: "once" }, { key: alice, headers: { "idempotency-key": "" } })).status).toBe(400);
  });

  it("writes to a group's namespace only for its members", async () => {
    const shared = await published({ name: "shared" }, { key: carol }, { namespace: "team" });
    expect(shared.metadata).toMatchObject({ namespace: "team", labels: { user_id: "carol" } });
    expect((await call("GET", `${SKILLS}/${idOf(shared)}`, { key: dave })).status).toBe(200);
    expect((await call("GET", `${SKILLS}/${idOf(shared)}`, { key: alice })).status).toBe(404);
    expect(await problemOf(upload({ name: "shared" }, { key: alice }, { namespace: "team" }))).toMatchObject({
      status: 404,
      code: "NAMESPACE_NOT_FOUND",
    });
  });
});

describe("reading", () => {
  it("gives another's skill the answer of one that never was", async () => {
    const skill = await published({ name: "private" }, { key: alice });
    const paths: [string, string][] = [
      ["GET", ""],
      ["GET", "/download"],
      ["GET", "/files"],
      ["GET", "/files/SKILL.md"],
      ["GET", "/references"],
      ["GET", "/versions"],
      ["DELETE", ""],
      ["POST", "/remove-references"],
      ["POST", `/versions/${skill.status.version_id}/activate`],
    ];
    const strip = (body: string) => body.replace(/"request_id":"[^"]*"/, "");
    for (const [method, rest] of paths) {
      const others = await call(method, `${SKILLS}/${idOf(skill)}${rest}`, { key: bob });
      const nobodys = await call(method, `${SKILLS}/skl_nothing${rest}`, { key: bob });
      expect([method, rest, others.status]).toEqual([method, rest, 404]);
      expect(strip(await others.text())).toBe(strip(await nobodys.text()));
    }
    const put = await call("PUT", `${SKILLS}/${idOf(skill)}`, { key: bob, body: form(skillZip({ name: "private" })) });
    expect(put.status).toBe(404);
  });

  it("answers 304 to who has it", async () => {
    const skill = await published({ name: "tagged" }, { key: alice });
    const answer = await call("GET", `${SKILLS}/${idOf(skill)}`, { key: alice });
    const tag = answer.headers.get("etag")!;
    expect(tag).toMatch(/^"sha256-[0-9a-f]{64}"$/);
    const headers = { "if-none-match": `"x", W/${tag}` };
    const again = await call("GET", `${SKILLS}/${idOf(skill)}`, { key: alice, headers });
    expect(again.status).toBe(304);
    expect(again.headers.get("etag")).toBe(tag);
    expect(await again.text()).toBe("");
    await upload({ name: "tagged", body: "New." }, { key: alice });
    expect((await call("GET", `${SKILLS}/${idOf(skill)}`, { key: alice, headers })).status).toBe(200);
  });

  it("lists own skills page by page", async () => {
    const key = await keyFor("lister");
    for (const name of ["a", "b", "c", "d", "e"]) await published({ name }, { key });
    interface Page {
      items: Skill[];
      next_cursor: string | null;
      total?: number;
    }
    const list = async (query: string) => (await call("GET", `${SKILLS}${query}`, { key })).json<Page>();
    const names = (page: Page) => page.items.map((item) => item.metadata.name).join("");
    const first = await list("?limit=2&count=true");
    expect([names(first), first.total]).toEqual(["ab", 5]);
    const second = await list(`?limit=2&cursor=${first.next_cursor}`);
    expect([names(second), second.total]).toEqual(["cd", undefined]);
    const third = await list(`?limit=2&cursor=${second.next_cursor}`);
    expect([names(third), third.next_cursor]).toEqual(["e", null]);
    expect(names(await list("?skip=3"))).toBe("de");
    expect((await list("?limit=1")).items[0]!.spec.prompt).toBe("Do it like this.");
    for (const query of ["?limit=0", "?limit=101", "?skip=-1", "?cursor=!", "?skip=1&cursor=x", "?exact_match=maybe"]) {
      expect([query, (await problemOf(call("GET", `${SKILLS}${query}`, { key }))).status]).toEqual([query, 400]);
    }
    expect((await call("GET", `${SKILLS}?namespace=team`, { key })).status).toBe(404);
  });
});

describe("names: own over group over public", () => {
  const named = async (key: string, query: string) => {
    const answer = await call("GET", `${SKILLS}?${query}`, { key });
    return (await answer.json<{ items: Skill[] }>()).items.map((item) => item.spec.prompt);
  };
  const invoked = async (key: string, name: string) =>
    (await call("POST", `${SKILLS}/invoke`, { key, json: { skill_name: name } })).json<{ prompt: string }>();

  beforeAll(async () => {
    const publicly = await call("POST", `${SKILLS}/public`, {
      body: form(skillZip({ name: "ranked", body: "public" })),
    });
    expect(publicly.status).toBe(201);
    expect((await publicly.json<Skill>()).metadata).toMatchObject({ namespace: "default", labels: { user_id: "0" } });
    await published({ name: "ranked", body: "team" }, { key: carol }, { namespace: "team" });
    await published({ name: "ranked", body: "own" }, { key: carol });
  });

  it("finds the nearest", async () => {
    expect(await named(carol, "name=ranked")).toEqual(["own"]);
    expect(await named(dave, "name=ranked")).toEqual(["team"]);
    expect(await named(alice, "name=ranked")).toEqual(["public"]);
    expect(await named(alice, "name=ranked&exact_match=true")).toEqual([]);
    expect(await named(carol, "name=ranked&namespace=team&exact_match=true")).toEqual(["team"]);
    expect(await named(carol, "name=Ranked")).toEqual([]);
    expect((await invoked(carol, "ranked")).prompt).toBe("own");
    expect((await invoked(alice, "ranked")).prompt).toBe("public");
    expect(
      await problemOf(call("POST", `${SKILLS}/invoke`, { key: alice, json: { skill_name: "nope" } })),
    ).toMatchObject({
      status: 404,
      code: "SKILL_NOT_FOUND",
    });
  });

  it("lists each name once, without prompts", async () => {
    interface Item {
      name: string;
      is_public: boolean;
      namespace: string;
      user_id: string;
    }
    const unified = async (key: string, query = "") =>
      (await call("GET", `${SKILLS}/unified${query}`, { key })).json<Item[]>();
    const ranked = (items: Item[]) => items.filter((item) => item.name === "ranked");
    expect(ranked(await unified(carol))).toMatchObject([{ namespace: "default", user_id: "carol", is_public: false }]);
    expect(ranked(await unified(dave))).toMatchObject([{ namespace: "team", is_public: false }]);
    expect(ranked(await unified(dave, "?scope=personal"))).toMatchObject([{ is_public: true, user_id: "0" }]);
    expect(ranked(await unified(carol, "?scope=group&group_name=team"))).toMatchObject([{ namespace: "team" }]);
    const [item] = ranked(await unified(alice));
    expect(Object.keys(item!).sort()).toEqual(
      "author bindShells created_at description displayName findings id is_active is_public name namespace tags updated_at user_id version".split(
        " ",
      ),
    );
    expect((await call("GET", `${SKILLS}/unified?scope=group`, { key: carol })).status).toBe(400);
    expect((await call("GET", `${SKILLS}/unified?scope=group&group_name=team`, { key: alice })).status).toBe(404);
    const list = await (await call("GET", `${SKILLS}/public/list`, { key: alice })).json<Item[]>();
    expect(ranked(list)).toMatchObject([{ is_public: true }]);
  });

  it("pages through bare arrays by a link", async () => {
    const all = await (await call("GET", `${SKILLS}/unified`, { key: carol })).json<{ name: string }[]>();
    expect(all.length).toBeGreaterThan(1);
    const seen: string[] = [];
    let path: string | undefined = `${SKILLS}/unified?limit=1`;
    while (path !== undefined) {
      const page: Response = await call("GET", path, { key: carol });
      seen.push(...(await page.json<{ name: string }[]>()).map((item) => item.name));
      path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1];
    }
    expect(seen).toEqual(all.map((item) => item.name));
    const skipped = await (await call("GET", `${SKILLS}/unified?skip=1`, { key: carol })).json<{ name: string }[]>();
    expect(skipped.map((item) => item.name)).toEqual(seen.slice(1));
  });
});

describe("public skills", () => {
  it("are written by admins only, and read by everybody", async () => {
    const refused = await problemOf(
      call("POST", `${SKILLS}/public`, { key: alice, body: form(skillZip({ name: "pub" })) }),
    );
    expect(refused).toMatchObject({ status: 403, code: "ADMIN_ONLY" });
    const made = await call("POST", `${SKILLS}/public`, { body: form(skillZip({ name: "pub" })) });
    const skill = await made.json<Skill>();
    const path = `${SKILLS}/${idOf(skill)}`;
    expect((await call("GET", path, { key: alice })).status).toBe(200);
    const writes: [string, string, CallOptions][] = [
      ["PUT", path, { body: form(skillZip({ name: "pub", body: "mine" })) }],
      ["DELETE", path, {}],
      ["DELETE", `${path}?force=true`, {}],
      ["POST", `${path}/versions/${skill.status.version_id}/activate`, {}],
    ];
    for (const [method, target, options] of writes) {
      expect((await call(method, target, { ...options, key: alice })).status).toBe(403);
    }
    expect((await call("PUT", path, { body: form(skillZip({ name: "pub", body: "ours" })) })).status).toBe(200);
    expect((await call("DELETE", path)).status).toBe(204);
  });
});

describe("versions", () => {
  it("adds, lists and activates them", async () => {
    const first = await published({ name: "grown", version: "1.0.0", body: "one" }, { key: alice });
    const path = `${SKILLS}/${idOf(first)}`;
    const put = await call("PUT", path, {
      key: alice,
      body: form(skillZip({ name: "grown", version: "2.0.0", body: "two" })),
    });
    expect(put.status).toBe(200);
    const second = await put.json<Skill>();
    expect(second.spec).toMatchObject({ prompt: "two", version: "2.0.0" });
    interface Versions {
      items: { version_id: string; version: string; is_current: boolean }[];
      next_cursor: string | null;
    }
    const listed = await (await call("GET", `${path}/versions`, { key: alice })).json<Versions>();
    expect(listed.items.map((item) => [item.version, item.is_current])).toEqual([
      ["2.0.0", true],
      ["1.0.0", false],
    ]);
    const page = await (await call("GET", `${path}/versions?limit=1`, { key: alice })).json<Versions>();
    const rest = await (
      await call("GET", `${path}/versions?limit=1&cursor=${page.next_cursor}`, { key: alice })
    ).json<Versions>();
    expect([rest.items[0]!.version, rest.next_cursor]).toEqual(["1.0.0", null]);

    const back = await call("POST", `${path}/versions/${first.status.version_id}/activate`, { key: alice });
    expect(back.status).toBe(200);
    expect((await back.json<Skill>()).spec.prompt).toBe("one");
    expect((await (await call("GET", path, { key: alice })).json<Skill>()).spec.prompt).toBe("one");
    const other = await published({ name: "other-grown" }, { key: alice });
    const wrong = call("POST", `${path}/versions/${other.status.version_id}/activate`, { key: alice });
    expect(await problemOf(wrong)).toMatchObject({ status: 404, code: "VERSION_NOT_FOUND" });
    const mismatch = call("PUT", path, { key: alice, body: form(skillZip({ name: "different" })) });
    expect(await problemOf(mismatch)).toMatchObject({ status: 422, code: "NAME_MISMATCH" });
  });
});

describe("deleting", () => {
  it("removes rows and objects, and frees the name", async () => {
    const skill = await published({ name: "leaving" }, { key: alice });
    await upload({ name: "leaving", body: "More." }, { key: alice });
    expect((await call("DELETE", `${SKILLS}/${idOf(skill)}`, { key: alice })).status).toBe(204);
    expect((await call("GET", `${SKILLS}/${idOf(skill)}`, { key: alice })).status).toBe(404);
    expect(await env.PACKAGES.head(`packages/${skill.status.version_id}.zip`)).toBeNull();
    const left = await env.DB.prepare("SELECT count(*) AS n FROM versions WHERE skill_id = ?")
      .bind(idOf(skill))
      .first("n");
    expect(left).toBe(0);
    expect(idOf(await published({ name: "leaving" }, { key: alice }))).not.toBe(idOf(skill));
  });

  it("refuses while ghosts use it, and names only those the caller may read", async () => {
    const made = await call("POST", `${SKILLS}/public`, { body: form(skillZip({ name: "wanted" })) });
    const id = idOf(await made.json<Skill>());
    for (const key of [alice, bob]) {
      const body = {
        metadata: { name: "uses-it" },
        spec: { skills: ["wanted", "same"].slice(0, key === alice ? 2 : 1), preload_skills: ["wanted"] },
      };
      expect((await call("POST", GHOSTS, { key, json: body })).status).toBe(201);
    }
    const references = await (await call("GET", `${SKILLS}/${id}/references`, { key: alice })).json<object>();
    expect(references).toMatchObject({
      referenced_ghosts: [{ name: "uses-it", namespace: "default" }],
      hidden_count: 1,
    });
    const refused = await problemOf(call("DELETE", `${SKILLS}/${id}`));
    expect(refused).toMatchObject({ status: 409, code: "SKILL_REFERENCED", referenced_ghosts: [], hidden_count: 2 });

    const removed = await call("POST", `${SKILLS}/${id}/remove-references`, { key: alice });
    expect(await removed.json()).toMatchObject({ removed_count: 1, affected_ghosts: [{ name: "uses-it" }] });
    const mine = await (await call("GET", `${GHOSTS}?name=uses-it`, { key: alice })).json<{
      items: { spec: object }[];
    }>();
    expect(mine.items[0]!.spec).toEqual({ systemPrompt: "", skills: ["same"], preload_skills: [] });
    const bobs = await (await call("GET", `${GHOSTS}?name=uses-it`, { key: bob })).json<{
      items: { spec: object }[];
    }>();
    expect(bobs.items[0]!.spec).toMatchObject({ skills: ["wanted"] });
    expect((await call("DELETE", `${SKILLS}/${id}`)).status).toBe(409);
    expect((await call("DELETE", `${SKILLS}/${id}?force=true`)).status).toBe(204);
  });

  it("does not let anybody force the deletion of a skill of one's own", async () => {
    const skill = await published({ name: "own-used" }, { key: alice });
    await call("POST", GHOSTS, { key: alice, json: { metadata: { name: "user" }, spec: { skills: ["own-used"] } } });
    expect((await call("DELETE", `${SKILLS}/${idOf(skill)}?force=true`, { key: alice })).status).toBe(409);
    await call("POST", `${SKILLS}/${idOf(skill)}/remove-references`, { key: alice });
    expect((await call("DELETE", `${SKILLS}/${idOf(skill)}`, { key: alice })).status).toBe(204);
  });
});

describe("validate", () => {
  const validate = async (bytes: Uint8Array<ArrayBuffer>) => {
    const answer = await call("POST", `${SKILLS}/validate`, { key: alice, body: form(bytes) });
    expect(answer.status).toBe(200);
    return answer.json<{ valid: boolean; issues: object[]; tokens: { instructions: number; files: number } | null }>();
  };

  it("says what publishing would, and stores nothing", async () => {
    const count = () => env.DB.prepare("SELECT count(*) AS n FROM versions").first("n");
    const before = await count();
    const good = await validate(skillZip({ name: "looked-at", files: { "a.txt": "12345678" } }));
    expect(good).toMatchObject({
      valid: true,
      name: "looked-at",
      issues: [],
      manifest: { name: "looked-at", description: "Shows how it is done." },
      files: [{ path: "SKILL.md" }, { path: "a.txt", size: 8 }],
      tokens: { instructions: 5, files: 2 },
    });
    const bad = await validate(zip({ "a.txt": "x" }));
    expect(bad).toMatchObject({ valid: false, manifest: null, files: [], tokens: null });
    expect(bad.issues.length).toBeGreaterThan(0);
    expect(await count()).toBe(before);
  });
});
