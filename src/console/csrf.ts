// Rejects requests to the console's edge that do not come from its own page. A cookie alone is not sufficient.

import { GatewayError } from "../domain/errors";
import { settingsFrom } from "../domain/settings/settings";
import { publicOrigin } from "../domain/sign-in/resource";
import { sessionCookieName } from "../edge/browser/session-cookie";

/**
 * Header of every console request, with the value `1`. Forms cannot send it, and pages of other origins only after a preflight, which
 * fails.
 */
export const CONSOLE_HEADER = "x-skillgate-console";

/** Headers with other credentials or for other users, which are not accepted here. */
const FOREIGN = ["authorization", "x-api-key", "on-behalf-of"] as const;

/** Rejects requests that the console's own page does not send. */
export function requireConsolePage(request: Request, env: Env): void {
  const settings = settingsFrom(env);
  if (settings.CONSOLE === "off")
    throw new GatewayError(
      "not_found",
      "CONSOLE_OFF",
      "The console is disabled on this gateway. Its operator can set `CONSOLE=on`.",
    );
  const { headers } = request;
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isOwn = origin === new URL(request.url).origin || origin === publicOrigin(settings, request.url);
  if (headers.get(CONSOLE_HEADER) !== "1") throw notOurs("the header `X-Skillgate-Console: 1` is missing");
  if (site !== null && site !== "same-origin") throw notOurs("`Sec-Fetch-Site` is not `same-origin`");
  if (origin === null ? site === null : !isOwn) throw notOurs("it does not come from this origin");
  if (headers.has("upgrade")) throw notOurs("WebSockets are opened at /api/v1 with a ticket");
  const foreign = FOREIGN.find((name) => headers.has(name));
  if (foreign !== undefined) throw notOurs(`\`${foreign}\` is not accepted here`);
  if (sessionCookieName(env, request.url) === null)
    throw new GatewayError(
      "forbidden",
      "CONSOLE_NEEDS_HTTPS",
      "The console needs https. Open it with an https address.",
    );
}

function notOurs(why: string): GatewayError {
  return new GatewayError(
    "forbidden",
    "CONSOLE_ONLY",
    `Only the console can use this path: ${why}. Use /api/v1 with a key instead.`,
  );
}
