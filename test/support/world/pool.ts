// Creates a world for a test file: both databases start with the same content, and later writes reach the replica with its lag.

import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { copyDatabase } from "../empty";
import { bindingsFor, enter, ISOLATE_HEADER } from "./main";
import type { Journey } from "./trip";
import { World } from "./world";

const { DB, CONVERSATIONS, PACKAGES, REPLICA_DB } = env;

/**
 * Starts a world. Call it at the top of a file before a skill is published, and `endWorld` in `afterAll`. The test's own writes through
 * `env` also go through the world, so that they reach the replica.
 */
export async function beginWorld(): Promise<World> {
  await applyD1Migrations(REPLICA_DB, env.TEST_MIGRATIONS);
  await copyDatabase(DB, REPLICA_DB);
  const world = new World();
  enter(world, { DB, CONVERSATIONS, PACKAGES, REPLICA_DB });
  const written = bindingsFor("test", () => "test");
  // `CONVERSATIONS` stays the pool's own, because the pool's helpers accept no other.
  if (written !== null) Object.assign(env, { DB: written.DB, PACKAGES: written.PACKAGES });
  return world;
}

export function endWorld(): void {
  enter(null);
  Object.assign(env, { DB, CONVERSATIONS, PACKAGES });
}

/** Returns the bindings of one of the gateway's isolates, for `askWith`. */
export function isolate(name: string): Pick<Env, "DB" | "CONVERSATIONS" | "PACKAGES"> {
  const bindings = bindingsFor(name, () => "worker");
  if (bindings === null) throw new Error("There is no world: begin one.");
  return bindings;
}

/** Returns the headers that select an isolate. Each isolate has its own caches, and a new one starts without any. */
export function at(name: string): Record<string, string> {
  return { [ISOLATE_HEADER]: name };
}

/** Sends a request with `ask`, reads the response to its end, and returns the trips it needed. */
export async function journeyOf(
  world: World,
  ask: () => Promise<Response>,
): Promise<{ answer: Response; text: string; journey: Journey }> {
  const { answer, journey } = await world.measure(async () => {
    const response = await ask();
    // A WebSocket response has no body.
    return { response, text: response.webSocket === null ? await response.text() : "" };
  });
  return { answer: answer.response, text: answer.text, journey };
}
