// Commands of a Python provider: `chat_shell.tools.sandbox`, run by the gateway's shell.

import { describe, expect, it } from "vitest";
import { CODE_LIMITS } from "../../../src/domain/limits";
import { textOf } from "../../../src/domain/tool";
import { filesSkill } from "../../support/python-providers";
import { callOne } from "../../support/run-code";

interface Done {
  exit_code: number;
  stdout: string;
  stderr: string;
}

const FILES = filesSkill();

async function exec(command: string, options: Parameters<typeof callOne>[2] & { more?: object } = {}): Promise<Done> {
  const result = await callOne(FILES, "exec", { ...options, arguments: { command, ...options.more } });
  return JSON.parse(textOf(result));
}

describe("a command of a provider", () => {
  it("is one of a shell, with pipes, variables, an exit code, and the other languages in it", async () => {
    expect(await exec("printf 'b\\na\\n' | sort | tr '\\n' ' '; echo $((6 * 7)); echo no >&2; exit 3")).toEqual({
      exit_code: 3,
      stdout: "a b 42\n",
      stderr: "no\n",
    });
    const both = await exec('python3 -c \'print(6 * 7)\' > n; node -p \'require("fs").readFileSync("n", "utf8") * 2\'');
    expect(both).toEqual({ exit_code: 0, stdout: "84\n", stderr: "" });
  });

  it("runs scripts of its package, in the requested folder", async () => {
    expect(await exec("bash /skill/scripts/hello.sh you; python3 /skill/scripts/hello.py you; pwd")).toEqual({
      exit_code: 0,
      stdout: "hello you from shell\nhello you from Python\n/workspace\n",
      stderr: "",
    });
    // Where sandboxes of Wegent begin.
    expect((await exec("pwd", { more: { working_dir: "/home/user" } })).stdout).toBe("/workspace\n");
    expect((await exec("pwd", { more: { working_dir: "/skill/scripts" } })).stdout).toBe("/skill/scripts\n");
    expect(await exec("pwd", { more: { working_dir: "/nowhere" } })).toMatchObject({
      exit_code: 1,
      stderr: "bash: cd: /nowhere: No such file or directory\n",
    });
  });

  it("has its own environment, and the given variables", async () => {
    const done = await exec("echo $WHO $HOME; env | grep -c SECRET", { more: { envs: { WHO: "me" } } });
    expect(done.stdout).toBe("me /home/skill\n0\n");
  });

  it("shares the files of the call with the provider's own code", async () => {
    const result = await callOne(FILES, "round_trip", { arguments: {} });
    expect(JSON.parse(textOf(result))).toEqual({
      seen: "from Python\n",
      read: "FROM PYTHON\n",
      gone: false,
      removed: true,
      names: ["in.txt", "made", "made/out.txt"],
    });
  });

  it("reports missing commands, and continues", async () => {
    const done = await exec("git status; claude -p hello; npm install x; echo after");
    expect(done).toMatchObject({ exit_code: 0, stdout: "after\n" });
    for (const name of ["git", "claude", "npm"]) expect(done.stderr).toContain(`${name}: command not found`);
  });

  it("is ended by its own timeout, and the provider receives it", async () => {
    const done = await exec("sleep 1000", { more: { timeout: 2 } });
    expect(done.exit_code).toBe(137);
    expect(done.stderr).toContain("ended after 2s");
  });
});

describe("a command that means harm", () => {
  const ends: [string, string][] = [
    ["a loop of the shell", "while true; do :; done"],
    ["a loop of Python", "python3 -c 'while True: pass'"],
    ["a loop of Node", "node -e 'setInterval(() => {}, 10)'"],
    ["a script that calls itself", "echo 'bash /workspace/again.sh' > again.sh; bash again.sh"],
    ["sleeping", "sleep 1000"],
  ];
  it.each(ends)("%s ends with its call, and the next call is well", async (_, command) => {
    const began = Date.now();
    const result = await callOne(filesSkill(2), "exec", { arguments: { command } });
    expect(textOf(result)).toMatch(/timed out after 2s|"exit_code": (?:1|124|126|127|137)\b/);
    expect(Date.now() - began).toBeLessThan(20_000);
    expect(await exec("echo well")).toMatchObject({ exit_code: 0, stdout: "well\n" });
  });

  it("finds no network, by any of the languages", async () => {
    const url = "http://127.0.0.1:1/";
    const done = await exec(
      [
        `curl -s ${url} || echo no curl`,
        "cat < /dev/tcp/127.0.0.1/1 || echo no device",
        `python3 -c 'import urllib.request as r; r.urlopen("${url}")' || echo no Python`,
        `node -e 'fetch("${url}").catch(() => process.exit(1))' || echo no Node`,
      ].join("\n"),
    );
    expect(done.stdout).toBe("no curl\nno device\nno Python\nno Node\n");
  });

  it("finds nothing of another user, nor of another call", async () => {
    const leave = "echo secret | tee /workspace/a /tmp/a $HOME/a /skill/a; export LEFT=secret; f() { echo secret; }";
    await exec(leave, { userId: "alice" });
    const look = "cat /workspace/a /tmp/a $HOME/a /skill/a; test -v LEFT || echo none; f; ls -A /workspace /tmp $HOME";
    for (const userId of ["bob", "alice"]) {
      const done = await exec(look, { userId });
      expect([userId, done.stdout.includes("secret")]).toEqual([userId, false]);
      expect(done.stdout).toContain("none");
    }
  });

  it("starts no command from Python or Node in it", async () => {
    const python = "import asyncio, chat_shell.tools.sandbox as s; asyncio.run(s.Commands().run('echo deep'))";
    const done = await exec(
      `python3 -c "${python}" || echo refused; node -e 'require("child_process").execSync("echo deep")' || echo refused`,
    );
    expect(done.stdout).toBe("refused\nrefused\n");
  });

  it("that requests too much gets an error, and its call continues", async () => {
    const result = await callOne(FILES, "exec", { arguments: { command: `: ${"x".repeat(CODE_LIMITS.moduleBytes)}` } });
    expect(JSON.parse(textOf(result))).toMatchObject({ exit_code: 126, stdout: "" });
    expect(await exec("")).toEqual({ exit_code: 0, stdout: "", stderr: "" });
  });
});
