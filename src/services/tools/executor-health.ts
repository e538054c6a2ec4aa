// Checks whether the executor answers, for `/health`.

import type { Issue } from "../../domain/errors";
import type { Settings } from "../../domain/settings/settings";

/** The module that asks the executor. Loaded lazily, because few gateways have one. */
let offers: typeof import("./executor-offer") | null = null;

/**
 * Returns the state of the executor, which is asked at most once a minute, or 5 s after a failure. `absent` is no failure, even with an
 * issue that says what to install. The endpoint is public, so of the executor's own messages only the one that its protocol makes public is
 * returned.
 */
export async function executorHealth(
  settings: Settings,
): Promise<{ state: "ok" | "failed" | "absent"; issues: Issue[] }> {
  const issue = (problem: string): Issue => ({
    code: "EXECUTOR_UNAVAILABLE",
    message: `${problem} Scripts that need packages or programs do not run.`,
  });
  const failed = (problem: string) => ({ state: "failed" as const, issues: [issue(problem)] });
  if (settings.EXECUTOR_URL === undefined) {
    const { EXECUTOR_PROBLEM: problem, EXECUTOR_ADVICE: advice } = settings;
    if (problem !== undefined) return failed(problem);
    return { state: "absent", issues: advice === undefined ? [] : [issue(advice)] };
  }
  offers ??= await import("./executor-offer");
  const found = await offers.executorOffer({ settings, now: Date.now });
  if (found === null) return failed("EXECUTOR_URL is set, but EXECUTOR_KEY is not. Set both.");
  if ("offer" in found) return { state: "ok", issues: [] };
  if (found.isPublic) return failed(found.problem);
  return failed("The executor does not respond, or refuses the key. Check EXECUTOR_URL and EXECUTOR_KEY.");
}
