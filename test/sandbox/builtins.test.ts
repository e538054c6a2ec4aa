// The built-in skills in skills/.

import { describe, expect, it } from "vitest";
import { inspect } from "../../src/domain/inspection/inspection";
import type { JsonObject } from "../../src/domain/json";
import type { BrowserAnswer } from "../../src/sandbox/browser-link";
import { callOne, describeAll, runOne } from "../support/run-code";

const all = import.meta.glob<string>("../../skills/**/*.{md,js,mjs,ts,json,py,csv}", {
  query: "?raw",
  import: "default",
  eager: true,
});

function builtin(name: string) {
  const prefix = `../../skills/${name}/`;
  const files = Object.entries(all).flatMap(([path, text]) =>
    path.startsWith(prefix) ? [[path.slice(prefix.length), text] as const] : [],
  );
  return { name, files: Object.fromEntries(files) };
}

const names = [...new Set(Object.keys(all).map((path) => path.split("/")[3] ?? ""))];

describe("built-in skills", () => {
  it.each(names)("%s has code without a fault", async (name) => {
    const skill = builtin(name);
    if (!/^tools:/m.test(skill.files["SKILL.md"] ?? "")) return;
    const { tools, problems, warnings } = await describeAll(skill);
    expect({ problems, warnings }).toEqual({ problems: {}, warnings: [] });
    expect(tools.length).toBeGreaterThan(0);
  });

  it.each(names)("%s has no findings", (name) => {
    const files = Object.entries(builtin(name).files).map(([path, text]) => ({
      path,
      size: new TextEncoder().encode(text).length,
      text,
    }));
    expect(inspect(files)).toEqual([]);
  });
});

describe("mermaid-diagram", () => {
  const skill = builtin("mermaid-diagram");
  const asked: { action: string; payload: unknown }[] = [];
  const render = async (code: unknown, answer: BrowserAnswer, title?: string) => {
    asked.length = 0;
    const result = await callOne(skill, "render_mermaid", {
      arguments: { code, ...(title ? { title } : {}) } as JsonObject,
      host: {
        browserLink: {
          request: async ({ action, payload, requireClient }) => {
            asked.push({ action, payload });
            expect(requireClient).toBe(true);
            return answer;
          },
          emit: () => {},
        },
      },
    });
    return { ...result, told: result.structuredContent };
  };

  it("reads its references by name", async () => {
    const { tools } = await describeAll(skill);
    const known = (tools[0]!.inputSchema.properties as { name: { enum: string[] } }).name.enum;
    for (const name of known) {
      const { content } = await callOne(skill, "read_mermaid_reference", { arguments: { name } });
      expect(content[0]?.text).toBe(skill.files[`references/${name}.md`]);
    }
    expect(known.map((name) => `references/${name}.md`).sort()).toEqual(
      Object.keys(skill.files)
        .filter((path) => path.startsWith("references/"))
        .sort(),
    );
    expect(await callOne(skill, "read_mermaid_reference", { arguments: { name: "../SKILL" } })).toMatchObject({
      isError: true,
    });
  });

  it("asks the page to draw, without the fence, and reports the result", async () => {
    const drawn = { success: true, result: { type: "flowchart-v2", width: 120, height: 80 } };
    const { told, isError } = await render("```mermaid\nflowchart TD\n  a --> b\n```", drawn, "A to B");
    expect(asked).toEqual([
      {
        action: "render_mermaid",
        payload: { code: "flowchart TD\n  a --> b", diagram_type: "flowchart", title: "A to B" },
      },
    ]);
    expect(isError).toBeUndefined();
    expect(told).toMatchObject({ rendered: true, type: "flowchart-v2", width: 120, height: 80 });
  });

  it.each([
    "```\nflowchart TD\n  a-->b\n```",
    "```\r\nflowchart TD\r\n  a-->b\r\n```\n",
    "````text\nflowchart TD\n  a-->b\n````",
  ])("removes any fence, and never the line with the type: %j", async (code) => {
    const { told } = await render(code, { success: true });
    expect(told).toMatchObject({ rendered: true, type: "flowchart" });
    expect(asked).toMatchObject([{ payload: { code: expect.stringMatching(/^flowchart TD\r?\n {2}a-->b$/) } }]);
  });

  it("reports where the code is wrong, and suggests a correction", async () => {
    const code = "flowchart TD\n  a --> b\n  b -> c[call(x)]\n  c --> d";
    const error = "Parse error on line 3:\n...b -> c[call(x)]\n---^\nExpecting 'SEMI', got 'MINUS'";
    const { told, isError } = await render(code, { success: false, error });
    expect(isError).toBe(true);
    expect(told).toMatchObject({
      error,
      line: 3,
      near: ["  1 flowchart TD", "  2   a --> b", "> 3   b -> c[call(x)]", "  4   c --> d"],
      reference: "flowchart",
    });
    expect(told?.hints).toEqual([
      'A label has brackets or quotes: write it in double quotes, like id["label (x)"].',
      "A flowchart's arrow is -->, not ->.",
    ]);
  });

  it("does not ask the page for text that is not a diagram", async () => {
    expect((await render("hello", { success: true })).told?.error).toMatch(/first line must name the type/);
    expect((await render("", { success: true })).told?.error).toBe("There is no code.");
    expect((await render({ code: 1 }, { success: true })).told?.error).toBe("There is no code.");
    expect(asked).toEqual([]);
  });

  it("gives a way on where there is no page", async () => {
    const { told } = await render('pie\n  "a": 1', {
      success: false,
      error: "No page is connected to this conversation.",
    });
    expect(told?.advice).toMatch(/fenced mermaid block/);
  });

  it("ignores invalid answers of a page", async () => {
    const answer = {
      success: true,
      result: { type: { evil: 1 }, width: "1; DROP", height: Number.NaN, svg: "<script>" },
    };
    const { told } = await render("gantt\n  title x", answer as unknown as BrowserAnswer);
    expect(told).toEqual({ rendered: true, type: "gantt", note: expect.any(String) });
  });
});

