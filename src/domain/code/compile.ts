// Making a package's code ready to run, and saying what is wrong with it without running it.

import type { Issue } from "../errors";
import type { PackageFile } from "../package/skill";
import { utf8Text } from "../text";
import { type CodePackage, type Compiled, declarationWarnings, readableModules } from "./declared";
import { closure, findModule, isCode, isModule, resolveImport } from "./graph";
import { type ReadModule, readModule, renameImports, scriptEdits } from "./module";
import type { StoredCode } from "./stored";
import { type SyntaxProblem, syntaxProblem } from "./syntax";

const NO_REQUIRE =
  "It calls `require`, which there is not here, so it fails when it gets there. Only `import` of the package's own files works.";

/**
 * Compiles every module of a package. Types go, imports are resolved; nothing is run. The gateway calls it where hostile code can
 * harm nobody: through `compileApart` of `src/sandbox/compiling.ts`.
 */
export async function compilePackage(found: CodePackage): Promise<Compiled> {
  const { files, manifest } = found;
  const warnings = declarationWarnings(manifest);
  if (!files.some((file) => isCode(file.path))) return { code: null, warnings };
  const code: StoredCode = { format: 1, modules: {}, problems: {} };
  const read = new Map<string, ReadModule>();
  const lines = new Map<string, number>();
  const fault = (path: string, { message, line }: SyntaxProblem) => {
    code.problems[path] = line > 0 ? `${message} (line ${line})` : message;
    lines.set(path, line);
  };
  const paths = files.map((file) => file.path);
  const modules = files.filter((file) => isModule(file.path));
  const names = new Map<string, string>();
  for (const [index, { path }] of modules.entries()) names.set(path, nameOf(path, index, new Set(names.values())));
  const readable = readableModules(files);
  for (const file of modules) {
    const { path } = file;
    if (!readable.has(file)) {
      fault(path, { message: "It is too large to run here.", line: 0 });
      continue;
    }
    const module = await readFile(found, file);
    if ("message" in module) fault(path, module);
    else if (path.endsWith(".json"))
      code.modules[path] = { name: names.get(path) ?? path, source: module.source, imports: [] };
    else read.set(path, module);
  }
  const all = new Set(paths);
  for (const [path, module] of read) {
    const targets = new Map(module.imports.map(({ specifier }) => [specifier, resolveImport(path, specifier, all)]));
    const lost = module.imports.find(({ specifier }) => !targets.get(specifier));
    if (lost !== undefined) {
      const message = `It imports '${lost.specifier}', which is no module of the package.`;
      fault(path, { message, line: lost.line });
      continue;
    }
    const source = renameImports(module, (specifier) => relative(path, targets.get(specifier) ?? "", names));
    const imports = [...new Set([...targets.values()].filter((target) => target !== null))];
    code.modules[path] = { name: names.get(path) ?? path, source, imports, script: await scriptEdits(source) };
  }
  warnings.push(...providerWarnings(manifest, paths, code, read));
  for (const path of reachable(manifest, paths, code)) {
    const required = read.get(path)?.requires ?? null;
    const problem = code.problems[path] ?? (required === null ? undefined : NO_REQUIRE);
    if (problem === undefined) continue;
    const line = lines.get(path) ?? required ?? 0;
    warnings.push({ code: "MODULE_INVALID", message: problem, path, ...(line > 0 ? { line } : {}) });
  }
  return { code, warnings };
}

/** A module's text without types, read; or what is wrong with it. */
async function readFile(found: CodePackage, file: PackageFile): Promise<ReadModule | SyntaxProblem> {
  const text = utf8Text(found.zip.subarray(file.offset, file.offset + file.size));
  if (text === null) return { message: "It is not UTF-8 text.", line: 0 };
  if (file.path.endsWith(".json")) {
    try {
      JSON.parse(text);
      return { source: text, imports: [], exports: ["default"], stars: [], requires: null };
    } catch {
      return { message: "It is not valid JSON.", line: 0 };
    }
  }
  if (!file.path.endsWith(".ts")) return readModule(text);
  const { transform } = await import("sucrase");
  try {
    const { code } = transform(text.replace(/^#!/, "//"), {
      transforms: ["typescript"],
      disableESTransforms: true,
      filePath: file.path,
    });
    return await readModule(code);
  } catch (error) {
    return syntaxProblem(error);
  }
}

function providerWarnings(
  { provider }: CodePackage["manifest"],
  paths: readonly string[],
  code: StoredCode,
  read: ReadonlyMap<string, ReadModule>,
): Issue[] {
  const entry = provider?.module === undefined ? null : findModule(provider.module, paths);
  if (entry === null || provider?.class === undefined || code.problems[entry] !== undefined) return [];
  const all = new Set(paths);
  const seen = new Set([entry]);
  for (const path of seen) {
    const module = read.get(path);
    if (module?.exports.includes(provider.class)) return [];
    for (const star of module?.stars ?? []) {
      const target = resolveImport(path, star, all);
      if (target !== null) seen.add(target);
    }
  }
  const message = `The module exports no '${provider.class}', which the \`provider\` names as its class.`;
  return [{ code: "PROVIDER_CLASS_MISSING", message, path: entry }];
}

/** The files that are meant to run here. */
function reachable({ provider }: CodePackage["manifest"], paths: readonly string[], code: StoredCode): Set<string> {
  const entry = provider?.module === undefined ? null : findModule(provider.module, paths);
  const scripts = paths.filter((path) => path.startsWith("scripts/") && isCode(path));
  return new Set([...(entry === null ? [] : [entry]), ...scripts].flatMap((path) => closure(code.modules, path)));
}

/** A name that no loader reads anything into: plain characters, an ending that says the kind. */
function nameOf(path: string, index: number, taken: ReadonlySet<string>): string {
  const kind = path.endsWith(".json") ? ".json" : ".js";
  const name = `skill/${path}${path.endsWith(kind) ? "" : kind}`;
  return /^[\w./-]+$/.test(path) && !taken.has(name) ? name : `skill/~${index}${kind}`;
}

function relative(from: string, to: string, names: ReadonlyMap<string, string>): string {
  const up = (names.get(from) ?? from).split("/").length - 1;
  return `${up === 0 ? "./" : "../".repeat(up)}${names.get(to) ?? to}`;
}
