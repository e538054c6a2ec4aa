// Literal credentials in `mcpServers`: detection at every position, and reports that never contain the value.

import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/domain/json";
import { literalCredentials, withoutCredentials } from "../../../src/domain/package/credentials";

const variable = (name: string) => `\${{${name}}}`;
const found = (server: JsonObject) =>
  literalCredentials({ weather: server }).map(({ keys }) => keys.slice(1).join("."));
const headers = (some: JsonObject) => found({ url: "https://x.test/mcp", headers: some });

const ISSUED = "ghp_0123456789abcdefghijABCDEFGHIJ";
const RANDOM = "aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA";

describe("a credential", () => {
  it.each<[string, JsonObject, string[]]>([
    ["under a header's name", { Authorization: "Bearer abc123" }, ["headers.Authorization"]],
    ["as a number", { "X-Api-Key": 1234567890 }, ["headers.X-Api-Key"]],
    ["beside a variable", { Authorization: `Bearer abc123def${variable("user.id")}` }, ["headers.Authorization"]],
    ["of an issuer, under any name", { "X-Thing": ISSUED }, ["headers.X-Thing"]],
    ["that is long and random, under any name", { "X-Thing": RANDOM }, ["headers.X-Thing"]],
    ["in base64", { "X-Thing": btoa(`Bearer ${ISSUED}`) }, ["headers.X-Thing"]],
    [
      "in base64 for URLs",
      { "X-Thing": btoa(`x: ${ISSUED}??`).replaceAll("/", "_").replaceAll("=", "") },
      ["headers.X-Thing"],
    ],
    ["over two headers", { "X-A": "sk-abcdefgh", "X-B": "ijklmnopqrst", "X-C": "?1" }, ["headers.X-A", "headers.X-B"]],
    ["in a cookie", { Cookie: "session=abc123" }, ["headers.Cookie"]],
  ])("%s", (_, some, places) => expect(headers(some)).toEqual(places));

  it.each([
    "https://user:pass@x.test/mcp",
    "https://abc123@x.test/mcp",
    "https:\\\\user:pass@x.test\\mcp",
    "https://x.test/mcp?api_key=abc123",
    "https://x.test/mcp?page=1&%6bey=abc123",
    "https://x.test/mcp?a=1?&token=abc123",
    `https://x.test/mcp?q=${ISSUED}`,
    `https://x.test/s/${RANDOM}/mcp`,
    `https://x.test/${variable("user.id")}/mcp?key=abc123`,
  ])("in a URL: %s", (url) => expect(found({ url })).toEqual(["url"]));

  it.each<[JsonObject, string]>([
    [{ env: { GITHUB_TOKEN: "abc123" } }, "env.GITHUB_TOKEN"],
    [{ args: ["--api-key", "abc123"] }, "args.1"],
    [{ args: ["--token=abc123"] }, "args.0"],
    [{ args: ["mcp-remote", "--header", "Authorization: Bearer abc123"] }, "args.2"],
    [{ command: "curl -H 'Authorization: Bearer abc123def'" }, "command"],
    [{ oauth: { client: [{ client_secret: "abc123" }] } }, "oauth.client.0.client_secret"],
    [{ inner: { url: "https://x.test", headers: { "X-Api-Key": "abc123" } } }, "inner.headers.X-Api-Key"],
  ])("elsewhere: %j", (server, place) => expect(found(server)).toEqual([place]));

  it("is found where servers are nested twice, and where an entry is no mapping", () => {
    const twice = literalCredentials({ mcpServers: { a: { headers: { Authorization: "Bearer abc123" } } } });
    expect(twice.map(({ keys }) => keys)).toEqual([["mcpServers", "a", "headers", "Authorization"]]);
    expect(literalCredentials({ a: ISSUED })).toMatchObject([{ keys: ["a"] }]);
  });
});

describe("no credential", () => {
  it.each<JsonObject>([
    { Authorization: `Bearer ${variable("secrets.X")}` },
    { Authorization: variable("secrets.X") },
    { Authorization: "Bearer <your token>", "X-Api-Key": "YOUR_API_KEY", "X-Secret": "********" },
    { "X-Api-Key": "$API_KEY", "X-Other-Key": `\${API_KEY}`, "X-Third-Token": "{{token}}" },
    { Accept: "application/json, text/event-stream", "Content-Type": "application/json" },
    { "X-Auth-Type": "oauth2", "X-Auth-Mode": "bearer", "X-Token-Limit": "4096", "X-Auth": "none" },
    { "X-Workspace": "550e8400-e29b-41d4-a716-446655440000", "X-Version": "2026-07-28" },
    { "User-Agent": "weather-agent/1.0 (https://example.com/a-page-about-it)", "X-Tenant": "acme-production-europe" },
    { "X-Digest": `sha256:${"ab".repeat(32)}`, "X-Author": "Ada" },
  ])("in %j", (some) => expect(headers(some)).toEqual([]));

  it.each([
    "https://x.test/@scope/mcp",
    "https://x.test/mcp?page=1&lang=en&format=json",
    `https://x.test/mcp?key=${variable("secrets.k")}&page=1`,
    `https://x.test/${variable("user.id")}/mcp`,
    "https://x.test/550e8400-e29b-41d4-a716-446655440000/mcp",
    "https://an-unusually-long-host-name.region-1.example-platform.test/mcp-servers/the-weather-server/v1",
  ])("in %s", (url) => expect(found({ url })).toEqual([]));

  it.each<JsonObject>([
    { command: "npx", args: ["-y", "@scope/server-weather@1.2.3", "--port", "8080", "--auth-mode", "oauth"] },
    { allow: ["create_token", "list_api_keys"], deny: ["delete_secret"], timeout: 30, era: "auto" },
    { oauth: { token_url: "https://x.test/oauth/token", token_endpoint: "https://x.test/t", key_file: "/run/key" } },
    { description: `Ask for a token like ${ISSUED}.`, type: "http" },
  ])("in %j", (server) => expect(found(server)).toEqual([]));
});

describe("the message about a credential", () => {
  it("names a secret for its place", () => {
    const secretOf = (server: string, entry: JsonObject) => literalCredentials({ [server]: entry })[0]?.secret;
    expect(secretOf("my-weather", { headers: { Authorization: "Bearer abc123" } })).toBe("MY_WEATHER_TOKEN");
    expect(secretOf("my-weather", { headers: { "X-Api-Key": "abc123" } })).toBe("MY_WEATHER_X_API_KEY");
    expect(secretOf("天気", { url: "https://u:p123@x.test/" })).toBe("TOKEN");
    expect(secretOf("9".repeat(80), { url: "https://u:p123@x.test/" })).toMatch(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/);
  });

  it("is blackened, and nothing else", () => {
    const servers = {
      a: { url: "https://u:hunter22@x.test/mcp", headers: { Authorization: "Bearer abc123", Accept: "text/html" } },
      b: { args: ["--token", "abc123", "--fast"], __proto__: null },
    };
    const shown = withoutCredentials(servers);
    expect(shown).toEqual({
      a: { url: "https://x.test/***", headers: { Authorization: "***", Accept: "text/html" } },
      b: { args: ["--token", "***", "--fast"] },
    });
    expect(servers.a.headers.Authorization).toBe("Bearer abc123");
  });

  it("is fast for a hostile text", () => {
    const text = "Bearer ".repeat(9_000) + "-".repeat(9_000) + "a=".repeat(9_000);
    expect(found({ a: text, b: [text, text], c: `https://x.test/?${"a=1&".repeat(9_000)}` })).toEqual([]);
  });
});
