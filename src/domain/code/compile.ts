// Compiles the code of a package and reports its problems without running it.

import type { Issue } from "../errors";
import type { PackageFile } from "../package/skill";
import { utf8Text } from "../text";
import type { StoredCode } from "./compiled";
import { type CodePackage, type Compiled, declarationWarnings, readableModules } from "./declared-code";
import { type CompiledFunctions, compileFunctions, functionProblems } from "./functions";
import { findModule, isCode, isModule, resolveImport } from "./graph";
import { type ReadModule, readModule, renameImports } from "./module";
import { type SyntaxProblem, syntaxProblem } from "./syntax";

export { judgeScripts } from "./check/judge";

/**
 * Compiles the code of a package: the provider's modules as ES modules, and the scripts and their dependencies as functions. Types are
 * removed. Nothing is executed. The gateway calls this in an isolate, where malicious code can do no harm: through `compileInIsolate` of
 * `src/sandbox/compiling.ts`.
 */
export async function compilePackage(
  found: CodePackage,
): Promise<Omit<Compiled, "scripts"> & { compiled: CompiledFunctions }> {
  const { files, manifest } = found;
  const warnings = declarationWarnings(manifest);
  if (!files.some((file) => isCode(file.path)))
    return { code: null, warnings, compiled: { functions: {}, faults: {} } };
  const texts = new Map<PackageFile, Promise<string | SyntaxProblem>>();
  const textOf = (file: PackageFile) => {
    const text = texts.get(file) ?? readText(found, file);
    texts.set(file, text);
    return text;
  };
  const readable = readableModules(files);
  const provided = await compileProvider(manifest, files, readable, textOf);
  const compiled = await compileFunctions(files, readable, textOf);
  const functions = Object.fromEntries(
    Object.entries(compiled.functions).map(([path, { source, kind, imports, isAsync }]) => [
      path,
      { source, kind, imports, isAsync },
    ]),
  );
  const faults = Object.fromEntries(Object.entries(compiled.faults).map(([path, problem]) => [path, wordsOf(problem)]));
  warnings.push(...provided.warnings);
  const problems = [...provided.problems, ...functionProblems(compiled, new Set(files.map(({ path }) => path)))];
  for (const [path, { message, line }] of new Map(problems.map(({ path, problem }) => [path, problem])))
    warnings.push({
      code: "MODULE_INVALID",
      message: line > 0 ? `${message} (line ${line})` : message,
      path,
      ...(line > 0 ? { line } : {}),
    });
  const { modules } = provided;
  const code = { format: 1 as const, modules, problems: problemsOf(provided.problems), functions, faults };
  return { code, warnings, compiled };
}

const wordsOf = ({ message, line }: SyntaxProblem) => (line > 0 ? `${message} (line ${line})` : message);

function problemsOf(problems: readonly { path: string; problem: SyntaxProblem }[]): Record<string, string> {
  return Object.fromEntries(problems.map(({ path, problem }) => [path, wordsOf(problem)]));
}

interface CompiledProvider {
  modules: StoredCode["modules"];
  problems: { path: string; problem: SyntaxProblem }[];
  warnings: Issue[];
}

