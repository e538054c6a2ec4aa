// Resolves imports to files of the package. Imports cannot refer to files outside it.

/** Extensions of code files. */
const CODE_ENDINGS = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"] as const;
export const MODULE_ENDINGS = [...CODE_ENDINGS, ".json"] as const;

export function isCode(path: string): boolean {
  return CODE_ENDINGS.some((ending) => path.endsWith(ending));
}

export function isModule(path: string): boolean {
  return MODULE_ENDINGS.some((ending) => path.endsWith(ending));
}

/** Resolves a relative specifier to a path. Returns `null` if it is not relative or leaves the package. */
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
 * Returns the file that `specifier` refers to in the module `from`, or `null` if it is not in the package. Resolves like TypeScript for
 * bundlers: the extension is optional, `.js` may refer to its `.ts` source, a folder refers to its `index`.
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

/** Returns the file of a `provider.module`, which can omit the extension, or `null` if the package has no such code. */
export function findModule(module: string, paths: readonly string[]): string | null {
  const file = module.replace(/^\.\//, "");
  const candidates = ["", ...CODE_ENDINGS].map((ending) => file + ending);
  return candidates.find((candidate) => isCode(candidate) && paths.includes(candidate)) ?? null;
}

/** Returns the file of a provider in Python, or `null` if the package has no such code. */
export function findPython(module: string, paths: readonly string[]): string | null {
  const file = module.replace(/^\.\//, "").replace(/(?:\.py)?$/, ".py");
  return paths.includes(file) ? file : null;
}

/** Returns a module and all its direct and indirect imports, the module first. */
export function closure<M extends { imports: readonly string[] }>(
  modules: Readonly<Record<string, M>>,
  entry: string,
): string[] {
  const found = new Set([entry]);
  for (const path of found) for (const next of modules[path]?.imports ?? []) found.add(next);
  return [...found];
}
