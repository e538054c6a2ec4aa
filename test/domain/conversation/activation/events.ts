// Helpers that write events of a conversation for tests of the fold.

import type { Retention } from "../../../../src/domain/catalog/ghost";
import type { SkillRef } from "../../../../src/domain/catalog/skill-ref";
import type { ConversationEvent, Policy } from "../../../../src/domain/conversation/event";

export const policy = (retention: Retention, more: Partial<Policy> = {}): Policy => ({
  retention,
  delivery: "system",
  tool_mode: "dynamic",
  tool_style: "load_skill",
  max_active_skills: null,
  max_skill_tokens: null,
  ...more,
});

export const ref = (name: string, dependencies: string[] = [], version = "1"): SkillRef => ({
  name,
  skill_id: `skl_${name}`,
  version_id: `ver_${name}_${version}`,
  version,
  tokens: 10,
  dependencies,
});

type TurnEvent = Extract<ConversationEvent, { type: "turn" }>;

export const turn = (number: number, skills: SkillRef[] = [], more: Partial<TurnEvent> = {}): ConversationEvent => ({
  type: "turn",
  turn: number,
  policy: policy(5),
  skills,
  preloaded: [],
  selected: [],
  history_cut: false,
  cost: { static: 100, list: 7 },
  ...more,
});

export const loaded = (number: number, skills: SkillRef[], delivered: string[] = []): ConversationEvent => ({
  type: "loaded",
  turn: number,
  name: skills.at(-1)?.name ?? "",
  skills,
  delivered,
});

export const unloaded = (number: number, name: string, reason: "requested" | "evicted" | "unavailable" = "requested") =>
  ({ type: "unloaded", turn: number, name, reason }) as const;
