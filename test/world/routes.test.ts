// How far every request travels, object included: the table beside this holds it. A number that grew is a request that became slower for
// everybody who is far from D1; one that shrank belongs into the table.

import { afterAll, describe, expect, it } from "vitest";
import { beginWorld, endWorld } from "../support/world/pool";
import type { Journey } from "../support/world/trip";
import { JOURNEYS } from "./rows";
import { TABLE } from "./table";
import { CREDENTIALS, STATES, type State, Traveller, takes } from "./travel";

const world = await beginWorld();
const traveller = new Traveller(world);
afterAll(endWorld);

const way = ({ primary, replica, object, r2 }: Journey) => [primary, replica, object, r2].join(" ");

it("has a line for every request, and none beside", () => {
  expect([...TABLE.keys()]).toEqual(JOURNEYS.map(([name]) => name));
});

describe("every request goes as far as the table says", () => {
  it.each(JOURNEYS)("%s", async (name, row) => {
    const expected = TABLE.get(name);
    if (expected === undefined) throw new Error(`No line for '${name}'.`);
    // What an object knows changes with every request: theirs is a conversation of its own.
    const isKept = !row.spent && row.scope !== "conversations" && !row.route.startsWith("POST /mcp/");
    const seen: Record<string, string> = {};
    const wanted: Record<string, string> = {};
    await traveller.prepare(row);
    for (const state of STATES) {
      if (state === "lagging") world.lag("forever");
      const kept = isKept ? await row.thing() : null;
      for (const credential of CREDENTIALS.filter((one) => takes(row, one))) {
        const measured = () => measure(credential, state, kept);
        const title = `${state}, ${credential}`;
        wanted[title] = expected[state];
        seen[title] = await measured();
        // What a busy machine let fall apart into two rounds is one, looked at again.
        if (seen[title] !== wanted[title]) seen[title] = await measured();
      }
      world.catchUp();
    }
    expect(seen).toEqual(wanted);

    async function measure(
      credential: (typeof CREDENTIALS)[number],
      state: State,
      kept: Record<string, string> | null,
    ) {
      const { status, text, journey } = await traveller.go(row, credential, state, kept ?? (await row.thing()));
      if (status !== row.may[row.best]) throw new Error(`${state}, ${credential}: ${status} ${text.slice(0, 300)}`);
      return way(journey);
    }
  });
});
