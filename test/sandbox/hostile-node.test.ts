// Hostile Node scripts: each ends with a reason by its deadline, reaches nothing, and does not affect other scripts.

import { describe, expect, it } from "vitest";
import { runOne } from "../support/run-code";
import { HOSTILE_NODE } from "./fixtures/hostile-node";

describe("hostile Node scripts", () => {
  it.each(Object.entries(HOSTILE_NODE))("%s", async (_, [source, seen, path = "scripts/bad.js"]) => {
    const attempt = async () => {
      const began = Date.now();
      const ended = await runOne({ name: "hostile-node", files: { [path]: source } }, path, { ms: 1_500 });
      // It must not hang; a busy machine takes longer.
      expect(Date.now() - began).toBeLessThan(20_000);
      return ended;
    };
    let run = await attempt();
    // On a busy machine the time limit can come first.
    for (let again = 0; again < 4 && run.reason === "timeout" && !seen.test(run.stdout + run.stderr); again++)
      run = await attempt();
    expect(run.stdout + run.stderr).toMatch(seen);
    expect(run.stdout).not.toMatch(/GOT|OUT/);
    const sound = {
      name: "sound",
      files: { "scripts/good.js": "console.log([1, 2].length, require('fs').readdirSync('/tmp').length)" },
    };
    expect(await runOne(sound, "scripts/good.js")).toMatchObject({ exit_code: 0, stdout: "2 0\n" });
  });
});
