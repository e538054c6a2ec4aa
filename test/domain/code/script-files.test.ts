// Input files of scripts, and the description of their files for the model.

import { describe, expect, it } from "vitest";
import { describeFiles, readInputFiles, type WrittenFile } from "../../../src/domain/code/script-files";
import { SCRIPT_FILES } from "../../../src/domain/code/script-limits";

const bytes = (text: string) => new TextEncoder().encode(text);
const codes = (files: Parameters<typeof readInputFiles>[0]) =>
  readInputFiles(files).issues.map(({ code, path }) => `${path} ${code}`);

describe("files that a script is given", () => {
  it("are in /workspace, with their bytes or as stored files", () => {
    const { given, issues } = readInputFiles([
      { path: "data/a.csv", text: "é" },
      { path: "/workspace/b.bin", base64: "AAEC", text: null },
      { path: "c", kept: "fil_1" },
      { path: "d", kept: "/api/v1/conversations/x/files/fil_2" },
      { path: "empty", text: "" },
    ]);
    expect(issues).toEqual([]);
    expect(given.map(({ path, content }) => [path, content])).toEqual([
      ["/workspace/data/a.csv", { bytes: bytes("é") }],
      ["/workspace/b.bin", { bytes: new Uint8Array([0, 1, 2]) }],
      ["/workspace/c", { kept: "fil_1" }],
      ["/workspace/d", { kept: "fil_2" }],
      ["/workspace/empty", { bytes: bytes("") }],
    ]);
  });

  it.each([
    ["../x", "PATH_DOT_SEGMENT"],
    ["a/../../x", "PATH_DOT_SEGMENT"],
    ["/workspace/../skill/SKILL.md", "PATH_DOT_SEGMENT"],
    ["/etc/passwd", "PATH_ABSOLUTE"],
    ["/skill/run.py", "PATH_ABSOLUTE"],
    ["/workspace//etc/x", "PATH_ABSOLUTE"],
    ["C:/x", "PATH_DRIVE_LETTER"],
    ["a\\b", "PATH_BACKSLASH"],
    ["a\nb", "PATH_CONTROL"],
    ["a\u0000b", "PATH_CONTROL"],
    ["a\ud800", "PATH_CONTROL"],
    ["a\u202egpj.exe", "PATH_BIDI"],
    ["", "PATH_EMPTY"],
    ["folder/", "PATH_IS_FOLDER"],
    ["__proto__", "PATH_RESERVED"],
    ["a/__proto__/b", "PATH_RESERVED"],
    ["x".repeat(256), "PATH_TOO_LONG"],
  ])("are refused at %j", (path, code) => {
    expect(codes([{ path, text: "" }])).toEqual([`files.0.path ${code}`]);
  });

  it("are rejected with all problems", () => {
    const asked = [
      { path: "../up", text: "a", kept: "b" },
      { path: "none" },
      { path: "odd", base64: "?" },
      { path: "same", text: "" },
      { path: "SAME", text: "" },
      { path: "same/inside", text: "" },
    ];
    expect(codes(asked)).toEqual([
      "files.0.path PATH_DOT_SEGMENT",
      "files.0 FILE_CONTENT",
      "files.1 FILE_CONTENT",
      "files.2 FILE_BASE64",
      "SAME PATH_DUPLICATE",
      "SAME PATH_FILE_AS_FOLDER",
    ]);
  });

  it("are too many or too large together", () => {
    const many = Array.from({ length: 10_000 }, (_, n) => ({ path: `f${n}`, text: "" }));
    expect(codes(many)).toEqual(["files FILE_TOO_MANY"]);
    expect(codes(many.slice(0, SCRIPT_FILES.inFiles))).toEqual([]);
    const half = "x".repeat(SCRIPT_FILES.inBytes / 2);
    const two = [
      { path: "a", text: half },
      { path: "b", text: half },
    ];
    expect(codes(two)).toEqual([]);
    expect(codes([...two, { path: "c", text: "x" }])).toEqual(["files FILE_TOO_LARGE"]);
  });
});

describe("files that a script wrote", () => {
  const file = (path: string, content: string | Uint8Array, id: string | null = null): WrittenFile => ({
    path: `/workspace/${path}`,
    bytes: typeof content === "string" ? bytes(content) : content,
    kept: id === null ? null : { id, address: `/files/${id}` },
  });

  it("are named with size, type and address, and short texts are shown", () => {
    const told = describeFiles([file("r.md", "# é", "fil_1"), file("p.png", new Uint8Array([137, 0]), "fil_2")], []);
    const kept = (id: string) => ({ id, address: `/files/${id}` });
    expect(told.data.files).toEqual([
      { path: "/workspace/r.md", size: 4, type: "text/markdown", ...kept("fil_1"), text: "# é" },
      { path: "/workspace/p.png", size: 2, type: "image/png", ...kept("fil_2") },
    ]);
    expect(told.words).toEqual([
      "- /workspace/r.md: 4 bytes, text/markdown, kept as fil_1",
      "- /workspace/p.png: 2 bytes, image/png, kept as fil_2",
      expect.stringContaining("kept"),
    ]);
    expect(told.shown).toEqual([{ path: "/workspace/r.md", text: "# é" }]);
  });

  it("are not shown where they are pictures, which stay in the answer's data", () => {
    const bytes = new TextEncoder().encode("<svg></svg>");
    const told = describeFiles([{ path: "/workspace/chart.svg", bytes, kept: null }], []);
    expect(told.shown).toEqual([]);
    expect(told.data.files).toMatchObject([{ type: "image/svg+xml", text: "<svg></svg>" }]);
  });

  it("are shown as far as a model has room for them, and come along as far as the answer has", () => {
    const words = (count: number) => "word ".repeat(count);
    const told = describeFiles(
      [file("a", words(1_500), "1"), file("b", words(1_000), "2"), file("c", words(400), "3")],
      [],
    );
    expect(told.shown.map(({ path }) => path)).toEqual(["/workspace/a", "/workspace/c"]);
    expect(told.data.files.every(({ text }) => typeof text === "string")).toBe(true);
    const large = "x".repeat(SCRIPT_FILES.inlineBytes - 10);
    const filled = describeFiles([file("a", large, "1"), file("b", "y".repeat(11), "2"), file("c", "z", "3")], []);
    expect(filled.data.files.map(({ text }) => typeof text)).toEqual(["string", "undefined", "string"]);
  });

  it("are returned completely if they are not stored, or are named as dropped", () => {
    const data = new Uint8Array(100).fill(255);
    const told = describeFiles(
      [file("small.bin", data), file("large.bin", new Uint8Array(SCRIPT_FILES.inlineBytes))],
      [],
    );
    expect(told.data.files).toEqual([
      expect.objectContaining({ path: "/workspace/small.bin", base64: btoa(String.fromCharCode(...data)) }),
    ]);
    expect(told.data.left).toEqual([{ path: "/workspace/large.bin", reason: "NO_CONVERSATION" }]);
    expect(told.words.at(-1)).toMatch(/large.bin: not kept, /);
  });
});
