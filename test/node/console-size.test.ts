// The download size of the console for the first view and for each page, as Vite reports it.

import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, it } from "vitest";
import { firstLoadOf, prepareConsole } from "../../scripts/build/console.mjs";
import { root } from "../../scripts/kit/files.mjs";

const KIB = 1024;
/** The limits: the scripts of the first load, one further page, and the whole console. */
const MOST = { first: 200 * KIB, page: 80 * KIB, all: 600 * KIB };

interface Chunk {
  file: string;
  isEntry?: boolean;
  isDynamicEntry?: boolean;
  imports?: string[];
  css?: string[];
}

const folder = path.join(root, "public", "console");
let chunks: Record<string, Chunk>;
const sizes = new Map<string, number>();

beforeAll(async () => {
  await prepareConsole();
  chunks = JSON.parse(await readFile(path.join(folder, "manifest.json"), "utf8")) as Record<string, Chunk>;
  for (const { file, css = [] } of Object.values(chunks))
    for (const name of [file, ...css]) sizes.set(name, gzipSync(await readFile(path.join(folder, name))).length);
});

/** The files that a chunk needs before it runs. */
function needed(name: string, seen = new Set<string>()): Set<string> {
  const chunk = chunks[name];
  if (chunk === undefined || seen.has(chunk.file)) return seen;
  for (const file of [chunk.file, ...(chunk.css ?? [])]) seen.add(file);
  for (const other of chunk.imports ?? []) needed(other, seen);
  return seen;
}

const weight = (files: Iterable<string>) => [...files].reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);

it("loads little at first, and little more for each page", async () => {
  const [entry = ""] = Object.keys(chunks).filter((name) => chunks[name]?.isEntry);
  const first = needed(entry);
  const scripts = await firstLoadOf();
  expect(scripts).toBeGreaterThan(50 * KIB);
  expect(scripts).toBeLessThanOrEqual(MOST.first);
  const pages = Object.keys(chunks).filter((name) => chunks[name]?.isDynamicEntry);
  expect(pages.length).toBeGreaterThanOrEqual(8);
  for (const page of pages) {
    const more = [...needed(page)].filter((file) => !first.has(file));
    expect([page, weight(more) <= MOST.page]).toEqual([page, true]);
  }
  expect(weight(sizes.keys())).toBeLessThanOrEqual(MOST.all);
});

it("has no script and no style in the page itself, which its policy refuses", async () => {
  const page = await readFile(path.join(folder, "index.html"), "utf8");
  expect(page).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|\sstyle=/);
  expect(page).not.toMatch(/(?:src|href)="(?!\/console\/assets\/|data:,)/);
});

it("is not built again while its sources are the same", async () => {
  const page = path.join(folder, "index.html");
  const { mtimeMs } = await stat(page);
  expect(await prepareConsole()).toBe(false);
  expect((await stat(page)).mtimeMs).toBe(mtimeMs);
});
