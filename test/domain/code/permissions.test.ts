// Permissions of a version, derived from its declarations.

import { expect, it } from "vitest";
import { type PermittedVersion, permissionChanges, permissionsOf } from "../../../src/domain/code/permissions";
import type { CodeScopes } from "../../../src/domain/settings/settings";

const manifest: PermittedVersion["manifest"] = {
  tools: [],
  mcpServers: {},
  dependencies: [],
  preload: false,
  allowedTools: [],
};
const version = (
  more: Partial<PermittedVersion["manifest"]> = {},
  rest: Partial<PermittedVersion> = {},
  codeScopes: CodeScopes = "public",
) => {
  const files = [{ path: "SKILL.md" }];
  const one = { scope: "public", manifest: { ...manifest, ...more }, frontmatter: {}, files, scripts: null, ...rest };
  return permissionsOf(one, codeScopes);
};

it("of a skill without code are only that models can load it", () => {
  const all = version();
  const lists = Object.entries(all).filter(([, value]) => Array.isArray(value));
  expect(lists.map(([, value]) => value)).toEqual(lists.map(() => []));
  expect(all).toMatchObject({ runs_code: false, asks_pages: false, model_invocation: true, preload: false });
});

it("name hosts, secrets and variables of servers, and never a value", () => {
  const mcpServers = {
    mcpServers: {
      weather: {
        url: `https://user:hunter2hunter2@mcp.example.com:8443/\${{user_id}}?key=PLANTED`,
        headers: { authorization: `Bearer \${{secrets.WEATHER_TOKEN}}`, "x-key": "PLANTED", "x-odd": `\${{nonsense}}` },
        allow: ["forecast"],
      },
      anywhere: { url: `https://\${{user.id}}.example.com/` },
      local: { command: "TOKEN=PLANTED npx", args: ["--key", "PLANTED"] },
      broken: { url: 7 },
    },
  };
  const all = version({ mcpServers });
  expect(JSON.stringify(all)).not.toMatch(/PLANTED|hunter2|nonsense/);
  expect(all.servers).toEqual([
    {
      ...{ name: "weather", host: "mcp.example.com:8443", problem: null, command: null },
      ...{ secrets: ["WEATHER_TOKEN"], variables: ["user.id"], allow: ["forecast"], deny: [] },
    },
    {
      ...{ name: "anywhere", host: null, problem: "its URL has no host", command: null },
      ...{ secrets: [], variables: ["user.id"], allow: null, deny: [] },
    },
    expect.objectContaining({ name: "local", host: null, command: "npx", problem: expect.stringContaining("stdio") }),
    expect.objectContaining({ name: "broken", host: null, command: null }),
  ]);
  expect(all).toMatchObject({ hosts: ["mcp.example.com:8443"], secrets: ["WEATHER_TOKEN"], commands: ["npx"] });
});

it("include running code in the scopes that the gateway allows, and how each script runs", () => {
  const files = ["a.py", "lib/b.d.ts", "run", "x.rb", "y.sh"].map((path) => ({ path }));
  const scripts = [
    { path: "a.py", runs: "remote", reason: "numpy" },
    { path: "run", runs: "isolate" },
    { path: "x.rb", runs: "nowhere" },
  ] as const;
  const tools = { tools: [{ name: "draw" }], provider: { module: "p", class: "P" } };
  const all = version(tools, { files, scripts });
  expect(all.scripts).toEqual([
    { path: "a.py", language: "python", runs: "remote" },
    { path: "run", language: null, runs: "isolate" },
    { path: "x.rb", language: null, runs: "nowhere" },
    { path: "y.sh", language: "shell", runs: null },
  ]);
  const flags = ({ runs_code, asks_pages }: typeof all) => ({ runs_code, asks_pages });
  expect(flags(all)).toEqual({ runs_code: true, asks_pages: true });
  for (const scope of ["user:ann", "group:team", "draft:ann"])
    expect(flags(version(tools, { files, scripts, scope }))).toEqual({ runs_code: false, asks_pages: false });
  const withGroups = (scope: string) => flags(version(tools, { files, scripts, scope }, "groups"));
  expect(withGroups("group:team")).toEqual({ runs_code: true, asks_pages: true });
  expect(withGroups("user:ann")).toEqual({ runs_code: false, asks_pages: false });
  const ruby = { files: [{ path: "x.rb" }], scripts: [scripts[2]] };
  expect(flags(version({}, ruby))).toEqual({ runs_code: false, asks_pages: false });
  // Without a provider, no tools are created and scripts cannot ask the page.
  expect(flags(version({ tools: [{ name: "draw" }] }, { files, scripts }))).toEqual({
    runs_code: true,
    asks_pages: false,
  });
});

it("differ by additions and removals, independent of their order", () => {
  const server = (more: object) => ({ mcpServers: { weather: { url: "https://a.example.com/", ...more } } });
  const before = version({ ...server({}), allowedTools: ["Read", "Bash(git:*)"], preload: true });
  expect(permissionChanges(before, before)).toEqual({ added: [], removed: [] });
  const turned = version({ ...server({}), allowedTools: ["Bash(git:*)", "Read"], preload: true });
  expect(permissionChanges(before, turned)).toEqual({ added: [], removed: [] });
  const headers = { "x-key": `\${{secrets.KEY}}` };
  const after = version(
    {
      ...server({ url: "https://b.example.com/", headers, deny: ["drop"] }),
      ...{ allowedTools: ["Read"], network: ["api.example.com"], env: ["TOKEN"] },
    },
    { frontmatter: { "disable-model-invocation": true } },
  );
  const { added, removed } = permissionChanges(before, after);
  const lines = (all: typeof added) => all.map(({ permission, value }) => `${permission} ${value}`);
  expect(lines(added)).toEqual([
    "servers weather at b.example.com",
    "server_tools weather: all tools but drop",
    "network api.example.com",
    "env TOKEN",
    "hosts b.example.com",
    "secrets KEY",
  ]);
  expect(lines(removed)).toEqual([
    "model_invocation true",
    "preload true",
    "allowed_tools Bash(git:*)",
    "servers weather at a.example.com",
    "server_tools weather: all tools",
    "hosts a.example.com",
  ]);
});
