// Compares what a script needs with what an executor has.

import { isSatisfied, packageName, requirementOf } from "../../package/requirements";
import type { ScriptNeeds } from "./verdict";

/** What an executor has. */
export interface ExecutorOffer {
  /** Top-level Python modules. */
  modules: ReadonlySet<string>;
  /** Versions of Python packages by normalized name. */
  packages: ReadonlyMap<string, string>;
  /** Programs. */
  commands: ReadonlySet<string>;
}

/** Returns what a script needs and an executor lacks, in words: `Python module yaml`, `Python package numpy>=2 (has 1.24.2)`. */
export function missingIn(
  offer: ExecutorOffer,
  { modules = [], requirements = [], commands = [] }: ScriptNeeds,
): string[] {
  const lacked = requirements.flatMap((text) => {
    const wanted = requirementOf(text);
    if (wanted === null) return [];
    const version = offer.packages.get(packageName(wanted.name));
    const shown = `Python package ${wanted.name}${wanted.versions}`;
    if (version === undefined) return [shown];
    return isSatisfied(version, wanted.versions) ? [] : [`${shown} (has ${version})`];
  });
  return [
    ...modules.filter((name) => !offer.modules.has(name)).map((name) => `Python module ${name}`),
    ...lacked,
    ...commands.filter((name) => !offer.commands.has(name)).map((name) => `command ${name}`),
  ];
}
