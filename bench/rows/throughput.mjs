// Measures turns per second in one conversation (eight clients), and in 100 and 1 000 conversations at the same time (one client each).
// Next to each is the floor of a turn with the same number of objects and clients. It has no budget, because one process on one machine
// does the work that Cloudflare distributes over many.

import { crowd } from "../clients.mjs";
import { median } from "../measure.mjs";
import { publishSkills } from "../skills.mjs";

const USER = "throughput";
const SIZES = [
  { name: "turns of one conversation, 8 clients", conversations: 1, clients: 8 },
  { name: "turns of 100 conversations at once", conversations: 100, clients: 100 },
  { name: "turns of 1 000 conversations at once", conversations: 1_000, clients: 1_000 },
];

export async function run({ gateway, passes, seconds }) {
  await publishSkills(gateway, USER, 20);
  const rows = [];
  for (const size of SIZES) rows.push(await measure(gateway, size, { passes, seconds }));
  return rows;
}

async function measure(gateway, { name, conversations, clients }, { passes, seconds }) {
  const send = gateway.crowd(clients);
  const idOf = (client) => `${conversations}-${client % conversations}`;
  let turns = 0;
  const sides = {
    floor: (client) =>
      gateway.request(USER, "POST", "/floor/write", { id: `crowd-${idOf(client)}`, text: "x".repeat(600) }),
    path: (client) => {
      const body = { key: `message-${turns++}`, format: "openai" };
      return gateway.request(USER, "POST", `/api/v1/conversations/crowd-${idOf(client)}/turns`, body);
    },
  };
  // Conversations and the floor's tables are created before the measurement, a few at a time.
  const make = gateway.crowd(20);
  for (let first = 0; first < conversations; first += 20) {
    const ids = Array.from(
      { length: Math.min(20, conversations - first) },
      (_, n) => `crowd-${conversations}-${first + n}`,
    );
    await Promise.all(
      ids.map(async (id) => {
        await make({ method: "POST", route: "/floor/prepare", body: Buffer.from(id) });
        await make(await gateway.request(USER, "PUT", `/api/v1/conversations/${id}`, {}));
      }),
    );
  }
  const measured = { floor: [], path: [] };
  for (let pass = 0; pass <= passes; pass++) {
    for (const [side, prepare] of Object.entries(sides)) {
      const figures = await crowd(send, { clients, seconds, prepare });
      // The first pass is a warm-up.
      if (pass > 0) measured[side].push(figures);
    }
  }
  const of = (side, figure) => median(measured[side].map((each) => each[figure]));
  const rates = measured.path.map(({ perSecond }) => perSecond);
  const times = (side) => ({ p50: of(side, "p50"), p99: of(side, "p99") });
  return {
    name: `${name} (floor ${of("floor", "perSecond").toFixed(0)}/s)`,
    unit: "/s",
    value: median(rates),
    spread: [Math.min(...rates), Math.max(...rates)],
    budget: null,
    floor: { ...times("floor"), perSecond: of("floor", "perSecond") },
    path: times("path"),
  };
}
