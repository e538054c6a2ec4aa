// Properties of published skills in the wild that strict checks would reject or silently ignore.

import { beforeEach, expect, it } from "vitest";
import { BUILTIN_AUTHOR } from "../../../../src/domain/catalog/builtin-skills";
import { call, keyFor } from "../../../support/call";
import { published, publishOwn, publishPublic, talk, textOf } from "../../../support/chat-turns";
import { clearRegistry } from "../../../support/registry";
import { form, skillZip, zip } from "../../../support/skill";
import { SKILLS } from "./published";

beforeEach(clearRegistry);

it("a refusal says the first of its reasons in its detail", async () => {
  const files = { "a/SKILL.md": "---\nname: a\n---\n\nDo it.", "b.md": "x", "c.md": "x", "d.md": "x", "e.md": "x" };
  const answer = await call("POST", `${SKILLS}/upload`, { key: await keyFor("author"), body: form(zip(files)) });
  const { detail, issues } = await answer.json<{ detail: string; issues: { code: string }[] }>();
  expect([answer.status, issues.length]).toEqual([422, 5]);
  expect(detail).toMatch(
    /^The package is not a valid skill: The file is outside the skill's folder 'a'\. Move it into the folder \(b\.md\); .*; and 2 more\.$/,
  );
  const large = zip({ "a/SKILL.md": `---\ndescription: d\n---\n${"x".repeat(512 * 1024 + 1)}` });
  const refused = await call("POST", `${SKILLS}/upload`, { key: await keyFor("author"), body: form(large) });
  expect([refused.status, (await refused.json<{ detail: string }>()).detail]).toEqual([
    413,
    expect.stringContaining("found 524289 bytes"),
  ]);
});

it("an invalid request says the first of its reasons, too", async () => {
  const answer = await call("POST", "/api/v1/keys", { json: { user_id: 1 } });
  const { detail, issues } = await answer.json<{ detail: string; issues: { message: string }[] }>();
  expect(answer.status).toBe(400);
  expect(detail).toContain(`The request is not valid: ${issues[0]?.message}`);
});

it("replacing a built-in skill causes a warning", async () => {
  const codes = ({ warnings }: { warnings: { code: string }[] }) => warnings.map(({ code }) => code);
  const name = "skill-creator";
  expect(codes(await publishPublic({ name, frontmatter: `author: ${BUILTIN_AUTHOR}` }))).toEqual([]);
  expect(codes(await publishPublic({ name, body: "Other." }))).toEqual(["BUILTIN_REPLACED"]);
  // The user's own skill takes precedence on purpose, so there is no warning.
  expect(codes(await publishOwn(await keyFor("author"), { name }))).toEqual([]);
  expect(codes(await publishPublic({ name: "skill-creator-2" }))).toEqual([]);
});

it("1 200 files and 512 KiB of instructions are published, loaded and read", { tags: ["slow"] }, async () => {
  const key = await keyFor("large");
  const body = `${"中文 text. ".repeat(Math.floor((512 * 1024) / 13))}\n\nThe end.`;
  const files = Object.fromEntries(
    Array.from({ length: 1_200 }, (_, n) => [`references/chapter/a-rather-long-name-of-a-file-${n}.md`, `# ${n}`]),
  );
  await publishOwn(key, { name: "large", body, files });
  const chat = await talk({ key });
  await chat.turn();
  expect((await chat.load("large")).isError).toBeUndefined();
  expect((await chat.calls()).prompt.system).toContain("The end.");
  const path = "references/chapter/a-rather-long-name-of-a-file-1199.md";
  expect(textOf(await chat.use("read_skill", { skill_name: "large", file_path: path }))).toBe("# 1199");
});

it("a file of 10 MiB is published, and read a page at a time", { tags: ["slow"] }, async () => {
  const key = await keyFor("large");
  // Pseudo-random numbers, because a ZIP that compresses too well is rejected as a ZIP bomb.
  const lineAt = (n: number) => String((n * 2_654_435_761) % 1e15).padStart(15, "0");
  const lines = (10 * 1024 * 1024) / 16;
  const text = Array.from({ length: lines }, (_, n) => `${lineAt(n)}\n`).join("");
  const answer = await call("POST", `${SKILLS}/upload`, {
    key,
    body: form(skillZip({ name: "big", files: { "a.txt": text } })),
  });
  await published(answer);
  const chat = await talk({ key });
  await chat.turn();
  const page = { skill_name: "big", file_path: "a.txt", offset: 655_358, limit: 5 };
  expect(textOf(await chat.use("read_skill", page))).toBe(`${lineAt(lines - 2)}\n${lineAt(lines - 1)}\n`);
  expect(textOf(await chat.use("read_skill", { ...page, offset: 655_361 }))).toBe("(the text has 655361 lines)");
});

it("a name in GBK is published under the name that it is, and files of a machine are not", async () => {
  const { zipOf, SKILL } = await import("../../../support/zip");
  const name = Uint8Array.from(
    [..."demo/"].map((c) => c.charCodeAt(0)).concat([0xca, 0xd6, 0xb2, 0xe1, 0x2e, 0x6d, 0x64]),
  );
  const bytes = zipOf([
    SKILL,
    { name, data: "x", flags: 0 },
    { name: "demo/.env", data: "KEY=1" },
    { name: "demo/.git/HEAD" },
  ]);
  const body = form(new Uint8Array(bytes));
  const { id, warnings } = await published(await call("POST", `${SKILLS}/upload`, { key: await keyFor("gbk"), body }));
  expect(warnings.map(({ code }) => code).toSorted()).toEqual(["NAME_ENCODING_GUESSED", "PLATFORM_FILES_DROPPED"]);
  const list = await call("GET", `${SKILLS}/${id}/files`, { key: await keyFor("gbk") });
  const text = await list.text();
  expect([text.includes("手册.md"), text.includes(".env"), text.includes(".git")]).toEqual([true, false, false]);
});
