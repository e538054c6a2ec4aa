import { describe, expect, it } from "vitest";
import { readFrontmatter } from "../../../src/domain/package/frontmatter";
import { readManifest } from "../../../src/domain/package/manifest";

async function read(yaml: string, paths: string[] = []) {
  const { frontmatter, issues: syntax } = await readFrontmatter(`---\n${yaml}\n---\nbody`);
  if (frontmatter === null) throw new Error(JSON.stringify(syntax));
  const { manifest, issues, warnings } = readManifest(frontmatter, paths);
  const brief = (list: typeof issues) => list.map(({ code, line, path }) => `${code} ${path}:${line}`);
  return { manifest, issues: brief(issues), warnings: brief(warnings), all: warnings };
}
const filledLater = (name: string) => `\${{${name}}}`;
/** With a description on line 2, so that the fields begin on line 3. */
const described = (yaml: string, paths?: string[]) => read(`description: d\n${yaml}`, paths);

describe("a manifest", () => {
  it("has every field of the seeds' example", async () => {
    const { manifest, issues, warnings } = await read(
      `description: "Generate and render Mermaid diagrams"
displayName: "Mermaid Diagram"
version: "1.0.0"
author: "Wegent Team"
tags: ["visualization", "diagram"]
bindShells: ["ClaudeCode", "Chat"]
provider:
  module: provider
  class: MermaidToolProvider
tools:
  - name: render_mermaid
    provider: mermaid
    config:
      timeout: 30
mcpServers:
  weather:
    type: sse
    url: https://api.weather.com/mcp
    headers:
      X-API-Key: \${{secrets.weather_api_key}}
dependencies: [base, "charts@^1.2"]
preload: true
config: {a: 1}
license: MIT
compatibility: none
metadata: {owner: me}
allowed-tools: Read Bash(git add:*) Write`,
      ["SKILL.md", "provider.js"],
    );
    expect({ issues, warnings }).toEqual({ issues: [], warnings: [] });
    expect(manifest).toEqual({
      description: "Generate and render Mermaid diagrams",
      displayName: "Mermaid Diagram",
      version: "1.0.0",
      author: "Wegent Team",
      tags: ["visualization", "diagram"],
      bindShells: ["ClaudeCode", "Chat"],
      provider: { module: "provider", class: "MermaidToolProvider" },
      tools: [{ name: "render_mermaid", provider: "mermaid", config: { timeout: 30 } }],
      mcpServers: {
        weather: {
          type: "sse",
          url: "https://api.weather.com/mcp",
          headers: { "X-API-Key": filledLater("secrets.weather_api_key") },
        },
      },
      dependencies: ["base", "charts@^1.2"],
      preload: true,
      config: { a: 1 },
      license: "MIT",
      compatibility: "none",
      metadata: { owner: "me" },
      allowedTools: ["Read", "Bash(git add:*)", "Write"],
    });
  });

  it("needs only a description, and has empty defaults", async () => {
    expect((await read("description: ' x '")).manifest).toEqual({
      description: "x",
      tags: [],
      config: {},
      tools: [],
      mcpServers: {},
      dependencies: [],
      preload: false,
      metadata: {},
      allowedTools: [],
    });
  });

  it.each([
    ["name: x", "DESCRIPTION_MISSING SKILL.md:1"],
    ["name: x\ndescription:", "DESCRIPTION_MISSING SKILL.md:3"],
    ["description: '  '", "DESCRIPTION_MISSING SKILL.md:2"],
    ["description: [a]", "DESCRIPTION_INVALID SKILL.md:2"],
    ["description: 5", "DESCRIPTION_INVALID SKILL.md:2"],
  ])("%j is refused", async (yaml, issue) => {
    expect(await read(yaml)).toMatchObject({ manifest: null, issues: [issue] });
  });
});

describe("a field of the wrong type is read as meant, with a warning", () => {
  it.each([
    ["tags: a, b,", { tags: ["a", "b"] }],
    ["tags: [a, 1, {x: y}]", { tags: ["a", "1"] }],
    ["tags: 5", { tags: ["5"] }],
    ["version: 1.10", { version: "1.10" }],
    ["version: 2", { version: "2" }],
    ["author: {name: x}", {}],
    ["bindShells: Chat", { bindShells: ["Chat"] }],
    ["config: x", { config: {} }],
    ["mcpServers: [a]", { mcpServers: {} }],
    ["metadata: x", { metadata: {} }],
    ["preload: 'true'", { preload: true }],
    ["preload: 1", { preload: false }],
    ["dependencies: base, other@^1", { dependencies: ["base", "other@^1"] }],
    ["tools: render", { tools: [{ name: "render" }] }],
    ["provider: provider_name", {}],
    ["allowed-tools: 5", { allowedTools: ["5"] }],
  ])("%j", async (yaml, expected) => {
    const { manifest, warnings } = await described(yaml);
    expect(manifest).toMatchObject(expected);
    expect(warnings).toEqual(["FIELD_TYPE SKILL.md:3"]);
  });

  it("but an empty field is an absent one", async () => {
    const { manifest, warnings } = await described("tags:\nversion: ~\nprovider:\nname: null");
    expect(warnings).toEqual([]);
    expect(manifest).toMatchObject({ tags: [] });
    expect(manifest).not.toHaveProperty("version");
  });
});