describe("json-table's script", () => {
  const skill = builtin("json-table");
  const table = (input: unknown, ...args: string[]) =>
    runOne(skill, "scripts/table.js", { args, input: typeof input === "string" ? input : JSON.stringify(input) });

  it("writes every kind of cell as the skill describes", async () => {
    const rows = [
      { name: "a|b", id: 1, n: 1.5, on: true, none: null, empty: "", list: ["x", "y"], owner: { name: "Ann", age: 3 } },
      { name: "c\nd", id: 2, n: 2, on: false, list: [{ x: 1 }, { x: 2 }], owner: {} },
    ];
    const { stdout, exit_code, stderr } = await table({ items: rows });
    expect({ exit_code, stderr }).toEqual({ exit_code: 0, stderr: "" });
    expect(stdout.split("\n")).toEqual([
      "| id | name | n | on | none | empty | list | owner.name | owner.age | owner |",
      "|---:|---|---:|---|---|---|---|---|---:|---|",
      '| 1 | a\\|b | 1.5 | yes | `null` | `""` | x, y | Ann | 3 | - |',
      "| 2 | c d | 2 | no | - | - | 2 items | - | - | `{}` |",
      "",
    ]);
  });

  it("accepts rows, columns and a limit, and reports what it omitted", async () => {
    const data = { data: { rows: Array.from({ length: 5 }, (_, id) => ({ id, text: "x".repeat(70) })) } };
    const { stdout } = await table(data, "--rows", "data.rows", "--columns", "text", "--limit", "2");
    expect(stdout).toContain("2 of 5 rows are shown.");
    expect(stdout).toContain("Texts longer than 60 characters are cut.");
    expect(stdout.split("\n")[0]).toBe("| text |");
  });

  it.each([
    ["{broken", [], 2, /not valid JSON/],
    ["[1, 2]", [], 3, /no rows here/],
    ["[]", ["--what", "1"], 1, /not understood/],
    ['[{"a":1}]', ["--columns", "b"], 1, /No row has: b/],
  ])("refuses %s", async (input, args, exit, message) => {
    const run = await table(input, ...args);
    expect(run.exit_code).toBe(exit);
    expect(run.stderr).toMatch(message);
  });
});

