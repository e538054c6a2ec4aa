// The environment of a shell script: its own path, and the available and missing commands.

import { describe, expect, it } from "vitest";
import { ABSENT_PROGRAMS, SHELL_BUILTINS, SHELL_PROGRAMS } from "../../../src/domain/code/shell-commands";
import { runOne } from "../../support/run-code";

async function run(source: string, files: Record<string, string> = {}, asked: Parameters<typeof runOne>[2] = {}) {
  const skill = { name: "shell", files: { ...files, "scripts/run.sh": `#!/bin/bash\n${source}\n` } };
  const { exit_code, stdout, stderr } = await runOne(skill, "scripts/run.sh", asked);
  return { exit_code, stdout, stderr };
}

describe("a shell script", () => {
  it("knows its own path, and that of a file which it sources", async () => {
    const files = {
      "scripts/lib.sh": `where() { echo "\${BASH_SOURCE[0]} \${BASH_SOURCE[1]}"; }\necho "\${BASH_SOURCE[0]}"`,
    };
    const source = `cd "$(dirname "\${BASH_SOURCE[0]}")" && pwd\n. ./lib.sh\nwhere\n[[ "\${BASH_SOURCE[0]}" == "$0" ]] && echo main "\${#BASH_SOURCE[@]}"`;
    expect(await run(source, files)).toEqual({
      exit_code: 0,
      stderr: "",
      stdout: "/skill/scripts\n./lib.sh\n./lib.sh /skill/scripts/run.sh\nmain 1\n",
    });
  });

  it("continues after an assignment, whatever the status before, and stops after a failing substitution", async () => {
    const source = `set -e\nif [[ -n "" ]]; then :; else A=""; fi\nfalse || B=$?\necho "$B"\nC=$(true)\nD=$(exit 3)\necho never`;
    expect(await run(source)).toEqual({ exit_code: 3, stdout: "1\n", stderr: "" });
  });

  it("uses the default value of an unset argument under `set -u`, and stops at one without", async () => {
    const source = `set -u\nf() { printf '<%s>' "\${1:-en}" "\${2:-$HOME/x}" "\${3-}" "\${NONE:-d}" "\${4:+no}"; }\nf a\necho "\${2}"`;
    expect(await run(source)).toEqual({
      exit_code: 1,
      stdout: "<a></home/skill/x><><d><>",
      stderr: expect.stringContaining("2: unbound variable"),
    });
  });

  it("reads the other files with jq if one is missing", async () => {
    expect(await run(`echo '{"a":1}' > a.json\njq -s length none.json a.json\njq .a a.json none.json`)).toEqual({
      exit_code: 2,
      stdout: "1\n1\n",
      stderr: "jq: error: Could not open file none.json: No such file or directory\n".repeat(2),
    });
  });

  it("makes nothing below a file", async () => {
    const ran = await run(`touch f\nmkdir -p f/g || echo no folder\necho x > f/h || echo no file\ncat f; ls`);
    expect(ran).toMatchObject({ exit_code: 0, stdout: "no folder\nno file\nf\n" });
    expect(ran.stderr).toMatch(/Not a directory/);
  });

  it("runs the command in an unquoted variable, with its arguments", async () => {
    const source = `CMD="printf %s-%s\\n a"\n$CMD b\n"$CMD" b\nNONE=\n$NONE echo plain\nOPTS=""\necho x $OPTS y`;
    const ran = await run(source);
    expect(ran).toMatchObject({ exit_code: 0, stdout: "a-b\nplain\nx y\n" });
    expect(ran.stderr).toMatch(/printf %s-%s.*command not found/);
  });

  it("runs its trap at every kind of end, with the exit code", async () => {
    const source = (end: string) =>
      `tmp=$(mktemp -d)\ncleanup() { echo "left $?"; rm -rf "$tmp"; ls /tmp | wc -l; }\ntrap cleanup EXIT INT TERM\ntouch "$tmp/a"\n${end}`;
    expect(await run(source("echo end"))).toMatchObject({ exit_code: 0, stdout: "end\nleft 0\n0\n" });
    expect(await run(source("exit 3"))).toMatchObject({ exit_code: 3, stdout: "left 3\n0\n" });
    expect(await run(source("set -e; false; echo no"))).toMatchObject({ exit_code: 1, stdout: "left 1\n0\n" });
    expect(await run(source("trap - EXIT; echo end"))).toMatchObject({ exit_code: 0, stdout: "end\n" });
    expect(await run(source("trap 'exit 9' EXIT; exit 3"))).toMatchObject({ exit_code: 9, stdout: "" });
  });

  it("starts other scripts as programs of their own", async () => {
    const files = {
      "scripts/child.sh": `#!/usr/bin/env bash\nfalse\necho "$0 $# \${GIVEN:-} \${HIDDEN:-none}"\ncommand -v helper || echo no helper\ntrap 'echo child over' EXIT\nexit 4`,
    };
    const source = `set -euo pipefail\nexport GIVEN=yes\nHIDDEN=1\nhelper() { :; }\ntrap 'echo parent over' EXIT\nbash "$(dirname "$0")/child.sh" a 'b c' || echo "code $?"\n./nothing.sh || echo "code $?"\necho 'echo in "$1"' > made.sh\nbash made.sh x; ./made.sh || echo "code $?"; chmod +x made.sh; ./made.sh y\nbash -c 'echo $0 $1; exit 5' me z || echo "code $?"`;
    expect((await run(source, files)).stdout).toBe(
      "/skill/scripts/child.sh 2 yes none\nno helper\nchild over\ncode 4\ncode 127\nin x\ncode 126\nin y\nme z\ncode 5\nparent over\n",
    );
  });

  it("gets the name of a missing command", async () => {
    const ran = await run(
      "curl -s https://example.com; echo $?\ncommand -v git || echo 'no git'\nnonsense || echo $?\nyq . || echo $?",
    );
    expect(ran).toMatchObject({ exit_code: 0, stdout: "127\nno git\n127\n127\n" });
    expect(ran.stderr).toMatch(/curl: command not found \(curl is not here/);
    expect(ran.stderr).toMatch(/^\/skill\/scripts\/run\.sh: line 4: nonsense: command not found$/m);
  });

  it("has exactly the commands that publishing expects", async () => {
    const names = [...SHELL_BUILTINS, ...SHELL_PROGRAMS, ...ABSENT_PROGRAMS];
    const { stdout, exit_code } = await run(
      `for c in ${names.map((name) => `'${name}'`).join(" ")}; do command -v "$c" > /dev/null && echo "$c"; done; exit 0`,
    );
    expect(exit_code).toBe(0);
    expect(stdout.trim().split("\n")).toEqual([...SHELL_BUILTINS, ...SHELL_PROGRAMS]);
  });

  it("has the small programs of a machine", async () => {
    const source = `mkdir d; echo héllo > d/a; tar czf x.tgz d; rm -r d; tar xzf x.tgz; cat d/a; tar tf x.tgz\nfile=$(mktemp /tmp/job.XXXXXX.txt); [[ $file =~ ^/tmp/job\\.[A-Za-z0-9]{6}\\.txt$ && -f $file ]] && echo made\nNAME=wörld envsubst '$NAME' <<< 'hi $NAME \${HOME}'\nrealpath ./d/../d/a; uname -sm; id -u; nproc; printf '%s\\n' b a | shuf | sort`;
    const ran = await run(`export NAME=wörld\n${source}`);
    expect(ran).toEqual({
      exit_code: 0,
      stderr: "",
      stdout: `héllo\nd/\nd/a\nmade\nhi wörld \${HOME}\n/workspace/d/a\nLinux x86_64\n1000\n1\na\nb\n`,
    });
  });

  it("writes nowhere but in its folders", async () => {
    const ran = await run(
      `echo x > /etc/passwd || echo no; cp "$0" /usr/bin/ls || echo no; echo x > /workspace/a && echo yes; ls /etc | wc -l`,
    );
    expect(ran.stdout).toBe("no\nno\nyes\n0\n");
  });

  it("cuts too much output", async () => {
    const { stdout } = await run(
      "for i in {1..3000}; do echo '0123456789012345678901234567890123456789012345678901234567890123456789'; done",
    );
    expect(stdout.length).toBeLessThan(101_000);
    expect(stdout).toMatch(/cut/);
  });
});
