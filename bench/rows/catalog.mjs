// A catalog of 10 000 skills against one of 100: the floor of every row is the same request of the user with 100.

import { seedCatalog } from "../skills.mjs";

const SMALL = "catalog-100";
const LARGE = "catalog-10000";
const TURNS = 20;

export async function run({ gateway, compare }) {
  const skills = {
    [SMALL]: await seedCatalog(gateway, SMALL, 100),
    [LARGE]: await seedCatalog(gateway, LARGE, 10_000),
  };
  const some = (user, n) => skills[user][(n * 7_919) % skills[user].length];
  const against = (side) => compare({ floor: side(SMALL), path: side(LARGE) });
  const rows = {
    list: (user) => ({ prepare: () => gateway.request(user, "GET", "/api/v1/kinds/skills") }),
    lookup: (user) => ({
      prepare: (n) => gateway.request(user, "GET", `/api/v1/kinds/skills?name=${some(user, n).name}`),
      check(answer) {
        if (JSON.parse(answer).items.length !== 1) throw new Error(`not found: ${answer}`);
      },
    }),
    search: (user) => ({
      async prepare(n) {
        const route = await conversation(gateway, user, "search", n);
        const [first, , second] = some(user, n).description.split(" ");
        const call = { id: `call_${n}`, name: "find_skill", arguments: { query: `${first} ${second}` } };
        return gateway.request(user, "POST", `${route}/tool-calls`, { calls: [call] });
      },
      check(answer) {
        if (JSON.parse(answer).results[0].structuredContent.skills.length === 0) throw new Error(`no hit: ${answer}`);
      },
    }),
    turn: (user, purpose = "turn") => ({
      async prepare(n) {
        const route = await conversation(gateway, user, purpose, n);
        return gateway.request(user, "POST", `${route}/turns`, { key: `message-${n}` });
      },
    }),
  };
  const changed = (user) => ({
    ...rows.turn(user, "changed"),
    before: () =>
      gateway.db.prepare("UPDATE counters SET value = value + 1 WHERE scope = ?").bind(`user:${user}`).run(),
  });
  return [
    { name: "list, 10 000 skills against 100", budget: 2, ...(await against(rows.list)) },
    { name: "lookup by name, 10 000 against 100", budget: 2, ...(await against(rows.lookup)) },
    { name: "find_skill, 10 000 against 100", budget: 2, ...(await against(rows.search)) },
    { name: "turn, nothing changed, 10 000 against 100", budget: 2, ...(await against(rows.turn)) },
    { name: "turn after a change, 10 000 against 100", budget: 2, ...(await against(changed)) },
  ];
}

/** Returns the route of a conversation that is in a turn and has read the catalog. Every `TURNS` requests use a new one. */
async function conversation(gateway, user, purpose, n) {
  const route = `/api/v1/conversations/${purpose}-${Math.floor(n / TURNS)}`;
  if (n % TURNS === 0) await gateway.call(user, "POST", `${route}/turns`, { conversation: {} });
  return route;
}
