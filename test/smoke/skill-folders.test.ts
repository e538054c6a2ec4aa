// `npm start -- --skills <folder>`, through a real launcher.

import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { emptyPlace, type Gateway, newPlace, type Place, type Run, start, until } from "./launcher";
import { skillForm } from "./skill";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "skill-gateway-skills-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(name: string, { version = "", body = "Do it.", description = "Does it." } = {}): Promise<void> {
  await mkdir(path.join(folder, name), { recursive: true });
  const lines = [`description: "${description}"`, ...(version === "" ? [] : [`version: ${version}`])];
  await writeFile(path.join(folder, name, "SKILL.md"), `---\n${lines.join("\n")}\n---\n\n${body}\n`);
}

function serve(place: Place, options: Parameters<typeof start>[1] = {}): Run {
  return start(place, { ...options, args: ["--skills", folder] });
}

/** Returns the summary line of a start. */
const summary = (run: Run) => run.line(/^✔ \d+ skills? (?:published|up to date)/).then(({ input }) => input);

interface Listed {
  id: string;
  name: string;
  version: string | null;
}
async function listed(gateway: Gateway, name: string): Promise<Listed | null> {
  for (let next: string | null = "/api/v1/kinds/skills/public/list?limit=100"; next !== null; ) {
    const answer: Response = await gateway.fetch(next);
    const found = ((await answer.json()) as Listed[]).find((skill) => skill.name === name);
    if (found !== undefined) return found;
    const link: string | undefined = /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
    next =
      link === undefined ? null : new URL(link, "http://gateway").pathname + new URL(link, "http://gateway").search;
  }
  return null;
}

const versions = async (gateway: Gateway, id: string) =>
  (
    (await (await gateway.fetch(`/api/v1/kinds/skills/${id}/versions`)).json()) as {
      items: { version: string | null; yanked_at: string | null; is_current: boolean }[];
    }
  ).items;

