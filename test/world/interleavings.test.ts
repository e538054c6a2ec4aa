// Writes, replica lag, isolates and time in random order, compared with a model that records the true state over time. An answer can be as
// old as the time limit, but never older than a write of its isolate or its bookmark, and never another user's.

import fc from "fast-check";
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { call } from "../support/call";
import { published } from "../support/chat-turns";
import { holdClock, pass, releaseClock } from "../support/clock";
import { form, skillZip } from "../support/skill";
import { at, beginWorld, endWorld } from "../support/world/pool";

const world = await beginWorld();
afterAll(endWorld);
beforeEach(holdClock);
afterEach(releaseClock);

/** The maximum age of an answer: the default of `IDENTITY_MEMORY_S`, in milliseconds. */
const BOUND = 10_000;
const SKILLS = "/api/v1/kinds/skills";
const USERS = [0, 1] as const;
const ISOLATES = ["north", "south", "east"] as const;
/** Two skills of each user's own, and two of the group. */
const NAMES = ["own-0", "own-1", "shared-0", "shared-1"] as const;

type User = (typeof USERS)[number];
type Operation =
  | { do: "toggle"; user: User; name: number; where: number }
  | { do: "join"; user: User; where: number }
  | { do: "list"; user: User; where: number; bookmark: boolean }
  | { do: "turn"; user: User; where: number }
  | { do: "revoke"; user: User; where: number }
  | { do: "lag"; ms: 0 | 1_000 | 10_000 }
  | { do: "pass"; ms: 900 | 4_000 | 6_000 | 10_001 };

const user = fc.constantFrom(...USERS);
const where = fc.nat(ISOLATES.length - 1);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("toggle"), user, name: fc.nat(NAMES.length - 1), where }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("join"), user, where }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("list"), user, where, bookmark: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("turn"), user, where }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("revoke"), user, where }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("lag"), ms: fc.constantFrom(0, 1_000, 10_000) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("pass"), ms: fc.constantFrom(900, 4_000, 6_000, 10_001) }) },
) as fc.Arbitrary<Operation>;

/** Something that was so or not, and when that changed. */
class Fact {
  readonly #changes: { at: number; now: boolean }[] = [{ at: 0, now: false }];

  get now(): boolean {
    return this.#changes.at(-1)?.now ?? false;
  }

  set(now: boolean): void {
    this.#changes.push({ at: Date.now(), now });
  }

  /** Whether it was `wanted` at some moment from then until now. */
  was(wanted: boolean, since: number): boolean {
    return this.#changes.some(
      ({ now }, n) => now === wanted && (this.#changes[n + 1]?.at ?? Number.POSITIVE_INFINITY) > since,
    );
  }
}

let runs = 0;

class Run {
  readonly #prefix = `run${++runs}`;
  readonly #keys = new Map<User, { id: string; key: string; live: Fact; bookmark: string; wroteAt: number }>();
  readonly #skills = new Map<string, { id: string | null; there: Fact }>();
  readonly #member = new Map<User, Fact>(USERS.map((one) => [one, new Fact()]));
  /** When each isolate last wrote. */
  readonly #wrote = new Map<string, number>();
  readonly #group = `${this.#prefix}-group`;

