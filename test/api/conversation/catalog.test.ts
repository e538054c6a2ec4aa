import { describe, expect, it } from "vitest";
import { call, keyFor } from "../../support/call";
import { configure } from "../../support/clock";
import {
  clearRegistry,
  deleteSkill,
  moveSkill,
  type SeededSkill,
  seedSkill,
  seedVersion,
} from "../../support/registry";
import { activeIn, BASE, type Body, load, named, read, someone, textOf } from "../../support/users";

let calls = 0;

describe("the catalog", () => {
  /** Returns the names as the list, `load_skill` and `read_skill` report them. */
  async function seenOf(
    user: ReturnType<typeof someone>,
    id: string,
    names: string[],
  ): Promise<Record<string, string>> {
    const begun = await user.turn(id);
    const loaded = await user.calls(id, ...names.map(load));
    const readable = await user.calls(id, ...names.map((name) => read(name)));
    return Object.fromEntries(
      names.map((name, index) => [
        name,
        [
          begun.prompt?.system.includes(`- **${name}**`) ? "listed" : "",
          loaded.results[index]?.isError === true ? "" : "loaded",
          readable.results[index]?.isError === true ? "" : "read",
        ]
          .filter((word) => word !== "")
          .join(" "),
      ]),
    );
  }
  const ALL = "listed loaded read";

  it("has own, group and public skills, the nearest of each name, and no other user's", async () => {
    await clearRegistry();
    const user = someone("in-group");
    const key = await keyFor("in-group", { groups: ["crew"] });
    for (const [scope, names] of Object.entries({
      public: ["everywhere", "crewed", "public-only"],
      "group:crew": ["everywhere", "crewed", "group-only"],
      "user:in-group": ["everywhere"],
      "group:others": ["foreign-group"],
      "user:stranger": ["foreign"],
    }))
      for (const name of names) await seedSkill({ name, scope, description: `From ${scope}.`, body: `Of ${scope}.` });
    const answer = await call("POST", `${BASE}/x/turns`, { key, json: { conversation: { delivery: "system" } } });
    const { prompt } = await answer.json<Body>();
    expect([...(prompt?.system ?? "").matchAll(/^- (.*)$/gm)].map((match) => match[1])).toEqual([
      "**public-only**: From public.",
      "**crewed**: From group:crew.",
      "**group-only**: From group:crew.",
      "**everywhere**: From user:in-group.",
    ]);
    // A service that acts for the user has the user's groups.
    await user.put("/y", {});
    expect(await seenOf(user, "y", ["crewed", "foreign", "foreign-group", "group-only"])).toEqual({
      crewed: ALL,
      foreign: "",
      "foreign-group": "",
      "group-only": ALL,
    });
  });

  it("is narrowed by the ghost", async () => {
    const user = someone();
    for (const name of ["wiki", "draw"]) await user.seed({ name });
    await user.put("/x", { spec: { skills: ["draw"] } });
    expect(await seenOf(user, "x", ["wiki", "draw"])).toEqual({ wiki: "", draw: ALL });
    await user.put("/none", { spec: { skills: [] } });
    expect(await seenOf(user, "none", ["wiki"])).toEqual({ wiki: "" });
    await user.put("/every", { spec: { skills: ["*"] } });
    expect(await seenOf(user, "every", ["wiki", "draw"])).toEqual({ wiki: ALL, draw: ALL });
  });

  it("is narrowed by the shell", async () => {
    const user = someone();
    await user.seed({ name: "coder", bindShells: ["ClaudeCode"] });
    await user.seed({ name: "both", bindShells: ["Chat", "ClaudeCode"] });
    await user.seed({ name: "any" });
    const names = ["coder", "both", "any"];
    await user.put("/chat", {});
    expect(await seenOf(user, "chat", names)).toEqual({ coder: "", both: ALL, any: ALL });
    await user.put("/code", { shell: "ClaudeCode" });
    expect(await seenOf(user, "code", names)).toEqual({ coder: ALL, both: ALL, any: ALL });
  });

  /** The gateway with other variables, for one conversation until it is evicted. */
  it("is narrowed by the allow-list, versions included, also for what is active already", async () => {
    const user = someone();
    const wiki = await user.seed({ name: "wiki", version: "1.0.0" });
    await seedVersion(wiki, { version: "2.0.0" });
    for (const name of ["draw", "third"]) await user.seed({ name });
    await user.put("/x", {});
    await user.turn("x");
    await user.load("x", "draw", "third");
    await configure(user.stub("x"), { SKILLS_ALLOWED: "wiki@^1, third" });
    const now = await user.get("/x");
    expect([activeIn(now), now.warnings.map((warning) => warning.path)]).toEqual([["third"], ["draw"]]);
    expect(await seenOf(user, "x", ["wiki", "draw", "third"])).toEqual({ wiki: ALL, draw: "", third: ALL });
    expect((await user.get("/x")).active.find((active) => active.skill === "wiki")?.version).toBe("1.0.0");
    // Neither a ghost nor a dependency with a range can bypass it.
    await user.seed({ name: "needy", dependencies: ["draw@*", "wiki@>=2"] });
    await user.put("/y", { spec: { skills: ["wiki@*", "draw", "needy"] } });
    await configure(user.stub("y"), { SKILLS_ALLOWED: "wiki@^1, needy" });
    expect(await seenOf(user, "y", ["draw", "needy", "wiki"])).toEqual({ draw: "", needy: ALL, wiki: ALL });
    expect(activeIn(await user.get("/y"))).not.toContain("draw");
    const found = await user.calls("x", named("find_skill", { query: "draw" }));
    expect(textOf(found)).toEqual([expect.stringContaining("No available skill matches 'draw'.")]);
  });

  it("is empty with the switch off, and every tool says so", async () => {
    const user = someone();
    await user.seed({ name: "wiki" });
    await user.put("/x", { spec: { systemPrompt: "Hi.", skills: ["*"] } });
    await user.turn("x");
    await user.load("x", "wiki");
    await configure(user.stub("x"), { SKILLS_ENABLED: "false" });
    const answer = await user.calls(
      "x",
      load("wiki"),
      read("wiki"),
      named("find_skill", { query: "wiki" }),
      named("unload_skill", { skill_name: "wiki" }),
    );
    expect(new Set(textOf(answer))).toEqual(new Set(["Error: skills are not enabled"]));
    expect(answer.results.every((result) => result.isError)).toBe(true);
    expect(answer).toMatchObject({ active: [], tools: [], prompt: { system: "Hi." } });
  });

  it("has each skill at the version its ghost asks for", async () => {
    const user = someone();
    const wiki = await user.seed({ name: "wiki", version: "1.0.0", description: "Of 1.0.0." });
    for (const version of ["1.5.0", "2.0.0"]) await seedVersion(wiki, { version, description: `Of ${version}.` });
    await user.seed({ name: "bare", description: "Of nothing." });
    const listOf = async (...skills: string[]) => {
      const id = `c${calls++}`;
      const begun = await user.turn(id, { conversation: { spec: { skills } } });
      return [...(begun.prompt?.system.matchAll(/: Of (.*)\.$/gm) ?? [])]
        .map((match) => match[1])
        .concat(begun.warnings.map((warning) => warning.code));
    };
    expect(await listOf("wiki")).toEqual(["2.0.0"]);
    expect(await listOf("wiki@>=1.0.0")).toEqual(["2.0.0"]);
    expect(await listOf("wiki@^1")).toEqual(["1.5.0"]);
    expect(await listOf("wiki@<1.2", "bare@*")).toEqual(["nothing", "1.0.0"]);
    expect(await listOf("wiki@^3", "bare@>=0")).toEqual(["SKILL_UNAVAILABLE", "SKILL_UNAVAILABLE"]);
    expect(await listOf("*", "wiki@^1")).toContain("1.5.0");
  });

  it("loads the version that dependants ask for, and stays at it while they are there", async () => {
    const user = someone();
    const base = await user.seed({ name: "base", version: "1.0.0" });
    await seedVersion(base, { version: "2.0.0" });
    await user.seed({ name: "old", dependencies: ["base@^1"] });
    await user.seed({ name: "plain", dependencies: ["base"] });
    await user.put("/x", {});
    await user.turn("x");
    const version = (body: Body) => body.active.find((active) => active.skill === "base")?.version;
    expect(version(await user.load("x", "plain"))).toBe("2.0.0");
    expect(textOf(await user.load("x", "old"))[0]).toContain("another version is loaded");
    await user.turn("x");
    await user.calls("x", named("unload_skill", { skill_name: "plain" }));
    expect(version(await user.load("x", "old"))).toBe("1.0.0");
    expect(textOf(await user.load("x", "plain", "base"))).toEqual([
      "Skill 'plain' has been loaded. The instructions have been added to the system prompt.",
      "Skill 'base' is already active. Its instructions are in effect; follow them without loading it again.",
    ]);
    const next = await user.turn("x");
    expect([version(next), next.warnings, activeIn(next).sort()]).toEqual(["1.0.0", [], ["base", "old", "plain"]]);
  });
});

