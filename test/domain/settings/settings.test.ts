import { describe, expect, it } from "vitest";
import { parseSettings, settingsFrom } from "../../../src/domain/settings/settings";

describe("parseSettings", () => {
  it("has a default for everything", () => {
    expect(parseSettings({})).toEqual({
      issues: [],
      settings: expect.objectContaining({
        SKILLS_ENABLED: true,
        SKILLS_ALLOWED: [],
        SKILL_RETENTION_TURNS: 5,
        CONVERSATION_IDLE_DAYS: 30,
        ALLOWED_ORIGINS: [],
      }),
    });
  });

  it.each<[Record<string, string>, Record<string, unknown>]>([
    [{ SKILLS_ENABLED: "false" }, { SKILLS_ENABLED: false }],
    [{ SKILL_RETENTION_TURNS: "0" }, { SKILL_RETENTION_TURNS: 0 }],
    [{ SKILL_RETENTION_TURNS: "conversation" }, { SKILL_RETENTION_TURNS: "conversation" }],
    [
      { SKILLS_ALLOWED: " a , b@^1,, " },
      {
        SKILLS_ALLOWED: [
          { name: "a", range: "*" },
          { name: "b", range: "^1" },
        ],
      },
    ],
  ])("reads %j", (variables, expected) => {
    expect(parseSettings(variables).settings).toMatchObject(expected);
  });

  it.each<[Record<string, string>, string[]]>([
    [{ SKILLS_ENABLED: "maybe" }, ["SKILLS_ENABLED"]],
    [{ SKILLS_ENABLED: "" }, ["SKILLS_ENABLED"]],
    [{ SKILL_RETENTION_TURNS: "-1" }, ["SKILL_RETENTION_TURNS"]],
    [{ SKILL_RETENTION_TURNS: "1.5" }, ["SKILL_RETENTION_TURNS"]],
    [{ SKILLS_ALLOWED: "a,b@what" }, ["SKILLS_ALLOWED"]],
    [{ CONVERSATION_IDLE_DAYS: "0", SKILL_ENABLED: "false" }, ["CONVERSATION_IDLE_DAYS", "SKILL_ENABLED"]],
    [{ GATEWAY_ADMIN_KEY: "short" }, ["GATEWAY_ADMIN_KEY"]],
  ])("names what is wrong in %j", (variables, names) => {
    const { settings, issues } = parseSettings(variables);
    expect(settings).toBeNull();
    expect(issues.map((issue) => issue.path).sort()).toEqual(names);
  });
});

describe("settingsFrom", () => {
  it("reads the texts among bindings and leaves the runtime's own out", () => {
    expect(settingsFrom({ DB: {}, __RUNTIME: "x", SKILL_RETENTION_TURNS: "7" })).toMatchObject({
      SKILL_RETENTION_TURNS: 7,
    });
  });

  it("serves nothing with bad ones", () => {
    expect(() => settingsFrom({ SKILL_RETENTION: "7" })).toThrow(
      expect.objectContaining({ code: "unavailable", reason: "MISCONFIGURED" }),
    );
  });
});
