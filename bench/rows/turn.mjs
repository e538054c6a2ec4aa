// Prompt and tools of a turn: 20 skills in the catalog, one of them loaded. The same turn with a message, for which a skill is predicted,
// beside the turn without. And, without a budget, the turn that creates its conversation.

import { publishSkills } from "../skills.mjs";

const USER = "turn";
const TURNS = 10;

export async function run({ gateway, compare }) {
  await publishSkills(gateway, USER, 20);
  const floorOf = (route) => ({
    async prepare(n) {
      const id = `turn-${Math.floor(n / TURNS)}`;
      if (n % TURNS === 0) await gateway.send({ method: "POST", route: "/floor/prepare", body: Buffer.from(id) });
      return gateway.request(USER, "POST", route, { id, text: "x".repeat(600) });
    },
  });
  const floor = floorOf("/floor/write");
  const message = { message: "Please check this text for the seventh skill and tell me what it does." };
  const pathOf = (kind, more = {}) => ({
    async prepare(n) {
      const route = `/api/v1/conversations/${kind}-${Math.floor(n / TURNS)}`;
      if (n % TURNS === 0) {
        await gateway.call(USER, "POST", `${route}/turns`, { conversation: {} });
        const calls = [{ id: "call", name: "load_skill", arguments: { skill_name: "skill-07" } }];
        await gateway.call(USER, "POST", `${route}/tool-calls`, { calls });
      }
      return gateway.request(USER, "POST", `${route}/turns`, { key: `message-${n}`, format: "openai", ...more });
    },
    check(answer) {
      if (JSON.parse(answer).tools.length === 0) throw new Error(`no tools: ${answer}`);
    },
  });
  const going = await compare({ floor, path: pathOf("turn") });
  const predicted = await compare({ floor: pathOf("without"), path: pathOf("with", message) });
  const bare = await compare({ floor: floorOf("/floor/object"), path: pathOf("bare") });
  const first = await compare({
    floor,
    path: {
      prepare: (n) =>
        gateway.request(USER, "POST", `/api/v1/conversations/first-${n}/turns`, {
          key: "message",
          format: "openai",
          conversation: {},
        }),
    },
  });
  return [
    { name: "turn, prompt and tools, 20 skills, floor with D1", budget: 1.4, ...going },
    { name: "turn with a message, floor: the same turn without", budget: 1.05, ...predicted },
    { name: "turn, floor without D1", budget: null, ...bare },
    { name: "turn that creates its conversation", budget: null, ...first },
  ];
}
