// Publishing a skill of 1 MB: half text, half bytes that do not compress. Every upload is a new skill.

import { prose, randomFrom, skillZip } from "../skills.mjs";

const USER = "upload";
const KB = 1_000;

export async function run({ gateway, compare }) {
  const random = randomFrom(1);
  const files = {
    ...Object.fromEntries(
      Array.from({ length: 8 }, (_, n) => [`references/text-${n}.md`, Buffer.from(prose(62 * KB, 9_000 + n))]),
    ),
    ...Object.fromEntries(
      Array.from({ length: 4 }, (_, n) => [
        `assets/image-${n}.bin`,
        Uint8Array.from({ length: 124 * KB }, () => random() * 256),
      ]),
    ),
  };
  const body = prose(8 * KB, 8_000);
  const prepare = (kind) => (n) => {
    const zip = skillZip({ name: `${kind}-${n}`, description: "A skill of 1 MB.", body, files });
    return gateway.upload(USER, zip);
  };
  const measured = await compare({
    floor: {
      prepare: async (n) => ({ ...(await prepare("floor")(n)), route: "/floor/upload" }),
      check(answer) {
        if (JSON.parse(answer).files !== 13) throw new Error(`the floor stored something else: ${answer}`);
      },
    },
    path: { prepare: prepare("path") },
  });
  return [{ name: "upload of a 1 MB skill", budget: 1.4, ...measured }];
}
