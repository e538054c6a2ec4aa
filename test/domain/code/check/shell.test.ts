// Verdicts on shell scripts: the first unavailable command decides.

import { expect, it } from "vitest";
import { shellJudgement } from "../../../../src/domain/code/check/shell";

it.each<[string, string, object]>([
  ["runs with what is here", "#!/bin/bash\nset -e\njq . <<< '{}' | sort", { runs: "isolate" }],
  ["runs whatever it only writes about", "cat <<E\ngit push\nE\necho docker run # curl", { runs: "isolate" }],
  ["runs partly with network", "\ncurl -s https://x | jq .", { runs: "partly", line: 2 }],
  ["runs elsewhere with what only a machine has", "curl x\n\ngit status", { runs: "remote", line: 3 }],
])("a shell script %s", (_, text, verdict) => {
  expect(shellJudgement(text)).toMatchObject(verdict);
});
