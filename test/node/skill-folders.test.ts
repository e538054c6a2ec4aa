import { describe, expect, it } from "vitest";
import {
  type ListedSkill,
  nextLocalLabel,
  type PublishedSkill,
  planChanges,
  type Situation,
  type SkillFolder,
  withLabel,
  withoutLocalSuffix,
} from "../../scripts/local/skills/plan";

function folder(
  name: string,
  { digest = "d1", label = null as string | null, place = `/skills/${name}` } = {},
): SkillFolder {
  return { folder: place, root: "/skills", read: { name, label, digest, zipSha256: `zip of ${digest}` } };
}

function published(name: string, more: Partial<PublishedSkill> = {}): PublishedSkill {
  return {
    folder: `/skills/${name}`,
    root: "/skills",
    digest: "d1",
    skillId: `skl_${name}`,
    versions: [`ver_${name}`],
    updatedAt: "t1",
    isYanked: false,
    ...more,
  };
}

function listed(name: string, more: Partial<ListedSkill> = {}): [string, ListedSkill] {
  return [name, { id: `skl_${name}`, name, label: null, updatedAt: "t1", ...more }];
}

/** Each action in a line. */
function plan(situation: Partial<Situation>): string[] {
  const whole = { folders: [], published: {}, listed: new Map(), builtins: {}, isGone: () => true, ...situation };
  return planChanges(whole).map((action) =>
    action.kind === "skip" ? `skip ${action.folder}: ${action.reason}` : `${action.kind} ${action.name}`,
  );
}

describe("the planner of skill folders", () => {
  it.each<[string, Partial<Situation>, string[]]>([
    ["publishes a new folder", { folders: [folder("a")] }, ["publish a"]],
    [
      "does nothing for an unchanged folder",
      { folders: [folder("a")], published: { a: published("a") }, listed: new Map([listed("a")]) },
      [],
    ],
    [
      "publishes a changed folder",
      { folders: [folder("a", { digest: "d2" })], published: { a: published("a") }, listed: new Map([listed("a")]) },
      ["publish a"],
    ],
    [
      "publishes a skill that the gateway lost",
      { folders: [folder("a")], published: { a: published("a") } },
      ["publish a"],
    ],
    [
      "publishes a folder that is back",
      { folders: [folder("a")], published: { a: published("a", { isYanked: true }) } },
      ["publish a"],
    ],
    ["yanks a skill whose folder is gone", { published: { a: published("a") } }, ["yank a"]],
    ["yanks it once", { published: { a: published("a", { isYanked: true }) } }, []],
    [
      "keeps a skill while its folder may only be missing",
      { published: { a: published("a") }, isGone: () => false },
      [],
    ],
    [
      "keeps a skill whose folder is not valid now",
      {
        folders: [{ folder: "/skills/a", root: "/skills", read: { problem: "half saved" } }],
        published: { a: published("a") },
      },
      ["skip /skills/a: half saved"],
    ],
    [
      "asks for equal content where the name is taken",
      { folders: [folder("a")], listed: new Map([listed("a", { id: "skl_other" })]) },
      ["adopt a"],
    ],
    [
      "asks for equal content where the skill was made anew by other means",
      { folders: [folder("a")], published: { a: published("a") }, listed: new Map([listed("a", { id: "skl_other" })]) },
      ["adopt a"],
    ],
    [
      "takes the place of a built-in skill",
      { folders: [folder("a")], listed: new Map([listed("a", { label: "1.0.0" })]), builtins: { a: "1.0.0" } },
      ["publish a"],
    ],
    [
      "leaves a skill that somebody has put in the place of a built-in one",
      { folders: [folder("a")], listed: new Map([listed("a", { label: "9.0.0" })]), builtins: { a: "1.0.0" } },
      ["adopt a"],
    ],
    [
      "looks at a skill that was changed by other means",
      { folders: [folder("a")], published: { a: published("a") }, listed: new Map([listed("a", { updatedAt: "t2" })]) },
      ["check a"],
    ],
    [
      "notes the place of a folder that was moved",
      {
        folders: [folder("a", { place: "/skills/group/a" })],
        published: { a: published("a") },
        listed: new Map([listed("a")]),
      },
      ["move a"],
    ],
    [
      "yanks the old name of a folder that was renamed",
      {
        folders: [folder("b", { place: "/skills/a" })],
        published: { a: published("a") },
        listed: new Map([listed("a")]),
        isGone: () => false,
      },
      ["publish b", "yank a"],
    ],
    [
      "publishes the first of two folders with one name",
      { folders: [folder("a", { place: "/skills/1/a" }), folder("a", { place: "/skills/2/a" })] },
      ["publish a", "skip /skills/2/a: /skills/1/a has the same name. Rename one of them"],
    ],
    [
      "lets the folder keep a name that it had first",
      {
        folders: [folder("a", { place: "/skills/1/a" }), folder("a", { place: "/skills/2/a" })],
        published: { a: published("a", { folder: "/skills/2/a" }) },
        listed: new Map([listed("a")]),
      },
      ["skip /skills/1/a: /skills/2/a has the same name. Rename one of them"],
    ],
    [
      "takes names that differ in case only for one",
      { folders: [folder("a", { place: "/skills/1/a" }), folder("A", { place: "/skills/2/A" })] },
      ["publish a", "skip /skills/2/A: /skills/1/a has the same name. Rename one of them"],
    ],
  ])("%s", (_, situation, expected) => {
    expect(plan(situation)).toEqual(expected);
  });
});

it.each([
  ["1.2.0", [], "1.2.0+local.1"],
  ["1.2.0", ["1.2.0", null, "1.2.0+local.1", "1.3.0+local.7"], "1.2.0+local.2"],
  ["1.2.0", ["1.2.0+local.9", "1.2.0+local.10"], "1.2.0+local.11"],
  ["1.2.0+build.5", ["1.2.0+build.5", "1.2.0+local.4"], "1.2.0+build.5.local.1"],
  ["1.2.0+build.5", ["1.2.0+build.5.local.1"], "1.2.0+build.5.local.2"],
  // A folder that was pulled from a gateway has the suffix in its SKILL.md.
  ["1.2.0+local.3", ["1.2.0+local.3"], "1.2.0+local.4"],
  ["draft", ["draft"], "draft+local.1"],
])("the local label after %s, with %j taken, is %s", (label, taken, expected) => {
  expect(nextLocalLabel(label, taken)).toBe(expected);
});

it.each([
  ["1.2.0+local.3", "1.2.0"],
  ["1.2.0+build.local.3", "1.2.0+build"],
  ["1.2.local.3", "1.2.local.3"],
  ["1.2.0", "1.2.0"],
])("the local label for %s is %s", (label, expected) => {
  expect(withoutLocalSuffix(label)).toBe(expected);
});

it("replaces the version of the frontmatter and nothing else", () => {
  const text = "---\nname: a\nversion: 1.0.0 # mine\nmetadata:\n  version: 7\n---\nversion: 1.0.0\n";
  expect(withLabel(text, "1.0.0+local.1")).toBe(text.replace("version: 1.0.0 # mine", 'version: "1.0.0+local.1"'));
  expect(withLabel("---\r\nversion: '1'\r\n---\r\n", "2")).toBe('---\r\nversion: "2"\r\n---\r\n');
  expect(withLabel("---\nname: a\n---\nversion: 1.0.0\n", "2")).toBeNull();
  expect(withLabel("version: 1.0.0\n", "2")).toBeNull();
});
