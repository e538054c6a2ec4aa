// Imports from a Git host's archive: a tar.gz that is read as a stream, or a ZIP. Each folder with a SKILL.md is a skill.

import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../support/call";
import { begin, fates, over, Site } from "../support/import-source";
import { zip } from "../support/skill";
import { gzipOf, hostTar, tarOf } from "../support/tar";

let site: Site;
let key: string;
let users = 0;
beforeEach(async () => {
  site = new Site();
  Site.open(site);
  key = await keyFor(`archivist-${++users}`);
});
afterEach(() => vi.restoreAllMocks());

const text = (name: string, body = "Do it.") => `---\nname: ${name}\ndescription: Does ${name}.\n---\n\n${body}\n`;
const FILES = {
  "README.md": "Not a skill.",
  "skills/moon/LICENSE": "MIT",
  "skills/moon/SKILL.md": text("moon"),
  "skills/moon/examples/inner/SKILL.md": text("inner"),
  "skills/tide/SKILL.md": text("tide"),
  "skills/tide/scripts/go.sh": "echo tide",
  "other/star/SKILL.md": text("star"),
};

const source = (more: object = {}) => ({ source: { type: "archive", url: `${site.origin}/a`, ...more } });
const tarred = async (files: Record<string, string | Uint8Array>, more: Parameters<typeof hostTar>[1] = []) =>
  site.says("/a", await gzipOf(hostTar(files, more)));
const filesOf = async (id: string | null | undefined) => {
  const answer = await call("GET", `/api/v1/kinds/skills/${id}/files`, { key });
  return (await answer.json<{ path: string }[]>()).map(({ path }) => path);
};
const archives = async (id: string) => (await env.PACKAGES.list({ prefix: `imports/${id}` })).objects;

describe("an import of an archive", () => {
  it("imports every folder with a SKILL.md except nested ones, and stores nothing of the archive", async () => {
    await tarred(FILES, [{ path: "repo-main/skills/tide/run.sh", text: "echo", mode: 0o755 }]);
    const done = await over(key, await begin(key, source()));
    expect(done).toMatchObject({ state: "done", total: 3 });
    expect(fates(done)).toEqual({ moon: "created", star: "created", tide: "created" });
    const [moon, , tide] = done.items;
    expect(await filesOf(moon!.skill_id)).toEqual(["LICENSE", "SKILL.md", "examples/inner/SKILL.md"]);
    expect(await filesOf(tide!.skill_id)).toEqual(["SKILL.md", "run.sh", "scripts/go.sh"]);
    expect(await archives(done.id)).toEqual([]);
  });

  it("creates the same versions from a ZIP, and only from one folder if requested", async () => {
    await tarred(FILES);
    const first = await over(key, await begin(key, source()));
    site.says(
      "/a",
      zip(Object.fromEntries(Object.entries(FILES).map(([path, data]) => [`repo-0123abc/${path}`, data]))),
    );
    const other = await keyFor(`archivist-${++users}`);
    const second = await over(other, await begin(other, source({ path: "/skills/" })));
    expect(fates(second)).toEqual({ moon: "created", tide: "created" });
    const digest = async (id: string | null, by: string) =>
      (
        await (
          await call("GET", `/api/v1/kinds/skills/${id}/versions`, { key: by })
        ).json<{ items: { digest: string }[] }>()
      ).items[0]!.digest;
    expect(await digest(second.items[0]!.skill_id, other)).toBe(await digest(first.items[0]!.skill_id, key));
  });

  it("imports the archive itself if it is a skill, and publishes nothing unchanged again", async () => {
    await tarred({ "SKILL.md": text("repo"), "notes.md": "More." });
    expect(fates(await over(key, await begin(key, source())))).toEqual({ repo: "created" });
    const again = await over(key, await begin(key, source()));
    expect([again.run, fates(again)]).toEqual([2, { repo: "unchanged" }]);
    await tarred({ "SKILL.md": text("repo"), "notes.md": "Changed." });
    expect(fates(await over(key, await begin(key, source())))).toEqual({ repo: "updated" });
  });

  it("imports a large archive in slices, with every skill", { tags: ["slow"] }, async () => {
    const many = Array.from({ length: 90 }, (_, n) => `many-${String(n).padStart(3, "0")}`);
    await tarred(Object.fromEntries(many.map((name) => [`skills/${name}/SKILL.md`, text(name)])));
    const done = await over(key, await begin(key, source()));
    expect(done.counts).toMatchObject({ created: 90, failed: 0 });
    expect(site.asked).toHaveLength(1);
  });
});

