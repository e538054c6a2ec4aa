import { expect, it } from "vitest";
import { textOf } from "../../../src/domain/tool";
import { DIAGRAMS, filesSkill } from "../../support/python-providers";
import { callOne, describeAll } from "../../support/run-code";

it("describes tools from their classes", async () => {
  const { tools, problems } = await describeAll(DIAGRAMS);
  expect(problems).toEqual({});
  expect(tools).toEqual([
    {
      name: "render_diagram",
      description: "Checks a diagram and shows it.",
      inputSchema: {
        type: "object",
        description: "What to draw.",
        properties: {
          code: { type: "string", description: "The diagram's code", minLength: 1 },
          title: { anyOf: [{ type: "string" }, { type: "null" }], description: "A title", default: null },
        },
        required: ["code"],
      },
    },
    {
      name: "read_diagram_reference",
      description: "Reads a reference.",
      inputSchema: {
        type: "object",
        properties: {
          reference: { enum: ["pie", "flowchart"], type: "string", description: "Which" },
          options: { type: "object", properties: { depth: { enum: ["short", "full"], default: "short" } } },
          lines: { anyOf: [{ type: "array", items: { type: "integer" } }, { type: "null" }], default: null },
        },
        required: ["reference"],
      },
    },
  ]);
});

it("calls a tool that sends to the page", async () => {
  const told: unknown[] = [];
  const browserLink = { request: async () => ({ success: true }), emit: (...event: unknown[]) => told.push(event) };
  const options = { host: { browserLink }, taskId: "c-1", arguments: { code: "pie title x", title: "T" } };
  for (let round = 0; round < 2; round++) {
    const result = await callOne(DIAGRAMS, "render_diagram", options);
    expect(JSON.parse(textOf(result))).toEqual({ success: true, type: "pie", title: "T", seen: 1 });
  }
  expect(told).toEqual(Array(2).fill(["tool_call", { task_id: "c-1", title: "T" }]));
});

it("converts a model's input to models and enum members, and returns JSON", async () => {
  const asked = { arguments: { reference: "pie", options: { depth: "full" }, lines: [1] } };
  const result = await callOne(DIAGRAMS, "read_diagram_reference", asked);
  expect(result.structuredContent).toEqual({ text: "# Pie\n", depth: "full", lines: [1] });
});

it("returns a tool's own error, and invalid input", async () => {
  const refused = await callOne(DIAGRAMS, "render_diagram", { arguments: { code: "gantt" } });
  expect([refused.isError, textOf(refused)]).toEqual([
    true,
    "Tool 'render_diagram' failed: gantt is none of flowchart, pie",
  ]);
  const unfit = await callOne(DIAGRAMS, "read_diagram_reference", { arguments: { reference: "none" } });
  expect(textOf(unfit)).toContain("Input should be 'pie' or 'flowchart'");
});

it("has Wegent's sandbox over the files of its run", async () => {
  const FILES = filesSkill();
  const { tools, problems } = await describeAll(FILES);
  const running = ["exec", "list_files", "read_file", "write_file", "download_attachment", "sub_agent", "round_trip"];
  expect(tools.map(({ name }) => name)).toEqual(running);
  expect(problems).toEqual({ upload_attachment: "ModuleNotFoundError: No module named 'httpx'" });
  const call = async (tool: string, asked: Record<string, string>) =>
    textOf(await callOne(FILES, tool, { arguments: asked }));
  expect(JSON.parse(await call("exec", { command: "python3 -c 'print(6 * 7)'" }))).toEqual({
    exit_code: 0,
    stdout: "42\n",
    stderr: "",
  });
  expect(JSON.parse(await call("exec", { command: "git status" }))).toMatchObject({
    exit_code: 127,
    stderr: expect.stringContaining("git: command not found"),
  });
  expect(JSON.parse(await call("write_file", { path: "/workspace/deep/a.txt", content: "é" }))).toEqual({
    written: 2,
    read: "é",
  });
  expect(JSON.parse(await call("list_files", { path: "/skill" }))).toContainEqual(
    expect.objectContaining({ name: "SKILL.md", type: "file" }),
  );
  expect(await call("read_file", { path: "/skill/SKILL.md" })).toContain("file-tools");
  // Modules that need a network or another program raise errors that name it.
  const lost = await call("download_attachment", { attachment_url: "https://example.com/a" });
  expect(lost).toMatch(/^Tool 'download_attachment' failed: The download failed: .*curl: /);
  const agent = JSON.parse(await call("sub_agent", { prompt: "hello" }));
  expect(agent).toEqual({ exit_code: 127, error: expect.stringContaining("claude: ") });
});

it("ends a provider that does not come to an end", async () => {
  const slow = { ...DIAGRAMS, files: { ...DIAGRAMS.files, "reference.py": "while True: pass\n" } };
  const fixture = { ...slow, frontmatter: slow.frontmatter?.replace("config: {", "config: { timeout: 2,") };
  const result = await callOne(fixture, "read_diagram_reference", { arguments: {} });
  expect([result.isError, textOf(result)]).toEqual([true, "Tool 'read_diagram_reference' timed out after 2s"]);
});
