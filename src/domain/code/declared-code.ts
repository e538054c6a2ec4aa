// What of a package compiling looks at, what it makes of it, and what can be said without reading a line of code.

import type { Issue } from "../errors";
import { CODE_LIMITS } from "../limits";
import { type Manifest, type PackageFile, SKILL_FILE, type SkillPackage } from "../package/skill";
import { readableScripts } from "./check/scripts";
import type { ScriptVerdict } from "./check/verdict";
import type { StoredCode } from "./compiled";
import { isModule } from "./graph";

/** What of a package compiling looks at. */
export type CodePackage = Pick<SkillPackage, "zip"> & {
  files: readonly PackageFile[];
  manifest: Pick<Manifest, "provider" | "tools">;
};

export interface Compiled {
  /** `null` when the package has no code at all, or when it could not be compiled this time. */
  code: StoredCode | null;
  /** About what would run: the provider's modules, and scripts in `scripts/`. Other files may be meant for other places. */
  warnings: Issue[];
  /** What is to be said of each script; `null` where nobody could judge them. */
  scripts: ScriptVerdict[] | null;
}

/** What the frontmatter's own words on code lack. */
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

/** The modules of a package that are read: none that is too large, and no more than there is room for. */
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

/** The same package as far as it is read: of its ZIP nothing but modules, and scripts that are judged, one after the other. */
export function modulesOnly({ files, manifest, zip }: CodePackage): CodePackage {
  const readable = new Set([...readableModules(files), ...readableScripts(files)]);
  const kept = new Uint8Array([...readable].reduce((sum, { size }) => sum + size, 0));
  let end = 0;
  const placed = files.map((file): PackageFile => {
    if (!readable.has(file)) return { ...file, offset: 0 };
    const offset = end;
    kept.set(zip.subarray(file.offset, file.offset + file.size), offset);
    end += file.size;
    return { ...file, offset };
  });
  const { provider, tools } = manifest;
  return { files: placed, zip: kept, manifest: { tools, ...(provider === undefined ? {} : { provider }) } };
}

/** What stands in place of code that the compiler gave up on, whenever it is tried. */
export function unreadableCode({ files, manifest }: CodePackage): Omit<Compiled, "scripts"> {
  const problem = "The package's code is too complex to compile.";
  const problems = Object.fromEntries(files.filter(({ path }) => isModule(path)).map(({ path }) => [path, problem]));
  const message = `${problem} None of its code runs.`;
  const warnings = [...declarationWarnings(manifest), { code: "CODE_NOT_COMPILED", message, path: SKILL_FILE }];
  return { code: { format: 1, modules: {}, problems, functions: {}, faults: problems }, warnings };
}
