// What skills need before they can be active: their dependencies, theirs, and so on, each at one version that suits everybody.

import type { CatalogEntry } from "./catalog";
import { parseReference, satisfiesRange } from "./reference";

/** Finds a skill of the catalog at a version that satisfies all ranges; `null` when there is none. */
export type FindSkill = (name: string, ranges: readonly string[]) => Promise<CatalogEntry | null>;

/** Dependencies before what needs them; or one sentence that names what is missing or turns in a circle. */
export type Resolution = { entries: CatalogEntry[] } | { problem: string };

/**
 * Resolves skills with everything they need. Ranges of several dependants on one skill must be met together, also where it is
 * one of `roots` itself.
 */
export async function resolveDependencies(roots: readonly CatalogEntry[], find: FindSkill): Promise<Resolution> {
  const ranges = new Map<string, Set<string>>();
  const chosen = new Map<string, CatalogEntry>(roots.map((root) => [root.name, root]));
  // A later dependant may narrow an earlier choice, so walk again until no choice changes. Ranges only ever grow in number.
  for (;;) {
    const walk = await walkOnce(roots, find, ranges, chosen);
    if (walk !== "again") return walk;
  }
}

async function walkOnce(
  roots: readonly CatalogEntry[],
  find: FindSkill,
  ranges: Map<string, Set<string>>,
  chosen: Map<string, CatalogEntry>,
): Promise<Resolution | "again"> {
  const order: CatalogEntry[] = [];
  const done = new Set<string>();
  let changed = false;

  const visit = async (entry: CatalogEntry, path: readonly string[]): Promise<string | null> => {
    if (done.has(entry.name)) return null;
    const root = path[0] ?? entry.name;
    for (const text of entry.needs) {
      const reference = parseReference(text);
      if (reference === null) continue;
      const { name, range } = reference;
      const here = [...path, entry.name];
      if (here.includes(name)) {
        const circle = [...here.slice(here.indexOf(name)), name].join(" -> ");
        return `Skill '${root}' cannot be loaded: its dependencies form a cycle (${circle}).`;
      }
      const wanted = ranges.get(name) ?? new Set();
      ranges.set(name, wanted.add(range));
      const known = chosen.get(name);
      const next = known !== undefined && satisfiesRange(known.version, range) ? known : await find(name, [...wanted]);
      if (next === null) {
        const all = [...wanted].join(" and ");
        return `Skill '${root}' cannot be loaded: '${entry.name}' needs '${name}@${all}', which is not available.`;
      }
      if (known !== undefined && known.version_id !== next.version_id) changed = true;
      chosen.set(name, next);
      const problem = await visit(next, here);
      if (problem !== null) return problem;
    }
    done.add(entry.name);
    order.push(entry);
    return null;
  };

  for (const root of roots) {
    const problem = await visit(chosen.get(root.name) ?? root, []);
    if (problem !== null) return { problem };
  }
  return changed ? "again" : { entries: order };
}