describe("an archive that is hostile", () => {
  const refusals: [string, () => Promise<void> | void, string][] = [
    ["leads out of it", () => tarred(FILES, [{ path: "repo-main/../../etc/passwd", text: "x" }]), "SOURCE_INVALID"],
    ["is absolute", () => tarred(FILES, [{ path: "/etc/passwd", text: "x" }]), "SOURCE_INVALID"],
    ["is no archive", () => site.says("/a", "<html>not an archive</html>"), "SOURCE_INVALID"],
    ["is gzip and no tar", async () => site.says("/a", await gzipOf(new Uint8Array(4096).fill(7))), "SOURCE_INVALID"],
    ["breaks off", async () => site.says("/a", (await gzipOf(hostTar(FILES))).slice(0, 400)), "SOURCE_INVALID"],
    ["has no end", async () => site.says("/a", await gzipOf(hostTar(FILES).slice(0, 3000))), "SOURCE_INVALID"],
    ["is a broken ZIP", () => site.says("/a", zip({ "a/SKILL.md": "x" }).slice(0, 60)), "SOURCE_INVALID"],
    ["has no skill", () => tarred({ "README.md": "x" }), "SOURCE_ABSENT"],
    ["is not there", () => undefined, "SOURCE_ABSENT"],
    [
      "hides a size in a second header",
      async () =>
        site.says(
          "/a",
          await gzipOf(
            tarOf([
              { path: "h", type: "x", text: "14 size=99999\n" },
              { path: "r/SKILL.md", text: "x" },
            ]),
          ),
        ),
      "SOURCE_INVALID",
    ],
  ];
  it.each(refusals)("is refused as a whole when it %s", async (_, prepare, code) => {
    await prepare();
    const done = await over(key, await begin(key, source()));
    expect([done.state, done.problem?.code]).toEqual(["failed", code]);
    expect(await archives(done.id)).toEqual([]);
  });

  it("loses the skill that has a link, one that is too large, and no other", async () => {
    await tarred(
      { ...FILES, "skills/big/SKILL.md": text("big"), "skills/big/data": new Uint8Array(11 * 1024 * 1024) },
      [{ path: "repo-main/skills/moon/link", type: "2" }],
    );
    const done = await over(key, await begin(key, source({ path: "skills" })));
    expect(fates(done)).toEqual({ big: "PACKAGE_TOO_LARGE", moon: "ARCHIVE_LINK", tide: "created" });
  });

  it("is not unpacked beyond a bound, however small it is packed", { timeout: 120_000, tags: ["slow"] }, async () => {
    let made = 0;
    const zeros = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        controller.enqueue(
          made === 0 ? tarOf([{ path: "r/bomb", size: 0o7777777777 }]).slice(0, 512) : new Uint8Array(1 << 20),
        );
        if (++made > 600) controller.close();
      },
    }).pipeThrough(new CompressionStream("gzip"));
    const bomb = new Uint8Array(await new Response(zeros).arrayBuffer());
    expect(bomb.length).toBeLessThan(1 << 20);
    site.says("/a", bomb);
    const done = await over(key, await begin(key, source()));
    expect([done.state, done.problem?.code]).toEqual(["failed", "SOURCE_TOO_LARGE"]);
  });
});
