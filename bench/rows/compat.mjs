// Measures the most frequent requests of clients of other registries. An index of 1 000 skills is compared with one of 100. An open archive
// by its digest, which is served without D1, is compared with a plain read of its bytes from R2.

import { publishSkills, seedCatalog } from "../skills.mjs";

const SMALL = "doors-100";
const LARGE = "doors-1000";
const SIZES = { [SMALL]: 100, [LARGE]: 1_000 };
const PLACE = "/.well-known/agent-skills";

export async function run({ gateway, compare }) {
  for (const [user, count] of Object.entries(SIZES)) {
    await seedCatalog(gateway, user, count);
    // The rows have no packages to create archives from, so they are marked as done.
    await gateway.db
      .prepare(
        `INSERT INTO version_archives (version_id, sha256, size)
          SELECT version_id, lower(hex(randomblob(32))), 4000 FROM skills WHERE scope = ?`,
      )
      .bind(`user:${user}`)
      .run();
  }
  const index = (user) => ({
    prepare: () => gateway.request(user, "GET", `/s/own${PLACE}/index.json`),
    check(answer) {
      const { length } = JSON.parse(answer).skills;
      if (length !== SIZES[user]) throw new Error(`an index of ${length} skills, not of ${SIZES[user]}`);
    },
  });
  const indexes = await compare({ floor: index(SMALL), path: index(LARGE) });
  const archive = await openArchive(gateway);
  const whole = (answer) => {
    if (!answer.startsWith("PK")) throw new Error(`no archive: ${answer.slice(0, 100)}`);
  };
  const archives = await compare({
    floor: { prepare: async () => ({ method: "POST", route: "/floor/object-read", body: archive.key }), check: whole },
    path: { prepare: async () => ({ method: "GET", route: archive.route }), check: whole },
  });
  return [
    { name: "index, 1 000 skills against 100", budget: 10, ...indexes },
    { name: "an open archive by its digest, without D1", budget: 2, ...archives },
  ];
}

/** Returns the URL of an open skill's archive for callers without a key, and its key in R2. */
async function openArchive(gateway) {
  await publishSkills(gateway, null, 1, undefined, "/api/v1/kinds/skills/public");
  const { id, version_id } = await gateway.db
    .prepare("SELECT id, version_id FROM skills WHERE scope = 'public' ORDER BY seq DESC LIMIT 1")
    .first();
  await gateway.call(null, "PUT", `/api/v1/open-skills/${id}`);
  const { text } = await gateway.send({ method: "GET", route: `${PLACE}/index.json` });
  const { url } = JSON.parse(text).skills[0];
  return { route: `${PLACE}/${url}`, key: Buffer.from(`packages/${version_id}.flat.zip`) };
}
