// Counts a conversation's use of skills and servers until it is added to the shared counts. Counts contain no users.

import * as z from "zod";
import { dayOf } from "../access/quota";
import { DURATIONS } from "../durations";
import { CONVERSATION_LIMITS } from "../limits";
import { activeSkills, type ConversationState } from "./activation";
import type { ConversationEvent } from "./event";
import {
  NO_PREDICTIONS,
  type PredictionCount,
  type PredictionSums,
  predictionCountSchema,
  sumOfPredictions,
} from "./prediction/counts";

/** Counts of earlier gateways have none of these. */
const sinceInsights = () => z.number().default(0);

const countSchema = z.lazy(() =>
  z.object({
    day: z.number(),
    /** Start of the hour. Absent in counts of earlier gateways. */
    hour: z.number().optional(),
    skill_id: z.string(),
    version_id: z.string(),
    /** Number of loads by name and new selections by the user. Preloads do not count. */
    loads: z.number(),
    /** Calls of its tools and scripts, and those of them that failed. */
    calls: z.number(),
    failures: z.number(),
    /** Tokens of its instructions each time they were sent, also as a dependency. */
    tokens: z.number(),
    /** Votes of its loads for the shared order: one per conversation, skill and day. */
    votes: z.number(),
    /** Number of results of `find_skill` that contained it. */
    found: sinceInsights(),
    /** Script runs by outcome. Each is also one of `calls`. */
    scripts_ok: sinceInsights(),
    scripts_failed: sinceInsights(),
    scripts_killed: sinceInsights(),
    /** Turns with good and with bad feedback in which it was active. Negative if earlier feedback was replaced. */
    liked: sinceInsights(),
    disliked: sinceInsights(),
  }),
);

/** Turns of a day in which the model was shown a list of skills. `list` is its number in the conversation's store. */
const listedSchema = z.lazy(() => z.object({ day: z.number(), list: z.number(), turns: z.number() }));
/** The same, with the skills of the list as JSON: `[[skill_id, version_id], …]`. */
const listingSchema = z.lazy(() => z.object({ day: z.number(), skills: z.string(), turns: z.number() }));

/** Calls of a stored MCP server in a day, and those of them that failed. */
const serverCallsSchema = z.lazy(() =>
  z.object({ day: z.number(), scope: z.string(), name: z.string(), calls: z.number(), failures: z.number() }),
);

/** A search without a result. Only with `INSIGHT_QUERIES`. */
const querySchema = z.lazy(() => z.object({ at: z.number(), query: z.string() }));

/** Searches in an hour, and those of them without a result. */
const searchesSchema = z.lazy(() => z.object({ hour: z.number(), searches: z.number(), empty: z.number() }));

export const usesSchema = z.lazy(() =>
  z.object({
    /** Time of the next batch, in milliseconds since the epoch; `null`: nothing to send. */
    due: z.number().nullable(),
    counts: z.array(countSchema),
    /** Predictions by agent and day. Absent in counts of earlier gateways, as the following lists. */
    predictions: z.array(predictionCountSchema).default([]),
    listed: z.array(listedSchema).default([]),
    servers: z.array(serverCallsSchema).default([]),
    searches: z.array(searchesSchema).default([]),
    queries: z.array(querySchema).default([]),
    /** A batch that was sent and may have arrived. It is sent again unchanged, so that its id identifies it. */
    sent: z
      .object({
        id: z.string(),
        at: z.number(),
        counts: z.array(countSchema),
        predictions: z.array(predictionCountSchema).default([]),
        listings: z.array(listingSchema).default([]),
        servers: z.array(serverCallsSchema).default([]),
        searches: z.array(searchesSchema).default([]),
        queries: z.array(querySchema).default([]),
      })
      .nullable(),
    /** Skills for which this conversation has voted on a day. */
    voted: z.object({ day: z.number(), skills: z.array(z.string()) }),
  }),
);

export type UseCount = z.infer<typeof countSchema>;
/** Counts not confirmed as received. */
export type Uses = z.infer<typeof usesSchema>;
export type UseBatch = NonNullable<Uses["sent"]>;

/** The numbers that are counted for each use of a version, and added up everywhere. */
export const USE_COUNTS = [
  "loads",
  "calls",
  "failures",
  "tokens",
  "found",
  "scripts_ok",
  "scripts_failed",
  "scripts_killed",
  "liked",
  "disliked",
] as const;

/** One use of a version of a skill. Absent numbers are 0. */
export type SkillUse = { skill_id: string; version_id: string } & { [N in (typeof USE_COUNTS)[number]]?: number };

