// A Python run finds its interpreter as if it were new: in another conversation of the same user, and for another user.

import { describe, expect, it } from "vitest";
import { runPython } from "../../support/run-python";
import { PYTHON_LEFTOVERS } from "../fixtures/leftovers";

const CASES = Object.entries(PYTHON_LEFTOVERS);

describe.each([
  ["another conversation of the same user", { userId: "leftover", taskId: "second" }],
  ["another user", { userId: "leftover-other", taskId: "second" }],
] as const)("a run in %s", (_, second) => {
  it.each(CASES)("does not notice that a run changed %s", async (_name, { before, after, out }) => {
    const first = await runPython(before, { userId: "leftover", taskId: "first" });
    expect(first).toMatchObject({ exit: 0 });
    expect(await runPython(after, second)).toMatchObject({ exit: 0, out: `${out}\n` });
  });
});

/** Whether the library's modules that a run has imported are still loaded in the next two runs. */
async function staysWarm(source: string): Promise<boolean> {
  const asked = `import sys; print('sched' in sys.modules, file=sys.stderr); import sched\n${source}`;
  const warm: string[] = [];
  for (let n = 0; n < 3; n++) {
    const { exit, err } = await runPython(asked, { userId: "leftover-warm" });
    expect(exit).toBe(0);
    warm.push(err);
  }
  return warm.slice(1).every((err) => err === "True\n");
}

describe("the interpreter", () => {
  it.each([
    ["imports much", "import argparse, csv, email.message, http.client, sqlite3, tempfile, xml.dom.minidom, zipfile"],
    ["replaces a function", "import time; time.time = lambda: 0"],
    ["changes the decimal context", "import decimal; decimal.getcontext().prec = 3"],
    ["redirects its output", "import io, sys; sys.stdout = io.TextIOWrapper(sys.stdout.buffer); import calendar"],
    [
      "changes the filters of warnings",
      "import logging, warnings; warnings.simplefilter('error'); logging.basicConfig()",
    ],
    ["fills a table and imports more", "import mimetypes; mimetypes.add_type('a/b', '.c'); import html.parser"],
  ])("stays warm for a script that %s", async (_, source) => {
    expect(await staysWarm(source)).toBe(true);
  });

  it("is renewed after a change that cannot be reverted", async () => {
    expect(await staysWarm("sys.addaudithook(lambda *_: None)")).toBe(false);
  });
});
