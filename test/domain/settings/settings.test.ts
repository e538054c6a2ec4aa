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

  it("reads headers and attributes of OpenTelemetry, percent-encoded", () => {
    const { settings } = parseSettings({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://10.0.0.5:4318",
      OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Basic%20YTpi, x-a = 1%2C2",
      OTEL_TRACES_SAMPLER_ARG: "0.25",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=prod",
    });
    expect(settings).toMatchObject({
      OTEL_EXPORTER_OTLP_HEADERS: { Authorization: "Basic YTpi", "x-a": "1,2" },
      OTEL_TRACES_SAMPLER_ARG: 0.25,
      OTEL_RESOURCE_ATTRIBUTES: { "deployment.environment.name": "prod" },
    });
  });

  it.each(["a", "=b", "a=%", "a=1%0d%0ab:2", "host=evil", "content-length=1", "a b=c", "a="])(
    "rejects the headers '%s' of a collector without quoting them",
    (text) => {
      const { issues } = parseSettings({ OTEL_EXPORTER_OTLP_HEADERS: `ok=secret,${text}` });
      expect(issues.map(({ path, message }) => [path, message])).toEqual([
        ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS: pair 2 is not a percent-encoded name=value"],
      ]);
    },
  );

  it.each<[Record<string, string>, string[]]>([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4318" }, ["OTEL_EXPORTER_OTLP_ENDPOINT"]],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "https://user:pass@collector.example" }, ["OTEL_EXPORTER_OTLP_ENDPOINT"]],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example/?key=x" }, ["OTEL_EXPORTER_OTLP_ENDPOINT"]],
    [{ OTEL_TRACES_SAMPLER_ARG: "2" }, ["OTEL_TRACES_SAMPLER_ARG"]],
    [{ OTEL_TRACES_SAMPLER_ARG: "" }, ["OTEL_TRACES_SAMPLER_ARG"]],
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
