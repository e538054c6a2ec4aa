// Measures load_skill over HTTP, each in a fresh conversation in its first turn.

import { publishSkills } from "../skills.mjs";

const USER = "load";

export async function run({ gateway, compare }) {
  await publishSkills(gateway, USER, 20);
  const text = "x".repeat(4_500);
  const floorOf = (route) => ({
    async prepare(n) {
      const id = `load-${n}`;
      await gateway.send({ method: "POST", route: "/floor/prepare", body: Buffer.from(id) });
      return gateway.request(USER, "POST", route, { id, text });
    },
  });
  const pathOf = (kind) => ({
    async prepare(n) {
      const route = `/api/v1/conversations/${kind}-${n}`;
      await gateway.call(USER, "POST", `${route}/turns`, { format: "openai", conversation: {} });
      const skill_name = `skill-${String(n % 20).padStart(2, "0")}`;
      const call = {
        id: `call_${n}`,
        type: "function",
        function: { name: "load_skill", arguments: JSON.stringify({ skill_name }) },
      };
      return gateway.request(USER, "POST", `${route}/tool-calls`, { format: "openai", calls: [call] });
    },
    check(answer) {
      if (JSON.parse(answer).loaded_skills.length !== 1) throw new Error(`nothing was loaded: ${answer}`);
    },
  });
  const measured = await compare({ floor: floorOf("/floor/write"), path: pathOf("load") });
  const bare = await compare({ floor: floorOf("/floor/object"), path: pathOf("bare") });
  return [
    { name: "load_skill through HTTP, fresh conversation, floor with D1", budget: 1.4, ...measured },
    { name: "load_skill, floor without D1", budget: null, ...bare },
  ];
}
