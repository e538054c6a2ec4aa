// Random conversations, reproducible by seed: the model's calls, the caller's options, and changes of skills.

import type { Harness, Published } from "../harness";
import { providerSkill } from "../provider";
import type { SkillFixture } from "../skill";
import type { Conversation } from "./caller";

const NAMES = ["harbour", "crane", "fleet", "lamp", "rope", "gull"] as const;
type Name = (typeof NAMES)[number];

/** A seeded generator of numbers from 0 to 1. */
export class Dice {
  constructor(private state: number) {}

  private next(): number {
    this.state = (Math.imul(this.state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    // The lower bits of this generator repeat.
    return (this.state >>> 8) / 0x80_0000;
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }

  list<T>(length: number, make: () => T): T[] {
    return Array.from({ length }, make);
  }
}

/** Returns a text that occurs only in the instructions of one version of a skill. */
export const markOf = (skill: string, version: string) => `The mark of ${skill} ${version}.`;

interface StoredSkill {
  id: string;
  /** Its versions, and whether each is yanked. */
  versions: Map<string, Published & { yanked: boolean }>;
}

/** A registry in which skills are published and deleted at random. */
export class RandomRegistry {
  private readonly shelves = new Map<Name, StoredSkill>();
  private readonly removed = new Set<string>();
  private stamp = 0;

  constructor(
    private readonly gateway: Harness,
    private readonly dice: Dice,
  ) {}

  async open(): Promise<void> {
    for (const name of NAMES) await this.publish(name);
  }

  /** Returns texts that no request can contain any more: the marks of yanked versions and of deleted skills. */
  forbidden(): string[] {
    const yanked = [...this.shelves].flatMap(([name, { versions }]) =>
      [...versions].flatMap(([version, each]) => (each.yanked ? markOf(name, version) : [])),
    );
    return [...this.removed, ...yanked];
  }

  async change(): Promise<void> {
    const { dice } = this;
    const name = dice.pick(NAMES);
    const stored = this.shelves.get(name);
    if (stored === undefined || dice.chance(0.4)) return this.publish(name);
    if (dice.chance(0.15)) return this.remove(name, stored);
    const version = dice.pick([...stored.versions.values()]);
    const route = `/api/v1/kinds/skills/${stored.id}/versions/${version.version_id}`;
    await this.gateway.send("POST", `${route}/${version.yanked ? "unyank" : "yank"}`);
    version.yanked = !version.yanked;
  }

  /** Deletes the skills, so that the next conversations start with new ones of the same names. */
  async close(): Promise<void> {
    for (const [name, stored] of this.shelves) await this.remove(name, stored);
  }

  private async remove(name: Name, stored: StoredSkill): Promise<void> {
    await this.gateway.send("DELETE", `/api/v1/kinds/skills/${stored.id}`);
    for (const version of stored.versions.keys()) this.removed.add(markOf(name, version));
    this.shelves.delete(name);
  }

  private async publish(name: Name): Promise<void> {
    const stored = this.shelves.get(name);
    const version = `${++this.stamp}.0.0`;
    const made = await this.gateway.publish(this.fixture(name, version), stored?.id);
    const versions = stored?.versions ?? new Map();
    this.shelves.set(name, { id: made.id, versions: versions.set(version, { ...made, yanked: false }) });
  }

  private fixture(name: Name, version: string): SkillFixture {
    const body = `${markOf(name, version)}\n\n${"Watch the tide, the wind and the boats. ".repeat(80)}`;
    const base = { name, description: `Does ${name} things.`, version, body };
    if (name === "fleet") return { ...base, frontmatter: 'dependencies: ["harbour"]' };
    return name === "lamp" ? providerSkill(name, { signal: "return 'lit'" }, base) : base;
  }
}

/** Returns the model's calls in a turn: up to three steps of up to three calls. */
export function randomPlan(dice: Dice): Conversation["vendor"]["plan"] {
  const call = () => {
    const skill_name = dice.pick(NAMES);
    return dice.pick([
      ...dice.list(5, () => ({ name: "load_skill", input: { skill_name } })),
      { name: "load_skill", input: { skill_name, reload: true } },
      { name: "unload_skill", input: { skill_name } },
      ...dice.list(2, () => ({ name: "call_skill_tool", input: { name: "signal", arguments: {} } })),
      { name: "find_skill", input: { query: skill_name } },
      { name: "get_time", input: {} },
    ]);
  };
  return dice.list(dice.below(4), () => dice.list(1 + dice.below(3), call));
}

export interface RandomTurn {
  plan: Conversation["vendor"]["plan"];
  body: object;
  settings: { spec?: object; retention_turns?: number };
  /** Whether the caller shortens its history. */
  cut: boolean;
}

export function randomTurn(dice: Dice, turn: number): RandomTurn {
  const cut = dice.chance(0.06);
  return {
    plan: randomPlan(dice),
    body: {
      ...(dice.chance(0.15) ? { selected_skills: [dice.pick(NAMES)] } : {}),
      ...(dice.chance(0.15) ? { cache: "cold" } : {}),
      ...(dice.chance(0.2) ? { key: `turn-${turn}` } : {}),
      ...(cut ? { history_cut: true } : {}),
    },
    settings: {
      ...(dice.chance(0.05) ? { spec: randomSpec(turn) } : {}),
      ...(dice.chance(0.08) ? { retention_turns: dice.below(3) } : {}),
    },
    cut,
  };
}

export const randomSpec = (turn: number) => ({
  systemPrompt: `You watch harbour ${turn}.`,
  skills: ["*"],
  preload_skills: ["rope"],
});
