// Stores predictions of skills as counts per ghost and day.

import { and, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { PredictionCount, PredictionSums } from "../../domain/conversation/prediction/counts";
import type { Database } from "./database";
import { predictionCounts } from "./schema/predictions";
import { ghosts } from "./schema/registry";

const COLUMNS = ["messages", "predicted", "appended", "needed", "hits", "saved", "lost", "saved_ms"] as const;

/** Statement that adds counts where `condition` holds. Counts of deleted ghosts are dropped. */
export function addPredictions(db: Database, counts: readonly PredictionCount[], condition: SQL) {
  const asked = sql`json_each(${JSON.stringify(counts)}) AS asked CROSS JOIN ${ghosts} ON ${ghosts.id} = asked.value ->> 'agent'`;
  const values = sql.join(
    COLUMNS.map((name) => sql.raw(`asked.value ->> '${name}'`)),
    sql`, `,
  );
  const sum = (name: (typeof COLUMNS)[number]) => sql.raw(`${name} + excluded.${name}`);
  return db
    .insert(predictionCounts)
    .select(sql`SELECT ${ghosts.id}, asked.value ->> 'day', ${values} FROM ${asked} WHERE ${condition}`)
    .onConflictDoUpdate({
      target: [predictionCounts.ghostId, predictionCounts.day],
      set: {
        messages: sum("messages"),
        predicted: sum("predicted"),
        appended: sum("appended"),
        needed: sum("needed"),
        hits: sum("hits"),
        saved: sum("saved"),
        lost: sum("lost"),
        savedMs: sum("saved_ms"),
      },
    });
}

/** Returns the counts of a ghost since a day, newest first. */
export async function readPredictions(
  db: Database,
  ghostId: string,
  since: number,
): Promise<(PredictionSums & { day: number })[]> {
  const { day, messages, predicted, appended, needed, hits, saved, lost, savedMs: saved_ms } = predictionCounts;
  return db
    .select({ day, messages, predicted, appended, needed, hits, saved, lost, saved_ms })
    .from(predictionCounts)
    .where(and(eq(predictionCounts.ghostId, ghostId), gte(predictionCounts.day, since)))
    .orderBy(desc(predictionCounts.day));
}

/** Statement that deletes counts from before a day. */
export function deletePredictionsBefore(db: Database, day: number) {
  return db.delete(predictionCounts).where(lt(predictionCounts.day, day));
}
