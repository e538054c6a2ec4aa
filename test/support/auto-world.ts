// Runs a conversation under delivery `auto` next to a naive model, which derives the active skills from plain lists and searches the
// request text for the instructions that the model must be able to read.

import { expect } from "vitest";
import { CachedChat } from "./cached-chat";
import { call } from "./call";
import { holdClock, pass } from "./clock";
import { clearRegistry, moveSkill, type SeededSkill, seedVersion } from "./registry";
import { type Active, named, someone } from "./users";

/** `needy` depends on `base`. */
export const NAMES = ["base", "chart", "draw", "needy"];
const NEEDED = "base";

export type Step =
  | { do: "turn"; selected: string[]; pause: number; cold: boolean }
  | { do: "load"; name: string; reload: boolean }
  | { do: "unload" | "publish" | "yank" | "move"; name: string }
  | { do: "evict" }
  | { do: "forget"; turns: number }
  | { do: "back"; turns: number };

export interface AutoOptions {
  edits: boolean;
  have: boolean;
  retention: number | "conversation";
  /** Whether the catalog is small enough to be preloaded completely. The front then determines which skills are active. */
  small: boolean;
}

interface Version {
  label: string;
  body: string;
  row: SeededSkill;
  yanked: boolean;
}

interface Skill {
  name: string;
  isHidden: boolean;
  versions: Version[];
}

export class AutoWorld {
  readonly user = someone();
  readonly chat: CachedChat;
  readonly skills: Skill[] = [];
  turn = 0;
  loads: { name: string; turn: number }[] = [];
  selected: string[] = [];
  active: Active[] = [];
  private published = 0;
  /** Whether the history was cut and the gateway has not been informed yet. */
  private forgot = false;

  constructor(readonly options: AutoOptions) {
    const { edits, have, retention } = options;
    this.chat = new CachedChat(this.user, "c", {
      ...{ format: "anthropic", edits, have },
      settings: { retention_turns: retention, spec: { systemPrompt: "You help.", skills: NAMES } },
    });
  }

  async start(): Promise<void> {
    holdClock();
    await clearRegistry();
    for (const name of NAMES) {
      const label = "1.0.0";
      const row = await this.user.seed({ name, ...this.seed(name, label) });
      this.skills.push({ name, isHidden: false, versions: [this.version(name, label, row)] });
    }
    await this.takeTurn({ selected: [], pause: 0, cold: false });
  }

  async perform(step: Exclude<Step, { do: "evict" }>): Promise<void> {
    switch (step.do) {
      case "turn":
        return this.takeTurn(step);
      case "load":
        return this.load(step.name, step.reload);
      case "unload":
        return this.unload(step.name);
      case "publish":
        return this.publish(step.name);
      case "yank":
        return this.yank(step.name);
      case "move":
        return this.move(step.name);
      case "forget":
        this.chat.forget(step.turns);
        this.forgot = true;
        // Only a caller that sends `have` can cut its history in the middle of a turn.
        return this.takeTurn({ selected: [], pause: 0, cold: false });
      case "back":
        return this.back(step.turns);
    }
  }

  // --- actions

  private async takeTurn({
    selected,
    pause,
    cold,
  }: {
    selected: string[];
    pause: number;
    cold: boolean;
  }): Promise<void> {
    pass(pause * 60_000);
    const before = this.active;
    // A caller that only reports a loss, without `have`, receives everything again.
    const isCut = this.forgot && !this.options.have;
    // Preloaded skills change version only when the provider's cache is cold, because the change costs nothing then.
    const moves = this.options.small && (cold || pause > 5);
    const readable = isCut || moves ? "" : this.chat.text();
    this.turn++;
    const answer = await this.chat.turn({
      selected_skills: selected,
      model: "claude-opus-5-5",
      ...(cold ? { cache: "cold" } : {}),
      ...(isCut ? { history_cut: true } : {}),
    });
    this.forgot = false;
    this.loads = this.loads.filter((load) => this.stays(load.turn) && this.current(load.name) !== null);
    this.selected = selected.filter((name) => this.current(name) !== null);
    expect(answer.turn).toBe(this.turn);
    this.see(answer.active);
    // A version changes automatically only if it is no longer allowed or if the model can no longer read it.
    for (const { skill, version } of this.active) {
      const old = before.find((each) => each.skill === skill && each.version !== version);
      const known = this.skill(skill).versions.find(({ label }) => label === old?.version);
      if (known !== undefined && !known.yanked && !this.skill(skill).isHidden)
        expect(readable, `${skill} moved`).not.toContain(known.body);
    }
    // The model cannot read versions that are no longer allowed.
    for (const { isHidden, versions } of this.skills)
      for (const version of versions)
        if (isHidden || version.yanked) expect(this.chat.text()).not.toContain(version.body);
  }

  private async load(name: string, reload: boolean): Promise<void> {
    this.lose();
    const answer = await this.chat.load(name, reload ? { reload } : {});
    const current = this.current(name);
    expect(answer.results[0]?.isError === true).toBe(current === null);
    if (current !== null) this.loads = [...this.loads.filter((load) => load.name !== name), { name, turn: this.turn }];
    this.see(answer.active);
    if (current !== null) expect(this.active.find(({ skill }) => skill === name)?.version).toBe(current.label);
  }

  private async unload(name: string): Promise<void> {
    this.lose();
    const answer = await this.chat.step(named("unload_skill", { skill_name: name }));
    const isLoaded = this.loads.some((load) => load.name === name) && !this.selected.includes(name);
    if (!this.options.small) expect(answer.results[0]?.isError !== true).toBe(isLoaded);
    if (isLoaded) this.loads = this.loads.filter((load) => load.name !== name);
    this.see(answer.active);
  }

