// Reports the predictions in conversations with an agent to those who manage it.

import { dayOf } from "../../domain/access/quota";
import { NO_PREDICTIONS, type PredictionSums, sumOfPredictions } from "../../domain/conversation/prediction/counts";
import { readPredictions } from "../../storage/d1/predictions";
import type { Context } from "../context";
import { findGhost } from "./ghosts";
import { requireRight } from "./skills";

const DAY_MS = 24 * 60 * 60_000;

/** Counts with the figures derived from them. */
export type PredictionFigures = PredictionSums & {
  /** The part of the compared predictions that were right; `null`: none was compared. */
  precision: number | null;
  /** The part of the turns in which the model loaded a skill that were predicted; `null`: there was no such turn. */
  coverage: number | null;
};

/**
 * Returns the counts of an agent for the last days, including today. Visible to its user, to Maintainers of its group, and to admins for
 * public ones, as the usage of skills is.
 */
export async function predictionsOfAgent(context: Context, id: string, days: number) {
  const ghost = await findGhost(context, id);
  requireRight(context.caller.principal, "measure", ghost.scope);
  const until = dayOf(context.now());
  const since = until - (days - 1) * DAY_MS;
  const rows = await readPredictions(context.db, id, since);
  const totals = rows.reduce<PredictionSums>((sum, row) => sumOfPredictions(sum, row), NO_PREDICTIONS);
  return {
    ghost,
    since,
    until,
    totals: withShares(totals),
    days: rows.map(({ day, ...sums }) => ({ day, ...withShares(sums) })),
  };
}

function withShares(sums: PredictionSums): PredictionFigures {
  const { predicted, appended, needed, hits } = sums;
  return { ...sums, precision: share(hits, predicted - appended), coverage: share(hits, needed) };
}

/** Returns a part, rounded to thousandths. Counts of a day can end between a prediction and its load. */
function share(part: number, all: number): number | null {
  return all <= 0 ? null : Math.min(1, Math.round((part / all) * 1_000) / 1_000);
}
