// The settings of a deployment, read once per isolate from its variables.

import { GatewayError } from "../domain/errors";
import { parseSettings, type Settings } from "../domain/settings";

const parsed = new WeakMap<Env, ReturnType<typeof parseSettings>>();

/** The settings; throws `unavailable` naming every bad one, so that a misconfigured gateway serves nothing by accident. */
export function settingsOf(env: Env): Settings {
  let result = parsed.get(env);
  if (result === undefined) {
    // Names that begin with two underscores are a runtime's own (the test pool sets one); settings never do.
    const variables = Object.entries(env).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string" && !entry[0].startsWith("__"),
    );
    result = parseSettings(Object.fromEntries(variables));
    parsed.set(env, result);
  }
  if (result.settings === null) {
    throw new GatewayError(
      "unavailable",
      "MISCONFIGURED",
      "The gateway's settings are not valid; its operator must fix them.",
      {
        issues: result.issues,
      },
    );
  }
  return result.settings;
}
