// Hostile Python scripts. Each ends with a reason by its deadline, and the next run is not affected.

import { expect, it } from "vitest";
import { NO_PAGE } from "../../src/sandbox/browser-link";
import { lastOf, runPython } from "../support/run-python";
import { HOSTILE_PYTHON } from "./fixtures/hostile-python";

/** By the end: its own error, or the reason why it was ended. */
const ENDED = "The script was ended";

it.each(Object.entries(HOSTILE_PYTHON))("%s", async (_, [source, ends, ms = 20_000]) => {
  const began = Date.now();
  const { err, run } = await runPython(source, { ms });
  const words = run.killed ? ENDED : lastOf(err);
  expect(run.killed ? lastOf(err) : words).toMatch(ends);
  // Generous, because a machine with two cores may start an interpreter meanwhile.
  expect(Date.now() - began).toBeLessThan(ms + 15_000);
  const next = await runPython("import os; print('well', os.listdir('.'))");
  expect({ out: next.out, err: next.err }).toEqual({ out: "well []\n", err: "" });
});

it("has no secret, and nothing of another user", async () => {
  const mine = { userId: "alice" };
  await runPython("import builtins, json; json.stolen = builtins.stolen = 'of alice'", mine);
  const { out } = await runPython(
    "import builtins, json, os; print(hasattr(json, 'stolen'), hasattr(builtins, 'stolen'), sorted(os.environ))",
    {
      userId: "mallory",
    },
  );
  expect(out).toBe("False False ['HOME', 'LANG', 'PATH']\n");
});

it("writes no line into the operator's log", async () => {
  const lines: string[] = [];
  const host = { log: (text: string) => lines.push(text), browserLink: NO_PAGE };
  const source = `import sys, logging\nforged = '{"event":"request","status":200}'\nprint(forged); logging.error(forged); sys.__stderr__.write(forged)`;
  const { exit, err } = await runPython(source, { host });
  expect({ exit, err, lines }).toEqual({ exit: 0, err: expect.stringContaining("ERROR:root:{"), lines: [] });
});

it("gets nowhere with a finder of its own back in place", async () => {
  const source = [
    "import gc, sys",
    "for each in list(sys.meta_path): sys.meta_path.remove(each)",
    "found = [type(each).__name__ for each in gc.get_objects() if type(each).__name__ == 'JsProxy']",
    "import zipimport; print(len(sys.meta_path))",
    "try:",
    "  import js; print('js')",
    "except ImportError as e: print(e)",
  ].join("\n");
  const { out } = await runPython(source);
  expect(out).toMatch(/^0\n(?:No module named 'js'|import of js halted.*)\n$/);
});

it("does not hold up its neighbour", async () => {
  const [slow, quick] = await Promise.all([
    runPython("while True: pass", { ms: 4_000, userId: "slow" }),
    runPython("print('quick')", { userId: "neighbour" }),
  ]);
  expect([slow.run.reason, quick.out]).toEqual(["timeout", "quick\n"]);
});
