// Resolves dependencies of skills recursively, each at one version that satisfies all dependants.

import { DEPENDENCY_LIMITS } from "../limits";
import { type SkillReference, satisfiesRange } from "../reference";
import type { CatalogEntry } from "./catalog";
import { canUseBareNames, type Dependency, type MissingDependency, readNeeds } from "./dependency-list";

/** Returns a skill of the catalog at a version that satisfies all ranges, or `null`. */
export type FindSkill = (name: string, ranges: readonly string[]) => Promise<CatalogEntry | null>;

/** Why a skill cannot be loaded, in one sentence. `code` is set unless versions conflict. */
export interface DependencyProblem {
  problem: string;
  code?: "TOO_MANY_DEPENDENCIES";
}

/** Dependencies before their dependants, each with its resolved dependencies, and missing ones; or the problem. */
export type Resolution = { entries: CatalogEntry[]; unmet: MissingDependency[] } | DependencyProblem;

/** The remaining lookups of one skill. */
interface Room {
  skills: number;
  references: number;
}

/** Resolves one skill with its dependencies. */
export async function resolveDependencies(root: CatalogEntry, find: FindSkill): Promise<Resolution> {
  const resolver = new Resolver(find);
  return (await resolver.add(root)) ?? { entries: resolver.entries(), unmet: resolver.unmet() };
}

/**
 * Resolves several skills together: ranges of several dependants on one skill must be satisfied at once, also if it was added itself. The
 * dependencies of each version are read once. Missing dependencies are left out, because most authors who list them do not mean a skill.
 * Only conflicting versions are a problem.
 */
export class Resolver {
  readonly #find: FindSkill;
  readonly #roots = new Map<string, CatalogEntry>();
  /** All ranges requested of a skill. Ranges are only added, so resolution terminates. */
  readonly #ranges = new Map<string, Set<string>>();
  readonly #chosen = new Map<string, CatalogEntry>();
  /** Resolved dependencies of the versions that were read, by version id. */
  readonly #read = new Map<string, readonly SkillReference[]>();
  readonly #unmet = new Map<string, MissingDependency>();
  /** How to undo the changes of the skill being added, last change last. */
  #undo: (() => void)[] = [];

  constructor(find: FindSkill) {
    this.#find = find;
  }

