// A user with skills that are easy to tell apart, and turns with a message.

import { expect } from "vitest";
import type { ConversationEvent } from "../../src/domain/conversation/event";
import type { AutoTurn } from "./cached-chat";
import type { SeededSkill } from "./registry";
import { type Body, someone } from "./users";

const DESCRIPTIONS = {
  postgres: "Tunes slow queries of a PostgreSQL database and plans its indexes.",
  haiku: "Writes a short poem about a season.",
  "travel-plan": "Plans a journey by train with hotels and costs.",
  "csv-report": "Summarizes a table as a report with a chart.",
  invoice: "Writes invoices with taxes and due dates.",
  garden: "Advises on vegetables, soil and watering.",
  kubernetes: "Debugs pods, deployments and clusters.",
  resume: "Improves a curriculum for an application.",
  recipe: "Cooks dishes from given ingredients.",
  chess: "Analyzes positions and openings.",
  podcast: "Edits episodes and transcripts.",
  tailoring: "Sews trousers and shirts.",
};

/** A message that clearly needs `postgres`, one that needs `haiku`, and one that needs no skill. */
export const SLOW = "Please tune this slow Postgres query: the database does not use its indexes.";
export const POEM = "Write a haiku, a short poem about the season of winter.";
export const THANKS = "Thanks, that is all for now.";

/** The model and the history make a prediction pay. */
export const PAYING = { format: "openai", model: "gpt-5.4", history_tokens: 40_000 };

/** Creates a user whose catalog is too large to be preloaded whole. */
export async function predictedUser(tokens = 700) {
  const user = someone(undefined, {});
  const skills = new Map<string, SeededSkill>();
  for (const [name, description] of Object.entries(DESCRIPTIONS))
    skills.set(name, await user.seed({ name, description, body: `How to do ${name}.`, tokens }));
  const say = async (id: string, message: string, more: object = {}) =>
    (await user.turn(id, { ...PAYING, message, ...more })) as AutoTurn;
  return { user, say, skills };
}

/** Returns the events of a conversation. */
export async function eventsIn(user: ReturnType<typeof someone>, id: string): Promise<ConversationEvent[]> {
  const { events } = (await user.get(`/${id}/events`)) as Body & { events: (ConversationEvent & { seq: number })[] };
  return events;
}

/** Returns the predictions of a conversation by turn; `undefined` for turns without one. */
export async function predictionsIn(user: ReturnType<typeof someone>, id: string) {
  return (await eventsIn(user, id)).flatMap((event) => (event.type === "turn" ? [event.prediction] : []));
}

/** Expects that a turn appended nothing. */
export function expectNothingAppended(turn: AutoTurn): void {
  expect([turn.append, turn.active]).toEqual([undefined, []]);
}
