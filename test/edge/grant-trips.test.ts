// Requests with an OAuth access token need as many database trips as requests with a key: one statement reads the caller, and the result is
// cached the same way.

import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { keyFor } from "../support/call";
import { holdClock, releaseClock } from "../support/clock";
import { initializeWith, ORIGIN, signedIn } from "../support/grants";
import { at, beginWorld, endWorld, journeyOf } from "../support/world/pool";

const world = await beginWorld();
beforeEach(() => {
  world.catchUp();
  holdClock();
});
afterEach(releaseClock);
afterAll(endWorld);

it.each(["/mcp", "/mcp/chat-1"])("at %s, cold and warm", async (path) => {
  const { access_token } = await signedIn({ userId: "traveller", resource: ORIGIN + path });
  const key = await keyFor("traveller");
  const trips = async (token: string, where: string) => {
    const { answer, journey } = await journeyOf(world, () => initializeWith(path, token, at(where)));
    expect(answer.status).toBe(200);
    await world.settle();
    return journey.awaited.map(({ to }) => to).sort();
  };
  // The last use is recorded and the conversation exists, so only the trip for the caller remains.
  for (const token of [key, access_token]) await trips(token, `first-${path}`);
  const [cold, warm] = [await trips(key, `key-${path}`), await trips(key, `key-${path}`)];
  expect(cold.length).toBeGreaterThan(warm.length);
  expect(await trips(access_token, `grant-${path}`)).toEqual(cold);
  expect(await trips(access_token, `grant-${path}`)).toEqual(warm);
});
