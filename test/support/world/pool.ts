// A world for a file of the pool: both databases begin with the same, and every write from here on reaches the replica in its time.

import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { copyDatabase } from "../empty";
import { bindingsFor, enter, ISOLATE_HEADER } from "./main";
import type { Journey } from "./trip";
import { World } from "./world";

const { DB, CONVERSATIONS, PACKAGES, REPLICA_DB } = env;

/**
 * Begins a world, at the top of a file before a skill is published; `endWorld` belongs in `afterAll`. What the test itself writes
 * through `env` goes through it, too: the replica must hear of it.
 */
export async function beginWorld(): Promise<World> {
  await applyD1Migrations(REPLICA_DB, env.TEST_MIGRATIONS);
  await copyDatabase(DB, REPLICA_DB);
  const world = new World();
  enter(world, { DB, CONVERSATIONS, PACKAGES, REPLICA_DB });
  const written = bindingsFor("test", () => "test");
  // Objects stay the pool's own: its helpers take no others.
  if (written !== null) Object.assign(env, { DB: written.DB, PACKAGES: written.PACKAGES });
  return world;
}

export function endWorld(): void {
  enter(null);
  Object.assign(env, { DB, CONVERSATIONS, PACKAGES });
}

/** The bindings of one of the gateway's isolates, for `askWith`. */
export function isolate(name: string): Pick<Env, "DB" | "CONVERSATIONS" | "PACKAGES"> {
  const bindings = bindingsFor(name, () => "worker");
  if (bindings === null) throw new Error("There is no world: begin one.");
  return bindings;
}

/** The headers that bring a request to an isolate of the gateway; each has its own memory, and a new one has none. */
export function at(name: string): Record<string, string> {
  return { [ISOLATE_HEADER]: name };
}

/** Asks with `call` or the like, and tells what the answer cost; its body is read to the end. */
export async function journeyOf(
  world: World,
  ask: () => Promise<Response>,
): Promise<{ answer: Response; text: string; journey: Journey }> {
  const { answer, journey } = await world.measure(async () => {
    const response = await ask();
    // A socket has no body to wait for.
    return { response, text: response.webSocket === null ? await response.text() : "" };
  });
  return { answer: answer.response, text: answer.text, journey };
}