describe("a change of the registry", () => {
  async function loaded() {
    await clearRegistry();
    const user = someone();
    const skill = await user.seed({
      name: "wiki",
      version: "1.0.0",
      body: "First edition.",
      files: { "a.md": "Old file." },
    });
    await user.put("/x", {});
    await user.turn("x");
    await user.load("x", "wiki");
    return { user, skill };
  }

  it("removes deleted and hidden skills at once", async () => {
    for (const lose of [deleteSkill, (skill: SeededSkill) => moveSkill(skill, "user:other")]) {
      const { user, skill } = await loaded();
      await lose(skill);
      const answer = await user.calls("x", read("wiki"));
      expect([answer.active, answer.results[0]?.isError]).toEqual([[], true]);
      expect(answer.prompt?.system).toBe("");
      expect(answer.warnings).toMatchObject([{ code: "SKILL_UNLOADED", path: "wiki" }]);
      expect((await user.get("/x/events")).events.at(-1)).toMatchObject({ type: "unloaded", reason: "unavailable" });
      expect((await user.get("/x")).warnings).toEqual([]);
    }
  });

  it("is not reported for a skill that leaves with the same turn", async () => {
    const { user, skill } = await loaded();
    await user.put("/x", { retention_turns: 1 });
    expect(activeIn(await user.turn("x"))).toEqual(["wiki"]);
    await deleteSkill(skill);
    const { active, warnings } = await user.turn("x");
    expect([active, warnings]).toEqual([[], []]);
    expect((await user.get("/x/events")).events.map(({ type }) => type)).not.toContain("unloaded");
  });

  it("of a version is seen at the next turn, not within one: instructions and files alike", async () => {
    const { user, skill } = await loaded();
    await seedVersion(skill, { version: "1.1.0", body: "Second edition.", files: { "a.md": "New file." } });
    const seen = async (body: Body) => [
      body.active[0]?.version,
      body.prompt?.system.includes("First edition."),
      textOf(await user.calls("x", read("wiki", { file_path: "a.md" })))[0],
    ];
    expect(await seen(await user.calls("x", load("wiki")))).toEqual(["1.0.0", true, "Old file."]);
    const next = await user.turn("x");
    expect(await seen(next)).toEqual(["1.1.0", false, "New file."]);
    const message = "Skill 'wiki' was updated from version 1.0.0 to version 1.1.0. The new instructions apply.";
    expect(next.warnings).toEqual([{ code: "SKILL_UPDATED", message, path: "wiki" }]);
    // The warning appears once, and only in conversations where the skill was active.
    expect((await user.turn("x")).warnings).toEqual([]);
    expect((await user.turn("new", { conversation: {} })).warnings).toEqual([]);
  });

  it("of an own skill that replaces a public one of the same name too", async () => {
    const user = someone();
    const name = "shadowed";
    await seedSkill({ name, body: "Public.", files: { "a.md": "Public file." } });
    await user.put("/x", {});
    await user.turn("x");
    await user.load("x", name);
    await user.seed({ name, body: "Own.", files: { "a.md": "Own file." } });
    const within = await user.calls("x", read(name, { file_path: "a.md" }));
    expect([within.prompt?.system.includes("Public."), textOf(within)[0], within.warnings]).toEqual([
      true,
      "Public file.",
      [],
    ]);
    const next = await user.turn("x");
    expect([next.prompt?.system.includes("Own."), next.prompt?.system.includes("Public.")]).toEqual([true, false]);
    expect(next.warnings).toMatchObject([{ code: "SKILL_UPDATED", message: expect.stringContaining("another skill") }]);
  });

  it("of a dependency does not keep others from being loaded beside it", async () => {
    const user = someone();
    const base = await user.seed({ name: "base", version: "1.0.0" });
    await user.seed({ name: "needy", dependencies: ["base"] });
    await user.put("/x", {});
    await user.turn("x");
    await user.load("x", "base");
    await seedVersion(base, { version: "2.0.0" });
    expect(await user.load("x", "needy")).toMatchObject({
      active: [{ skill: "base", version: "1.0.0" }, { skill: "needy" }],
    });
    expect(await user.turn("x")).toMatchObject({ active: [{ skill: "base", version: "2.0.0" }, { skill: "needy" }] });
  });
});
