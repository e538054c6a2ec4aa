// A conversation under delivery `auto` with a naive model beside it: who is active is worked out from plain lists, and whether the model
// can read what it should is looked up in the text of the request.

import { expect } from "vitest";
import { CachedChat } from "./cached-chat";
import { call } from "./call";
import { holdClock, pass } from "./clock";
import { clearRegistry, moveSkill, type SeededSkill, seedVersion } from "./registry";
import { type Active, named, someone } from "./users";

/** The last one needs the first. */
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
  /** Whether the catalog is so small that it is preloaded whole. Who is active then is the front's to say. */
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
  /** Whether a history was cut that the gateway has not heard of. */
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
        // Only who says what it has may forget in the middle of a turn and be understood.
        return this.takeTurn({ selected: [], pause: 0, cold: false });
      case "back":
        return this.back(step.turns);
    }
  }

  // --- what is done

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
    // Who says no more than that something is lost is told all anew.
    const isCut = this.forgot && !this.options.have;
    // What is preloaded moves in a cold moment, since then it costs nothing.
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
    // A version moves by itself only where it may not be used any more, or where nobody can read it.
    for (const { skill, version } of this.active) {
      const old = before.find((each) => each.skill === skill && each.version !== version);
      const known = this.skill(skill).versions.find(({ label }) => label === old?.version);
      if (known !== undefined && !known.yanked && !this.skill(skill).isHidden)
        expect(readable, `${skill} moved`).not.toContain(known.body);
    }
    // What may not be used any more is read by nobody.
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

  /** Yanks the newest version of which an older one is left. */
  private async yank(name: string): Promise<void> {
    const { isHidden, versions } = this.skill(name);
    const left = versions.filter(({ yanked }) => !yanked);
    const newest = left.at(-1);
    if (isHidden || newest === undefined || left.length < 2) return;
    const path = `/api/v1/kinds/skills/${newest.row.id}/versions/${newest.row.versionId}/yank`;
    expect((await call("POST", path, { as: this.user.name })).status).toBe(200);
    newest.yanked = true;
  }

  /** Takes a skill away from the user, or gives it back. */
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

  // --- what is expected

  /** At the next step a skill is lost that is out of sight, or active at a version that was yanked. */
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
      // What another skill needs stays as long as the one that stays longest.
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

/** What a history says was loaded, read as a person would. */
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
