// `skillgate update`: checks the sources of added skills. A changed skill becomes a new version, an unchanged one does not, and a missing
// one is reported.

import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { commitHeader, Stub, send, skillText, tar, WorkFolder } from "../support/skillgate";

const [FIRST, SECOND] = ["1".repeat(40), "2".repeat(40)];
const INDEX = "/.well-known/agent-skills/index.json";
const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const KEY = "sgw_mine";

interface Held {
  name: string;
  namespace: string;
  user: string;
  version: string;
  hash: string;
  source?: object;
}

let work: WorkFolder;
let stub: Stub;
/** The skills of the gateway and of the sources. */
let held: Held[];
let repository: { commit: string; skills: Record<string, string> } | null;
let offered: { name: string; text: string }[];
let status: number;

const archive = () => {
  const { commit, skills } = repository ?? { commit: FIRST, skills: {} };
  const files = Object.entries(skills).map(([place, text]) => ({ path: `repo-x/${place}/SKILL.md`, text }));
  return gzipSync(
    tar([commitHeader(commit), { path: "repo-x/", type: "5" }, { path: "repo-x/README.md", text: "r" }, ...files]),
  );
};
const index = () => ({
  $schema: SCHEMA,
  skills: offered.map(({ name, text }) => ({
    name,
    type: "skill-md",
    url: `/files/${name}/SKILL.md`,
    digest: `sha256:${createHash("sha256").update(text).digest("hex")}`,
  })),
});
const resource = ({ name, namespace, user, version, hash, source }: Held) => ({
  metadata: { name, namespace, labels: { id: `id-${name}`, user_id: user } },
  spec: { version },
  status: { version_id: `ver-${version}`, fileHash: hash, warnings: [], ...(source === undefined ? {} : { source }) },
});

/** A scripted gateway for these commands, and the sources, on one server. */
beforeEach(async () => {
  work = await WorkFolder.make();
  [held, repository, offered, status] = [[], { commit: FIRST, skills: {} }, [], 200];
  stub = await Stub.open(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://stub");
    if (pathname.startsWith("/org/repo/tar.gz/"))
      return repository === null ? response.writeHead(404).end() : response.writeHead(status).end(archive());
    if (pathname.endsWith(INDEX)) return send(response, status, index());
    const file = offered.find(({ name }) => pathname === `/files/${name}/SKILL.md`);
    if (file !== undefined) return response.end(file.text);
    if (pathname === "/api/v1/kinds/skills") {
      const [name, namespace] = [searchParams.get("name"), searchParams.get("namespace") ?? "default"];
      const fits = (one: Held) => (name === null ? one.namespace === namespace && one.user !== "0" : one.name === name);
      return send(response, 200, {
        items: held
          .filter(fits)
          .sort((a, b) => a.name.localeCompare(b.name))
          .map(resource),
        next_cursor: null,
      });
    }
    if (!/^\/api\/v1\/kinds\/skills\/(upload|public)$/.test(pathname)) return response.writeHead(404).end();
    const form = await new Response(request.body, {
      headers: { "content-type": request.headers["content-type"] ?? "" },
    }).formData();
    const packed = form.get("file");
    const name = packed instanceof File ? packed.name.replace(/\.zip$/, "") : "";
    const bytes = packed instanceof File ? Buffer.from(await packed.arrayBuffer()) : Buffer.alloc(0);
    const source = form.get("source");
    const made: Held = {
      name,
      namespace: String(form.get("namespace") ?? "default"),
      user: pathname.endsWith("public") ? "0" : "me",
      version: `${held.length + 1}`,
      hash: createHash("sha256").update(bytes).digest("hex"),
      ...(typeof source === "string"
        ? { source: { ...JSON.parse(source), taken_at: "2026-11-22T00:00:00.000Z" } }
        : {}),
    };
    held = [...held.filter((one) => one.name !== name || one.namespace !== made.namespace), made];
    return send(response, 201, resource(made));
  });
});
afterEach(async () => {
  stub.close();
  await work.remove();
});

const run = (args: string[], env: Record<string, string> = {}) =>
  work.runWith({ env }, ...args, "--url", stub.url, "--key", KEY);
const update = (...args: string[]) => run(["update", ...args, "--source", stub.url, "--json"]);
const told = async (ended: Promise<{ stdout: string }>) => JSON.parse((await ended).stdout).updated;
const asked = () => stub.seen.filter((line) => !line.includes("/api/"));
const text = (name: string, body = "Do it.") => skillText(name, body);

