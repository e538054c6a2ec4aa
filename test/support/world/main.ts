// The gateway as the pool runs it: `src/index.ts` with a world around its bindings. While no test has begun one, they are
// the pool's own.

import { AsyncLocalStorage } from "node:async_hooks";
import gateway, { Conversation as Bare } from "../../../src/index";
import type { Who } from "./trip";
import type { Bindings, World } from "./world";

/** Names the isolate that is to answer; what the gateway remembers is an isolate's own. */
export const ISOLATE_HEADER = "x-test-isolate";

type Wrapped = Pick<Env, "DB" | "CONVERSATIONS" | "PACKAGES">;

let entered: { world: World; raw: Bindings; made: Map<string, Wrapped> } | null = null;

/** From now on everything goes through this world, which stands around these bindings, or through none. */
export function enter(world: World | null, raw: Bindings | null = null): void {
  entered = world === null || raw === null ? null : { world, raw, made: new Map() };
}

const ringing = new AsyncLocalStorage<true>();

/** The world's bindings for an isolate: always the same ones, for the gateway remembers by them. */
export function bindingsFor(isolate: string, who: () => Who): Wrapped | null {
  if (entered === null) return null;
  const known = entered.made.get(isolate);
  if (known !== undefined) return known;
  const { CONVERSATIONS, ...others } = entered.world.bindings(entered.raw, who);
  // The world does not know what class the objects are of.
  const fresh = { ...others, CONVERSATIONS: CONVERSATIONS as Env["CONVERSATIONS"] };
  entered.made.set(isolate, fresh);
  return fresh;
}

/** The bindings, looked up anew each time: an object is older than the test's world, and outlives it. */
function around(env: Env, isolate: string, who: () => Who): Env {
  return new Proxy(env, {
    get(target, name) {
      const wrapped = bindingsFor(isolate, who);
      const isWrapped = name === "DB" || name === "CONVERSATIONS" || name === "PACKAGES";
      return wrapped !== null && isWrapped ? wrapped[name] : Reflect.get(target, name, target);
    },
  });
}

export class Conversation extends Bare {
  constructor(context: DurableObjectState, env: Env) {
    super(
      context,
      around(env, "objects", () => (ringing.getStore() === true ? "alarm" : "object")),
    );
  }

  override alarm(): Promise<void> {
    return ringing.run(true, () => super.alarm());
  }
}

/** With the pool's own bindings: what imports ask and what is counted goes on beside every request, and is none of a journey's. */
export { Import, Meter } from "../../../src/index";

const asWorker = () => "worker" as const;

export default {
  fetch: (request, env, context) => {
    const isolate = request.headers.get(ISOLATE_HEADER) ?? "first";
    return gateway.fetch(request, around(env, isolate, asWorker), context);
  },
  scheduled: (event, env) => gateway.scheduled(event, around(env, "first", asWorker)),
} satisfies ExportedHandler<Env>;
