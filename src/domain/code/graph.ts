// Which file of a package an import means. Nothing but the package's own files can be meant.

/** Files that can run here, or be imported as data. */
const CODE_ENDINGS = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"] as const;
export const MODULE_ENDINGS = [...CODE_ENDINGS, ".json"] as const;

export function isCode(path: string): boolean {
  return CODE_ENDINGS.some((ending) => path.endsWith(ending));
}

export function isModule(path: string): boolean {
  return MODULE_ENDINGS.some((ending) => path.endsWith(ending));
}

/** Where a relative specifier leads from a file; `null` for one that is not relative, or leads out of the package. */
export function pathOf(from: string, specifier: string): string | null {
  if (!/^\.\.?(\/|$)/.test(specifier)) return null;
  const parts = from.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join("/");
}

/**
 * The file that `specifier` means in the module `from`; `null` when it is none of the package's. As TypeScript's own resolution
 * for bundlers: the ending may be left out, `.js` may mean the `.ts` it is compiled from, a folder means its `index`.
 */
export function resolveImport(from: string, specifier: string, paths: ReadonlySet<string>): string | null {
  const path = pathOf(from, specifier);
  if (path === null) return null;
  const candidates = [
    path,
    ...MODULE_ENDINGS.map((ending) => path + ending),
    ...(path.endsWith(".js") ? [`${path.slice(0, -3)}.ts`] : []),
    ...CODE_ENDINGS.map((ending) => `${path}/index${ending}`),
  ];
  return candidates.find((candidate) => isModule(candidate) && paths.has(candidate)) ?? null;
}

/** The file of a `provider.module`, which may be written without its ending; `null` when the package has no such code. */
export function findModule(module: string, paths: readonly string[]): string | null {
  const file = module.replace(/^\.\//, "");
  const candidates = ["", ...CODE_ENDINGS].map((ending) => file + ending);
  return candidates.find((candidate) => isCode(candidate) && paths.includes(candidate)) ?? null;
}

/** The same for a provider in Python. */
export function findPython(module: string, paths: readonly string[]): string | null {
  const file = module.replace(/^\.\//, "").replace(/(?:\.py)?$/, ".py");
  return paths.includes(file) ? file : null;
}

/** A module and all that it imports, directly or not, itself first. */
export function closure<M extends { imports: readonly string[] }>(
  modules: Readonly<Record<string, M>>,
  entry: string,
): string[] {
  const found = new Set([entry]);
  for (const path of found) for (const next of modules[path]?.imports ?? []) found.add(next);
  return [...found];
}
