// A naive model of a conversation, written from the contract: plain arrays, recomputed on every access. It has no events, folds or derived
// maps and imports nothing from the gateway.

export interface ModelVersion {
  label: string;
  tokens: number;
  /** Dependencies as a name or `name@^major`. The same for all versions of a skill. */
  needs: string[];
  /** Whether the current shell can use it. */
  fits: boolean;
}

export interface ModelSkill {
  id: string;
  name: string;
  /** The user's own skills come before public ones. */
  own: boolean;
  /** Oldest first; the last one is current. */
  versions: ModelVersion[];
  hasBody: boolean;
  hasTools: boolean;
}

export interface ModelSettings {
  retention: number | "conversation";
  maxSkills: number | null;
  maxTokens: number | null;
  /** `null`: every visible skill. */
  skills: string[] | null;
  preload: string[];
}

interface Pin {
  name: string;
  id: string;
  version: ModelVersion;
  /** The dependencies that it was loaded with. */
  needs: string[];
}

export interface ModelActive {
  skill: string;
  version: string;
  remaining: number | null;
  reason: string;
  loaded_in_turn: number;
}

/** The loads and unloads that a history records, per turn. */
export interface ModelHistory {
  turns: { loaded: string[]; unloaded: string[] }[];
}

export class ConversationModel {
  turn = 0;
  /** Whether a turn has begun or a history was restored. */
  begun = false;
  settings: ModelSettings;
  /** Settings of the current turn. */
  running: ModelSettings;
  /** Versions selected for this turn. */
  pins: Pin[] = [];
  loads: { name: string; turn: number }[] = [];
  preloaded: string[] = [];
  selected: string[] = [];
  /** Active skills in the order in which they became active. */
  since: { name: string; turn: number }[] = [];
  uses: { name: string; when: number }[] = [];
  clock = 0;
  keys: { key: string; turn: number }[] = [];
  past: { turn: number; active: ModelActive[] }[] = [];

  constructor(
    readonly registry: ModelSkill[],
    settings: ModelSettings,
  ) {
    this.settings = settings;
    this.running = settings;
  }

  // --- actions of a user

  beginTurn(key: string | null, selected: string[], history: ModelHistory | null): void {
    if (key !== null && this.keys.some((known) => known.key === key)) return;
    if (history !== null && !this.begun) this.restore(history);
    this.running = this.settings;
    this.begun = true;
    this.turn += 1;
    if (key !== null) this.keys.push({ key, turn: this.turn });
    this.loads = this.loads.filter((load) => this.ownRemaining(load.turn) !== "gone");
    this.resolve(this.running.preload, selected);
    this.settle();
    this.makeRoom(null);
    this.settle();
  }

  restore(history: ModelHistory): void {
    this.running = this.settings;
    this.begun = true;
    this.turn = history.turns.length;
    this.keys = this.keys.filter((known) => known.turn <= this.turn);
    this.loads = [];
    for (const [index, { loaded, unloaded }] of history.turns.entries()) {
      for (const name of unloaded) this.loads = this.loads.filter((load) => load.name !== name);
      for (const name of loaded)
        this.loads = [...this.loads.filter((load) => load.name !== name), { name, turn: index + 1 }];
    }
    this.loads = this.loads.filter((load) => this.ownRemaining(load.turn) !== "gone");
    this.since = [];
    this.uses = [];
    this.resolve(this.running.preload, []);
    this.settle();
    this.makeRoom(null);
    this.settle();
  }

  /** Loads a skill. Returns `false` if the result is an error. */
  load(name: string): boolean {
    if (this.turn === 0) this.beginTurn(null, [], null);
    const skill = this.find(name);
    if (skill === null) return false;
    if (this.isActive(name)) {
      this.loaded(name);
      this.use([name]);
      this.settle();
      return true;
    }
    if (!skill.hasBody && !skill.hasTools) return false;
    const fresh = this.versionsFor(
      [name],
      this.pins.filter((pin) => this.isActive(pin.name)),
    );
    if (fresh === null) return false;
    const before = structuredClone({ loads: this.loads, pins: this.pins, since: this.since, uses: this.uses });
    for (const pin of fresh) this.pins = [...this.pins.filter((known) => known.name !== pin.name), pin];
    this.loaded(name);
    this.use(this.closure([name]));
    this.settle();
    if (!this.makeRoom(name)) {
      Object.assign(this, before);
      return false;
    }
    this.settle();
    return true;
  }

  unload(name: string): boolean {
    if (this.turn === 0) this.beginTurn(null, [], null);
    if (!this.isActive(name) || this.preloaded.includes(name) || this.selected.includes(name)) return false;
    if (!this.loads.some((load) => load.name === name)) return false;
    this.loads = this.loads.filter((load) => load.name !== name);
    this.settle();
    return true;
  }