describe("a skill from a repository", () => {
  beforeEach(async () => {
    repository = { commit: FIRST, skills: { "skills/tide": text("tide"), "skills/moon": text("moon") } };
    const added = await run(["add", "github:org/repo", "--all", "--source", stub.url]);
    expect([added.code, added.stderr]).toEqual([0, "reading github:org/repo\n"]);
  });

  it("says where it was taken from", { tags: ["slow"] }, () => {
    expect(held.map(({ source }) => source)).toEqual(
      ["skills/tide", "skills/moon"].map((path) => ({
        ...{ type: "git", url: `${stub.url}/org/repo`, path, commit: FIRST },
        taken_at: "2026-11-22T00:00:00.000Z",
      })),
    );
  });

  it("is as it was while the repository is, and as its folder is", { tags: ["slow"] }, async () => {
    expect(await told(update("tide"))).toEqual([{ name: "tide", what: "same" }]);
    // A further commit that changed something else.
    repository = { commit: SECOND, skills: { "skills/tide": text("tide"), "skills/moon": text("moon", "Other.") } };
    const before = held;
    expect(await told(update("tide"))).toEqual([{ name: "tide", what: "same" }]);
    expect(held).toBe(before);
  });

  it("becomes another version where its folder has changed, and says so with the new commit", async () => {
    repository = { commit: SECOND, skills: { "skills/tide": text("tide", "Better."), "skills/moon": text("moon") } };
    const ended = await update();
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout).updated).toMatchObject([
      { name: "moon", what: "same" },
      { name: "tide", what: "new", is_new: true },
    ]);
    expect(held.find(({ name }) => name === "tide")?.source).toMatchObject({ path: "skills/tide", commit: SECOND });
    expect(await told(update("tide"))).toEqual([{ name: "tide", what: "same" }]);
  });

  it("keeps a skill whose source is missing, with a message and exit code 5, and updates the others", async () => {
    repository = { commit: SECOND, skills: { "skills/tide": text("tide", "Better.") } };
    const ended = await update();
    expect([ended.code, JSON.parse(ended.stdout).updated]).toMatchObject([
      5,
      [
        { name: "moon", what: "gone" },
        { name: "tide", what: "new" },
      ],
    ]);
    expect(ended.stderr).toContain(
      `moon: its source was not found, and the published version stays: ${stub.url}/org/repo skills/moon`,
    );
    repository = null;
    expect(await update("tide")).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("tide: its source was not found"),
    });
    expect(held).toHaveLength(2);
  });

  it("stays where its source does not answer as one, or has no valid skill by now, or another's", async () => {
    status = 503;
    expect(await update("tide")).toMatchObject({ code: 4, stderr: expect.stringContaining("returned HTTP 503") });
    status = 200;
    repository = { commit: SECOND, skills: { "skills/tide": "---\nname: tide\n---\n" } };
    expect(await update("tide")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("not valid and was not published"),
    });
    // The stored source is the path of another skill.
    repository = { commit: SECOND, skills: { "skills/moon": text("moon", "Better.") } };
    held = held.map((one) => ({ ...one, source: { ...one.source, path: "skills/moon" } }));
    expect(await update("tide")).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("tide: the source renamed it to moon"),
    });
    expect(held.map(({ name, version }) => [name, version])).toEqual([
      ["tide", "1"],
      ["moon", "2"],
    ]);
  });

  it("that was changed here says so, and is left out where none is named", async () => {
    held = held.map(({ source, ...one }) => (one.name === "tide" ? one : { ...one, source: source ?? {} }));
    expect(await update("tide")).toMatchObject({ code: 5, stderr: expect.stringContaining("changed here later") });
    expect(await told(update())).toEqual([{ name: "moon", what: "same" }]);
  });

  it("of a group is asked for with --group, and published there", async () => {
    held = held.map((one) => ({ ...one, namespace: "crew" }));
    repository = { commit: SECOND, skills: { "skills/tide": text("tide", "Better."), "skills/moon": text("moon") } };
    expect(await told(update())).toEqual([]);
    expect(await told(update("--group", "crew"))).toMatchObject([{ what: "same" }, { name: "tide", what: "new" }]);
    expect(held.map(({ namespace }) => namespace)).toEqual(["crew", "crew"]);
    expect(await update("tide", "--group", "crew")).toMatchObject({ code: 2 });
  });
});

