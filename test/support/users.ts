// Creates users with helpers for their conversations over HTTP, and types of the responses.

import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { call } from "./call";
import { seedSkill } from "./registry";

export const BASE = "/api/v1/conversations";

export interface Active {
  skill: string;
  version: string | null;
  remaining: number | null;
  reason: string;
  loaded_in_turn: number;
}
export interface Result {
  id: string;
  name: string;
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}
export interface Body {
  id: string;
  code: string;
  issues: { code: string; path: string }[];
  turn: number;
  ghost: string | null;
  settings: Record<string, unknown>;
  active: Active[];
  prompt?: { system: string; messages: unknown[] };
  system: string;
  tools?: { name: string }[];
  etag: string;
  changed: boolean;
  results: Result[];
  messages: unknown[];
  unhandled: unknown[];
  loaded_skills: string[];
  tokens: { static: number; actual: number };
  warnings: { code: string; path?: string }[];
  items: { id: string; ghost: string | null }[];
  next_cursor: string | number | null;
  events: { seq: number; type: string; turn: number; at: string }[];
}
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

let users = 0;

/**
 * Creates a user with helpers for conversations.
 *
 * @param settings of the conversations that `put` and `turn` create, unless their format is `anthropic`. Default delivery is `system`,
 * because most tests read loaded instructions in the prompt. The gateway's default, `auto`, has its own tests.
 */
export function someone(name = `user-${users++}`, settings: object = { delivery: "system" }) {
  const send = async (
    method: string,
    path: string,
    json?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const response = await call(method, `${BASE}${path}`, { as: name, json, headers });
    const text = await response.text();
    const body = (text.startsWith("{") ? JSON.parse(text) : {}) as Body;
    return { status: response.status, headers: response.headers, text, body };
  };
  const ok = async (method: string, path: string, json?: unknown): Promise<Body> => {
    const answer = await send(method, path, json);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  const withSettings = (json: { format?: string }, format = json.format) =>
    format === "anthropic" ? json : { ...settings, ...json };
  return {
    name,
    send,
    get: (path: string) => ok("GET", path),
    put: (path: string, json: object) => ok("PUT", path, /^\/[^/]+$/.test(path) ? withSettings(json) : json),
    post: (path: string, json?: unknown) => ok("POST", path, json),
    turn: (id: string, json: { format?: string; conversation?: object; [field: string]: unknown } = {}) => {
      const { conversation, ...rest } = json;
      const given = conversation === undefined ? {} : { conversation: withSettings({ ...conversation }, json.format) };
      return ok("POST", `/${id}/turns`, { ...rest, ...given });
    },
    calls: (id: string, ...calls: object[]) => ok("POST", `/${id}/tool-calls`, { calls }),
    load: (id: string, ...names: string[]) =>
      ok("POST", `/${id}/tool-calls`, { calls: names.map((skill) => load(skill)) }),
    stub: (id: string): DurableObjectStub => env.CONVERSATIONS.getByName(JSON.stringify([name, id])),
    seed: (skill: Parameters<typeof seedSkill>[0]) => seedSkill({ scope: `user:${name}`, ...skill }),
  };
}

let calls = 0;
export const named = (name: string, args: object) => ({ id: `call-${calls++}`, name, arguments: args });
export const load = (skill: string) => named("load_skill", { skill_name: skill });
export const read = (skill: string, more: object = {}) => named("read_skill", { skill_name: skill, ...more });
export const textOf = (body: Body) => body.results.map((result) => result.content[0]?.text ?? "");
export const activeIn = (body: Body) => body.active.map((active) => active.skill);
export const history = (...skills: string[]) =>
  skills.flatMap((skill) => [
    { role: "user", content: "Do it" },
    { role: "assistant", content: "Done.", loaded_skills: [skill] },
  ]);