it("accepts fields of other hosts, and numbers and booleans in metadata without a warning", async () => {
  const lines = [
    "argument-hint: '[date]'",
    "disable-model-invocation: true",
    "user-invocable: false",
    "model: x",
    "effort: high",
    "context: fork",
    "agent: a",
    "hooks: {}",
    "metadata: {version: 1.10, internal: true, author: me}",
  ];
  const { manifest, warnings } = await described(lines.join("\n"));
  expect(warnings).toEqual([]);
  expect(manifest).toMatchObject({ metadata: { version: "1.10", internal: "true", author: "me" } });
});

it("separates dependencies that are not skills", async () => {
  const { manifest } = await described('dependencies: [helper, "vllm>=0.5", "pkg[extra]"]');
  expect(manifest).toMatchObject({ dependencies: ["helper"], otherDependencies: ["vllm>=0.5", "pkg[extra]"] });
});

it.each([
  ['requirements: ["numpy>=1.26,<3", pandas]', ["numpy>=1.26,<3", "pandas"]],
  ["requirements: |\n  numpy>=1.26,<3  # fast\n  pandas", ["numpy>=1.26,<3", "pandas"]],
])("reads requirements as a list or as text: %j", async (lines, requirements) => {
  const { manifest, warnings } = await described(lines);
  expect({ requirements: manifest?.requirements, warnings }).toEqual({ requirements, warnings: [] });
});

it("reads the hosts and variables of its code, without duplicates", async () => {
  const { manifest, warnings } = await described(
    "network: [API.GitHub.com, 'api.example.com:8443', api.github.com]\nenv: [TOKEN, TOKEN]",
  );
  expect(manifest).toMatchObject({ network: ["api.github.com", "api.example.com:8443"], env: ["TOKEN"] });
  expect(warnings).toEqual([]);
});

it.each([
  ...[
    "https://api.github.com",
    "*.github.com",
    "api.github.com/v1",
    "user@api.github.com",
    "localhost.localdomain",
    "10.0.0.1",
  ],
  ...[
    "169.254.169.254",
    "[::1]",
    "0x7f.1",
    "metadata.google.internal",
    "api.github.com:0",
    "api.github.com:70000",
    "github",
    "api.github.com.",
    "a b.com",
  ],
])("does not read %j as a host that code can call", async (host) => {
  const { manifest, warnings } = await described(`network: [${JSON.stringify(host)}]`);
  expect({ network: manifest?.network, warnings }).toEqual({
    network: undefined,
    warnings: ["NETWORK_INVALID SKILL.md:3"],
  });
});

it.each(["PATH", "home", "LD_PRELOAD", "NODE_OPTIONS", "PYTHONPATH", "BASH_ENV", "https_proxy", "A-B", "1A", ""])(
  "does not read %j as a variable for a host",
  async (name) => {
    const { manifest, warnings } = await described(`network: [api.github.com]\nenv: [${JSON.stringify(name)}]`);
    expect({ env: manifest?.env, warnings }).toEqual({ env: undefined, warnings: ["ENV_INVALID SKILL.md:4"] });
  },
);

