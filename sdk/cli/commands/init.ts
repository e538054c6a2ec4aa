// `init`: creates a minimal skill that passes `check`.

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { isName } from "../../../src/domain/package/name";
import type { Command } from "../command";
import { answer, placeOf, tell } from "../context";
import { EXIT, misused, Problem } from "../problem";

const BEGINNING = (name: string) => `---
name: ${name}
description: "Say in a sentence what it does, and when to use it: this line is all that a model sees at first."
version: "0.1.0"
---

# ${name}

Write here what the model is to do, step by step. It reads this when it loads the skill.
`;

export const init: Command = {
  usage: "<name>",
  summary: "Begins a skill: a folder of that name with a SKILL.md.",
  names: [1, 1],
  async run(work, [name = ""]) {
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || !isName(name))
      throw misused(
        `A skill's name is at most 64 small letters, digits and single hyphens between them; '${name}' is not.`,
      );
    const folder = placeOf(work, name);
    await mkdir(folder).catch((error) => {
      throw error.code === "EEXIST" ? new Problem(EXIT.conflict, `${folder} is there already.`) : error;
    });
    const file = path.join(folder, "SKILL.md");
    await writeFile(file, BEGINNING(name));
    tell(work, `${file}: write it, then ${work.program} check ${name}`);
    answer(work, { name, file });
    return EXIT.done;
  },
};
