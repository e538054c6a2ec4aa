// Runs `src/index.ts` in the test pool with simulated bindings (a *world*). Without a world it uses the pool's bindings.

import { AsyncLocalStorage } from "node:async_hooks";
import gateway, { Conversation as Bare } from "../../../src/index";
import type { Who } from "./trip";
import type { Bindings, World } from "./world";

/** Selects the isolate that answers. Each isolate has its own in-memory caches. */
export const ISOLATE_HEADER = "x-test-isolate";

type Wrapped = Pick<Env, "DB" | "CONVERSATIONS" | "PACKAGES">;

let entered: { world: World; raw: Bindings; made: Map<string, Wrapped> } | null = null;

/** Starts or ends the use of a world. `raw` contains the bindings that it wraps. */
export function enter(world: World | null, raw: Bindings | null = null): void {
  entered = world === null || raw === null ? null : { world, raw, made: new Map() };
}

let changed: Record<string, string> | null = null;

/** Changes settings for all later requests and new objects. `null`: the pool's settings. */
export function changeSettings(settings: Record<string, string> | null): void {
  changed = settings;
  wrappedOf = new WeakMap();
}

const ringing = new AsyncLocalStorage<true>();

/** Returns the world's bindings for an isolate. They are always the same objects, because the gateway caches by them. */
export function bindingsFor(isolate: string, who: () => Who): Wrapped | null {
  if (entered === null) return null;
  const known = entered.made.get(isolate);
  if (known !== undefined) return known;
  const { CONVERSATIONS, ...others } = entered.world.bindings(entered.raw, who);
  // The world does not have the type of the object class.
  const fresh = { ...others, CONVERSATIONS: CONVERSATIONS as Env["CONVERSATIONS"] };
  entered.made.set(isolate, fresh);
  return fresh;
}

/** Wrapped bindings by isolate. An isolate of the platform also keeps its `env`, and the gateway caches its settings by it. */
let wrappedOf = new WeakMap<Env, Map<string, Env>>();

function around(env: Env, isolate: string, who: () => Who): Env {
  const known = wrappedOf.get(env) ?? new Map<string, Env>();
  wrappedOf.set(env, known);
  const wrapped = known.get(isolate) ?? wrap(env, isolate, who);
  known.set(isolate, wrapped);
  return wrapped;
}

/** Looks the bindings up on each access, because an object can exist before and after the test's world. */
function wrap(env: Env, isolate: string, who: () => Who): Env {
  return new Proxy(changed === null ? env : { ...env, ...changed }, {
    get(target, name) {
      const wrapped = bindingsFor(isolate, who);
      const isWrapped = name === "DB" || name === "CONVERSATIONS" || name === "PACKAGES";
      return wrapped !== null && isWrapped ? wrapped[name] : Reflect.get(target, name, target);
    },
  });
}

const asWorker = () => "worker" as const;
const asObject = () => (ringing.getStore() === true ? "alarm" : "object");

export class Conversation extends Bare {
  constructor(context: DurableObjectState, env: Env) {
    super(context, around(env, "objects", asObject));
  }

  override alarm(): Promise<void> {
    return ringing.run(true, () => super.alarm());
  }
}

/** These use the pool's own bindings. Imports and counts run next to requests and are not part of a journey. */
export { EventHub, Import, Meter } from "../../../src/index";

export default {
  fetch: (request, env, context) => {
    const isolate = request.headers.get(ISOLATE_HEADER) ?? "first";
    return gateway.fetch(request, around(env, isolate, asWorker), context);
  },
  scheduled: (event, env) => gateway.scheduled(event, around(env, "first", asWorker)),
} satisfies ExportedHandler<Env>;
