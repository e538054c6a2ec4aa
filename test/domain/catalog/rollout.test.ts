import { describe, expect, it } from "vitest";
import { candidatesInPlace, rolloutPosition, withCandidates } from "../../../src/domain/catalog/rollout";

const row = (skill_id: string, version_id: string, current_id = version_id) => ({ skill_id, version_id, current_id });

describe("the position of a conversation", () => {
  it("spreads conversations evenly, also those with similar ids", () => {
    for (const name of ["chat", "a-much-longer-prefix-of-an-id"])
      for (const percent of [1, 10, 50]) {
        const positions = Array.from({ length: 20_000 }, (_, n) => rolloutPosition(`ada/${name}-${n}`, "ver_1"));
        const share = (positions.filter((at) => at < percent).length / positions.length) * 100;
        expect(Math.abs(share - percent)).toBeLessThan(1.2);
      }
  });

  it("stays the same, so that raising the share moves nobody back", () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => `ada/chat-${n}`);
    const arm = (percent: number) => ids.filter((id) => rolloutPosition(id, "ver_1") < percent);
    expect(arm(30)).toEqual(expect.arrayContaining(arm(10)));
    expect(arm(100)).toHaveLength(1_000);
  });

  it("is another one for another candidate", () => {
    const ids = Array.from({ length: 2_000 }, (_, n) => `ada/chat-${n}`);
    const both = ids.filter((id) => rolloutPosition(id, "ver_1") < 50 && rolloutPosition(id, "ver_2") < 50);
    expect(Math.abs(both.length - 500)).toBeLessThan(80);
  });
});

describe("candidates in rows", () => {
  it("become the current version of their skill, and of no other", () => {
    const rows = [row("a", "a1"), row("b", "b1")];
    expect(withCandidates(rows, [row("b", "b2", "b1"), row("c", "c2")])).toEqual([
      row("a", "a1"),
      row("b", "b1", "b2"),
      row("b", "b2"),
    ]);
    expect(candidatesInPlace(rows, [row("b", "b2", "b1")])).toEqual([row("a", "a1"), row("b", "b2", "b1")]);
  });

  it("are there once if the rows have them already", () => {
    expect(withCandidates([row("b", "b1"), row("b", "b2", "b1")], [row("b", "b2", "b1")])).toEqual([
      row("b", "b1", "b2"),
      row("b", "b2"),
    ]);
  });
});
