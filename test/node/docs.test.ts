// Consistency of the docs: links and file names lead to existing files, and the index lists every decision.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.join(import.meta.dirname, "..", "..");

/** The documents of the project; those of skills are packages of their own. */
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => path.join("docs", name)),
].map((name) => ({ name, text: readFileSync(path.join(root, name), "utf8") }));

it("finds the documents", () => {
  const names = documents.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(["README.md", "CONTRIBUTING.md", path.join("docs", "api", "README.md")]),
  );
});

it("links only to files and headings that are there", () => {
  const broken = documents.flatMap(({ name, text }) =>
    linksIn(text)
      .filter((link) => !leadsSomewhere(name, link))
      .map((link) => `${name}: ${link}`),
  );
  expect(broken).toEqual([]);
});

it("leads from the first page to every other one in one step", () => {
  const linked = linksIn(readFileSync(path.join(root, "docs", "README.md"), "utf8")).map((link) =>
    path.join("docs", link),
  );
  const pages = documents.map(({ name }) => name).filter((name) => name.startsWith(`docs${path.sep}`));
  // The index of the decisions lists their pages.
  const others = pages.filter(
    (name) => !name.startsWith(path.join("docs", "decisions")) && name !== path.join("docs", "README.md"),
  );
  expect(others.length).toBeGreaterThan(30);
  expect(others.filter((name) => !linked.includes(name))).toEqual([]);
});

it("lists every decision in the index", () => {
  const folder = path.join("docs", "decisions");
  const index = linksIn(readFileSync(path.join(root, folder, "README.md"), "utf8"));
  const notes = documents
    .filter(({ name }) => path.dirname(name) === folder && path.basename(name) !== "README.md")
    .flatMap(({ name, text }) =>
      [...anchorsOf(text)]
        .filter((heading) => /^\d{4}-/.test(heading))
        .map((heading) => `${path.basename(name)}#${heading}`),
    );
  expect(notes.length).toBeGreaterThan(50);
  expect(notes.filter((note) => !index.includes(note))).toEqual([]);
});

/** Returns the targets of a document's relative links. Code contains no links. */
function linksIn(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`(?!\])/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? "").filter((link) => !link.includes("://"));
}

function leadsSomewhere(from: string, link: string): boolean {
  const [file = "", heading] = link.split("#");
  const target = file === "" ? path.join(root, from) : path.resolve(root, path.dirname(from), file);
  if (!existsSync(target)) return false;
  if (heading === undefined || statSync(target).isDirectory()) return heading === undefined;
  return anchorsOf(readFileSync(target, "utf8")).has(heading);
}

/** The anchors that GitHub creates for the headings of a document. */
function anchorsOf(text: string): Set<string> {
  const prose = text.replace(/^```[\s\S]*?^```/gm, "");
  const headings = [...prose.matchAll(/^#{1,6} +(.+)$/gm)].map((match) => match[1] ?? "");
  return new Set(
    headings.map((heading) =>
      heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_\- ]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

const LAYERS = "domain|services|storage|upstream|sandbox|edge|api|mcp|conversation";
/**
 * Matches folders and files of `src/` and `test/`; before a layer, `src/` is optional. For scripts and migrations it matches files only,
 * because skills also have a folder `scripts/`. `<subject>.ts` and `*` are placeholders.
 */
const SOURCE = new RegExp(
  String.raw`(?<![\w/.-])(?:(?:src|test)/(?:[\w.-]+/)*(?:[\w.-]+\.ts)?|(?:${LAYERS})/[\w./-]+\.ts|(?:scripts|bench)/[\w./-]+\.mjs|migrations/[\w-]+\.sql)(?![\w<*/-])`,
  "g",
);
const ROOTED = /^(?:src|test|scripts|bench|migrations)\//;

it("names only files that are there", () => {
  const missing = documents.flatMap(({ name, text }) =>
    (text.match(SOURCE) ?? [])
      .filter((named) => !existsSync(path.join(root, ROOTED.test(named) ? named : `src/${named}`)))
      .map((named) => `${name}: ${named}`),
  );
  expect(missing).toEqual([]);
});
