// Requests catalog pages as visitors do, without a key.

import { expect } from "vitest";
import { askWith } from "./app";
import { call } from "./call";
import { publishPublic } from "./chat-turns";
import type { SkillFixture } from "./skill";

/** Requests a page of a gateway whose catalog is on. Each request has an empty cache. */
export const visit = (path: string, settings: Record<string, string> = {}, headers: Record<string, string> = {}) =>
  askWith({ PUBLIC_CATALOG: "on", ...settings }, path, { headers });

/** Returns the HTML of a page that exists. */
export async function pageAt(path: string, settings: Record<string, string> = {}): Promise<string> {
  const answer = await visit(path, settings);
  expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, 200, "text/html; charset=utf-8"]);
  return answer.text();
}

/** Publishes a public skill and opens it. */
export async function publishOpened(skill: SkillFixture) {
  const published = await publishPublic(skill);
  expect((await call("PUT", `/api/v1/open-skills/${published.id}`)).status).toBe(200);
  return published;
}

/** Returns the titles of the cards on a list, as a reader sees them. */
export function titlesOf(page: string): string[] {
  return [...page.matchAll(/<li class="card">\s*<h2><a [^>]*><bdi>([^<]*)<\/bdi>/g)].map(([, title = ""]) => title);
}