it("publishes folders, then what changes in them, and a restart changes nothing", async () => {
  await write("pdf-tools", { version: "1.2.0" });
  await write("group/notes");
  await write("broken", { description: "" });
  await write("node_modules/dependency");
  await write("pdf-tools/nested");
  await write("docs", { version: "2.0.0+build.5" });
  const elsewhere = path.join(folder, "..", `${path.basename(folder)}-elsewhere`);
  await rename(path.join(folder, "docs"), elsewhere);
  await symlink(elsewhere, path.join(folder, "docs"));
  const place = await newPlace();
  try {
    const run = serve(place);
    const gateway = await run.ready();
    expect(await summary(run)).toMatch(/^✔ 3 skills published from .* \(1 skipped: broken: `description` is missing\./);
    expect(await listed(gateway, "pdf-tools")).toMatchObject({ version: "1.2.0" });
    expect(await listed(gateway, "nested")).toBeNull();
    expect(await listed(gateway, "dependency")).toBeNull();

    // The same version label with different content, also in a skill behind a symbolic link.
    await write("pdf-tools", { version: "1.2.0", body: "Do it well." });
    await run.line(/^✔ pdf-tools 1\.2\.0\+local\.1 published$/);
    await write("docs", { version: "2.0.0+build.5", body: "Do it well." });
    await run.line(/^✔ docs 2\.0\.0\+build\.5\.local\.1 published$/);
    // A file in a new folder, and a temporary file of an editor.
    await mkdir(path.join(folder, "pdf-tools", "references"));
    await writeFile(path.join(folder, "pdf-tools", "references", "a.md"), "A");
    await run.line(/^✔ pdf-tools 1\.2\.0\+local\.2 published$/);
    // A partly saved file changes nothing.
    await writeFile(path.join(folder, "pdf-tools", "SKILL.md"), "---\ndescr");
    await run.line(/^ {2}pdf-tools skipped: /);
    await write("pdf-tools", { version: "1.3.0" });
    await run.line(/^✔ pdf-tools 1\.3\.0 published$/);
    // Restoring an earlier content adds no version.
    await write("pdf-tools", { version: "1.2.0" });
    await rm(path.join(folder, "pdf-tools", "references"), { recursive: true });
    await run.line(/^✔ pdf-tools 1\.2\.0 published$/);
    await write("broken");
    await run.line(/^✔ broken published$/);

    // A folder that is deleted and restored.
    const notes = await listed(gateway, "notes");
    await rename(path.join(folder, "group", "notes"), path.join(folder, ".away"));
    await run.line(/^✔ notes yanked, because the folder is gone$/);
    expect(await listed(gateway, "notes")).toBeNull();
    expect(await versions(gateway, notes?.id ?? "")).toMatchObject([{ yanked_at: expect.any(String) }]);
    await rename(path.join(folder, ".away"), path.join(folder, "group", "notes"));
    await run.line(/^✔ notes published$/);
    expect(await versions(gateway, notes?.id ?? "")).toMatchObject([{ yanked_at: null, is_current: true }]);

    const before = await versions(gateway, (await listed(gateway, "pdf-tools"))?.id ?? "");
    await run.stop();
    expect(await run.exit).toBe(0);
    const again = serve(place);
    const same = await again.ready();
    expect(await summary(again)).toMatch(/^✔ 4 skills up to date, from /);
    expect(await versions(same, (await listed(same, "pdf-tools"))?.id ?? "")).toEqual(before);

    // Rename while no gateway runs.
    await again.stop();
    await rename(path.join(folder, "broken"), path.join(folder, "mended"));
    const third = serve(place);
    const last = await third.ready();
    expect(await summary(third)).toMatch(/^✔ 1 skill published from .* \(3 unchanged, 1 yanked\)$/);
    expect([await listed(last, "broken"), (await listed(last, "mended"))?.name]).toEqual([null, "mended"]);
    await third.stop();

    const without = start(place);
    expect((await listed(await without.ready(), "mended"))?.name).toBe("mended");
    await without.line(/^4 skills of an earlier start stay published\. To update them: npm start -- --skills /);
  } finally {
    await rm(elsewhere, { recursive: true, force: true });
  }
});

it("leaves skills alone that were published by other means, but for built-in ones", async () => {
  const place = await newPlace();
  const first = start(place);
  const before = await first.ready();
  const body = skillForm("taken", "By hand.");
  expect((await before.fetch("/api/v1/kinds/skills/public", { method: "POST", body })).status).toBe(201);
  await first.stop();

  await write("taken", { body: "From the folder." });
  await write("csv-report", { version: "0.1.0" });
  await write("1/twice");
  await write("2/twice");
  const run = serve(place);
  const gateway = await run.ready();
  expect(await summary(run)).toMatch(/^✔ 2 skills published from .* \(2 skipped\)$/);
  await run.line(/^ {2}taken skipped: a public skill 'taken' was published by other means/);
  await run.line(/^ {2}twice skipped: .*\/1\/twice has the same name\. Rename one of them\.$/);
  expect(await listed(gateway, "csv-report")).toMatchObject({ version: "0.1.0" });
  await run.stop();

  // The built-in skill does not replace the folder's skill while the folder exists.
  const again = serve(place);
  await summary(again);
  const same = await again.ready();
  expect(await listed(same, "csv-report")).toMatchObject({ version: "0.1.0" });
  await rm(path.join(folder, "csv-report"), { recursive: true });
  await again.line(/^✔ csv-report yanked/);
  expect((await listed(same, "csv-report"))?.version).toMatch(/^1\./);
});

it("names a private key that it has published", async () => {
  await write("keyed");
  await writeFile(path.join(folder, "keyed", "id_rsa"), `-----BEGIN OPENSSH ${"PRIVATE KEY"}-----\n`);
  const run = serve(await newPlace());
  await run.ready();
  expect(await summary(run)).toMatch(/^✔ 1 skill published from /);
  await run.line(/^! keyed is published with a serious finding: id_rsa:1: This looks like a private key/);
});

it("publishes 500 folders, and all of them again when all change at once", async () => {
  const names = Array.from({ length: 500 }, (_, n) => `skill-${n}`);
  await Promise.all(names.map((name) => write(name)));
  const place = await newPlace();
  const run = serve(place);
  const gateway = await run.ready();
  expect(await summary(run)).toMatch(/^✔ 500 skills published from /);
  await Promise.all(names.map((name) => write(name, { body: "Otherwise." })));
  // A slow machine may need more than one pass.
  await until("all are published again", () => publishedLater(run) === names.length, 240_000);
  const { id = "" } = (await listed(gateway, "skill-42")) ?? {};
  expect(await versions(gateway, id)).toHaveLength(2);
}, 300_000);

/** Returns the number of published skills in the lines after the summary. */
function publishedLater(run: Run): number {
  const counts = run.stderr.map((line) => {
    const [, number, name] = /^✔ (?:(\d+) skills|(skill-\d+)) published$/.exec(line) ?? [];
    return name === undefined ? Number(number ?? 0) : 1;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

it("refuses a folder that is not there, and mentions the skills that somebody has", async () => {
  const refused = start(await newPlace(), { args: ["--skills", path.join(folder, "nothing")] });
  expect(await refused.exit).toBe(1);
  expect(refused.stderr).toEqual([
    `Skills folder not found: ${path.join(folder, "nothing")}. Name a folder that has skills below it.`,
  ]);
  await mkdir(path.join(folder, ".claude", "skills"), { recursive: true });
  const run = start(await emptyPlace(), { env: { HOME: folder } });
  await run.ready();
  await run.line(/^You have skills in ~\/\.claude\/skills\. To serve them: npm start -- --skills ~\/\.claude\/skills$/);
  expect([...run.stdout, ...run.stderr].length).toBeLessThanOrEqual(10);
});

// The user root can read every folder.
it.skipIf(process.getuid?.() === 0)("keeps what is published while a folder cannot be read", async () => {
  await write("shelf/one");
  const run = serve(await newPlace());
  const gateway = await run.ready();
  await summary(run);
  await chmod(path.join(folder, "shelf"), 0o000);
  try {
    await run.line(/^ {2}shelf skipped: EACCES/);
    expect(await listed(gateway, "one")).not.toBeNull();
  } finally {
    await chmod(path.join(folder, "shelf"), 0o700);
  }
});
