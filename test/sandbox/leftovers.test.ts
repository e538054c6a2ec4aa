// A JavaScript or shell run leaves nothing behind for the next one: in another conversation of the same user, and for another user.

import { describe, expect, it } from "vitest";
import { runOne } from "../support/run-code";

/** What the first run does, what the second one prints, and its output in a new isolate. */
type Leftover = [before: string, after: string, out: string];

const JAVASCRIPT: Record<string, Leftover> = {
  "a global variable": ["globalThis.mark = 1", "console.log(typeof mark)", "undefined"],
  "an undeclared variable": ["require('vm'); mark = 1", "console.log(typeof mark)", "undefined"],
  "a prototype": ["Object.prototype.mark = 1", "console.log({}.mark, [].mark)", "undefined undefined"],
  "a method of arrays": ["Array.prototype.at = () => 'bent'", "console.log([1].at(0))", "1"],
  "a built-in object": [
    "JSON.stringify = () => 'bent'; Math.random = () => 1",
    "console.log(JSON.stringify([]), Math.random() < 1)",
    "[] true",
  ],
  "the clock": ["Date.now = () => 1; globalThis.Date = class { }", "console.log(Date.now() > 1)", "true"],
  "a Node module": [
    "require('fs').readFileSync = () => 'bent'; require('path').join = () => 'bent'",
    "console.log(require('path').join('a', 'b'), typeof require('fs').readFileSync('/skill/SKILL.md', 'utf8'))",
    "a/b string",
  ],
  "a class of a Node module": [
    "require('events').EventEmitter.defaultMaxListeners = 1; require('events').prototype.mark = 1",
    "const E = require('events'); console.log(E.defaultMaxListeners, new E().mark)",
    "10 undefined",
  ],
  "the environment": [
    "process.env.MARK = '1'; process.env.HOME = '/'",
    "console.log(process.env.MARK, process.env.HOME)",
    "undefined /home/skill",
  ],
  "the working directory": ["process.chdir('/tmp')", "console.log(process.cwd())", "/workspace"],
  "a listener": ["process.on('exit', () => console.log('late'))", "console.log(process.listenerCount('exit'))", "0"],
  "a timer": [
    "setInterval(() => console.log('tick'), 5); setTimeout(() => process.exit(0), 20)",
    "setTimeout(() => console.log('alone'), 60)",
    "alone",
  ],
  "a file": [
    "require('fs').writeFileSync('/tmp/left', 'x'); require('fs').openSync('/tmp/left', 'r')",
    "console.log(require('fs').readdirSync('/tmp').length)",
    "0",
  ],
  "a module of its package": ["require('../lib.js').mark = 1", "console.log(require('../lib.js').mark)", "undefined"],
  "how modules are found": [
    "require('module').prototype.require = () => 'bent'; require.cache = {}; Error.prepareStackTrace = () => 'bent'",
    "console.log(require('../lib.js').name, typeof Error.prepareStackTrace)",
    "lib undefined",
  ],
  "the console": ["console.log = () => {}; globalThis.console = null", "console.log('printed')", "printed"],
};

const SHELL: Record<string, Leftover> = {
  "a variable": ["export MARK=1; HOME=/", 'echo "[$MARK] $HOME"', "[] /home/skill"],
  "a function": ["ls() { echo bent; }; export -f ls 2>/dev/null || true", "ls /tmp | wc -l | tr -d ' '", "0"],
  "an alias": ["shopt -s expand_aliases; alias cat='echo bent'", "echo a | cat", "a"],
  "an option": ["set -f; set +o pipefail; IFS=:", "echo /skil*; x='a b'; set -- $x; echo $#", "/skill\n2"],
  "a trap": ["trap 'echo late' EXIT", "trap; echo alone", "alone"],
  "a file": [
    "echo x > /tmp/left; ln -s /tmp/left /workspace/link; chmod 000 /skill/lib.js",
    "ls /tmp /workspace | grep -c left; head -c 6 /skill/lib.js; echo",
    "0\nmodule",
  ],
  "the working directory": ["cd /tmp; umask 077", "pwd", "/workspace"],
};

const files: Record<string, string> = { "lib.js": "module.exports = { name: 'lib' };\n" };
for (const [language, table] of [
  ["js", JAVASCRIPT],
  ["sh", SHELL],
] as const)
  Object.values(table).forEach(([before, after], at) => {
    files[`scripts/${at}-before.${language}`] = `${before}\n`;
    files[`scripts/${at}-then.${language}`] = `${after}\n`;
  });
const skill = { name: "leftovers", files };

describe.each([
  ["another conversation of the same user", "leftover"],
  ["another user", "leftover-other"],
])("a run in %s", (_, userId) => {
  for (const [name, language, table] of [
    ["JavaScript", "js", JAVASCRIPT],
    ["shell", "sh", SHELL],
  ] as const)
    it.each(Object.keys(table).map((what, at) => [what, at] as const))(
      `in ${name} does not notice that a run changed %s`,
      async (what, at) => {
        const first = await runOne(skill, `scripts/${at}-before.${language}`, { userId: "leftover", taskId: "first" });
        expect(first, first.stderr).toMatchObject({ exit_code: 0 });
        const second = await runOne(skill, `scripts/${at}-then.${language}`, { userId, taskId: "second" });
        expect(second).toMatchObject({ exit_code: 0, stdout: `${table[what]?.[2]}\n` });
      },
    );
});
