// What skills need before they can be active: their dependencies, theirs, and so on, each at one version that suits everybody.

import { DEPENDENCY_LIMITS } from "../limits";
import { parseReference, type SkillReference, satisfiesRange } from "../reference";
import type { CatalogEntry } from "./catalog";

/** Finds a skill of the catalog at a version that satisfies all ranges; `null` when there is none. */
export type FindSkill = (name: string, ranges: readonly string[]) => Promise<CatalogEntry | null>;

/** Why a skill cannot be had, in one sentence. `code` where the reason is not that something is missing. */
export interface DependencyProblem {
  problem: string;
  code?: "TOO_MANY_DEPENDENCIES";
}

/** Dependencies before what needs them; or what is missing, turns in a circle or is too much. */
export type Resolution = { entries: CatalogEntry[] } | DependencyProblem;

/** Resolves one skill with everything it needs. */
export async function resolveDependencies(root: CatalogEntry, find: FindSkill): Promise<Resolution> {
  const resolver = new Resolver(find);
  return (await resolver.add(root)) ?? { entries: resolver.entries() };
}

/**
 * Resolves skills one after the other, so that all that were added stand together: ranges of several dependants on one skill are
 * met at once, also where it was added itself. What each version needs is read once, however many ways lead to it.
 */
export class Resolver {
  readonly #find: FindSkill;
  readonly #roots = new Map<string, CatalogEntry>();
  /** All that was ever asked of a skill. Ranges only grow in number, so that choices come to an end. */
  readonly #ranges = new Map<string, Set<string>>();
  readonly #chosen = new Map<string, CatalogEntry>();
  /** What the versions that were read name, by version id. */
  readonly #read = new Map<string, readonly SkillReference[]>();
  /** How to take back what the skill that is being added has changed, last change last. */
  #undo: (() => void)[] = [];

  constructor(find: FindSkill) {
    this.#find = find;
  }

  /** Adds a skill with all it needs. Where that cannot be, nothing changes and the problem is told. */
  async add(root: CatalogEntry): Promise<DependencyProblem | null> {
    this.#undo = [];
    set(this.#roots, root.name, root, this.#undo);
    if (!this.#chosen.has(root.name)) set(this.#chosen, root.name, root, this.#undo);
    const room = { skills: DEPENDENCY_LIMITS.skills + 1, references: DEPENDENCY_LIMITS.references };
    const problem = (await this.#need(this.#chosen.get(root.name) ?? root, root.name, room)) ?? this.#circle(root.name);
    if (problem !== null) for (const change of this.#undo.toReversed()) change();
    return problem;
  }

  /** Takes the last skill that was added out again, and what came with it. */
  takeBack(): void {
    for (const change of this.#undo.toReversed()) change();
    this.#undo = [];
  }

  /** All that was added with all it needs, dependencies first. */
  entries(): CatalogEntry[] {
    const { order } = this.#walk();
    return order;
  }

  /** Reads what a version needs, and chooses for it. A later dependant may narrow an earlier choice: then that is read too. */
  async #need(
    entry: CatalogEntry,
    root: string,
    room: { skills: number; references: number },
  ): Promise<DependencyProblem | null> {
    if (this.#read.has(entry.version_id)) return null;
    room.skills -= 1;
    room.references -= entry.needs.length;
    if (room.skills < 0 || room.references < 0) return tooMany(root);
    const needs = entry.needs.flatMap((text) => parseReference(text) ?? []);
    set(this.#read, entry.version_id, needs, this.#undo);
    for (const { name, range } of needs) {
      const wanted = new Set(this.#ranges.get(name)).add(range);
      set(this.#ranges, name, wanted, this.#undo);
      const known = this.#chosen.get(name);
      const next =
        known !== undefined && satisfiesRange(known.version, range) ? known : await this.#find(name, [...wanted]);
      if (next === null) {
        const all = [...wanted].join(" and ");
        return {
          problem: `Skill '${root}' cannot be loaded: '${entry.name}' needs '${name}@${all}', which is not available.`,
        };
      }
      if (next !== known) set(this.#chosen, name, next, this.#undo);
      const problem = await this.#need(next, root, room);
      if (problem !== null) return problem;
    }
    return null;
  }

  #circle(root: string): DependencyProblem | null {
    const { circle } = this.#walk();
    if (circle === null) return null;
    return { problem: `Skill '${root}' cannot be loaded: its dependencies form a cycle (${circle.join(" -> ")}).` };
  }

  /** The choices in order, dependencies first; or the first circle among them. */
  #walk(): { order: CatalogEntry[]; circle: string[] | null } {
    const order: CatalogEntry[] = [];
    const done = new Set<string>();
    const path = new Set<string>();
    const visit = (name: string): string[] | null => {
      if (path.has(name)) return [...[...path].slice([...path].indexOf(name)), name];
      const entry = this.#chosen.get(name);
      if (entry === undefined || done.has(name)) return null;
      path.add(name);
      for (const needed of this.#read.get(entry.version_id) ?? []) {
        const circle = visit(needed.name);
        if (circle !== null) return circle;
      }
      path.delete(name);
      done.add(name);
      order.push(entry);
      return null;
    };
    for (const name of this.#roots.keys()) {
      const circle = visit(name);
      if (circle !== null) return { order: [], circle };
    }
    return { order, circle: null };
  }
}

function tooMany(root: string): DependencyProblem {
  const { skills, references } = DEPENDENCY_LIMITS;
  return {
    code: "TOO_MANY_DEPENDENCIES",
    problem: `Skill '${root}' cannot be loaded: with all that its dependencies need, it needs more than ${skills} skills or names more than ${references} of them. Load what you need of it by itself, or have its author make it need less.`,
  };
}

/** Sets a value, and notes how to have the earlier one back. */
function set<V>(map: Map<string, V>, key: string, value: V, undo: (() => void)[]): void {
  const before = map.get(key);
  undo.push(() => (before === undefined ? map.delete(key) : map.set(key, before)));
  map.set(key, value);
}
