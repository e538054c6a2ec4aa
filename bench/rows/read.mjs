// read_skill of a file of 10 KB, one model step of an ongoing turn.

import { prose, publishSkills } from "../skills.mjs";

const USER = "read";
const SKILLS = 20;
const FILE = "references/guide.md";

export async function run({ gateway, compare }) {
  await publishSkills(gateway, USER, SKILLS, (n) => ({ [FILE]: Buffer.from(prose(10_240, 5_000 + n)) }));
  const { results } = await gateway.db
    .prepare("SELECT id, files FROM versions WHERE created_by = ? ORDER BY id")
    .bind(USER)
    .all();
  const files = results.map(({ id, files: list }) => {
    const { offset, size } = JSON.parse(list).find((file) => file.path === FILE);
    return { key: `packages/${id}.zip`, offset, length: size };
  });
  const floorOf = (route) => ({
    prepare: (n) =>
      gateway.request(USER, "POST", route, { id: `read-${Math.floor(n / SKILLS)}`, ...files[n % SKILLS] }),
    check(answer) {
      if (JSON.parse(answer).content.length !== 10_240) throw new Error("the floor read something else");
    },
  });
  const pathOf = (kind) => ({
    async prepare(n) {
      const route = `/api/v1/conversations/${kind}-${Math.floor(n / SKILLS)}`;
      if (n % SKILLS === 0) await gateway.call(USER, "POST", `${route}/turns`, { conversation: {} });
      const skill_name = `skill-${String(n % SKILLS).padStart(2, "0")}`;
      const call = { id: `call_${n}`, name: "read_skill", arguments: { skill_name, file_path: FILE } };
      return gateway.request(USER, "POST", `${route}/tool-calls`, { calls: [call] });
    },
    check(answer) {
      if (JSON.parse(answer).results[0].structuredContent.content_length !== 10_240)
        throw new Error(`not the file: ${answer}`);
    },
  });
  const measured = await compare({ floor: floorOf("/floor/read"), path: pathOf("read") });
  const bare = await compare({ floor: floorOf("/floor/object-file"), path: pathOf("bare") });
  return [
    { name: "read_skill of a 10 KB file, floor with D1", budget: 1.5, ...measured },
    { name: "read_skill, floor without D1", budget: null, ...bare },
  ];
}
