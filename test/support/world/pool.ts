// A world for a file of the pool: both databases begin empty, and every write from here on reaches the replica in its time.

import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { emptyDatabase } from "../empty";
import { around, enter } from "./main";
import type { Journey } from "./trip";
import { World } from "./world";

/** Begins a world. Call it at the top of a file or in `beforeAll`, before anything is written; `endWorld` belongs in `afterAll`. */
export async function beginWorld(): Promise<World> {
  await applyD1Migrations(env.REPLICA_DB, env.TEST_MIGRATIONS);
  await emptyDatabase(env.REPLICA_DB);
  const written = await env.DB.prepare("SELECT count(*) AS rows FROM keys").first<number>("rows");
  if (written !== 0)
    throw new Error("A world begins with an empty registry: begin it before the file's first request.");
  const world = new World();
  enter(world);
  return world;
}

export function endWorld(): void {
  enter(null);
}

/** The pool's bindings as the world has them, for `askWith` and for what a test itself writes: the replica must hear of it. */
export function worldly(): Pick<Env, "DB" | "CONVERSATIONS" | "PACKAGES"> {
  const { DB, CONVERSATIONS, PACKAGES } = around(env, () => "test");
  return { DB, CONVERSATIONS, PACKAGES };
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
