// Determines whether Python scripts run in the gateway, from their imports and those of the package's modules they use.

import { type PythonImport, pythonImports } from "./python-imports";
import { knownModule } from "./python-modules";
import { type Judgement, shownName, worst } from "./verdict";

/** The Python-related parts of a package. */
export interface PythonPackage {
  paths: readonly string[];
  /** Returns the text of a file, or `null` if it cannot be read. */
  textOf(path: string): string | null;
  /** Modules in its wheels. `null` if a wheel cannot be read, in which case any module may exist. */
  wheels: ReadonlySet<string> | null;
  /** Whether the skill declares hosts. Default: no. */
  hasNetwork?: boolean;
}

/** Modules that work for hosts that the skill declares: clients of HTTP, and what they import. */
const FOR_HOSTS = /^(?:urllib\.request|http\.client|socket|ssl)(?:\.|$)/;

/** Returns a function that checks the scripts of one package. Each file is read once. */
export function pythonJudge({ paths, textOf, wheels, hasNetwork = false }: PythonPackage): (path: string) => Judgement {
  const all = new Set(paths);
  const read = new Map<string, PythonImport[]>();
  const importsOf = (path: string) => {
    const imports = read.get(path) ?? pythonImports(textOf(path) ?? "");
    read.set(path, imports);
    return imports;
  };
  /** The candidate files and folders, as paths without extension, by the first part of an import's name. */
  const places = new Map<string, Set<string>>();
  for (const path of paths.filter((each) => each.endsWith(".py"))) {
    const parts = path.slice(0, -".py".length).split("/");
    for (const [at, part] of parts.entries()) {
      const known = places.get(part) ?? new Set();
      places.set(part, known.add(parts.slice(0, at + 1).join("/")));
    }
  }

  /** Returns the package's own files that an import refers to, or `null` if it refers to none. */
  function ownFiles({ module, names, up }: PythonImport, from: string): string[] | null {
    const folder = from.split("/").slice(0, -1);
    const parts = module === "" ? [] : module.split(".");
    const [head = ""] = parts;
    const beside = [...folder, head].join("/");
    const known = places.get(head);
    const base =
      up > 0
        ? folder
            .slice(0, Math.max(0, folder.length - up + 1))
            .concat(parts.slice(0, 1))
            .join("/")
        : known?.has(beside) === true
          ? beside
          : [...(known ?? [])][0];
    if (base === undefined) return null;
    const rest = parts.slice(1);
    const steps = [...rest.keys(), rest.length].map((count) => [base, ...rest.slice(0, count)].join("/"));
    const whole = steps.at(-1) ?? base;
    const candidates = [...steps, ...names.map((name) => `${whole}/${name}`)];
    const files = candidates.flatMap((each) => [`${each}.py`, `${each}/__init__.py`].filter((path) => all.has(path)));
    return files.length === 0 && up > 0 ? null : files;
  }

  const isThere = (one: PythonImport, from: string): boolean =>
    ownFiles(one, from) !== null || (one.up === 0 && lackOf(one.module) === null);

  function lackOf(module: string): Judgement | null {
    const known = knownModule(module);
    const name = shownName(module);
    if (known === "there" || (hasNetwork && FOR_HOSTS.test(module))) return null;
    const [head = ""] = module.split(".", 1);
    if (known === "elsewhere")
      return {
        runs: "remote",
        reason: `It imports ${name}, a Python module that is not available.`,
        needs: { modules: [head] },
      };
    if (known === "no more")
      return {
        runs: "nowhere",
        reason: `It imports ${name}, which was removed from Python or exists only on Windows.`,
      };
    if (known !== "unknown")
      return { runs: "partly", reason: `It imports ${name}, but ${known.lacks}. Calls that need it fail.` };
    if (wheels === null || wheels.has(head)) return null;
    const advice = "Add pure Python packages as wheels in vendor/. Native packages do not run.";
    return {
      runs: "remote",
      reason: `It imports ${name}, which is neither in the package nor in Python's standard library. ${advice}`,
      needs: { modules: [head] },
    };
  }

  function verdictOf(one: PythonImport, from: string, entry: string): Judgement | null {
    if (one.needed === "never" || (one.insteadOf.length > 0 && one.insteadOf.every((other) => isThere(other, from))))
      return null;
    const place = from === entry ? { line: one.line } : {};
    const behind = from === entry ? "" : ` (${from}, line ${one.line})`;
    if (one.up > 0 && from === entry && one.needed === "always")
      return {
        runs: "nowhere",
        reason: "It uses relative imports, so it is a module of a package and not a script.",
        ...place,
      };
    if (ownFiles(one, from) !== null) return null;
    const modules = [one.module, ...one.names.map((name) => `${one.module}.${name}`)];
    const lack =
      one.up > 0
        ? null
        : worst(modules.slice(0, isWhole(one) ? 1 : undefined).flatMap((module) => lackOf(module) ?? []));
    if (lack === null || lack.reason === undefined) return null;
    if (one.needed === "always" || lack.runs === "partly") return { ...lack, reason: lack.reason + behind, ...place };
    if (lack.runs === "nowhere") return null;
    return { ...lack, runs: "partly", reason: `${lack.reason} Only a part of the script needs it.${behind}`, ...place };
  }

  return (entry) => {
    const seen = new Set([entry]);
    const found: Judgement[] = [];
    for (const path of seen)
      for (const one of importsOf(path)) {
        const verdict = verdictOf(one, path, entry);
        if (verdict !== null) found.push(verdict);
        // Optional imports are not followed: the result would include code that the author never intended to run.
        if (one.needed === "always") for (const file of ownFiles(one, path) ?? []) seen.add(file);
      }
    return worst(found);
  };
}

/** Whether checking each imported name separately adds nothing: a missing package lacks all its names. */
function isWhole({ module }: PythonImport): boolean {
  return knownModule(module) === "unknown";
}
