import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { BUILTIN_AUTHOR, BUILTIN_SKILLS } from "../../src/domain/catalog/builtin-skills";

const FOLDER = "skills";

it("names the skills that the gateway brings, and whom they name", () => {
  const names = readdirSync(FOLDER).sort();
  expect([...BUILTIN_SKILLS].sort()).toEqual(names);
  for (const name of names)
    expect(readFileSync(`${FOLDER}/${name}/SKILL.md`, "utf8")).toContain(`\nauthor: ${BUILTIN_AUTHOR}\n`);
});