  private async publish(name: string): Promise<void> {
    const skill = this.skill(name);
    const last = skill.versions.at(-1);
    if (skill.isHidden || last === undefined) return;
    const label = `1.${++this.published}.0`;
    const row = await seedVersion(last.row, this.seed(name, label));
    skill.versions.push(this.version(name, label, row));
  }

  /** Yanks the newest version that has an older one. */
  private async yank(name: string): Promise<void> {
    const { isHidden, versions } = this.skill(name);
    const left = versions.filter(({ yanked }) => !yanked);
    const newest = left.at(-1);
    if (isHidden || newest === undefined || left.length < 2) return;
    const path = `/api/v1/kinds/skills/${newest.row.id}/versions/${newest.row.versionId}/yank`;
    expect((await call("POST", path, { as: this.user.name })).status).toBe(200);
    newest.yanked = true;
  }

  /** Hides a skill from the user, or shows it again. */
  private async move(name: string): Promise<void> {
    const skill = this.skill(name);
    const [{ row }] = skill.versions as [Version];
    const mine = `user:${this.user.name}`;
    const away = `user:away-from-${this.user.name}`;
    await moveSkill({ ...row, scope: skill.isHidden ? away : mine }, skill.isHidden ? mine : away);
    skill.isHidden = !skill.isHidden;
  }

  private async back(turns: number): Promise<void> {
    if (turns === 0) return;
    await this.chat.back(turns);
    const { turn, loads } = readBack(this.chat.said.map(({ message }) => message as unknown as Told));
    this.turn = turn;
    this.loads = loads;
    this.active = [];
    await this.takeTurn({ selected: [], pause: 0, cold: false });
  }

  // --- expectations

  /** Removes skills that the next step loses: hidden ones, and those active at a yanked version. */
  private lose(): void {
    const gone = this.active
      .filter(({ skill, version }) => {
        const { isHidden, versions } = this.skill(skill);
        return isHidden || versions.find(({ label }) => label === version)?.yanked;
      })
      .map(({ skill }) => skill);
    this.loads = this.loads.filter(({ name }) => !gone.includes(name));
    this.selected = this.selected.filter((name) => !gone.includes(name));
  }

  private see(active: Active[]): void {
    this.active = active;
    if (!this.options.small) this.expectNames(active);
    for (const { skill, version, remaining, reason } of active) {
      // A dependency stays as long as the last skill that needs it.
      const keepers = this.loads.filter(({ name }) => name === skill || (skill === NEEDED && name === "needy"));
      if (reason === "loaded")
        expect(
          keepers.map((load) => this.remaining(load.turn)),
          skill,
        ).toContain(remaining);
      const known = this.skill(skill).versions.find(({ label }) => label === version);
      expect(known?.yanked === false && !this.skill(skill).isHidden, `${skill} may be used`).toBe(true);
      expect(this.chat.text(), `${skill} can be read`).toContain(known?.body);
    }
  }

  private expectNames(active: Active[]): void {
    const own = new Set([...this.selected, ...this.loads.map(({ name }) => name)]);
    const names = active.map(({ skill }) => skill);
    expect(names.filter((name) => name !== NEEDED).sort()).toEqual([...own].filter((name) => name !== NEEDED).sort());
    if (own.has(NEEDED)) expect(names).toContain(NEEDED);
    else if (names.includes(NEEDED)) expect(own).toContain("needy");
  }

  private stays(loaded: number): boolean {
    const { retention } = this.options;
    return retention === "conversation" || this.turn <= loaded + retention;
  }

  private remaining(loaded: number): number | null {
    const { retention } = this.options;
    if (retention === "conversation") return null;
    return loaded === this.turn ? retention : loaded + retention - this.turn + 1;
  }

  private current(name: string): Version | null {
    const { isHidden, versions } = this.skill(name);
    return isHidden ? null : (versions.findLast(({ yanked }) => !yanked) ?? null);
  }

  private skill(name: string): Skill {
    const found = this.skills.find((skill) => skill.name === name);
    if (found === undefined) throw new Error(`no skill '${name}'`);
    return found;
  }

  private seed(name: string, label: string) {
    const dependencies = name === "needy" ? [NEEDED] : [];
    const tokens = this.options.small ? 300 : 2_100;
    return { version: label, body: bodyOf(name, label), tokens, dependencies };
  }

  private version(name: string, label: string, row: SeededSkill): Version {
    return { label, body: bodyOf(name, label), row, yanked: false };
  }
}

const bodyOf = (name: string, label: string) => `This is how to ${name} at ${label}.`;

interface Told {
  role: string;
  content?: string;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** Returns the loads recorded in a history, parsed independently of the gateway. */
function readBack(messages: readonly Told[]): { turn: number; loads: { name: string; turn: number }[] } {
  let turn = 0;
  let loads: { name: string; turn: number }[] = [];
  for (const { role, content, tool_calls = [] } of messages) {
    if (role === "user" && content === "Do it.") turn++;
    for (const { id, function: called } of tool_calls) {
      const { skill_name: name } = JSON.parse(called.arguments) as { skill_name: string };
      const result = messages.find((message) => message.tool_call_id === id)?.content ?? "";
      if (result.startsWith("Error")) continue;
      loads = loads.filter((load) => load.name !== name);
      if (called.name === "load_skill") loads.push({ name, turn });
    }
  }
  return { turn, loads };
}
