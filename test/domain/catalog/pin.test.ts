import { describe, expect, it } from "vitest";
import { isPinned, pickedOf, pinOf, pinsOf, withoutNulls } from "../../../src/domain/catalog/pin";

const own = "user:ada";
const row = (skill_id: string, scope: string) => ({ skill_id, scope });

describe("a reference", () => {
  it.each<[Parameters<typeof pinOf>[0], ReturnType<typeof pinOf>]>([
    [{}, null],
    [{ skill_id: null, namespace: null, is_public: null }, null],
    [{ skill_id: 12 }, null],
    [{ skill_id: "12" }, null],
    [{ skill_id: "" }, null],
    [{ is_public: false }, null],
    [
      { skill_id: "skl_1", namespace: "team", is_public: true },
      { skill_id: "skl_1", scope: null },
    ],
    [
      { skill_id: 12, is_public: true, namespace: "default" },
      { skill_id: null, scope: "public" },
    ],
    [{ namespace: "public" }, { skill_id: null, scope: "public" }],
    [{ namespace: "default" }, { skill_id: null, scope: own }],
    [
      { namespace: "team", is_public: false },
      { skill_id: null, scope: "group:team" },
    ],
  ])("%j asks for %j", (ref, pin) => {
    expect(pinOf(ref, own)).toEqual(pin);
  });

  it("is satisfied only by matching rows", () => {
    expect(isPinned(null, row("a", "public"))).toBe(true);
    expect(isPinned({ skill_id: "a", scope: null }, row("a", "public"))).toBe(true);
    expect(isPinned({ skill_id: "a", scope: null }, row("b", "public"))).toBe(false);
    expect(isPinned({ skill_id: null, scope: own }, row("a", own))).toBe(true);
    expect(isPinned({ skill_id: null, scope: own }, row("a", "user:ben"))).toBe(false);
  });

  it("of a skill goes over one of its preload, and belongs to its name as it is stored", () => {
    const pins = pinsOf(
      {
        skill_refs: { "cafe\u0301": { is_public: true }, x: {} },
        preload_skill_refs: { "caf\u00e9": { namespace: "team" }, y: { skill_id: "skl_y" }, x: { skill_id: "skl_x" } },
      },
      own,
    );
    expect(Object.fromEntries(pins)).toEqual({
      "caf\u00e9": { skill_id: null, scope: "public" },
      x: { skill_id: "skl_x", scope: null },
      y: { skill_id: "skl_y", scope: null },
    });
  });
});

it("of a user's selection contains each name once, the later of two", () => {
  expect(pickedOf(["a", "b@^1", { name: "a", namespace: "default" }, "what is this@@"], own)).toEqual([
    { name: "a", range: "*", pin: { skill_id: null, scope: own } },
    { name: "b", range: "^1", pin: null },
    { name: "what is this@@", range: "*", pin: null },
  ]);
});

it("treats null in known fields as absent, and keeps it in others", () => {
  const keys = ["skills", "preload_skills"];
  expect(withoutNulls({ skills: null, preload_skills: null, other: null, deep: { skills: null } }, keys)).toEqual({
    skills: [],
    other: null,
    deep: { skills: null },
  });
  for (const same of [null, undefined, 7, "text", [null]]) expect(withoutNulls(same, keys)).toBe(same);
});
