// The pages of a user's versions, as an export reads them.

import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { openDatabase } from "../../../src/storage/d1/database";
import { deleteSkillRows, insertSkill, insertVersion } from "../../../src/storage/d1/registry/publishing";
import { type LastVersion, readScopeVersions } from "../../../src/storage/d1/users";
import { skill, version } from "../../support/big-rows";
import { BIG_USER } from "../../support/registry-10k";

const db = openDatabase(env.DB, { storage: 0 });

/** Page by page to the end; `between` happens after the first page. */
async function pages(size: number, between = async () => {}): Promise<string[]> {
  const seen: string[] = [];
  for (let after: LastVersion | null = null; ; ) {
    const page: Awaited<ReturnType<typeof readScopeVersions>> = await readScopeVersions(
      db,
      `user:${BIG_USER}`,
      size,
      after,
    );
    seen.push(...page.map(({ id }) => id));
    const last = page.at(-1);
    if (last === undefined || page.length < size) return seen;
    if (after === null) await between();
    after = last;
  }
}

it("are each read once, skill by skill, also where a page ends inside a skill or the skill is gone meanwhile", async () => {
  for (const name of ["a", "b", "c"]) {
    const made = { ...skill(name), versionId: `ver_${name}1` };
    await insertSkill(db, made, version(`ver_${name}1`, name), null);
    for (const n of [2, 3]) await insertVersion(db, made, version(`ver_${name}${n}`, name), null);
  }
  await insertSkill(db, { ...skill("other"), scope: "user:other" }, version("ver_other", "other"), null);
  const all = ["a", "b", "c"].flatMap((name) => [1, 2, 3].map((n) => `ver_${name}${n}`));
  for (const size of [1, 2, 3, 4, 9, 10]) expect(await pages(size)).toEqual(all);
  const gone = await pages(
    2,
    async () => void (await deleteSkillRows(db, { id: "a", scope: `user:${BIG_USER}` }, "all")),
  );
  expect(gone).toEqual(["ver_a1", "ver_a2", ...all.slice(3)]);
});
