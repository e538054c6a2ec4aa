// Detection of unavailable commands in shell text.

import { describe, expect, it } from "vitest";
import {
  ABSENT_PROGRAMS,
  missingCommands,
  SHELL_BUILTINS,
  SHELL_PROGRAMS,
} from "../../../src/domain/code/shell-commands";
import { cpuTimeOf } from "../../support/cpu-time";

/** As `name:line`. */
const missing = (text: string) => missingCommands(text).map(({ command, line }) => `${command}:${line}`);

describe("a command that is missing", () => {
  it.each([
    ["is told with its line, once", "#!/bin/bash\nset -e\ncurl -s x\ngit status; curl y\n", ["curl:3", "git:4"]],
    [
      "stands in a pipe, a list, a condition",
      "cat a | openssl md5 && kubectl get\nif ! docker ps; then ffmpeg; fi",
      ["openssl:1", "kubectl:1", "docker:2", "ffmpeg:2"],
    ],
    [
      "stands in a substitution, of a string too",
      'x=$(git log)\necho "at $(hostname -f) by `svn info`" <(psql -c q)',
      ["git:1", "svn:2", "psql:2"],
    ],
    ["stands in a default value", `dir="\${1:-$(brew --prefix)}"`, ["brew:1"]],
    [
      "stands in a loop, a group, a function",
      "for f in *.png; do convert $f; done\nf() {\n  npm ci\n}\n(cd x; make)\nwhile read -r l; do ssh $l; done < hosts",
      ["convert:1", "npm:3", "make:5", "ssh:6"],
    ],
    [
      "stands in a case",
      "case $1 in\n  up|start) docker up ;;\n  (down) terraform down;;\n  *) echo no\nesac\nwget x",
      ["docker:2", "terraform:3", "wget:6"],
    ],
    [
      "stands after what only starts it",
      "sudo -u root apt-get install\nenv A=1 perl -e 1\ntimeout 5 nc -z h 1\nxargs -n 1 zip < l\nexec node x\ntime ruby y",
      ["sudo:1", "apt-get:1", "perl:2", "nc:3", "zip:4", "ruby:6"],
    ],
    ["stands after assignments and redirections", "A=1 B='2 3' php x\n> out 2>&1 lua y", ["php:1", "lua:2"]],
    ["is named by its full path", "/usr/bin/openssl version\n/usr/local/bin/brew", ["openssl:1", "brew:2"]],
    ["is quoted, or split by a line", "'git' x\ngi\\\nt y\n\\svn", ["git:1", "svn:4"]],
    ["begins a line with CR at its end", "#!/bin/sh\r\ncurl x\r\necho done\r\n", ["curl:2"]],
  ])("%s", (_, text, told) => expect(missing(text)).toEqual(told));
});

describe("text that is not a command", () => {
  it.each([
    [
      "an argument, a text, a comment",
      "echo git; printf '%s' curl # wget\n# docker\necho \"npm ci\"; grep -q kubectl f",
    ],
    [
      "the body of a heredoc",
      "cat <<EOF\ncurl $x\nEOF\ncat <<-'END' | sort\n\tgit push\n\tEND\npython3 - <<\"PY\"\nimport os\nPY",
    ],
    ["two heredocs of one line", "cat <<A - <<B\nsvn\nA\nsvn\nB\necho ok"],
    ["a question whether it is there", "command -v jq git >/dev/null || exit 1\ntype docker; which npm; hash brew"],
    [
      "an array, a loop's words, a case's word and patterns",
      "tools=(git curl\n # wget\n docker)\nlocal x=(npm)\nfor t in git curl; do echo; done\nfor ((i=0;i<3;i++)); do :; done\ncase curl in git|svn) ;; esac",
    ],
    [
      "arithmetic and conditions",
      "(( git > 1 )) && x=$(( curl + 2 ))\n[[ $a == git || $b =~ ^(npm|yarn)$ ]] && [ -f docker ]",
    ],
    [
      "a function or an alias of its own",
      "log() { echo; }\nfunction die { exit 1; }\nalias ll='ls -l'\nlog x; die; ll",
    ],
    [
      "a file by its path, and what is only known when it runs",
      `./tool.sh\n"$DIR/other"\n$CMD x\n"\${cmd[@]}"\n~/bin/x`,
    ],
    ["a redirection's file", "echo x >git 2>curl <wget >&2 &>npm <<<docker"],
    [
      "anything of the shell itself",
      "set -e; shopt -s x; trap 'x' EXIT; mktemp; read -r a; jq . f | sed s/a/b/ | awk 1; tar czf x y",
    ],
    ["nothing at all", ""],
  ])("%s", (_, text) => expect(missing(text)).toEqual([]));

  it("can be defined in another file", () => {
    expect(missing("source lib.sh\nlog_info hi\ncurl x")).toEqual(["curl:3"]);
    expect(missing("log_info hi")).toEqual(["log_info:1"]);
  });
});

describe("a text that makes no sense", () => {
  it.each([
    ["quotes that never end", `echo "a $(b 'c`],
    ["a case without an end", "case x in a) echo; (b) case y in"],
    ["brackets without end", "((((((((${${${$((<(>("],
    ["a heredoc without an end", "cat <<EOF\ncurl"],
    ["ends without beginnings", ")))) esac fi done ]] }} ;;&|<>"],
    ["brackets that nobody nests", "$(".repeat(20_000)],
    ["substitutions in strings that nobody nests", '"$('.repeat(20_000)],
    ["braces that nobody nests", "${".repeat(20_000)],
    ["much of it", "if git; then curl | (npm); fi\n".repeat(10_000)],
  ])("is read to its end: %s", (_, text) => {
    expect(cpuTimeOf(() => expect(missingCommands(text).length).toBeLessThan(10))).toBeLessThan(5_000);
  });
});

it("no name is in two tables", () => {
  const all = [...SHELL_BUILTINS, ...SHELL_PROGRAMS, ...ABSENT_PROGRAMS];
  expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
});