  /** Reads a file of a skill. */
  read(name: string): boolean {
    if (this.turn === 0) this.beginTurn(null, [], null);
    if (this.find(name) === null) return false;
    if (this.isActive(name)) this.use([name]);
    return true;
  }

  /** Removes active skills that are no longer visible, as a repeated turn or a step does. */
  lose(): void {
    for (const pin of [...this.pins]) {
      if (!this.isActive(pin.name) || this.isVisible(pin)) continue;
      this.pins = this.pins.filter((known) => known.name !== pin.name);
      this.loads = this.loads.filter((load) => load.name !== pin.name);
      this.preloaded = this.preloaded.filter((name) => name !== pin.name);
      this.selected = this.selected.filter((name) => name !== pin.name);
    }
    this.settle();
  }

  /** Records the state of this turn. A later change in the same turn replaces it. */
  note(): void {
    if (this.begun)
      this.past = [...this.past.filter((seen) => seen.turn !== this.turn), { turn: this.turn, active: this.active() }];
  }

  // --- visible state

  active(): ModelActive[] {
    const leading = this.closure(this.preloaded);
    const rest = this.since.map((entry) => entry.name).filter((name) => !leading.includes(name) && this.isActive(name));
    return [...leading, ...rest].map((name) => {
      const load = this.loads.find((known) => known.name === name);
      return {
        skill: name,
        version: this.pin(name)?.version.label ?? "",
        remaining: this.remaining(name),
        reason: this.reason(name),
        loaded_in_turn: load?.turn ?? this.since.find((entry) => entry.name === name)?.turn ?? -1,
      };
    });
  }

  /** Returns the skills that a status request shows: without those that are no longer visible. Changes nothing. */
  seen(): ModelActive[] {
    const { pins, loads, preloaded, selected, since } = this;
    this.lose();
    const active = this.active();
    Object.assign(this, { pins, loads, preloaded, selected, since });
    return active;
  }

  loadedInThisTurn(): string[] {
    return this.loads.filter((load) => load.turn === this.turn).map((load) => load.name);
  }

  // --- rules

  private reason(name: string): string {
    if (this.preloaded.includes(name)) return "preloaded";
    if (this.selected.includes(name)) return "selected";
    return this.loads.some((load) => load.name === name) ? "loaded" : "dependency";
  }

  /** Returns the turns left. Loaded in turn T: R in T, then R, R-1 … 1 in T+1 … T+R, then gone. */
  private ownRemaining(loadedIn: number): number | "forever" | "gone" {
    const { retention } = this.running;
    if (retention === "conversation") return "forever";
    const countdown = [retention, ...Array.from({ length: retention }, (_, passed) => retention - passed)];
    return countdown[this.turn - loadedIn] ?? "gone";
  }

  /** Returns the longest time to stay: of the skill itself and of all skills that need it. */
  private remaining(name: string): number | null {
    const grounds: (number | "forever" | "gone")[] = [];
    if (this.preloaded.includes(name)) grounds.push("forever");
    if (this.selected.includes(name)) grounds.push(0);
    for (const load of this.loads) if (load.name === name) grounds.push(this.ownRemaining(load.turn));
    for (const dependant of this.dependants(name)) grounds.push(this.remaining(dependant) ?? "forever");
    if (grounds.includes("forever")) return null;
    return Math.max(...grounds.map((ground) => (typeof ground === "number" ? ground : -1)));
  }

  private dependants(name: string): string[] {
    return this.pins.filter((pin) => this.isActive(pin.name) && pin.needs.includes(name)).map((pin) => pin.name);
  }

  private isActive(name: string): boolean {
    return this.closure(this.direct()).includes(name);
  }

  private direct(): string[] {
    return [...this.preloaded, ...this.selected, ...this.loads.map((load) => load.name)];
  }

  /** Returns the names with all dependencies, dependencies first. */
  private closure(names: readonly string[]): string[] {
    const found: string[] = [];
    const visit = (name: string) => {
      const pin = this.pin(name);
      if (pin === undefined || found.includes(name)) return;
      for (const need of pin.needs) visit(need);
      found.push(name);
    };
    for (const name of names) visit(name);
    return found;
  }

  private pin(name: string): Pin | undefined {
    return this.pins.find((pin) => pin.name === name);
  }

  private loaded(name: string): void {
    const known = this.loads.find((load) => load.name === name);
    if (known === undefined) this.loads.push({ name, turn: this.turn });
    else known.turn = this.turn;
  }

  private use(names: readonly string[]): void {
    this.clock += 1;
    this.uses = [
      ...this.uses.filter((use) => !names.includes(use.name)),
      ...names.map((name) => ({ name, when: this.clock })),
    ];
  }

