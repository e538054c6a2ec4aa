// A site with skills for import tests: its responses by path, the received requests, and imports of it.

import { env } from "cloudflare:workers";
import { strToU8, zipSync } from "fflate";
import { expect, vi } from "vitest";
import { sha256Hex } from "../../src/domain/digest";
import { call } from "./call";
import type { SkillFixture } from "./skill";

export const IMPORTS = "/api/v1/imports";

type Answer = () => Response | Promise<Response>;

export interface Item {
  name: string;
  state: string;
  problem: { code: string; message: string } | null;
  run: number;
  skill_id: string | null;
  version_id: string | null;
  removed_at: string | null;
}

export interface Report {
  id: string;
  state: string;
  problem: { code: string; message: string } | null;
  mirror: boolean;
  run: number;
  cursor: string | null;
  total: number | null;
  next_at: string | null;
  counts: Record<string, number>;
  items: Item[];
  next_cursor: string | null;
}

let sites = 0;

/** A site for one test. It returns 404 for paths without a response. */
export class Site {
  readonly origin = `https://site-${++sites}.skills.dev`;
  readonly asked: { url: string; headers: Headers }[] = [];
  readonly #answers = new Map<string, Answer>();

  /** Replaces the network for all sites at once. */
  static open(...all: Site[]): void {
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : String(input));
      const site = all.find(({ origin }) => origin === url.origin);
      if (site === undefined) throw new TypeError(`nobody is at ${url.origin}`);
      site.asked.push({ url: url.pathname + url.search, headers: new Headers(init?.headers) });
      return (site.#answers.get(url.pathname) ?? (() => new Response("nothing", { status: 404 })))();
    });
  }

  says(path: string, answer: Answer | BodyInit | object): void {
    const isPlain = typeof answer === "string" || answer instanceof Uint8Array;
    const made = () => (isPlain ? new Response(answer as BodyInit) : Response.json(answer));
    this.#answers.set(path, typeof answer === "function" ? (answer as Answer) : made);
  }

  /** Returns the requested paths, without those of indexes. */
  get fetched(): string[] {
    return this.asked.map(({ url }) => url).filter((url) => !url.endsWith("index.json"));
  }

  forget(): void {
    this.asked.length = 0;
  }

  /** Serves an index of version 0.2 with these skills and additional raw entries. */
  async index(skills: SkillFixture[], more: unknown[] = []): Promise<void> {
    const entries = [];
    for (const skill of skills) {
      const bytes = flatZip(skill);
      this.says(`/.well-known/agent-skills/${skill.name}.zip`, bytes);
      entries.push(await entryOf(skill.name ?? "", bytes));
    }
    this.says("/.well-known/agent-skills/index.json", { $schema: SCHEMA, skills: [...entries, ...more] });
  }
}

export const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

export async function entryOf(name: string, bytes: Uint8Array, more: object = {}) {
  const digest = `sha256:${await sha256Hex(bytes)}`;
  return { name, type: "archive", description: "Does it.", url: `${name}.zip`, digest, ...more };
}

/** Returns a ZIP of a skill's files without a top folder. */
export function flatZip(skill: SkillFixture): Uint8Array<ArrayBuffer> {
  const { name = "demo", body = "Do it like this.", files = {} } = skill;
  const text = `---\nname: ${name}\ndescription: Shows ${name}.\n---\n\n${body}\n`;
  const all = Object.entries({ "SKILL.md": text, ...files });
  const entries = all.map(([path, data]) => [path, typeof data === "string" ? strToU8(data) : data] as const);
  // The bytes must not vary, because indexes contain their digest.
  return new Uint8Array(zipSync(Object.fromEntries(entries), { mtime: "1980-01-01" }));
}

/** Begins an import. */
export async function begin(key: string | undefined, json: object): Promise<Report> {
  const answer = await call("POST", IMPORTS, { ...(key === undefined ? {} : { key }), json });
  const body = await answer.json<Report>();
  expect([answer.status, body]).toMatchObject([202, { state: "running" }]);
  return body;
}

/** Begins an import of a site's index. */
export const beginIndex = (key: string | undefined, { origin }: Site, more: object = {}) =>
  begin(key, { source: { type: "index", url: origin }, ...more });

export async function reportOf(key: string | undefined, id: string, query = ""): Promise<Report> {
  const answer = await call("GET", `${IMPORTS}/${id}${query}`, key === undefined ? {} : { key });
  const body = await answer.json<Report>();
  expect([answer.status, body]).toMatchObject([200, {}]);
  return body;
}

/** Waits until the import has ended and returns the report. */
export async function over(key: string | undefined, { id }: Pick<Report, "id">): Promise<Report> {
  return vi.waitFor(
    async () => {
      const report = await reportOf(key, id);
      expect(report.state).not.toBe("running");
      return report;
    },
    { timeout: 30_000, interval: 20 },
  );
}

/** Returns the result of each skill, by name. */
export const fates = ({ items }: Report) =>
  Object.fromEntries(items.map(({ name, state, problem }) => [name, problem?.code ?? state]));

export const importObject = (id: string) => env.IMPORTS.getByName(id);
