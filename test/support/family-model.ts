// Models a family of refresh tokens without D1. Random histories are compared with it.

import { type Family, meaningOf } from "../../src/domain/sign-in/token-family";

/** Default of `OAUTH_REFRESH_GRACE_S`, in milliseconds. */
export const GRACE = 600_000;

/** The state in D1 and the responses, in one order and with one clock. */
export class FamilyModel {
  family: Family = { current: "t0", generation: 0, previous: null, rotatedAt: null, arrived: -1 };
  now = 0;
  ended = false;
  /** When each generation was last exchanged while its successor was still unused, and when a token from that exchange was first used. */
  exchangedAt: number[] = [];
  usedAt: number[] = [];

  /** Presents a refresh token. Returns the generation of the response, or `null`. */
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

  /** Uses the access token of a response, which proves that the response arrived. */
  use(generation: number): void {
    this.usedAt[generation] ??= this.now;
    this.family = { ...this.family, arrived: Math.max(this.family.arrived, generation) };
  }

  /** Returns an independent copy. */
  copy(): FamilyModel {
    const copy = Object.assign(new FamilyModel(), this);
    return Object.assign(copy, { exchangedAt: [...this.exchangedAt], usedAt: [...this.usedAt] });
  }
}
