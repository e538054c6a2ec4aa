// Configures the ten servers of `tools.ts` at the gateway. They answer every call with `well`.

import { listing } from "../listing";
import { scripted } from "../upstream";
import { MANY_TOOLS } from "./tools";

const PATIENT = { timeout: 60, connect_timeout: 60 };

/** Returns entries of the first `count` servers. Their requests can be read at `/scripted/many-<name>`. */
export async function manyServers(count: number = MANY_TOOLS.length): Promise<Record<string, object>> {
  const entries = MANY_TOOLS.slice(0, count).map(async ({ server, tools }) => {
    const url = await scripted(`many-${server}`, listing(...tools.map((tool) => ({ ...tool }))));
    return [server, { url, ...PATIENT }] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}
