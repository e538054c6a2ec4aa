// Produces usage statistics of skills: advances the clock, sends counts, and runs the hourly cron.

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

/** Returns the usage statistics of a skill. */
export async function usageOf(id: string, key?: string, query = ""): Promise<Usage> {
  const answer = await call("GET", `/api/v1/kinds/skills/${id}/usage${query}`, key === undefined ? {} : { key });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Advances the clock by an hour, after which a conversation sends its counts. */
export async function sendCounts(chat: Pick<Talk, "route">, user: string): Promise<void> {
  pass(HOUR);
  await ring(chat.route.slice(chat.route.lastIndexOf("/") + 1), user);
}

/** Runs the hourly cron. */
export async function runCron(): Promise<void> {
  await worker.scheduled(createScheduledController(), env);
}
