// The shape of the source tree, held: imports go down or stay in their folder, effects stay at the rim.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const root = path.join(import.meta.dirname, "..", "src");

/** The layers. Layers of one rank never import each other. Type imports count. */
const LAYERS: Record<string, number> = {
  domain: 0,
  storage: 1,
  upstream: 1,
  sandbox: 1,
  services: 2,
  edge: 3,
  api: 4,
  chat: 4,
  compat: 4,
  mcp: 4,
  "sign-in": 4,
  console: 4,
  conversation: 4,
  imports: 4,
  events: 4,
  metrics: 4,
  pages: 4,
  "app.ts": 5,
  "cron.ts": 5,
  "open-routes.ts": 5,
  "edges.ts": 6,
  "index.ts": 7,
};

/** The files of these layers that are above all subjects. Other files next to the subjects are below them. */
const ABOVE = 9;

/** The subjects inside a layer. Subjects of one rank never import each other. */
const SUBJECTS: Record<string, Record<string, number>> = {
  domain: {
    metrics: 1,
    settings: 1,
    telemetry: 1,
    access: 2,
    questions: 2,
    servers: 2,
    connections: 3,
    "sign-in": 3,
    console: 3,
    webhooks: 3,
    events: 4,
    review: 3,
    package: 3,
    code: 4,
    inspection: 4,
    catalog: 4,
    compat: 4,
    plugins: 4,
    attestation: 5,
    imports: 5,
    insights: 5,
    tools: 5,
    conversation: 6,
    chat: 7,
  },
  services: {
    metrics: 1,
    telemetry: 1,
    access: 1,
    secrets: 2,
    connections: 2.5,
    "sign-in": 3,
    questions: 3,
    webhooks: 3,
    events: 3,
    catalog: 3,
    servers: 3,
    console: 4,
    proxy: 4,
    registry: 4,
    review: 4.5,
    tools: 4,
    compat: 5,
    imports: 5,
    insights: 5,
    conversation: 5,
    chat: 6,
    "cleanup.ts": ABOVE,
    "users.ts": ABOVE,
  },
  api: {
    access: 1,
    questions: 1,
    conversation: 1,
    reference: 1,
    registry: 1,
    "edge.ts": ABOVE,
    "conversations-edge.ts": ABOVE,
  },
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

/** Returns the subject of a file inside its layer: its folder, or its own name if it is next to the subjects. */
const subjectOf = (name: string) => name.split(path.sep)[1] ?? "";
const layerOf = (name: string) => name.split(path.sep)[0] ?? "";
/** Returns the file of an import: imports have no extension. */
const fileOf = (target: string) => (target.endsWith(".ts") ? target : `${target}.ts`);

/** All exports that a file declares itself, by name. */
function declaredIn(text: string): string[] {
  const declaration =
    /^export (?:declare |default |abstract |async )*(?:function\*?|const|let|class|interface|type|enum) (?!extends\b)(\w+)/gm;
  return [...new Set([...text.matchAll(declaration)].map((match) => match[1] ?? ""))];
}

const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
const where = (test: (file: SourceFile) => boolean) => files.filter(test).map((file) => file.name);

describe("src", () => {
  it("has only folders with a place in the layers", () => {
    expect(where((file) => LAYERS[file.folder] === undefined)).toEqual([]);
  });

  it("has only subjects with a place in their layer", () => {
    const known = (file: SourceFile) => {
      const subjects = SUBJECTS[file.folder];
      if (subjects === undefined || file.name.split(path.sep).length === 2) return true;
      return subjects[subjectOf(file.name)] !== undefined;
    };
    expect(where((file) => !known(file))).toEqual([]);
  });

  it("imports downward or within a folder", () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .map(fileOf)
        .filter((target) => !target.startsWith(".."))
        .filter((target) => {
          const layer = layerOf(target);
          return layer !== file.folder && (LAYERS[layer] ?? ABOVE) >= (LAYERS[file.folder] ?? 0);
        })
        .map((target) => `${file.name} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("imports downward or within a subject, inside a layer of subjects", () => {
    const wrong = files.flatMap((file) => {
      const ranks = SUBJECTS[file.folder];
      if (ranks === undefined) return [];
      const rankOf = (name: string) => ranks[subjectOf(name)] ?? 0;
      return file.imports
        .map(fileOf)
        .filter((target) => layerOf(target) === file.folder && subjectOf(target) !== subjectOf(file.name))
        .filter((target) => rankOf(target) > 0 && rankOf(target) >= rankOf(file.name))
        .map((target) => `${file.name} -> ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  // A named import of `z` makes the bundler include all of zod: 40 KiB more in the main module, without languages.
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
    // The crons and the entry are edges too, because the platform passes the bindings to them.
    const edge = (file: SourceFile) => (LAYERS[file.folder] ?? 0) >= (LAYERS.edge ?? 0);
    expect(where((file) => !edge(file) && /\bEnv\b/.test(code(file.text)))).toEqual([]);
  });

  it("has no file past 400 lines", () => {
    expect(where((file) => file.text.split("\n").length > 401)).toEqual([]);
  });

  it("declares an exported name once", () => {
    const all = files.flatMap((file) => declaredIn(file.text).map((name) => ({ name, file: file.name })));
    const twice = [...Map.groupBy(all, ({ name }) => name)].filter(([, places]) => places.length > 1);
    expect(twice.map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(", ")}`)).toEqual([]);
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

/** Every module of a part of the repository, with the modules of the repository that it imports, type imports and `import()` included. */
function importGraph(folder: string): Map<string, string[]> {
  const top = path.join(root, "..");
  const names = readdirSync(path.join(top, folder), { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((name) => /\.(tsx?|m?js)$/.test(name) && !/(^|[\\/])(node_modules|dist|bin)[\\/]|\.d\.ts$/.test(name));
  const known = new Set(names);
  return new Map(
    names.map((name) => {
      const text = code(readFileSync(path.join(top, name), "utf8"));
      const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].flatMap((match) => {
        const plain = path.join(path.dirname(name), match[1] ?? "");
        const bare = plain.replace(/\.js$/, "");
        const target = [plain, ...[".ts", ".tsx", "/index.ts"].map((ending) => bare + ending)].find((each) =>
          known.has(each),
        );
        return target === undefined ? [] : [target];
      });
      return [name, targets];
    }),
  );
}

/** Import cycles, each as the path that leads back to its first module. */
function cyclesIn(graph: ReadonlyMap<string, string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (name: string, trail: string[]) => {
    if (trail.includes(name)) cycles.push([...trail.slice(trail.indexOf(name)), name].join(" -> "));
    if (done.has(name) || trail.includes(name)) return;
    for (const next of graph.get(name) ?? []) visit(next, [...trail, name]);
    done.add(name);
  };
  for (const name of graph.keys()) visit(name, []);
  return cycles;
}

describe("import cycles", () => {
  it.each(["src", "sdk", "console"])("%s has none", (folder) => {
    const graph = importGraph(folder);
    // A resolver that finds nothing would find no cycle either.
    expect([...graph.values()].flat().length).toBeGreaterThan(graph.size / 2);
    expect(cyclesIn(graph)).toEqual([]);
  });
});

/** All files in `test/`, including scripts of the conformance suite. */
const tests = path.join(root, "..", "test");
const testFiles = readdirSync(tests, { recursive: true, encoding: "utf8" })
  .filter((name) => !name.split(path.sep).includes("node_modules"))
  .filter((name) => /\.m?ts$|\.mjs$/.test(name))
  .map((name) => ({ name, text: readFileSync(path.join(tests, name), "utf8") }));

describe("test", () => {
  it("has no file past 400 lines", () => {
    const long = testFiles.filter(({ name, text }) => name.endsWith(".ts") && text.split("\n").length > 401);
    expect(long.map(({ name }) => name)).toEqual([]);
  });

  it("imports zod as a namespace", () => {
    const named = testFiles.filter(({ text }) => /^import (?:type )?\{[^}]*\} from "zod"/m.test(text));
    expect(named.map(({ name }) => name)).toEqual([]);
  });
});
