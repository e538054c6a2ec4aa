// Scripts as skills bring them, against python3.

import { expect, it } from "vitest";
import { CASES, differences } from "../../scripts/python/table";
import { runPython } from "../../support/run-python";

/** Where CPython 3.14 says something else than the version that wrote expected.json. */
const BY_VERSION: Record<string, RegExp> = {
  // A weekday has been a member of an enum since 3.12.
  "calendar-month": /^stdout .*calendar\.TUESDAY/s,
};

it.each(CASES.map((each) => [each.name, each] as const))("%s", async (name, each) => {
  const { args, input, source } = each;
  const { run } = await runPython(source, { args, input, path: `scripts/${name}.py` });
  expect(run.exit_code).toBe(each.expected.exit);
  const told = differences(each, run);
  const { [name]: known } = BY_VERSION;
  if (known === undefined) expect(told).toEqual([]);
  else expect(told).toEqual([expect.stringMatching(known)]);
});