  async begin(): Promise<void> {
    world.catchUp();
    await this.#send("office", "POST", "/api/v1/groups", { json: { name: this.#group } });
    await this.#send("office", "PUT", `/api/v1/groups/${this.#group}/members/${this.#prefix}-owner`, {
      json: { role: "Owner" },
    });
    for (const one of USERS) await this.#newKey(one, "office");
    await world.settle();
  }

  async do(op: Operation): Promise<void> {
    pass(1);
    if (op.do === "lag") return world.lag({ ms: op.ms });
    if (op.do === "pass") return pass(op.ms);
    const isolate = ISOLATES[op.where] ?? "north";
    if (op.do === "toggle") await this.#toggle(isolate, op.user, NAMES[op.name] ?? "own-0");
    else if (op.do === "join") await this.#join(isolate, op.user);
    else if (op.do === "revoke") await this.#revoke(isolate, op.user);
    else if (op.do === "list") await this.#list(isolate, op.user, op.bookmark);
    else await this.#turn(isolate, op.user);
    await world.settle();
  }

  async #send(isolate: string, method: string, path: string, options: Parameters<typeof call>[2] = {}) {
    const answer = await call(method, path, { ...options, headers: { ...options.headers, ...at(isolate) } });
    if (answer.status >= 500) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }

  #of(one: User) {
    const known = this.#keys.get(one);
    if (known === undefined) throw new Error("no key");
    return known;
  }

  async #newKey(one: User, isolate: string): Promise<void> {
    const answer = await this.#send(isolate, "POST", "/api/v1/keys", { json: { user_id: `${this.#prefix}-${one}` } });
    const live = new Fact();
    live.set(true);
    const bookmark = answer.headers.get("x-d1-bookmark") ?? "";
    this.#keys.set(one, { ...(await answer.json<{ id: string; key: string }>()), live, bookmark, wroteAt: Date.now() });
    this.#wrote.set(isolate, Date.now());
  }

  async #revoke(isolate: string, one: User): Promise<void> {
    const { id, key, live } = this.#of(one);
    const answer = await this.#send(isolate, "DELETE", `/api/v1/keys/${id}`);
    expect(answer.status).toBe(204);
    live.set(false);
    this.#wrote.set(isolate, Date.now());
    expect((await this.#send(isolate, "GET", SKILLS, { key })).status).toBe(401);
    for (const other of ISOLATES) {
      const { status } = await this.#send(other, "GET", `${SKILLS}?limit=1`, { key });
      expect(status === 401 || live.was(true, this.#floor(other))).toBe(true);
      await world.settle();
    }
    pass(BOUND + 1);
    for (const other of ISOLATES) expect((await this.#send(other, "GET", SKILLS, { key })).status).toBe(401);
    await this.#newKey(one, isolate);
  }

  async #toggle(isolate: string, one: User, name: string): Promise<void> {
    const shared = name.startsWith("shared");
    const title = this.#nameOf(one, name);
    const known = this.#skills.get(title) ?? { id: null, there: new Fact() };
    this.#skills.set(title, known);
    const key = this.#of(one);
    const credentials = shared ? {} : { key: key.key };
    let answer: Response;
    if (known.id === null) {
      const body = form(skillZip({ name: title }), { namespace: shared ? this.#group : "default" });
      answer = await this.#send(isolate, "POST", `${SKILLS}/upload`, {
        ...(shared ? { as: `${this.#prefix}-owner` } : credentials),
        body,
      });
      known.id = (await published(answer.clone())).id;
    } else {
      answer = await this.#send(isolate, "DELETE", `${SKILLS}/${known.id}`, credentials);
      expect(answer.status).toBe(204);
      known.id = null;
    }
    known.there.set(known.id !== null);
    this.#wrote.set(isolate, Date.now());
    if (!shared) Object.assign(key, { bookmark: answer.headers.get("x-d1-bookmark") ?? "", wroteAt: Date.now() });
  }

  async #join(isolate: string, one: User): Promise<void> {
    const fact = this.#member.get(one) ?? new Fact();
    const path = `/api/v1/groups/${this.#group}/members/${this.#prefix}-${one}`;
    const answer = fact.now
      ? await this.#send(isolate, "DELETE", path)
      : await this.#send(isolate, "PUT", path, { json: { role: "Reporter" } });
    expect(answer.status).toBeLessThan(300);
    fact.set(!fact.now);
    this.#wrote.set(isolate, Date.now());
  }

  async #list(isolate: string, one: User, withBookmark: boolean): Promise<void> {
    const { key, bookmark, wroteAt } = this.#of(one);
    const headers: Record<string, string> = withBookmark ? { "x-d1-bookmark": bookmark } : {};
    const answer = await this.#send(isolate, "GET", `${SKILLS}/unified`, { key, headers });
    expect(answer.status).toBe(200);
    this.#judge(one, await answer.text(), Math.max(this.#floor(isolate), withBookmark ? wroteAt : 0));
  }

  async #turn(isolate: string, one: User): Promise<void> {
    const { key } = this.#of(one);
    const path = `/api/v1/conversations/${this.#prefix}-chat/turns`;
    const answer = await this.#send(isolate, "POST", path, { key, json: { conversation: {} } });
    expect(answer.status).toBe(200);
    const { prompt } = await answer.json<{ prompt: { system: string } }>();
    this.#judge(one, prompt.system, this.#floor(isolate));
  }

  #floor(isolate: string): number {
    return Math.max(Date.now() - BOUND, this.#wrote.get(isolate) ?? 0);
  }

  #nameOf(one: User, name: string): string {
    return name.startsWith("shared") ? `${this.#prefix}-${name}` : `${this.#prefix}-of-${one}-${name}`;
  }

  /**
   * Checks each skill against its history since then: if the text contains it, the reader had access at some moment; otherwise the reader
   * lacked access at some moment.
   */
  #judge(one: User, text: string, since: number): void {
    const member = this.#member.get(one) ?? new Fact();
    for (const [title, { there }] of this.#skills) {
      const isShared = title.includes("-shared-");
      const isMine = isShared || title.startsWith(`${this.#prefix}-of-${one}-`);
      const shown = new RegExp(`\\b${title}\\b`).test(text);
      const may = isMine && there.was(true, since) && (!isShared || member.was(true, since));
      const mayNot = !isMine || there.was(false, since) || (isShared && member.was(false, since));
      expect({ title, shown, may: shown ? may : mayNot }).toEqual({ title, shown, may: true });
    }
  }
}

it("no answer is older than the bound, than its isolate's or its bookmark's writes, or another's", {
  timeout: 240_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 6, maxLength: 14 }), async (operations) => {
      const run = new Run();
      await run.begin();
      for (const op of operations) await run.do(op);
    }),
    { numRuns: 12, seed: 20261122, endOnFailure: true },
  );
});
