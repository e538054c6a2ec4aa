// Measures how many rows the counts of a conversation write: the same conversation at a gateway with and without them.

import { withoutCounts } from "../without-counts.mjs";

const USER = "counted";
const TURNS = 10;
/** A turn and a request with one call. */
export const STEPS = 2 * TURNS;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * Returns the rows that a conversation of `STEPS` steps and the hourly job write, with and without counts.
 *
 * @param {(options: object) => Promise<import("../gateway.mjs").Gateway>} start
 * @param {(gateway: import("../gateway.mjs").Gateway, user: string) => Promise<{ name: string }[]>} seed
 * @param {(gateway: import("../gateway.mjs").Gateway) => Promise<object>} takeUnits returns the units since its last call
 */
export async function rowsOfCounts(start, seed, takeUnits) {
  const found = {};
  for (const [name, plugins] of Object.entries({ with: [], without: [withoutCounts] })) {
    const gateway = await start({ plugins });
    try {
      const skills = await seed(gateway, USER);
      // At noon, so that both conversations are on one day. The first of a day inserts rows that later ones update.
      await passTime(gateway, DAY_MS + DAY_MS / 2 - (Date.now() % DAY_MS));
      await converse(gateway, skills, "first");
      await takeUnits(gateway);
      const steps = await converse(gateway, skills, "second");
      const conversation = rowsIn(await takeUnits(gateway));
      await gateway.send({ method: "POST", route: "/cost/hourly" });
      found[name] = { steps, conversation, hourly: rowsIn(await takeUnits(gateway)) };
    } finally {
      await gateway.stop();
    }
  }
  return found;
}

const passTime = (gateway, ms) => gateway.send({ method: "POST", route: `/cost/clock/${ms}` });

const rowsIn = ({ objectRowsWritten, alarmsSet, d1RowsWritten }) => ({
  object: objectRowsWritten + alarmsSet,
  d1: d1RowsWritten,
});

/** Runs a conversation and its alarm an hour later. Returns the number of its steps. */
async function converse(gateway, skills, id) {
  const tell = (path, body) => gateway.call(USER, "POST", `/api/v1/conversations/${id}${path}`, body);
  for (let n = 0; n < TURNS; n++) {
    await tell("/turns", n === 0 ? { conversation: {} } : { key: `m${n}` });
    const load = { name: "load_skill", arguments: { skill_name: skills[n % skills.length].name } };
    const search = { name: "find_skill", arguments: { query: skills[n % skills.length].name } };
    await tell("/tool-calls", { calls: [{ id: `call_${n}`, ...(n % 2 === 0 ? load : search) }] });
  }
  await passTime(gateway, 61 * MINUTE_MS);
  const object = encodeURIComponent(JSON.stringify([USER, id]));
  await gateway.send({ method: "POST", route: `/cost/ring/${object}` });
  return STEPS;
}