describe("warnings", () => {
  it.each([
    ["x-custom: 1", "FIELD_UNKNOWN SKILL.md:3"],
    ["toString: 1", "FIELD_UNKNOWN SKILL.md:3"],
    ["name: My Great Skill", "NAME_IS_TITLE SKILL.md:3"],
    [`compatibility: ${"x".repeat(501)}`, "COMPATIBILITY_LONG SKILL.md:3"],
    ["disable-model-invocation: 'true'", "FIELD_TYPE SKILL.md:3"],
    ["metadata: {a: {b: c}}", "METADATA_NOT_STRINGS SKILL.md:3"],
    ["allowed-tools: [Read, Write]", "ALLOWED_TOOLS_LIST SKILL.md:3"],
    ["tools:\n  - provider: x", "TOOL_INVALID SKILL.md:4"],
    ["tools: [{name: a}, {name: a}]", "TOOL_DUPLICATE SKILL.md:3"],
    ["dependencies:\n  - chat_shell.tools.pending_requests", "DEPENDENCY_INVALID SKILL.md:4"],
    ["dependencies: ['a@not a range']", "DEPENDENCY_INVALID SKILL.md:3"],
    ["requirements:\n  - numpy\n  - not a package", "REQUIREMENT_INVALID SKILL.md:5"],
    [`dependencies: [${Array.from({ length: 129 }, (_, n) => `d${n}`)}]`, "TOO_MANY_DEPENDENCIES SKILL.md:3"],
    [`network: [${Array.from({ length: 21 }, (_, n) => `h${n}.example.com`)}]`, "TOO_MANY_HOSTS SKILL.md:3"],
    [`network: [a.com]\nenv: [${Array.from({ length: 21 }, (_, n) => `V${n}`)}]`, "TOO_MANY_VARIABLES SKILL.md:4"],
    ["env: [TOKEN]", "ENV_WITHOUT_NETWORK SKILL.md:3"],
    ["provider: {module: provider, class: P}", "PROVIDER_NOT_FOUND SKILL.md:3"],
    ["mcpServers:\n  a: x", "MCP_SERVER_INVALID SKILL.md:4"],
    ["mcpServers:\n  a: {command: npx}", "MCP_STDIO SKILL.md:4"],
    ["mcpServers:\n  a: {type: stdio, command: npx}", "MCP_STDIO SKILL.md:4"],
    ["mcpServers:\n  a: {type: grpc, url: 'https://x'}", "MCP_TYPE_UNKNOWN SKILL.md:4"],
    ["mcpServers:\n  a: {type: http}", "MCP_URL_MISSING SKILL.md:4"],
    ["mcpServers:\n  a:\n    url: https://x\n    timeout: 301", "MCP_ENTRY_INVALID SKILL.md:6"],
    ["mcpServers:\n  a:\n    url: https://x\n    headers:\n      'X Y': z", "MCP_ENTRY_INVALID SKILL.md:7"],
    [`mcpServers:\n  a:\n    url: https://x/${filledLater("env.HOME")}`, "BAD_VARIABLE SKILL.md:5"],
    [`mcpServers:\n  a:\n    url: ${filledLater("backend_url")}/mcp`, "BAD_VARIABLE SKILL.md:5"],
  ])("%j", async (yaml, warning) => {
    const { issues, warnings } = await described(yaml);
    expect({ issues, warnings }).toEqual({ issues: [], warnings: [warning] });
  });

  it("for a description that strict clients refuse", async () => {
    expect((await read(`description: ${"x".repeat(1025)}`)).warnings).toEqual(["DESCRIPTION_LONG SKILL.md:2"]);
    expect((await read(`description: ${"x".repeat(1024)}`)).warnings).toEqual([]);
  });

  it("for a provider in another language, with the actual files of the package", async () => {
    const provider = "provider:\n  module: provider\n  class: P";
    expect((await described(provider, ["provider.rb"])).warnings).toEqual(["PROVIDER_LANGUAGE SKILL.md:4"]);
    expect((await described("provider: {module: provider.rb}", ["provider.rb"])).warnings).toEqual([
      "PROVIDER_LANGUAGE SKILL.md:3",
    ]);
    for (const file of ["provider.js", "provider.mjs", "provider.ts", "provider.py"]) {
      expect((await described(provider, ["provider.rb", file])).warnings).toEqual([]);
    }
    expect((await described("provider: {module: ./lib/p.js}", ["lib/p.js"])).warnings).toEqual([]);
  });
});

describe("the display name", () => {
  it("is a title in `name` only where there is no other", async () => {
    expect((await described("name: My Skill")).manifest).toMatchObject({ name: "My Skill", displayName: "My Skill" });
    expect((await described("name: My Skill\ndisplayName: X")).manifest).toMatchObject({ displayName: "X" });
    expect((await described("name: my-skill")).manifest).not.toHaveProperty("displayName");
  });
});

describe("literal credentials", () => {
  const server = (text: string) => `mcpServers:\n  a:\n    url: https://x.test/mcp\n${text}`;
  it.each([
    server("    headers:\n      Authorization: Bearer abc123"),
    server("    headers:\n      X-API-Key: abc123"),
    server("    headers:\n      X-Thing: ghp_0123456789abcdefghijABCDEFGHIJ"),
    "mcpServers:\n  a:\n    command: x\n    env:\n      GITHUB_TOKEN: abc123",
    "mcpServers:\n  a:\n    type: http\n    url: https://user:pass@x.test/mcp",
    "mcpServers:\n  a:\n    type: http\n    url: https://x.test/mcp?api_key=abc123",
  ])("%j is warned about, without the value", async (yaml) => {
    const all = (await described(yaml)).all.filter(({ code }) => code !== "MCP_STDIO");
    expect(all.map(({ code }) => code)).toEqual(["CREDENTIAL_LITERAL"]);
    expect(all[0]?.message).toContain(filledLater("secrets.A_").slice(0, -2));
    expect(JSON.stringify(all)).not.toMatch(/abc123|ghp_|pass@/);
    expect(all[0]?.line).toBeGreaterThan(4);
  });

  it.each([
    server(`    headers:\n      Authorization: Bearer ${filledLater("secrets.token")}`),
    server("    headers:\n      X-API-Key: <your key>\n      Accept: text/html"),
    `mcpServers:\n  a:\n    command: x\n    env:\n      API_KEY: \${API_KEY}`,
    `mcpServers:\n  a:\n    url: https://x.test/mcp?key=${filledLater("secrets.k")}&page=1`,
    "mcpServers:\n  a:\n    url: https://x.test/@scope/mcp",
  ])("%j is fine", async (yaml) => {
    expect((await described(yaml)).all.filter(({ code }) => code !== "MCP_STDIO")).toEqual([]);
  });
});
