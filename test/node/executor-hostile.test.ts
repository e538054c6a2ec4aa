// The hostile scripts of the isolates, confined by bubblewrap: each ends, its output is bounded, it reaches nothing, and nothing is left.

import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, it, vi } from "vitest";
import { interpreterOf, LIMITS, probe, runConfined } from "../../executor/bubblewrap.mjs";
import { HOSTILE_NODE } from "../sandbox/fixtures/hostile-node";
import { HOSTILE_PYTHON } from "../sandbox/fixtures/hostile-python";
import { HOSTILE_SCRIPTS } from "../sandbox/fixtures/hostile-scripts";
import { HOSTILE_SHELL } from "../sandbox/fixtures/hostile-shell";
import { expectNoProcess } from "../support/left-processes";

const canConfine = (await probe()).ok;
/** In the environment of every run of this file, and so in the arguments of its bubblewrap. */
const MARK = crypto.randomUUID();
vi.setConfig({ testTimeout: 180_000 });

const ENDINGS = { javascript: "js", python: "py", shell: "sh" } as const;
type Language = keyof typeof ENDINGS;
const languages = Object.keys(ENDINGS) as Language[];

const CASES: [string, Language, string][] = [
  ...Object.entries(HOSTILE_NODE).map(([name, [text]]): [string, Language, string] => [name, "javascript", text]),
  ...Object.entries(HOSTILE_PYTHON).map(([name, [text]]): [string, Language, string] => [name, "python", text]),
  ...Object.entries(HOSTILE_SHELL).map(([name, [text]]): [string, Language, string] => [name, "shell", text]),
  ...Object.entries(HOSTILE_SCRIPTS).flatMap(([name, { source }]) =>
    languages.flatMap((language): [string, Language, string][] => {
      const text = source[language];
      return text === undefined ? [] : [[name, language, text]];
    }),
  ),
];

/** Scripts that loop or wait, and reach and grow nothing. Each uses a core until it is ended, so that its limit is short. */
const ONLY_RUNS = /^(?:a (?:loop|sleep|trap|timer|coroutine|task)|an? (?:expression|end) that|microtasks) /;

async function run(language: Language, text: string, ms: number) {
  const path = `/skill/scripts/bad.${ENDINGS[language]}`;
  const files = [{ path, bytes: Buffer.from(text), mode: 0o755 }];
  const command = interpreterOf(language);
  if (command === null) throw new Error(`no ${language}`);
  return runConfined({ command: [...command, path], files, env: { MARK }, ms });
}

/** What only the machine has, outside of the confinement. */
const SECRETS = [process.env.HOME ?? "/root", ...readdirSync(tmpdir())].filter((name) => name.length > 8);

describe.runIf(canConfine)("a hostile script on the executor", () => {
  it.each(CASES)("ends and reaches nothing: %s (%s)", async (name, language, text) => {
    const { exit, reason, stdout, stderr, files } = await run(language, text, ONLY_RUNS.test(name) ? 700 : 1_500);
    expect(exit !== null || reason !== null).toBe(true);
    expect(stdout.length + stderr.length).toBeLessThanOrEqual(2 * LIMITS.outputBytes + 200);
    expect(stdout).not.toMatch(/^GOT (?:fetch|ws|es|tls|http2|urllib|https?|socket|asyncio|smtp|ftp|rpc)$/m);
    expect(stdout).not.toMatch(/^root:.*:\/bin\/bash$/m);
    for (const secret of SECRETS) expect(stdout + stderr).not.toContain(secret);
    const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
    expect(bytes).toBeLessThanOrEqual(LIMITS.archiveBytes);
  });

  it("leaves no process, and the next script runs as usual", async () => {
    await expectNoProcess(MARK);
    const good = "ls -A /tmp /workspace | grep -vc :; echo sound";
    expect(await run("shell", good, 60_000)).toMatchObject({
      exit: 0,
      reason: null,
      stdout: expect.stringMatching(/sound\n$/),
    });
  });
});
