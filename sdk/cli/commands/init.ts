// `init`: creates a minimal skill that passes `check`.

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { isName } from "../../../src/domain/package/name";
import type { Command } from "../command";
import { answer, placeOf, tell } from "../context";
import { EXIT, misused, Problem } from "../problem";

const BEGINNING = (name: string) => `---
name: ${name}
description: "Describe in one sentence what the skill does and when to use it. Models see only this line before they load it."
version: "0.1.0"
---

# ${name}

Write here what the model is to do, step by step. It reads this when it loads the skill.
`;

export const init: Command = {
  usage: "<name>",
  summary: "Creates a skill: a folder with a SKILL.md.",
  names: [1, 1],
  async run(work, [name = ""]) {
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || !isName(name))
      throw misused(
        `'${name}' is not a valid skill name (limit 64 characters). Use a-z, 0-9 and single hyphens between them.`,
      );
    const folder = placeOf(work, name);
    await mkdir(folder).catch((error) => {
      throw error.code === "EEXIST" ? new Problem(EXIT.conflict, `${folder} exists. Choose another name.`) : error;
    });
    const file = path.join(folder, "SKILL.md");
    await writeFile(file, BEGINNING(name));
    tell(work, `created ${file}. Edit it, then run \`${work.program} check ${name}\`.`);
    answer(work, { name, file });
    return EXIT.done;
  },
};
