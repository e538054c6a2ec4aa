// Checks whether the executor answers, for `/health`.

import type { Issue } from "../../domain/errors";
import type { Settings } from "../../domain/settings/settings";

/** The module that asks the executor. Loaded lazily, because few gateways have one. */
let offers: typeof import("./executor-offer") | null = null;

/** Returns the state of the executor, which is asked at most once a minute. The endpoint is public, so its own message is not returned. */
export async function executorHealth(
  settings: Settings,
): Promise<{ state: "ok" | "failed" | "absent"; issues: Issue[] }> {
  const failed = (problem: string) => {
    const message = `${problem} Scripts that need packages or programs do not run.`;
    return { state: "failed" as const, issues: [{ code: "EXECUTOR_UNAVAILABLE", message }] };
  };
  if (settings.EXECUTOR_URL === undefined) {
    const { EXECUTOR_PROBLEM: problem } = settings;
    return problem === undefined ? { state: "absent", issues: [] } : failed(problem);
  }
  offers ??= await import("./executor-offer");
  const found = await offers.executorOffer({ settings, now: Date.now });
  if (found === null) return failed("EXECUTOR_URL is set, but EXECUTOR_KEY is not. Set both.");
  if ("offer" in found) return { state: "ok", issues: [] };
  return failed("The executor does not respond, or refuses the key. Check EXECUTOR_URL and EXECUTOR_KEY.");
}
