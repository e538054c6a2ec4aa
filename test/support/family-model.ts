// The gateway's side of a family of refresh tokens, without D1: what random histories are compared with.

import { type Family, meaningOf } from "../../src/domain/sign-in/token-family";

/** Milliseconds, as `OAUTH_REFRESH_GRACE_S` says where nobody sets it. */
export const GRACE = 600_000;

/** What D1 keeps, and what is answered, in one order and at one clock. */
export class FamilyModel {
  family: Family = { current: "t0", generation: 0, previous: null, rotatedAt: null, arrived: -1 };
  now = 0;
  ended = false;
  /** When each generation was last exchanged before anybody had its successor, and when somebody first used what came of it. */
  exchangedAt: number[] = [];
  usedAt: number[] = [];

  /** The generation that is answered, or `null`. */
  show(generation: number): number | null {
    if (this.ended) return null;
    const { family } = this;
    const meaning = meaningOf(family, { hash: `t${generation}`, generation }, { now: this.now, grace: GRACE });
    if (meaning === "stolen") this.ended = true;
    if (meaning === "stolen" || meaning === "unknown") return null;
    if (meaning === "newest") {
      const next = family.generation + 1;
      this.family = { ...family, current: `t${next}`, generation: next, previous: family.current };
    }
    if (this.family.arrived < this.family.generation) {
      this.family = { ...this.family, rotatedAt: this.now };
      this.exchangedAt[generation] = this.now;
    }
    return this.family.generation;
  }

  /** The access token of an answer is used: the answer has arrived. */
  use(generation: number): void {
    this.usedAt[generation] ??= this.now;
    this.family = { ...this.family, arrived: Math.max(this.family.arrived, generation) };
  }

  /** The same, apart from this one. */
  copy(): FamilyModel {
    const copy = Object.assign(new FamilyModel(), this);
    return Object.assign(copy, { exchangedAt: [...this.exchangedAt], usedAt: [...this.usedAt] });
  }
}
