// Detection of a file's language, by its first line if the name is inconclusive.

import { expect, it } from "vitest";
import { languageOf, shebangLanguage } from "../../../src/domain/code/language";

it("is shell, by the name or by the first line", () => {
  expect(["scripts/a.sh", "b.bash", "c.py", "d.mjs", "e.d.ts", "README"].map(languageOf)).toEqual([
    "shell",
    "shell",
    "python",
    "javascript",
    null,
    null,
  ]);
  const shells = [
    "#!/bin/bash\n",
    "#! /bin/sh -e\n",
    "#!/usr/bin/env bash\n",
    "#!/usr/bin/env -S bash -u\n",
    "#!/usr/local/bin/dash\n",
  ];
  expect(shells.filter((line) => shebangLanguage(line) !== "shell")).toEqual([]);
  const others = [
    "#!/usr/bin/env python3\n",
    "#!/bin/zsh\n",
    "#!/usr/bin/env fish\n",
    "echo #!/bin/sh\n",
    "#!/bin/shell\n",
    "",
  ];
  expect(others.filter((line) => shebangLanguage(line) !== null)).toEqual([]);
});
