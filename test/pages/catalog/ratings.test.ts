// Ratings and use on the catalog pages: what visitors see of them, and what they do not.

import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { pageAt, publishOpened, titlesOf } from "../../support/catalog";
import { publishPublic } from "../../support/chat-turns";

const insertRating = (skillId: string, user: string, stars: number, comment: string | null, more = "") =>
  env.DB.prepare(
    `INSERT INTO skill_ratings (skill_id, user_id, id, stars, comment, version_id${more === "" ? "" : ", hidden_at, answer"})
      VALUES (?1, ?2, 'rtg_' || ?2 || ?1, ?3, ?4, ''${more})`,
  )
    .bind(skillId, user, stars, comment)
    .run();
const insertLoads = (skillId: string, loads: number, daysAgo = 0) => {
  const day = Math.floor(Date.now() / 86_400_000 - daysAgo) * 86_400_000;
  const columns = "day, skill_id, version_id, loads, calls, failures, tokens, votes";
  return env.DB.prepare(`INSERT INTO skill_use (${columns}) VALUES (?, ?, 'ver_x', ?, 0, 0, 0, 0)`)
    .bind(day, skillId, loads)
    .run();
};

describe("ratings on the pages", () => {
  it("show stars, comments and answers, without their users", async () => {
    const { id } = await publishOpened({ name: "stars-tides" });
    expect(await pageAt("/skills/stars-tides")).toContain("Nobody has rated this skill yet.");
    await insertRating(id, "planted-rater", 5, "Just right.");
    await insertRating(id, "planted-other", 2, "<img src=x onerror=alert(1)>\u202E", ", NULL, 'Fixed <b>now</b>.'");
    await insertRating(id, "planted-spam", 1, "Buy pills.", ", 5, NULL");
    await insertRating(id, "planted-silent", 5, null);
    const page = await pageAt("/skills/stars-tides");
    expect(page).toContain('aria-label="4.0 of 5 stars, 3 ratings"');
    for (const text of ["Just right.", "&lt;img src=x onerror=alert(1)&gt;⟨U+202E⟩", "Fixed &lt;b&gt;now&lt;/b&gt;."])
      expect(page).toContain(`<bdi>${text}</bdi>`);
    expect(page).not.toMatch(/planted|Buy pills/);
    expect(page).toContain("Ratings without a comment and older ones are not listed.");
    const [, json = ""] = /<script type="application\/ld\+json">([^<]*)<\/script>/.exec(page) ?? [];
    expect(JSON.parse(json)).toMatchObject({ aggregateRating: { ratingValue: 4, ratingCount: 3 } });
    expect(await pageAt("/skills")).toContain('aria-label="4.0 of 5 stars, 3 ratings"');
  });

  it("order the list by score, so one rating of five stars is not first", async () => {
    const many = await publishOpened({ name: "order-many", frontmatter: "tags: [order]" });
    const one = await publishOpened({ name: "order-one", frontmatter: "tags: [order]" });
    await publishOpened({ name: "order-none", frontmatter: "tags: [order]" });
    for (let n = 0; n < 10; n++) await insertRating(many.id, `order-${n}`, n === 0 ? 4 : 5, null);
    await insertRating(one.id, "order-x", 5, null);
    expect(titlesOf(await pageAt("/skills?tag=order&sort=rated"))).toEqual(["order-many", "order-one", "order-none"]);
    expect(titlesOf(await pageAt("/skills?tag=order&sort=nonsense"))).toEqual([
      "order-many",
      "order-none",
      "order-one",
    ]);
  });
});

describe("use on the pages", () => {
  it("is the loads of the last 30 days, and not shown below ten", async () => {
    const used = await publishOpened({ name: "used-often", frontmatter: "tags: [used]" });
    const rare = await publishOpened({ name: "used-a-bit", frontmatter: "tags: [used]" });
    await insertLoads(used.id, 1_200);
    await insertLoads(used.id, 34, 29);
    await insertLoads(used.id, 5_000, 30);
    await insertLoads(rare.id, 9);
    expect(await pageAt("/skills/used-often")).toContain("1,234 loads in the last 30 days");
    expect(await pageAt("/skills/used-a-bit")).not.toContain("loads");
    const page = await pageAt("/skills?tag=used&sort=used");
    expect(titlesOf(page)).toEqual(["used-often", "used-a-bit"]);
    expect(page).toContain("1,234 loads a month");
    expect(page.match(/loads a month/g)).toHaveLength(1);
  });

  it("and ratings of skills that are not open change nothing", async () => {
    await publishOpened({ name: "shown-beside" });
    const paths = ["/skills", "/skills?sort=rated", "/skills?sort=used", "/skills/shown-beside"];
    const before = await Promise.all(paths.map((path) => pageAt(path)));
    const { id } = await publishPublic({ name: "hidden-beside" });
    await insertRating(id, "beside", 5, "Hidden words.");
    await insertLoads(id, 100_000);
    expect(await Promise.all(paths.map((path) => pageAt(path)))).toEqual(before);
  });
});
