// load_skill of a skill with 23 layers of two dependencies that each need both of the next layer, next to a skill without dependencies.

import { prose, skillZip } from "../skills.mjs";

const USER = "layers";
const LAYERS = 23;

export async function run({ gateway, compare }) {
  const layer = (n) => (n < LAYERS ? [`layer-${n}-a`, `layer-${n}-b`] : []);
  const publish = async (name, needs) => {
    const description = prose(120, needs.length).replaceAll(/\s+/g, " ").trim();
    const frontmatter = needs.length === 0 ? "" : `dependencies: [${needs.join(", ")}]`;
    // Together they have as many tokens as the other skill, so only the number of skills differs. Both have more than the 2,000 tokens up to
    // which a whole catalog is preloaded.
    const body = prose(name === "alone" ? 11_750 : 250, 1_000);
    await gateway.send(await gateway.upload(USER, skillZip({ name, description, body, frontmatter })));
  };
  for (let n = LAYERS - 1; n >= 0; n--) for (const name of layer(n)) await publish(name, layer(n + 1));
  await publish("top", layer(0));
  await publish("alone", []);

  const loading = (side, skill_name, count) => ({
    async prepare(n) {
      const route = `/api/v1/conversations/layers-${side}-${n}`;
      await gateway.call(USER, "POST", `${route}/turns`, { format: "openai", conversation: {} });
      const calls = [{ id: `call_${n}`, name: "load_skill", arguments: { skill_name } }];
      return gateway.request(USER, "POST", `${route}/tool-calls`, { format: "openai", calls });
    },
    check(answer) {
      const { active } = JSON.parse(answer);
      if (active.length !== count) throw new Error(`${active.length} skills are active: ${answer.slice(0, 500)}`);
    },
  });
  const measured = await compare({
    floor: loading("floor", "alone", 1),
    path: loading("path", "top", 2 * LAYERS + 1),
  });
  return [{ name: "load of 46 layered skills against one", budget: 2, ...measured }];
}