export const NO_USES: Uses = {
  due: null,
  counts: [],
  predictions: [],
  listed: [],
  servers: [],
  searches: [],
  queries: [],
  sent: null,
  voted: { day: 0, skills: [] },
};

const HOUR_MS = 60 * 60_000;

/** Returns the start of the hour, in milliseconds since the epoch. */
export const hourOf = (now: number): number => now - (now % HOUR_MS);

/** Returns the uses that an event implies, given the state before it. */
export function usesIn(state: ConversationState, event: ConversationEvent): SkillUse[] {
  if (event.type !== "loaded" && event.type !== "turn") return [];
  const active = new Set(activeSkills(state).map(({ skill }) => skill.version_id));
  if (event.type === "turn") {
    const chosen = event.skills.filter(
      ({ name, version_id }) => event.selected.includes(name) && !active.has(version_id),
    );
    const loaded = chosen.map(({ skill_id, version_id, tokens }) => ({ skill_id, version_id, loads: 1, tokens }));
    return [...loaded, ...predictedUse(event, active)];
  }
  // A tool call reactivated it; this is not a load.
  if (event.used === true) return [];
  return event.skills.flatMap(({ name, skill_id, version_id, tokens }) => {
    const shownTokens = event.delivered.includes(name) || !active.has(version_id) ? tokens : 0;
    const loads = name === event.name ? 1 : 0;
    return loads + shownTokens === 0 ? [] : [{ skill_id, version_id, loads, tokens: shownTokens }];
  });
}

/** Returns the tokens of a predicted skill that was appended. The model did not load it, so it is no vote for the shared order. */
function predictedUse(
  { prediction, skills }: Extract<ConversationEvent, { type: "turn" }>,
  active: ReadonlySet<string>,
): SkillUse[] {
  if (prediction?.skill?.appended !== true) return [];
  const { version_id: appended } = prediction.skill;
  return skills
    .filter(({ version_id }) => version_id === appended && !active.has(version_id))
    .map(({ skill_id, version_id, tokens }) => ({ skill_id, version_id, tokens }));
}

/** Adds counts of predictions. */
export function addPrediction(uses: Uses, { agent, sums }: { agent: string; sums: PredictionSums }, now: number): Uses {
  const day = dayOf(now);
  const isSame = (count: PredictionCount) => count.day === day && count.agent === agent;
  const before = uses.predictions.find(isSame);
  if (before === undefined && uses.predictions.length >= CONVERSATION_LIMITS.countedAgents) return uses;
  const next = { day, agent, ...sumOfPredictions(before ?? NO_PREDICTIONS, sums) };
  return {
    ...uses,
    due: uses.due ?? now + DURATIONS.useKept,
    predictions: [...uses.predictions.filter((count) => !isSame(count)), next],
  };
}

/** Adds one use. The first one determines when the batch is due. */
export function addUse(uses: Uses, use: SkillUse, now: number): Uses {
  const [day, hour] = [dayOf(now), hourOf(now)];
  const { skill_id, version_id } = use;
  const same = (count: UseCount) => (count.hour ?? count.day) === hour && count.version_id === version_id;
  const before = uses.counts.find(same);
  if (before === undefined && uses.counts.length >= CONVERSATION_LIMITS.activeSkills) return uses;
  const voted = uses.voted.day === day ? uses.voted.skills : [];
  const isVote = (use.loads ?? 0) > 0 && !voted.includes(skill_id);
  const sum = { ...(before ?? { ...NOTHING, day, hour, skill_id, version_id }) };
  for (const name of USE_COUNTS) sum[name] += use[name] ?? 0;
  if (isVote) sum.votes++;
  return {
    ...uses,
    due: uses.due ?? now + DURATIONS.useKept,
    counts: [...uses.counts.filter((count) => !same(count)), sum],
    voted: { day, skills: isVote ? [...voted, skill_id] : voted },
  };
}

/** Returns the counts by day and version. */
export function countsOfDays(counts: readonly UseCount[]): UseCount[] {
  const days = new Map<string, UseCount>();
  for (const count of counts) {
    const key = `${count.day} ${count.version_id}`;
    const sum = { ...(days.get(key) ?? { ...count, ...NOTHING }) };
    for (const name of [...USE_COUNTS, "votes"] as const) sum[name] += count[name];
    days.set(key, sum);
  }
  return [...days.values()];
}

