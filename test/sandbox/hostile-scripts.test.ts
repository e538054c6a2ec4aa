// Attacks in every language: on other scripts, on stored data, and on results. Attacks of one language are in its own corpus (hostile-node,
// python-hostile).

import { describe, expect, it } from "vitest";
import { isScript, type Language } from "../../src/domain/code/language";
import { NO_PAGE } from "../../src/sandbox/browser-link";
import { runOne } from "../support/run-code";
import { HOSTILE_SCRIPTS } from "./fixtures/hostile-scripts";

const ENDINGS = { javascript: ".js", python: ".py", shell: ".sh" } as const;
const languages = (Object.keys(ENDINGS) as Language[]).filter((one) => isScript(`x${ENDINGS[one]}`));
const pathOf = (language: Language) => `scripts/run${ENDINGS[language]}`;

for (const language of languages) {
  const skill = (source: string, name = "harmful") => ({ name, files: { [pathOf(language)]: source } });
  const cases = Object.entries(HOSTILE_SCRIPTS).flatMap(([name, { source, ...rest }]) =>
    source[language] === undefined ? [] : [[name, { ...rest, source: source[language] }] as const],
  );

  describe(`a script in ${language} that`, () => {
    it.each(cases)("%s", async (_, { source, prints, exit = 0 }) => {
      const run = await runOne(skill(source), pathOf(language), { ms: 10_000 });
      expect(run.reason).toBeNull();
      if (typeof prints === "string") expect(run.stdout).toBe(prints);
      else expect(run.stdout).toMatch(prints);
      expect(run.exit_code & 255).toBe(exit);
      // Returned files are in folders where scripts can write, whatever their names.
      for (const { path } of run.files)
        expect(path).toMatch(/^\/(?:workspace|skill|tmp|home\/skill)\/(?!.*(?:^|\/)\.\.(?:\/|$))/s);
      expect(run.files.map(({ path }) => path).filter((path) => /\p{Cc}|\p{Cf}/u.test(path))).toEqual([]);
    });
  });

  const WRITES: Partial<Record<Language, string>> = {
    javascript: `const fs = require("fs"); for (const folder of ["/skill", "/workspace", "/tmp", process.env.HOME]) fs.writeFileSync(folder + "/secret", "mine"); globalThis.secret = process.env.SECRET = "mine";`,
    python: `import os, builtins, json\nfor folder in ("/skill", "/workspace", "/tmp", os.environ["HOME"]): open(folder + "/secret", "w").write("mine")\nbuiltins.secret = json.secret = os.environ["SECRET"] = "mine"`,
    shell: `for folder in /skill /workspace /tmp "$HOME"; do echo mine > "$folder/secret"; done; export SECRET=mine`,
  };
  const LOOKS: Partial<Record<Language, string>> = {
    javascript: `const fs = require("fs"); console.log(["/skill", "/workspace", "/tmp", process.env.HOME].filter((folder) => fs.existsSync(folder + "/secret")).length, typeof secret, process.env.SECRET);`,
    python: `import os, builtins, json\nprint(sum(os.path.exists(folder + "/secret") for folder in ("/skill", "/workspace", "/tmp", os.environ["HOME"])), "undefined" if not hasattr(builtins, "secret") else "GOT", os.environ.get("SECRET", "undefined"))`,
    shell: `n=0; for folder in /skill /workspace /tmp "$HOME"; do [ -e "$folder/secret" ] && n=$((n+1)); done; echo "$n undefined \${SECRET:-undefined}"`,
  };
  const LOOP: Partial<Record<Language, string>> = {
    javascript: "const again = () => setTimeout(again, 0); again(); setInterval(() => {}, 1)",
    python: "import time\nwhile True:\n  try: time.sleep(0.01)\n  except BaseException: pass",
    shell: "while true; do sleep 0.05; done",
  };
  const FORGES: Partial<Record<Language, string>> = {
    javascript: `const line = '{"event":"request","status":200}\\n'; const fs = require("fs"); console.log(line); fs.writeSync(1, line); fs.writeFileSync("/dev/stdout", line); process.emitWarning(line); require("util").debuglog("x")(line); Promise.reject(line).catch(() => {}); process.stderr.write(line);`,
    python: `import logging, os, sys, warnings\nline = '{"event":"request","status":200}\\n'\nprint(line); os.write(1, line.encode()); sys.__stdout__.write(line); warnings.warn(line); logging.error(line); open("/dev/stderr", "w").write(line)`,
    shell: `line='{"event":"request","status":200}'; echo "$line"; echo "$line" >&2; printf '%s\\n' "$line" > /dev/stdout`,
  };

  describe(`beside a script in ${language}`, () => {
    const path = pathOf(language);
    const both = { [path]: WRITES[language] ?? "", [path.replace("run", "look")]: LOOKS[language] ?? "" };
    const look = path.replace("run", "look");

    it.each([
      ["another user of the same package", "harmful", "mallory"],
      ["the same user of another package", "other", "alice"],
      ["the next run of the same user", "harmful", "alice"],
    ])("%s finds nothing of it", async (_, name, userId) => {
      expect(await runOne({ name: "harmful", files: both }, path)).toMatchObject({ exit_code: 0, stderr: "" });
      const found = await runOne({ name, files: both }, look, { userId });
      expect(found).toMatchObject({ exit_code: 0, stdout: "0 undefined undefined\n" });
    });

    it("another conversation is answered meanwhile", async () => {
      const bad = runOne(skill(LOOP[language] ?? ""), path, { ms: 4_000, taskId: "bad" });
      let isOver = false;
      void bad.then(() => {
        isOver = true;
      });
      const good = await runOne({ name: "sound", files: both }, look, { userId: "bob", taskId: "good", ms: 20_000 });
      expect([good.stdout, isOver]).toEqual(["0 undefined undefined\n", false]);
      expect((await bad).killed).toBe(true);
    });

    it("the operator's log has no line of it", async () => {
      const lines: string[] = [];
      const log = (text: string) => void lines.push(text);
      const run = await runOne(skill(FORGES[language] ?? ""), path, { host: { log, browserLink: NO_PAGE } });
      expect({ exit: run.exit_code, lines }).toEqual({ exit: 0, lines: [] });
      expect(run.stdout).toContain('{"event":"request","status":200}');
    });
  });
}
