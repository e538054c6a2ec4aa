// Reads what the executor has, and adds to the verdicts of scripts what it lacks.

import { missingIn } from "../../domain/code/check/missing";
import type { ScriptVerdict } from "../../domain/code/check/verdict";
import { languageOf } from "../../domain/code/language";
import { describeExecutor, type ExecutorDescription, UnavailableExecutor } from "../../sandbox/remote";
import { canUseExecutor } from "../catalog/can-run";
import type { Context } from "../context";
import { remoteOf } from "./code";

/** Milliseconds for which an answer is used, and for which a failure is. */
const FRESH = 60_000;
const RETRY = 5_000;

/** What the executor has, or why it could not be asked. `isPublic`: the message is meant for everyone. */
export type OfferAnswer = { offer: ExecutorDescription } | { problem: string; isPublic: boolean };

/** The last answer by URL. The value is cached, not its promise, which would depend on the I/O of the first request. */
const last = new Map<string, { found: OfferAnswer; until: number }>();

/** Returns what the executor has, or `null` if none is configured. */
export async function executorOffer(context: Pick<Context, "settings" | "now">): Promise<OfferAnswer | null> {
  const executor = remoteOf(context);
  if (executor === null) return null;
  const known = last.get(executor.url);
  if (known !== undefined && known.until > context.now()) return known.found;
  const found = await describeExecutor(executor).then(
    (offer) => ({ offer }),
    (error: unknown) => ({
      problem: (error instanceof Error ? error.message : String(error)).slice(0, 500),
      isPublic: error instanceof UnavailableExecutor,
    }),
  );
  last.set(executor.url, { found, until: context.now() + ("offer" in found ? FRESH : RETRY) });
  return found;
}

/** A verdict with what the executor lacks for the script; `[]` if it has everything. Absent if it was not compared. */
export type ComparedVerdict = ScriptVerdict & { missing?: string[] };

/** Adds to each script of a skill in a scope that needs an executor what it lacks, as data and in the reason. */
export async function compared(
  context: Context,
  scope: string,
  scripts: readonly ScriptVerdict[],
): Promise<ComparedVerdict[]> {
  const isUsed = canUseExecutor(context, scope);
  if (!isUsed || !scripts.some(isSent)) return [...scripts];
  const found = await executorOffer(context);
  if (found === null) return [...scripts];
  return scripts.map((verdict) => {
    const { needs, reason = "", runs } = verdict;
    if (!isSent(verdict) || needs === undefined) return verdict;
    if ("problem" in found) return { ...verdict, reason: `${reason} The executor could not be asked what it has.` };
    const missing = missingIn(found.offer, needs);
    if (missing.length > 0)
      return { ...verdict, missing, reason: `${reason} The executor lacks: ${missing.join(", ")}.` };
    // Other parts of a `partly` script can need what no executor has, such as network access.
    return runs === "partly"
      ? { ...verdict, missing }
      : { ...verdict, missing, reason: `${reason} The executor has it.` };
  });
}

/** Whether the gateway sends a script to an executor. See `src/sandbox/remote.ts`. */
const isSent = ({ runs, path }: ScriptVerdict) =>
  runs === "remote" || (runs === "partly" && languageOf(path) !== "javascript");