/** Compiles the provider's modules, which can only import each other. */
async function compileProvider(
  manifest: CodePackage["manifest"],
  files: readonly PackageFile[],
  readable: ReadonlySet<PackageFile>,
  textOf: (file: PackageFile) => Promise<string | SyntaxProblem>,
): Promise<CompiledProvider> {
  const compiled: CompiledProvider = { modules: {}, problems: [], warnings: [] };
  const paths = files.map((file) => file.path);
  const entry = manifest.provider?.module === undefined ? null : findModule(manifest.provider.module, paths);
  if (entry === null) return compiled;
  const names = new Map<string, string>();
  for (const [index, { path }] of files.entries())
    if (isModule(path)) names.set(path, nameOf(path, index, new Set(names.values())));
  const read = new Map<string, ReadModule>();
  const all = new Set(paths);
  const needed = new Set([entry]);
  for (const path of needed) {
    const file = files.find((candidate) => candidate.path === path);
    const text =
      file !== undefined && readable.has(file) ? await textOf(file) : { message: "File too large to run.", line: 0 };
    const module = typeof text === "string" ? (path.endsWith(".json") ? jsonModule(text) : readModule(text)) : text;
    if ("message" in module) {
      compiled.problems.push({ path, problem: module });
      continue;
    }
    read.set(path, module);
    const targets = new Map(module.imports.map(({ specifier }) => [specifier, resolveImport(path, specifier, all)]));
    const lost = module.imports.find(({ specifier }) => !targets.get(specifier));
    if (lost !== undefined) {
      const message = `It imports '${lost.specifier}', which is not in the package. Bundle it.`;
      compiled.problems.push({ path, problem: { message, line: lost.line } });
      continue;
    }
    const imports = [...new Set([...targets.values()].filter((target) => target !== null))];
    const source = renameImports(module, (specifier) => relative(path, targets.get(specifier) ?? "", names));
    compiled.modules[path] = { name: names.get(path) ?? path, source, imports };
    for (const target of imports) needed.add(target);
    if (module.requires !== null)
      compiled.warnings.push({ code: "MODULE_INVALID", message: NO_REQUIRE, path, line: module.requires });
  }
  if (!compiled.problems.some(({ path }) => path === entry))
    compiled.warnings.push(...classWarnings(manifest, entry, all, read));
  return compiled;
}

const NO_REQUIRE =
  "It calls `require`, which providers do not have. The call fails at run time. Use `import` with files of the package.";

/** Returns the text of a file as JavaScript without types or as JSON, or the problem. */
async function readText(found: CodePackage, file: PackageFile): Promise<string | SyntaxProblem> {
  const text = utf8Text(found.zip.subarray(file.offset, file.offset + file.size));
  if (text === null) return { message: "It is not UTF-8 text.", line: 0 };
  if (!/\.[cm]?ts$/.test(file.path)) return text;
  const { transform } = await import("sucrase");
  try {
    return transform(text.replace(/^#!/, "//"), {
      transforms: ["typescript"],
      disableESTransforms: true,
      filePath: file.path,
    }).code;
  } catch (error) {
    return syntaxProblem(error);
  }
}

function jsonModule(text: string): ReadModule | SyntaxProblem {
  try {
    JSON.parse(text);
    return { source: text, imports: [], exports: ["default"], stars: [], requires: null };
  } catch {
    return { message: "It is not valid JSON.", line: 0 };
  }
}

function classWarnings(
  { provider }: CodePackage["manifest"],
  entry: string,
  paths: ReadonlySet<string>,
  read: ReadonlyMap<string, ReadModule>,
): Issue[] {
  if (provider?.class === undefined) return [];
  const seen = new Set([entry]);
  for (const path of seen) {
    const module = read.get(path);
    if (module?.exports.includes(provider.class)) return [];
    for (const star of module?.stars ?? []) {
      const target = resolveImport(path, star, paths);
      if (target !== null) seen.add(target);
    }
  }
  const message = `The module does not export the class '${provider.class}' that \`provider\` names. Export it, or change \`provider\`.`;
  return [{ code: "PROVIDER_CLASS_MISSING", message, path: entry }];
}

/** Returns a module name that no loader interprets: plain characters, with an extension for its kind. */
function nameOf(path: string, index: number, taken: ReadonlySet<string>): string {
  const kind = path.endsWith(".json") ? ".json" : ".js";
  const name = `skill/${path}${path.endsWith(kind) ? "" : kind}`;
  return /^[\w./-]+$/.test(path) && !taken.has(name) ? name : `skill/~${index}${kind}`;
}

function relative(from: string, to: string, names: ReadonlyMap<string, string>): string {
  const up = (names.get(from) ?? from).split("/").length - 1;
  return `${up === 0 ? "./" : "../".repeat(up)}${names.get(to) ?? to}`;
}
