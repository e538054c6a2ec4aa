// Pages of a catalog that is too large for a view.

import { beforeAll, describe, expect, it } from "vitest";
import type { GhostSpec } from "../../../src/domain/catalog/ghost";
import { catalogPage } from "../../../src/services/catalog/page";
import { viewOfCatalog } from "../../../src/services/conversation/catalog-client";
import { contextOf } from "../../support/context";
import { clearRegistry, seedSkill, seedVersion } from "../../support/registry";
import { BIG_USER, OWN_SKILLS, PUBLIC_SKILLS, seedManySkills } from "../../support/registry-10k";

beforeAll(async () => {
  await clearRegistry();
  await seedManySkills();
  const steady = await seedSkill({ name: "skill-00042x", version: "1.4.0" });
  await seedVersion(steady, { version: "2.0.0" });
});

/** Returns all pages of a user's skills. */
async function walk(spec: GhostSpec | null, settings: Record<string, string> = {}, limit = 1_000) {
  const context = contextOf(BIG_USER, { settings });
  const view = await viewOfCatalog(context, spec === null ? {} : { spec });
  const entries = [];
  let pages = 0;
  for (let after: string | null = null, more = true; more; pages++) {
    const page = await catalogPage(context, view, after, limit);
    entries.push(...page.entries);
    after = page.next;
    more = after !== null;
  }
  return { entries, pages };
}

describe("pages of ten thousand skills", () => {
  it("hold every name once, in order, own before public", async () => {
    const { entries, pages } = await walk(null, {}, 256);
    const names = entries.map(({ name }) => name);
    expect(names.length).toBe(PUBLIC_SKILLS + 1);
    expect(names).toEqual([...new Set(names)].sort());
    expect(pages).toBe(Math.ceil(names.length / 256));
    expect(entries.filter(({ scope }) => scope === `user:${BIG_USER}`).length).toBe(OWN_SKILLS);
  });

  it("apply a ghost's references to skills that it names in addition to all", { tags: ["slow"] }, async () => {
    const of = async (reference: string) => {
      const { entries } = await walk({ systemPrompt: "", skills: ["*", reference] });
      const found = entries.find(({ name }) => name === "skill-00042x");
      return [entries.length, found?.version];
    };
    expect(await of("skill-00042x")).toEqual([PUBLIC_SKILLS + 1, "2.0.0"]);
    expect(await of("skill-00042x@^1")).toEqual([PUBLIC_SKILLS + 1, "1.4.0"]);
    expect(await of("skill-00042x@^3")).toEqual([PUBLIC_SKILLS, undefined]);
  });

  it("keep to the allow-list", async () => {
    const allowed = Array.from({ length: 300 }, (_, index) => `skill-${String(index).padStart(5, "0")}`);
    const { entries, pages } = await walk(null, { SKILLS_ALLOWED: [...allowed, "absent"].join(",") }, 100);
    expect(entries.map(({ name }) => name)).toEqual(allowed);
    expect(pages).toBe(4);
  });
});

// SQL pages by code points, where `ｚ` (U+FF5A) comes before `𠮷` (U+20BB7). UTF-16 units have them the other way round.
describe("pages whose names lie beyond U+FFFF", () => {
  it("lose no skill where a page ends", { tags: ["slow"] }, async () => {
    await clearRegistry();
    const plain = Array.from({ length: 258 }, (_, index) => `plain-${String(index).padStart(3, "0")}`);
    for (const name of [...plain, "ｚ", "𠮷"]) await seedSkill({ name });
    const { entries, pages } = await walk(null, {}, 259);
    expect(entries.map(({ name }) => name)).toEqual([...plain, "ｚ", "𠮷"]);
    expect(pages).toBe(2);
  });
});
