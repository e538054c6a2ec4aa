// How skills are used, as tests bring it about: hours pass, counts are sent, the day's order is made.

import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "../../src/index";
import { call } from "./call";
import type { Talk } from "./chat-turns";
import { pass, ring } from "./clock";

export const HOUR = 60 * 60_000;

export interface Usage {
  skill_id: string;
  since: string;
  until: string;
  totals: { loads: number; calls: number; failures: number; tokens: number };
  days: { day: string; loads: number; calls: number; failures: number; tokens: number }[];
  versions: { version_id: string; version: string | null; loads: number }[];
}

/** What the gateway says of a skill's use. */
export async function usageOf(id: string, key?: string, query = ""): Promise<Usage> {
  const answer = await call("GET", `/api/v1/kinds/skills/${id}/usage${query}`, key === undefined ? {} : { key });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Lets an hour pass, after which a conversation sends what it has counted. */
export async function sendCounts(chat: Pick<Talk, "route">, user: string): Promise<void> {
  pass(HOUR);
  await ring(chat.route.slice(chat.route.lastIndexOf("/") + 1), user);
}

/** What the cron does every hour. */
export async function keepHouse(): Promise<void> {
  await worker.scheduled(createScheduledController(), env);
}