const NOTHING = {
  ...{ loads: 0, calls: 0, failures: 0, tokens: 0, votes: 0, found: 0 },
  ...{ scripts_ok: 0, scripts_failed: 0, scripts_killed: 0, liked: 0, disliked: 0 },
} satisfies Record<(typeof USE_COUNTS)[number] | "votes", 0>;

/** Adds a turn in which the model was shown a list of skills. */
export function addListed(uses: Uses, list: number, now: number): Uses {
  const day = dayOf(now);
  const isSame = (one: Uses["listed"][number]) => one.day === day && one.list === list;
  const turns = (uses.listed.find(isSame)?.turns ?? 0) + 1;
  const listed = [...uses.listed.filter((one) => !isSame(one)), { day, list, turns }];
  return { ...uses, due: uses.due ?? now + DURATIONS.useKept, listed };
}

/** Stored MCP servers whose calls are counted until the counts are sent. */
const COUNTED_SERVERS = 100;

/** Adds a call of a stored MCP server. */
export function addServerCall(
  uses: Uses,
  server: { scope: string; name: string },
  isFailure: boolean,
  now: number,
): Uses {
  const { scope, name } = server;
  const day = dayOf(now);
  const isSame = (one: Uses["servers"][number]) => one.day === day && one.scope === scope && one.name === name;
  const before = uses.servers.find(isSame);
  if (before === undefined && uses.servers.length >= COUNTED_SERVERS) return uses;
  const { calls, failures } = before ?? { calls: 0, failures: 0 };
  const next = { day, scope, name, calls: calls + 1, failures: failures + (isFailure ? 1 : 0) };
  return {
    ...uses,
    due: uses.due ?? now + DURATIONS.useKept,
    servers: [...uses.servers.filter((one) => !isSame(one)), next],
  };
}

/** Adds a search for skills, and a use of each skill that it found. */
export function addSearch(uses: Uses, found: readonly Pick<SkillUse, "skill_id" | "version_id">[], now: number): Uses {
  const hour = hourOf(now);
  const { searches, empty } = uses.searches.find((one) => one.hour === hour) ?? { searches: 0, empty: 0 };
  const next = { hour, searches: searches + 1, empty: empty + (found.length === 0 ? 1 : 0) };
  const counted: Uses = {
    ...uses,
    due: uses.due ?? now + DURATIONS.useKept,
    searches: [...uses.searches.filter((one) => one.hour !== hour), next],
  };
  const foundIn = (sum: Uses, { skill_id, version_id }: (typeof found)[number]) =>
    addUse(sum, { skill_id, version_id, found: 1 }, now);
  return found.reduce(foundIn, counted);
}

/** Queries without a result that are stored until the counts are sent. */
const STORED_QUERIES = 50;

/** Adds the query of a search without a result. `null`: there is none. */
export function addQuery(uses: Uses, query: string | null, now: number): Uses {
  if (query === null || uses.queries.length >= STORED_QUERIES) return uses;
  return { ...uses, queries: [...uses.queries, { at: now, query }] };
}

/**
 * Returns the batch to send now, closed under an id. If its arrival is not confirmed, it is due again later. After days its id is no longer
 * known, and it is dropped, because missing counts are better than double counts.
 *
 * @param skillsOf returns the skills of a list as JSON, or `null` if the list is no longer stored
 */
export function closed(
  uses: Uses,
  now: number,
  id: string,
  skillsOf: (list: number) => string | null = () => null,
): Uses {
  const { sent, counts, predictions, listed, servers, searches, queries } = uses;
  const due = now + DURATIONS.useKept;
  if (sent !== null && sent.at > now - DURATIONS.useSent) return { ...uses, due };
  const listings = listed.flatMap(({ day, list, turns }) => {
    const skills = skillsOf(list);
    return skills === null ? [] : [{ day, skills, turns }];
  });
  const batch = isOpen(uses) ? { id, at: now, counts, predictions, listings, servers, searches, queries } : null;
  return { ...uses, due, ...NOTHING_OPEN, sent: batch };
}

const NOTHING_OPEN = { counts: [], predictions: [], listed: [], servers: [], searches: [], queries: [] };

/** Whether there are counts that no batch contains. */
function isOpen({ counts, predictions, listed, servers, searches }: Uses): boolean {
  return counts.length + predictions.length + listed.length + servers.length + searches.length > 0;
}

/** Removes a batch after its arrival. Counts since then are sent an hour later. */
export function arrived(uses: Uses): Uses {
  return { ...uses, sent: null, due: isOpen(uses) ? uses.due : null };
}
