// The gateway as the pool runs it: `src/index.ts` with a world around its bindings. While no test has begun one, they are
// the pool's own.

import { AsyncLocalStorage } from "node:async_hooks";
import gateway, { Conversation as Bare } from "../../../src/index";
import type { Who } from "./trip";
import type { World } from "./world";

let world: World | null = null;

/** From now on everything goes through this world, or through none. */
export function enter(next: World | null): void {
  world = next;
}

const ringing = new AsyncLocalStorage<true>();

/** The bindings, looked up anew each time: an object is older than the test's world, and outlives it. */
export function around(env: Env, who: () => Who): Env {
  let made: { world: World; bindings: Pick<Env, "DB" | "CONVERSATIONS" | "PACKAGES"> } | null = null;
  return new Proxy(env, {
    get(target, name) {
      if (world !== null && (name === "DB" || name === "CONVERSATIONS" || name === "PACKAGES")) {
        if (made?.world !== world) made = { world, bindings: bindingsOf(world, target, who) };
        return made.bindings[name];
      }
      return Reflect.get(target, name, target);
    },
  });
}

function bindingsOf(of: World, env: Env, who: () => Who): Pick<Env, "DB" | "CONVERSATIONS" | "PACKAGES"> {
  const { CONVERSATIONS, ...others } = of.bindings(env, who);
  // The world does not know what class the objects are of.
  return { ...others, CONVERSATIONS: CONVERSATIONS as Env["CONVERSATIONS"] };
}

export class Conversation extends Bare {
  constructor(context: DurableObjectState, env: Env) {
    super(
      context,
      around(env, () => (ringing.getStore() === true ? "alarm" : "object")),
    );
  }

  override alarm(): Promise<void> {
    return ringing.run(true, () => super.alarm());
  }
}

export default {
  fetch: (request, env, context) =>
    gateway.fetch(
      request,
      around(env, () => "worker"),
      context,
    ),
  scheduled: (event, env) =>
    gateway.scheduled(
      event,
      around(env, () => "worker"),
    ),
} satisfies ExportedHandler<Env>;