  private settle(): void {
    const now = this.closure(this.direct());
    this.since = this.since.filter((entry) => now.includes(entry.name));
    for (const name of now) {
      if (!this.since.some((entry) => entry.name === name)) this.since.push({ name, turn: this.turn });
    }
  }

  /** Evicts loaded skills, least recently used first, until the budget is met. Returns `false` if it cannot be met. */
  private makeRoom(keep: string | null): boolean {
    for (;;) {
      const now = this.closure(this.direct());
      const tokens = now.reduce((sum, name) => sum + (this.pin(name)?.version.tokens ?? 0), 0);
      const { maxSkills, maxTokens } = this.running;
      if (now.length <= (maxSkills ?? 1e9) && tokens <= (maxTokens ?? 1e9)) return true;
      const lastUse = (name: string) => this.uses.find((use) => use.name === name)?.when ?? 0;
      const oldest = this.loads
        .map((load) => load.name)
        .filter((name) => name !== keep && !this.preloaded.includes(name) && !this.selected.includes(name))
        .filter((name) => this.dependants(name).length === 0)
        .reduce<string | null>((old, name) => (old === null || lastUse(name) < lastUse(old) ? name : old), null);
      if (oldest === null) return false;
      this.loads = this.loads.filter((load) => load.name !== oldest);
    }
  }

  // --- the registry from this conversation's view

  private find(name: string): ModelSkill | null {
    if (this.running.skills !== null && !this.running.skills.includes(name)) return null;
    const visible = this.registry.filter((skill) => skill.name === name && skill.versions.at(-1)?.fits);
    return visible.find((skill) => skill.own) ?? visible[0] ?? null;
  }

  /** A skill stays visible if another one with its name now comes first, but it must exist and its name must be allowed. */
  private isVisible(pin: Pin): boolean {
    return this.find(pin.name) !== null && this.registry.some((skill) => skill.id === pin.id);
  }

  /** Selects skills in order, each at one version that satisfies all ranges. Skips skills that cannot be satisfied. */
  private resolve(preload: readonly string[], selected: readonly string[]): void {
    const accepted: string[] = [];
    let pins: Pin[] = [];
    for (const name of [...preload, ...selected, ...this.loads.map((load) => load.name)]) {
      if (accepted.includes(name)) continue;
      const together = this.versionsFor([...accepted, name], []);
      if (together === null) continue;
      accepted.push(name);
      pins = together;
    }
    this.pins = pins;
    this.preloaded = preload.filter((name) => accepted.includes(name));
    this.selected = [...new Set(selected)].filter((name) => accepted.includes(name));
    this.loads = this.loads.filter((load) => accepted.includes(load.name));
  }

  /** Whether a skill has a version with this major number. */
  private has(name: string, major: string): boolean {
    return this.find(name)?.versions.some(({ fits, label }) => fits && label.startsWith(`${major}.`)) ?? false;
  }

  /** Returns versions for these skills and all dependencies without changing `fixed`. `null` if a skill cannot be satisfied. */
  private versionsFor(names: readonly string[], fixed: readonly Pin[]): Pin[] | null {
    const all = [...names];
    const met = new Map<string, string[]>();
    const ranges: { name: string; major: string }[] = [];
    for (let index = 0; index < all.length; index++) {
      const name = all[index] ?? "";
      const needs = fixed.find((pin) => pin.name === name)?.needs ?? this.find(name)?.versions.at(-1)?.needs ?? null;
      if (needs === null) return null;
      const bare = needs.filter((need) => !need.includes("@"));
      const isOfSkills = bare.every((need) => this.find(need) !== null);
      met.set(name, isOfSkills ? bare : []);
      for (const need of needs) {
        const [needed = "", range] = need.split("@^");
        const isThere = range === undefined ? isOfSkills : this.has(needed, range);
        if (range !== undefined && !isThere) {
          // A missing dependency is skipped, but conflicts with another fixed version of the same skill.
          const held = fixed.find((pin) => pin.name === needed);
          if (held !== undefined && !held.version.label.startsWith(`${range}.`)) return null;
        }
        if (!isThere) continue;
        if (range !== undefined) met.get(name)?.push(needed);
        if (!all.includes(needed)) all.push(needed);
        if (range !== undefined) ranges.push({ name: needed, major: range });
      }
    }
    const pins: Pin[] = [];
    for (const name of all) {
      const good = (version: ModelVersion) =>
        ranges.every((range) => range.name !== name || version.label.startsWith(`${range.major}.`));
      const held = fixed.find((pin) => pin.name === name);
      const skill = this.find(name);
      const version = held?.version ?? skill?.versions.findLast((candidate) => candidate.fits && good(candidate));
      const id = held?.id ?? skill?.id;
      if (version === undefined || id === undefined || !good(version)) return null;
      pins.push({ name, id, version, needs: held?.needs ?? met.get(name) ?? [] });
    }
    return pins;
  }
}
