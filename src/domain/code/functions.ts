// Compiles all scripts of a package and their dependencies into functions, and reports problems without running them.

import type { PackageFile } from "../package/skill";
import { type FileFunction, fileFunction } from "./function";
import { MODULE_ENDINGS, pathOf } from "./graph";
import { languageOf } from "./language";
import { isNodeBuiltin } from "./node-builtins";
import type { SyntaxProblem } from "./syntax";

export interface CompiledFunctions {
  functions: Record<string, FileFunction>;
  /** Problems of files that cannot run, by path. */
  faults: Record<string, SyntaxProblem>;
}

export function isFunctionFile(path: string): boolean {
  return languageOf(path) === "javascript";
}

/** @param textOf returns JavaScript without types, or the problem */
export async function compileFunctions(
  files: readonly PackageFile[],
  readable: ReadonlySet<PackageFile>,
  textOf: (file: PackageFile) => Promise<string | SyntaxProblem>,
): Promise<CompiledFunctions> {
  const compiled: CompiledFunctions = { functions: {}, faults: {} };
  const kinds = new Map<string, FileFunction["kind"]>();
  for (const file of files.filter(({ path }) => /(^|\/)package\.json$/.test(path))) {
    const kind = readable.has(file) ? kindSaidBy(await textOf(file)) : null;
    if (kind !== null) kinds.set(file.path.slice(0, -"package.json".length), kind);
  }
  for (const file of files.filter(({ path }) => isFunctionFile(path))) {
    const text = readable.has(file) ? await textOf(file) : { message: "File too large to run.", line: 0 };
    const made = typeof text === "string" ? await fileFunction(text, kindOf(file.path, kinds)) : text;
    if ("message" in made) compiled.faults[file.path] = made;
    else compiled.functions[file.path] = made;
  }
  return compiled;
}

function kindSaidBy(text: string | SyntaxProblem): FileFunction["kind"] | null {
  const [, said] = /"type"\s*:\s*"(module|commonjs)"/.exec(typeof text === "string" ? text : "") ?? [];
  return said === "module" || said === "commonjs" ? said : null;
}

/** Determines the kind like Node: by the extension, then by the nearest package.json. `null` if neither decides. */
function kindOf(path: string, kinds: ReadonlyMap<string, FileFunction["kind"]>): FileFunction["kind"] | null {
  if (/\.m[jt]s$/.test(path)) return "module";
  if (/\.c[jt]s$/.test(path)) return "commonjs";
  for (let folder = path; folder !== ""; ) {
    folder = folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);
    const kind = kinds.get(folder);
    if (kind !== undefined) return kind;
  }
  return null;
}

/** Returns the problems of the files in `scripts/` and of the files that they need. */
export function functionProblems(
  { functions, faults }: CompiledFunctions,
  paths: ReadonlySet<string>,
): { path: string; problem: SyntaxProblem }[] {
  const entries = [...paths].filter((path) => path.startsWith("scripts/") && isFunctionFile(path));
  const seen = new Set(entries);
  const found: { path: string; problem: SyntaxProblem }[] = [];
  for (const path of seen) {
    const fault = faults[path];
    if (fault !== undefined) found.push({ path, problem: fault });
    for (const { specifier, line, needed } of functions[path]?.uses ?? []) {
      if (needed === "never") continue;
      const target = neededFile(path, specifier, paths);
      if (target !== null) seen.add(target);
      else if (!isThere(path, specifier, paths))
        found.push({ path, problem: { message: missingMessage(specifier), line } });
    }
  }
  return found;
}

function missingMessage(specifier: string): string {
  return `It needs '${specifier.slice(0, 200)}', which is neither in the package nor built into Node. Bundle it.`;
}

function isThere(from: string, specifier: string, paths: ReadonlySet<string>): boolean {
  if (/^\.{0,2}\/|^\.{1,2}$|^file:/.test(specifier))
    return neededFile(from, specifier, paths) !== null || specifier.startsWith("/");
  return isNodeBuiltin(specifier);
}

/** Returns the file that a relative specifier refers to, resolved like Node, or `null` if it is not relative or matches no file. */
export function neededFile(from: string, specifier: string, paths: ReadonlySet<string>): string | null {
  const path = pathOf(from, specifier);
  if (path === null) return null;
  const typed = /\.[cm]?js$/.test(path) ? [path.replace(/js$/, "ts")] : [];
  const inside = MODULE_ENDINGS.map((ending) => `${path === "" ? "" : `${path}/`}index${ending}`);
  const candidates = [path, ...MODULE_ENDINGS.map((ending) => path + ending), ...typed, ...inside];
  // A folder's package.json declares its entry point, which can be any file.
  return (
    candidates.find((candidate) => paths.has(candidate)) ??
    (paths.has(`${path}/package.json`) ? `${path}/package.json` : null)
  );
}
