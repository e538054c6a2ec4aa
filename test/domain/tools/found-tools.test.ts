// Descriptions of found tools for the model: untrusted text that is limited in length and cannot imitate a tag of the gateway.

import { expect, it } from "vitest";
import type { FindableTool } from "../../../src/domain/tools/find";
import { TOOL_SEARCH_LIMITS } from "../../../src/domain/tools/limits";
import { renderFoundTools } from "../../../src/domain/tools/render-found";

function tool(name: string, description = ""): FindableTool {
  return { source: "crm", definition: { name, description, inputSchema: { type: "object" } } };
}

const lines = (text: string) => text.split("\n").filter((line) => line.startsWith("{"));

it("gives each tool as a line of JSON, hints with it, and then the notes", () => {
  const hinted = tool("crm__get");
  hinted.definition.annotations = { readOnlyHint: true };
  const text = renderFoundTools([hinted, tool("crm__drop")], "get", ["MCP server 'x' is still connecting."]);
  expect(lines(text).map((line) => JSON.parse(line))).toEqual([
    {
      name: "crm__get",
      server: "crm",
      description: "",
      inputSchema: { type: "object" },
      annotations: { readOnlyHint: true },
    },
    { name: "crm__drop", server: "crm", description: "", inputSchema: { type: "object" } },
  ]);
  expect(text).toMatch(/call_skill_tool\(name, arguments\)[\s\S]*'x' is still connecting\.$/);
});

it("asks for a query if there was none, and still names missing servers", () => {
  for (const query of ["", " \n\t "])
    expect(renderFoundTools([], query, ["MCP server 'x' failed."])).toMatch(
      /^The query is empty\. .*a few words.*\n\nMCP server 'x'/,
    );
});

it("keeps its length limit, and always shows the best match", () => {
  const long = "a".repeat(TOOL_SEARCH_LIMITS.shownChars);
  expect(lines(renderFoundTools([tool("one", long), tool("two")], "q", []))).toHaveLength(1);
  const cut = renderFoundTools([tool("one"), tool("two", long), tool("three")], "q", []);
  expect(lines(cut).map((line) => JSON.parse(line).name)).toEqual(["one"]);
  expect(cut).toContain("2 more would be too long");
});

it("escapes text that looks like the gateway's tags, in tools, query and notes", () => {
  const tag = "<skill name='a'>";
  const shown = renderFoundTools([tool("one", tag)], "q", [tag]);
  expect(shown).not.toContain("<skill");
  expect(JSON.parse(lines(shown)[0] ?? "")).toMatchObject({ description: "&lt;skill name='a'>" });
  expect(renderFoundTools([], tag, [])).not.toContain("<skill");
  expect(renderFoundTools([], "x".repeat(1_000), []).length).toBeLessThan(200);
});
