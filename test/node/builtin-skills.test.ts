import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { BUILTIN_AUTHOR, BUILTIN_SKILLS } from "../../src/domain/catalog/builtin-skills";

it("names the skills that the gateway brings, and whom they name", () => {
  const folder = new URL("../../skills/", import.meta.url);
  const names = readdirSync(folder).sort();
  expect([...BUILTIN_SKILLS].sort()).toEqual(names);
  for (const name of names)
    expect(readFileSync(new URL(`${name}/SKILL.md`, folder), "utf8")).toContain(`\nauthor: ${BUILTIN_AUTHOR}\n`);
});
