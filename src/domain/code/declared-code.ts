// Selects the files of a package that are compiled, and checks the declarations of code without reading the code.

import type { Issue } from "../errors";
import { CODE_LIMITS } from "../limits";
import { type Manifest, type PackageFile, SKILL_FILE, type SkillPackage } from "../package/skill";
import { readableScripts } from "./check/scripts";
import type { ScriptVerdict } from "./check/verdict";
import type { StoredCode } from "./compiled";
import { isModule } from "./graph";

/** The parts of a package that the compiler reads. */
export type CodePackage = Pick<SkillPackage, "zip"> & {
  files: readonly PackageFile[];
  manifest: Pick<Manifest, "provider" | "tools" | "requirements" | "network">;
};

export interface Compiled {
  /** `null` if the package has no code, or if it could not be compiled this time. */
  code: StoredCode | null;
  /**
   * Warnings about code that would run: the provider's modules, and scripts in `scripts/`. Other files may be intended for other
   * environments.
   */
  warnings: Issue[];
  /** The verdict for each script, or `null` if none could be determined. */
  scripts: ScriptVerdict[] | null;
}

/** Returns warnings about incomplete declarations of code in the frontmatter. */
export function declarationWarnings({ provider, tools }: CodePackage["manifest"]): Issue[] {
  const warn = (code: string, message: string): Issue => ({ code, message, path: SKILL_FILE });
  if (provider?.module !== undefined && provider.class === undefined)
    return [warn("PROVIDER_CLASS_MISSING", "`provider` has no `class`, so its tools cannot be created. Add `class`.")];
  if (tools.length > 0 && provider?.module === undefined)
    return [
      warn(
        "TOOLS_WITHOUT_PROVIDER",
        "The skill declares tools but no `provider`. Add a provider, or remove the tools.",
      ),
    ];
  if (tools.length === 0 && provider?.module !== undefined)
    return [warn("PROVIDER_WITHOUT_TOOLS", "The skill has a `provider` but declares no `tools`. Add `tools`.")];
  if (tools.length > CODE_LIMITS.toolsPerSkill)
    return [
      warn("TOO_MANY_TOOLS", `Too many tools (limit ${CODE_LIMITS.toolsPerSkill}). Only the first ones are offered.`),
    ];
  return [];
}

/** Returns the modules of a package that are read: files within the size limit, up to a total limit. */
export function readableModules(files: readonly PackageFile[]): Set<PackageFile> {
  const found = new Set<PackageFile>();
  let room: number = CODE_LIMITS.packageBytes;
  for (const file of files) {
    if (!isModule(file.path) || file.size > Math.min(CODE_LIMITS.moduleBytes, room)) continue;
    room -= file.size;
    found.add(file);
  }
  return found;
}

/** Returns the package reduced to the parts that are read: its ZIP contains only modules and checked scripts, one after the other. */
export function modulesOnly({ files, manifest, zip }: CodePackage): CodePackage {
  const readable = new Set([...readableModules(files), ...readableScripts(files)]);
  const text = new Uint8Array([...readable].reduce((sum, { size }) => sum + size, 0));
  let end = 0;
  const placed = files.map((file): PackageFile => {
    if (!readable.has(file)) return { ...file, offset: 0 };
    const offset = end;
    text.set(zip.subarray(file.offset, file.offset + file.size), offset);
    end += file.size;
    return { ...file, offset };
  });
  const { provider, tools, requirements, network } = manifest;
  const declared = { tools, ...(provider === undefined ? {} : { provider }) };
  return {
    files: placed,
    zip: text,
    manifest: {
      ...declared,
      ...(requirements === undefined ? {} : { requirements }),
      ...(network === undefined ? {} : { network }),
    },
  };
}

/** Returns a placeholder for code on which the compiler fails every time. */
export function unreadableCode({ files, manifest }: CodePackage): Omit<Compiled, "scripts"> {
  const problem = "The package's code is too complex to compile.";
  const problems = Object.fromEntries(files.filter(({ path }) => isModule(path)).map(({ path }) => [path, problem]));
  const message = `${problem} None of its code runs.`;
  const warnings = [...declarationWarnings(manifest), { code: "CODE_NOT_COMPILED", message, path: SKILL_FILE }];
  return { code: { format: 1, modules: {}, problems, functions: {}, faults: problems }, warnings };
}
