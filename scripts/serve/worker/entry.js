// Runs before the Worker of `npm run serve`. Rejects requests that did not come through the server, because other programs of this machine
// can reach the Worker's socket, and adds the rate counters that Cloudflare has.

import { KEY, RATES } from "./constants.js";
import { Counter } from "./counter.js";
import gateway from "./gateway.js";

export * from "./gateway.js";

const counters = Object.fromEntries(Object.entries(RATES).map(([name, rate]) => [name, new Counter(rate)]));

const withCounters = new WeakMap();

/** Returns the same object for the same bindings, because others remember what they made for them. */
function bindingsOf(env) {
  const known = withCounters.get(env) ?? { ...env, ...counters };
  withCounters.set(env, known);
  return known;
}

export default {
  ...gateway,
  async fetch(request, env, context) {
    if (request.cf?.front !== KEY) return new Response("Use the address of the gateway.\n", { status: 403 });
    return gateway.fetch(request, bindingsOf(env), context);
  },
};
