// Runs a real conversation next to the naive model of `model.ts`.

import { evictDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect } from "vitest";
import { ADMIN_KEY } from "./call";
import { ConversationModel, type ModelSettings, type ModelSkill } from "./model";
import { BLUEPRINTS, type Operation } from "./model-operations";
import { clearRegistry, deleteSkill, type SeededSkill, seedSkill, seedVersion } from "./registry";

let conversations = 0;

export class World {
  readonly user = `model-${conversations}`;
  readonly id = `c${conversations++}`;
  readonly registry: ModelSkill[] = [];
  readonly rows = new Map<string, SeededSkill>();
  readonly model: ConversationModel;
  lastCalls: {
    op: Extract<Operation, { do: "calls" }>;
    ids: string[];
    pass: string;
    results: Answer["results"];
  } | null = null;
  restores = 0;
  calls = 0;
  published = 0;

  constructor(initial: ModelSettings) {
    this.model = new ConversationModel(this.registry, initial);
  }

  async send(method: string, path: string, json?: unknown): Promise<Answer> {
    // `call` is not used here, because checking a hundred thousand responses against the OpenAPI document would dominate the run time.
    const response = await exports.default.fetch(`https://gateway.test/api/v1/conversations/${this.id}${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_KEY}`, "on-behalf-of": this.user, "content-type": "application/json" },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  async start(): Promise<void> {
    await clearRegistry();
    await Promise.all(BLUEPRINTS.map((blueprint) => this.create(blueprint.name, false)));
    await this.send("PUT", "", wire(this.model.settings));
  }

  async create(skillName: string, own: boolean): Promise<void> {
    const blueprint = BLUEPRINTS.find((known) => known.name === skillName);
    if (blueprint === undefined || this.registry.some((skill) => skill.name === skillName && skill.own === own)) return;
    const { needs, tokens, hasBody, hasTools } = blueprint;
    const version = { label: `1.${this.published++}.0`, tokens, needs: [...needs], fits: true };
    const scope = own ? `user:${this.user}` : "public";
    const row = await seedSkill({
      name: skillName,
      scope,
      capabilities: hasTools,
      ...seedOf(skillName, version, hasBody),
    });
    this.registry.push({ id: row.id, name: skillName, own, versions: [version], hasBody, hasTools });
    this.rows.set(row.id, row);
  }

  async publish(skillName: string, major: boolean, fits: boolean): Promise<void> {
    const skill = this.registry.find((known) => known.name === skillName);
    const row = this.rows.get(skill?.id ?? "");
    // Versions of a shadowed skill stay unchanged, because the model does not cover whether an older version of it is still valid.
    if (
      skill === undefined ||
      row === undefined ||
      (!fits && this.registry.filter((s) => s.name === skillName).length > 1)
    )
      return;
    const last = skill.versions.at(-1);
    if (last === undefined) return;
    const number = Number(last.label.split(".")[0]) + (major ? 1 : 0);
    const version = { ...last, label: `${number}.${this.published++}.0`, fits };
    this.rows.set(
      skill.id,
      await seedVersion(row, { capabilities: skill.hasTools, ...seedOf(skillName, version, skill.hasBody) }),
    );
    skill.versions.push(version);
  }

  async remove(skillName: string): Promise<void> {
    const index = this.registry.findIndex((known) => known.name === skillName);
    const [skill] = index < 0 ? [] : this.registry.splice(index, 1);
    const row = this.rows.get(skill?.id ?? "");
    if (row !== undefined) await deleteSkill(row);
  }

  async evict(): Promise<void> {
    await evictDurableObject(env.CONVERSATIONS.getByName(JSON.stringify([this.user, this.id])));
  }

  /** Compares the whole visible state, now and at every earlier turn. */
  async compare(everything: boolean): Promise<void> {
    const { model } = this;
    const now = await this.send("GET", "");
    model.note();
    expect({ turn: now.turn, active: now.active.map(bare) }).toEqual({ turn: model.turn, active: model.seen() });
    for (const seen of everything ? model.past : []) {
      const then = await this.send("GET", `/at/${seen.turn}`);
      expect({ at: seen.turn, active: then.active.map(bare) }).toEqual({ at: seen.turn, active: seen.active });
    }
  }
}

interface Answer {
  turn: number;
  active: { tokens?: number }[];
  prompt: { system: string };
  results: { isError?: boolean }[];
  loaded_skills: string[];
}

function bare(active: object): object {
  const { tokens: _, ...rest } = active as { tokens: number };
  return rest;
}

function seedOf(
  skillName: string,
  version: { label: string; tokens: number; needs: string[]; fits: boolean },
  hasBody: boolean,
) {
  return {
    version: version.label,
    tokens: version.tokens,
    dependencies: version.needs,
    bindShells: version.fits ? null : ["Elsewhere"],
    body: hasBody ? `${skillName} at ${version.label}` : "",
    files: { "notes.md": "Notes." },
  };
}

export function wire(made: ModelSettings): object {
  const spec = { systemPrompt: "You help.", skills: made.skills ?? ["*"], preload_skills: made.preload };
  return {
    delivery: "system",
    spec,
    retention_turns: made.retention,
    ...(made.maxSkills === null ? {} : { max_active_skills: made.maxSkills }),
    ...(made.maxTokens === null ? {} : { max_skill_tokens: made.maxTokens }),
  };
}