describe("a skill from an index", () => {
  const add = () => run(["add", stub.url, "--all"]);

  it("is as it was while its digest is, with nothing more asked for", async () => {
    offered = [{ name: "tide", text: text("tide") }];
    expect((await add()).code).toBe(0);
    const before = asked().length;
    expect(await told(update())).toEqual([{ name: "tide", what: "same" }]);
    expect(asked().slice(before)).toEqual([`GET ${INDEX} no key`]);
    offered = [{ name: "tide", text: text("tide", "Better.") }];
    expect(await told(update())).toMatchObject([{ name: "tide", what: "new" }]);
    expect(await told(update())).toEqual([{ name: "tide", what: "same" }]);
  });

  it("is gone when the index does not name it any more", async () => {
    offered = [{ name: "tide", text: text("tide") }];
    await add();
    offered = [];
    expect(await update()).toMatchObject({ code: 5, stderr: expect.stringContaining("Its index has no tide.") });
  });
});

describe("a source that another user wrote", () => {
  const mallory = (source: object): Held => ({
    ...{ name: "tide", namespace: "crew", user: "mallory", version: "1", hash: "x" },
    source: { taken_at: "2026-11-22T00:00:00.000Z", ...source },
  });

  it("is not asked over plain http, unless its host is named", async () => {
    held = [mallory({ type: "index", url: `${stub.url}/metadata` })];
    const ended = await run(["update", "--group", "crew"]);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(`--source ${stub.url} to allow it`) });
    expect(await run(["update", "--group", "crew", "--source", "http://127.0.0.1:1"])).toMatchObject({ code: 2 });
    expect(asked()).toEqual([]);
  });

  it("is written to the terminal as what it is", async () => {
    held = [mallory({ type: "git", url: "https://github.com/a/b", path: "x\u001b[2J\u202e" })];
    const { stdout } = await run(["info", "tide"]);
    expect(stdout).toContain("x\\u001b[2J\\u202e");
    expect(stdout).not.toContain("\u001b[2J");
  });

  it("that the gateway would not store is omitted, with a note", async () => {
    offered = [{ name: "tide", text: text("tide") }];
    const token = `ghp_${"a1".repeat(18)}`;
    const added = await run(["add", `${stub.url}/${token}`, "--all"]);
    expect(added).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("tide: its source was not saved"),
    });
    expect(held).toMatchObject([{ name: "tide" }]);
    expect(JSON.stringify(held)).not.toContain(token);
    expect(await told(update())).toEqual([]);
  });

  it("has no name and no password in it, as what is asked has none", async () => {
    offered = [{ name: "tide", text: text("tide") }];
    expect((await run(["add", stub.url.replace("http://", "http://me:secret@"), "--all"])).code).toBe(0);
    expect(asked()[0]).toBe(`GET ${INDEX} no key`);
    expect(held[0]?.source).toMatchObject({ url: `${stub.url}${INDEX}` });
  });
});

describe("the caller's GITHUB_TOKEN", () => {
  // GitHub is not contacted: this function responds instead and records the token.
  const tokens: (string | null)[] = [];
  const real = globalThis.fetch;
  beforeEach(() =>
    vi.stubGlobal("fetch", async (url: URL | string, init?: RequestInit) => {
      if (!String(url).startsWith("https://codeload.github.com/")) return real(url, init);
      tokens.push(new Headers(init?.headers).get("authorization"));
      return new Response(null, { status: 404 });
    }),
  );
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it("sends the token for the user's own repository, and not for one that another user named", async () => {
    const source = {
      type: "git",
      url: "https://github.com/victim/private",
      path: "x",
      taken_at: "2026-11-22T00:00:00.000Z",
    };
    const skill = { name: "tide", user: "me", version: "1", hash: "x", source };
    const env = { GITHUB_TOKEN: "ghp_mine" };
    held = [{ ...skill, namespace: "crew" }];
    expect((await run(["update", "--group", "crew"], env)).code).toBe(5);
    held = [{ ...skill, namespace: "default", user: "0" }];
    expect((await run(["update", "tide"], env)).code).toBe(5);
    held = [{ ...skill, namespace: "default" }];
    expect((await run(["update"], env)).code).toBe(5);
    expect(tokens).toEqual([null, null, "Bearer ghp_mine"]);
  });
});
