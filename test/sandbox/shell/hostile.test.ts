// Hostile shell scripts: each ends with a reason by its deadline, reaches nothing, and does not affect other scripts.

import { describe, expect, it } from "vitest";
import { runOne } from "../../support/run-code";
import { HOSTILE_SHELL } from "../fixtures/hostile-shell";

describe("hostile shell scripts", () => {
  it.each(Object.entries(HOSTILE_SHELL))("%s", async (_, [source, seen]) => {
    const began = Date.now();
    const run = await runOne({ name: "hostile-shell", files: { "scripts/bad.sh": source } }, "scripts/bad.sh", {
      ms: 2_000,
    });
    // It must not hang; a busy machine takes longer.
    expect(Date.now() - began).toBeLessThan(20_000);
    expect(run.stdout + run.stderr).toMatch(seen);
    expect(run.stdout).not.toMatch(/OUT/);
    expect(run.exit_code === 0 || run.stderr !== "").toBe(true);
    const sound = { name: "sound", files: { "scripts/good.sh": "echo $((1 + 1)) $(ls /tmp | wc -l)" } };
    expect(await runOne(sound, "scripts/good.sh")).toMatchObject({ exit_code: 0, stdout: "2 0\n" });
  });

  it("does not see another user's run of the same package", async () => {
    const skill = {
      name: "two",
      files: {
        "scripts/run.sh": `ls /tmp /workspace | wc -l; echo "\${LEFT:-none}"; export LEFT=1; echo mine > /tmp/mine; sleep 0.2`,
      },
    };
    const both = await Promise.all(["u1", "u2"].map((userId) => runOne(skill, "scripts/run.sh", { userId })));
    expect(both.map(({ stdout }) => stdout)).toEqual(
      ["2\nnone\n", "2\nnone\n"].map((text) => text.replace("2", both[0]?.stdout[0] ?? "")),
    );
    expect(await runOne(skill, "scripts/run.sh", { userId: "u1" })).toMatchObject({ stdout: both[0]?.stdout });
  });
});