describe("csv-report's script", () => {
  const skill = builtin("csv-report");
  const orders = skill.files["assets/orders.csv"] ?? "";
  const report = async (input: string, ...args: string[]) => {
    const run = await runOne(skill, "scripts/report.py", { args, input, ms: 20_000 });
    const files = run.files.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)] as const);
    return { ...run, written: Object.fromEntries(files) };
  };

  it("describes each column, groups on its own, and draws", async () => {
    const { stdout, stderr, exit_code, written } = await report(
      orders,
      "--title",
      "Orders",
      "--report",
      "out/report.md",
    );
    expect({ stderr, exit_code }).toEqual({ stderr: "", exit_code: 0 });
    for (const line of [
      "# Orders",
      "10 rows, 6 columns.",
      "| date | date | 10 | 10 | 2026-01-08 | 2026-03-31 |",
      "| amount | number | 9 | 7 | 49.90 | 698 |",
      "## Sum of amount by region",
      "| South | 1,178 | 49.4 % |",
      "| **all** | **2,385.70** |  |",
      "- Not counted, since amount is no number there: lines 10.",
    ])
      expect(stdout.split("\n")).toContain(line);
    expect(Object.keys(written)).toEqual(["/workspace/chart.svg", "/workspace/out/report.md"]);
    expect(written["/workspace/out/report.md"]).toBe(stdout);
    expect(written["/workspace/chart.svg"]?.match(/<rect /g)).toHaveLength(1 + 4);
  });

  it.each([
    [["--by", "date", "--value", "amount"], "| 2026-01 | 518.90 | 21.8 % |"],
    [["--by", "Region", "--value", "amount", "--how", "mean", "--where", "status=paid"], "| West | 224.40 |"],
    [["--by", "product", "--where", "status!=paid"], "| Chair | 1 | 33.3 % |"],
    [["--by", "order", "--top", "2"], "| (8 others) | 8 | 80.0 % |"],
  ])("answers %j", async (args, line) => {
    const { stdout, exit_code } = await report(orders, ...args);
    expect(exit_code).toBe(0);
    expect(stdout.split("\n")).toContain(line);
  });

  it("reads files of other programs", async () => {
    const { stdout } = await report('\ufeffName;Betrag\r\n"a;b";€ 1.234,50\r\nc;12,5\r\nc;-2\r\nd\r\n');
    expect(stdout).toContain("| a;b | 1,234.50 |");
    expect(stdout).toContain("| c | 10.50 |");
    expect(stdout).toContain("- Left out, since they have more or fewer cells than the header: lines 5.");
  });

  it("writes nothing of a cell into the chart but its text", async () => {
    const { written } = await report('"</text><script>alert(1)</script>",n\n<b>&,1\n<b>&,2\n"]]>",3\n');
    const svg = written["/workspace/chart.svg"] ?? "";
    expect(svg).toContain("&lt;b&gt;&amp;");
    expect(svg.match(/<(?!\/?(?:svg|title|rect|text)[ >])/g)).toBeNull();
  });

  it.each([
    ["", [], /there is no input: give the CSV/],
    ["a,b\n", [], /is that the header\?/],
    [orders, ["--by", "regon"], /did you mean 'region'\? the columns are order, date/],
    [orders, ["--value", "region"], /has no numbers: choose a column of order, amount/],
    [orders, ["--how", "mean"], /--how mean needs --value, a column with numbers: order, amount/],
    [orders, ["--where", "paid"], /write COLUMN=VALUE/],
    [orders, ["--where", "status=lost"], /no row is left/],
    [orders, ["--what"], /unrecognized arguments: --what/],
    [orders, ["missing.csv"], /missing\.csv cannot be read/],
  ])("rejects %j %j with advice", async (input, args, message) => {
    const { exit_code, stderr, stdout } = await report(input, ...args);
    expect({ exit_code, stdout }).toEqual({ exit_code: 2, stdout: "" });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain("Traceback");
  });
});

describe("markdown-style's check", () => {
  it("finds detectable problems, and nothing in a clean text", async () => {
    const skill = builtin("markdown-style");
    const check = async (text: string) =>
      (await callOne(skill, "check_markdown", { arguments: { text } })).structuredContent as {
        findings: { line: number; rule: string }[];
      };
    const clean = "The answer.\n\n## Why\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | - |\n\n```sh\nls\n```\n";
    expect(await check(clean)).toEqual({ findings: [], more: 0 });
    const bad = "# A\n### Skipped: \n* only one\n\n\n```\n$ ls\n```\n| a | b |\n| 1 |  |\n";
    const found = (await check(bad)).findings.map(({ line, rule }) => `${line} ${rule}`);
    for (const expected of ["2 heading", "2 spacing", "3 list", "5 spacing", "6 code", "9 table", "10 table"])
      expect(found).toContain(expected);
  });
});
