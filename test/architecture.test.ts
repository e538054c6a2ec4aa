// The shape of the source tree, held: imports go down or stay in their folder, effects stay at the rim, files stay small.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const root = path.join(import.meta.dirname, "..", "src");

/** Folders of one rank never import each other; a type import is an import. */
const RANK: Record<string, number> = {
  domain: 0,
  storage: 1,
  upstream: 1,
  sandbox: 1,
  services: 2,
  http: 3,
  mcp: 3,
  conversation: 3,
  "index.ts": 4,
};

interface SourceFile {
  name: string;
  folder: string;
  text: string;
  imports: string[];
}

const files: SourceFile[] = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
  .map((name) => {
    const text = readFileSync(path.join(root, name), "utf8");
    const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) =>
      path.relative(root, path.resolve(root, path.dirname(name), match[1] ?? "")),
    );
    return { name, folder: name.split(path.sep)[0] ?? "", text, imports };
  });

const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
const where = (test: (file: SourceFile) => boolean) => files.filter(test).map((file) => file.name);

describe("src", () => {
  it("has only folders with a place in the layers", () => {
    expect(where((file) => RANK[file.folder] === undefined)).toEqual([]);
  });

  it("imports downward or within a folder", () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter((target) => !target.startsWith(".."))
        .filter((target) => {
          const folder = target.split(path.sep)[0] ?? "";
          return folder !== file.folder && (RANK[folder] ?? 9) >= (RANK[file.folder] ?? 0);
        })
        .map((target) => `${file.name} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("has no import cycles", () => {
    const graph = new Map(files.map((file) => [file.name.replace(/\.ts$/, ""), file.imports]));
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (name: string, trail: string[]) => {
      if (trail.includes(name)) circles.push([...trail.slice(trail.indexOf(name)), name].join(" -> "));
      if (done.has(name) || trail.includes(name)) return;
      for (const next of graph.get(name) ?? []) visit(next, [...trail, name]);
      done.add(name);
    };
    for (const name of graph.keys()) visit(name, []);
    expect(circles).toEqual([]);
  });

  // A bundler takes all of zod for a `z` that is imported by name: 40 KiB more in the main module, languages not counted.
  it("imports zod as a namespace", () => {
    expect(where((file) => /import (?:type )?\{[^}]*\} from "(?:zod|\.\/zod)"/.test(file.text))).toEqual([]);
    expect(where((file) => /\{[^}]*\bz\b[^}]*\} from "@hono\/zod-openapi"/.test(file.text))).toEqual([]);
  });

  it("keeps the domain free of bindings, clock, randomness and I/O", () => {
    const effects =
      /\b(D1Database|R2Bucket|DurableObject\w*|Fetcher|WorkerLoader|SqlStorage|Date\.now|new Date\(\)|Math\.random|getRandomValues|randomUUID|fetch\(|setTimeout|console\.)/;
    expect(where((file) => file.folder === "domain" && effects.test(code(file.text)))).toEqual([]);
  });

  it("never passes Env below the edges", () => {
    const edge = (file: SourceFile) => (RANK[file.folder] ?? 0) >= 3;
    expect(where((file) => !edge(file) && /\bEnv\b/.test(code(file.text)))).toEqual([]);
  });

  it("has no file past 250 lines", () => {
    expect(where((file) => file.text.split("\n").length > 251)).toEqual([]);
  });

  it("names files after nouns", () => {
    expect(where((file) => /(^|[/.-])(utils?|helpers?|common|managers?|base|misc)\.ts$/.test(file.name))).toEqual([]);
  });

  it("says in the first line of each file what it is", () => {
    expect(where((file) => !file.text.startsWith("//"))).toEqual([]);
  });

  it("has no escape from the type checker", () => {
    const loophole = /\bas any\b|: any\b|<any>|@ts-ignore|@ts-expect-error|biome-ignore/;
    expect(where((file) => loophole.test(file.text))).toEqual([]);
  });
});
