// The script of sixty turns: how skills are published, changed and removed, and what the model calls.

import type { Harness, Published } from "../harness";
import { providerSkill } from "../provider";
import type { SkillFixture } from "../skill";
import type { Conversation } from "./caller";

/** About 900 tokens, so that a catalog of several skills exceeds the preload limit. */
const text = (what: string) => `${what}\n\n${"Watch the tide, the wind and the boats. ".repeat(100)}`;

const HARBOUR: SkillFixture = {
  name: "harbour",
  description: "Writes harbour reports.",
  version: "1.0.0",
  body: text("Sign every report with the word Aye."),
  files: { "tides.md": "High water at noon.\n" },
};

const SKILLS: SkillFixture[] = [
  HARBOUR,
  { name: "crane", description: "Runs the crane.", body: text("Lift slowly.") },
  { name: "fleet", description: "Counts ships.", frontmatter: 'dependencies: ["harbour"]', body: text("Count twice.") },
  providerSkill(
    "lamp",
    { signal: "return 'the lamp is lit'" },
    { description: "Lights the lamp.", body: text("Light it.") },
  ),
  { name: "rope", description: "Ties knots.", body: text("Tie it well.") },
];

type Calls = Conversation["vendor"]["plan"];

const call = (name: string, input: object) => ({ name, input });
const load = (skill: string, more: object = {}) => call("load_skill", { skill_name: skill, ...more });

/** Returns the model's calls in a turn, step by step. `fixed`: tools of skills are called through `call_skill_tool`. */
export function planOf(turn: number, fixed: boolean): Calls {
  const signal = fixed ? call("call_skill_tool", { name: "signal", arguments: {} }) : call("signal", {});
  const now = call("get_time", {});
  const plans: Calls[] = [
    [
      [call("find_skill", { query: "boats" }), load("no-such-skill")],
      [call("unload_skill", { skill_name: "harbour" })],
    ],
    [[load("harbour")], [call("read_skill", { skill_name: "harbour", file_path: "tides.md" }), now]],
    [[load("lamp")], [signal]],
    [[load("crane"), load("gull"), now], [now]],
    [[signal], [load("harbour", { reload: true })]],
    turn % 12 === 5 ? [[load("fleet"), load("rope")]] : [],
  ];
  return plans[turn % plans.length] ?? [];
}

/** Returns the caller's options for a turn. */
export function bodyOf(turn: number): object {
  return {
    ...(turn % 8 === 7 ? { selected_skills: ["fleet"] } : {}),
    ...(turn % 15 === 0 ? { cache: "cold" } : {}),
  };
}

/** Turns at whose beginning the front can change, with the reason. */
export const FRONT_CHANGES: Record<number, string> = {
  22: "crane was deleted",
  30: "it is cold, and gull is new",
  38: "the conversation was brought back",
  50: "the ghost's prompt is another",
  53: "lamp was deleted",
};
/** The turn in which callers shorten their histories. */
export const CUT = 26;
export const FORGOTTEN = 38;
export const OTHER_PROMPT = 50;

/** The registry, which changes over the turns. */
export class Harbour {
  private readonly known = new Map<string, Published>();

  constructor(private readonly gateway: Harness) {}

  async open(): Promise<void> {
    for (const skill of SKILLS) this.known.set(skill.name ?? "", await this.gateway.publish(skill));
  }

  /** Changes the registry before a turn, while no turn runs. */
  async before(turn: number): Promise<void> {
    if (turn === 9) await this.renew("2.0.0");
    if (turn === 24) await this.gateway.publish({ name: "gull", description: "Counts gulls.", body: text("Count.") });
    if (turn === 34) await this.renew("3.0.0");
    if (turn === 41) await this.yank();
  }

  /** Changes the registry after the first model step of a turn. */
  async during(turn: number): Promise<void> {
    if (turn === 13) await this.yank();
    if (turn === 21) await this.remove("crane");
    if (turn === 52) await this.remove("lamp");
  }

  async renew(version: string): Promise<void> {
    const { id } = this.published("harbour");
    const next = { ...HARBOUR, version, body: text(`Sign every report with the word Aye, twice (${version}).`) };
    this.known.set("harbour", await this.gateway.publish(next, id));
  }

  /** Yanks the newest version of `harbour`. */
  private async yank(): Promise<void> {
    const { id, version_id } = this.published("harbour");
    await this.gateway.send("POST", `/api/v1/kinds/skills/${id}/versions/${version_id}/yank`);
  }

  private async remove(name: string): Promise<void> {
    await this.gateway.send("DELETE", `/api/v1/kinds/skills/${this.published(name).id}`);
  }

  private published(name: string): Published {
    const known = this.known.get(name);
    if (known === undefined) throw new Error(`no skill ${name}`);
    return known;
  }
}