  /** Adds a skill with its dependencies. If that is impossible, nothing changes and the problem is returned. */
  async add(root: CatalogEntry): Promise<DependencyProblem | null> {
    this.#undo = [];
    set(this.#roots, root.name, root, this.#undo);
    if (!this.#chosen.has(root.name)) set(this.#chosen, root.name, root, this.#undo);
    const problem = await this.#need(this.#chosen.get(root.name) ?? root, root.name, { ...DEPENDENCY_LIMITS });
    if (problem !== null) for (const change of this.#undo.toReversed()) change();
    return problem;
  }

  /** Removes the skill that was added last, and what came with it. */
  takeBack(): void {
    for (const change of this.#undo.toReversed()) change();
    this.#undo = [];
  }

  /** Returns everything that was added, dependencies first. Each skill of a cycle occurs once. */
  entries(): CatalogEntry[] {
    const seen = new Set<string>();
    const order: CatalogEntry[] = [];
    const visit = (name: string) => {
      const entry = this.#chosen.get(name);
      if (entry === undefined || seen.has(name)) return;
      seen.add(name);
      const met = this.#read.get(entry.version_id) ?? [];
      for (const needed of met) visit(needed.name);
      order.push({ ...entry, needs: met.map((needed) => `${needed.name}@${needed.range}`) });
    };
    for (const name of this.#roots.keys()) visit(name);
    return order;
  }

  /** Returns the missing dependencies of the skills in `entries`. */
  unmet(): MissingDependency[] {
    return this.entries().flatMap(({ version_id }) => this.#unmet.get(version_id) ?? []);
  }

  /**
   * Reads the dependencies of a version and chooses versions for them. A later dependant may restrict an earlier choice; then that one is
   * read too.
   */
  async #need(entry: CatalogEntry, root: string, room: Room): Promise<DependencyProblem | null> {
    if (this.#read.has(entry.version_id)) return null;
    const needs = readNeeds(entry.name, entry.needs);
    const met: Dependency[] = [];
    // Set before any lookup, because a cycle returns here.
    set(this.#read, entry.version_id, met, this.#undo);
    const bare = canUseBareNames(needs) ? await this.#lookUp(needs, room) : null;
    if (room.skills < 0) return tooMany(root);
    for (const need of needs) {
      if (need.kind !== "marked" && (need.kind !== "bare" || bare === null)) continue;
      room.references -= 1;
      const chosen = await this.#choose(need, bare?.get(need.name), room);
      if (room.skills < 0 || room.references < 0) return tooMany(root);
      if (chosen === "contradicted") {
        const all = [...(this.#ranges.get(need.name) ?? []), need.range].join(" and ");
        return {
          problem: `Skill '${root}' cannot be loaded: '${entry.name}' needs '${need.name}@${all}', which is not available.`,
        };
      }
      if (chosen === null) continue;
      met.push(need);
      const problem = await this.#need(chosen, root, room);
      if (problem !== null) return problem;
    }
    const unmet = needs.filter((need) => !met.includes(need));
    if (unmet.length > 0) set(this.#unmet, entry.version_id, { by: entry.name, needs: unmet }, this.#undo);
    return null;
  }

  /** Returns the skills that the bare names of a list refer to; `null` if one is not a skill, because then none may be meant. */
  async #lookUp(needs: readonly Dependency[], room: Room): Promise<Map<string, CatalogEntry> | null> {
    const found = new Map<string, CatalogEntry>();
    for (const { name, kind } of needs) {
      if (kind !== "bare" || found.has(name)) continue;
      const entry = this.#chosen.get(name) ?? (await this.#look(name, [], room));
      if (entry === null) return null;
      found.set(name, entry);
    }
    return found;
  }

  /**
   * Chooses the version of a required skill, `looked` if nothing was chosen before; `null` if there is none. Skills that only users can
   * select are included: the skill's author names them, not a model.
   */
  async #choose(
    { name, range }: Dependency,
    looked: CatalogEntry | undefined,
    room: Room,
  ): Promise<CatalogEntry | null | "contradicted"> {
    const wanted = new Set(this.#ranges.get(name)).add(range);
    const known = this.#chosen.get(name);
    const suits = known !== undefined && satisfiesRange(known.version, range);
    const next = suits ? known : (looked ?? (await this.#look(name, [...wanted], room)));
    if (next === null) {
      const isElsewhere = wanted.size > 1 && (await this.#look(name, [range], room)) !== null;
      return isElsewhere ? "contradicted" : null;
    }
    set(this.#ranges, name, wanted, this.#undo);
    if (next !== known) set(this.#chosen, name, next, this.#undo);
    return next;
  }

  async #look(name: string, ranges: readonly string[], room: Room): Promise<CatalogEntry | null> {
    room.skills -= 1;
    return room.skills < 0 ? null : this.#find(name, ranges);
  }
}

function tooMany(root: string): DependencyProblem {
  const { skills, references } = DEPENDENCY_LIMITS;
  return {
    code: "TOO_MANY_DEPENDENCIES",
    problem: `Skill '${root}' cannot be loaded: with all that its dependencies need, it needs more than ${skills} skills or names more than ${references} of them. Load what you need of it by itself, or have its author make it need less.`,
  };
}

/** Sets a value and records how to restore the earlier one. */
function set<V>(map: Map<string, V>, key: string, value: V, undo: (() => void)[]): void {
  const before = map.get(key);
  undo.push(() => (before === undefined ? map.delete(key) : map.set(key, before)));
  map.set(key, value);
}
