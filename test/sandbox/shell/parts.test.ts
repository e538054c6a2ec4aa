// `python3` and `node` in a shell script run in the executors of these languages.

import { describe, expect, it } from "vitest";
import { Slots } from "../../../src/sandbox/slots";
import { runOne } from "../../support/run-code";

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Runs a shell script with other files of its package. */
async function run(source: string, files: Record<string, string> = {}, asked: Parameters<typeof runOne>[2] = {}) {
  const skill = { name: "parts", files: { ...files, "scripts/run.sh": `#!/bin/bash\n${source}\n` } };
  const ran = await runOne(skill, "scripts/run.sh", { ms: 20_000, ...asked });
  const written = Object.fromEntries(ran.files.map(({ path, bytes }) => [path, textOf(bytes)]));
  return {
    exit: ran.exit_code,
    stdout: ran.stdout,
    stderr: ran.stderr,
    written,
    killed: ran.killed,
    reason: ran.reason,
  };
}

describe("Python in a shell script", () => {
  it("runs as a text, from a heredoc, and as a file of the package, with arguments, input and environment", async () => {
    const files = {
      "scripts/tool.py":
        "import os, sys, helper\nprint(sys.argv[1:], sys.stdin.read().strip(), os.getcwd(), os.environ['WHO'], helper.N, __file__)",
      "scripts/helper.py": "N = 7",
    };
    const source = [
      `python3 -c 'import sys; print(1 + 1, sys.argv)' x`,
      `python3 - a b <<'PY'\nimport sys\nprint(sys.argv, repr(sys.stdin.read()))\nPY`,
      `export WHO=me; mkdir sub; cd sub; echo in | python3 "$(dirname "$0")/tool.py" --n 3`,
      `echo '{"b":1}' | python3 -m json.tool --compact`,
    ].join("\n");
    const ran = await run(source, files);
    expect(ran.stderr).toBe("");
    expect(ran.stdout.split("\n")).toEqual([
      "2 ['-c', 'x']",
      "['-', 'a', 'b'] ''",
      "['--n', '3'] in /workspace/sub me 7 /skill/scripts/tool.py",
      '{"b":1}',
      "",
    ]);
  });

  it("shares files: each language sees what the other writes, changes and deletes", async () => {
    const source = [
      "mkdir -p out/empty; echo one > out/a; echo gone > b; echo kept > c",
      `python3 - <<'PY'\nimport os\nprint(sorted(os.listdir("out")), open("out/a").read().strip())\nopen("out/a", "a").write("two\\n"); os.remove("b"); open("out/empty/new", "w").write("made"); open("/skill/data.txt", "w").write("changed")\nPY`,
      "cat out/a out/empty/new; echo; ls; cat /skill/data.txt",
    ].join("\n");
    const ran = await run(source, { "data.txt": "old" });
    expect(ran).toMatchObject({ exit: 0, stderr: "", stdout: "['a', 'empty'] one\none\ntwo\nmade\nc\nout\nchanged" });
    expect(ran.written).toEqual({
      "/workspace/c": "kept\n",
      "/workspace/out/a": "one\ntwo\n",
      "/workspace/out/empty/new": "made",
      "/skill/data.txt": "changed",
    });
  });

  it("does not see files of the package that the shell took away, nor that it moved", async () => {
    const source = [
      "rm /skill/data.txt; mv /skill/other.txt /skill/moved.txt",
      `python3 -c 'import os; print(sorted(n for n in os.listdir("/skill") if n.endswith("txt")))'`,
      `node -p 'require("fs").readdirSync("/skill").filter((n) => n.endsWith("txt"))'`,
      `python3 -c 'open("/skill/data.txt", "w").write("again")'; cat /skill/data.txt`,
    ].join("\n");
    const ran = await run(source, { "data.txt": "old", "other.txt": "other" });
    expect(ran).toMatchObject({ exit: 0, stderr: "", stdout: "['moved.txt']\n[ 'moved.txt' ]\nagain" });
    expect(ran.written).toEqual({ "/skill/data.txt": "again", "/skill/moved.txt": "other" });
  });

  it("sees the files and input of the run", async () => {
    const files = [{ path: "/workspace/in.txt", bytes: new TextEncoder().encode("given") }];
    const source = `python3 -c 'print(open("in.txt").read())'\nnode -p 'require("fs").readFileSync("in.txt", "utf8")'`;
    expect(await run(source, {}, { files })).toMatchObject({ exit: 0, stdout: "given\ngiven\n", written: {} });
  });

  it("hands over more files than a run gives out", async () => {
    const ran = await run(
      `python3 -c 'for n in range(200): open(f"/tmp/{n}", "w").write("x")'\nls /tmp | wc -l; rm /tmp/*`,
    );
    expect(ran).toMatchObject({ exit: 0, stdout: "200\n", written: {} });
  });

  it("returns its exit code and its errors", async () => {
    const ran = await run(
      `python3 -c 'import sys; sys.exit(3)'; echo $?\npython3 -c 'raise ValueError("broken")' || echo failed\nset -e\npython3 missing.py\necho never`,
    );
    expect(ran).toMatchObject({ exit: 1, stdout: "3\nfailed\n" });
    expect(ran.stderr).toMatch(/ValueError: broken[\s\S]*FileNotFoundError.*missing\.py/);
  });
});

describe("Node in a shell script", () => {
  it("runs a file of the package, a text, a heredoc, and files that the script wrote", async () => {
    const files = {
      "scripts/tool.js": "console.log(process.argv.slice(1), require('./lib').n, process.cwd(), process.env.WHO)",
      "scripts/lib.js": "exports.n = 7",
    };
    const source = [
      "export WHO=me",
      `node "$(dirname "$0")/tool.js" a`,
      `node -e 'console.log(1 + 1, process.argv.slice(1))' x`,
      `node -p '"a".repeat(3)'`,
      `echo '{"n":2}' | node -e 'const fs = require("fs"); fs.writeFileSync("n", String(JSON.parse(fs.readFileSync(0, "utf8")).n))'`,
      `node <<'JS'\nconsole.log(require("fs").readFileSync("n", "utf8"));\nJS`,
      `cat > made.mjs <<'JS'\nimport fs from "node:fs";\nconsole.log(fs.readdirSync("."), import.meta.url);\nJS`,
      "node made.mjs",
    ].join("\n");
    const ran = await run(source, files);
    expect(ran.stderr).toBe("");
    expect(ran.stdout).toBe(
      "[ '/skill/scripts/tool.js', 'a' ] 7 /workspace me\n2 [ 'x' ]\naaa\n2\n[ 'made.mjs', 'n' ] file:///workspace/made.mjs\n",
    );
  });

  it("runs changed files of the package, and nothing outside", async () => {
    const files = { "scripts/tool.js": "console.log('old', require('./lib').n)", "scripts/lib.js": "exports.n = 7" };
    const ran = await run(
      `sed -i s/old/new/ /skill/scripts/tool.js; node /skill/scripts/tool.js; node -e 'syntax error here'; echo $?`,
      files,
    );
    expect(ran.stdout).toBe("new 7\n1\n");
    expect(ran.stderr).toMatch(/SyntaxError/);
  });
});

describe("parts of a run", () => {
  it("end with it", async () => {
    const began = Date.now();
    const ran = await run("python3 -c 'import time\nwhile True: time.sleep(0.01)'\necho after", {}, { ms: 3_000 });
    expect(ran).toMatchObject({ exit: 137, killed: true, reason: "timeout" });
    expect(ran.stdout).not.toContain("after");
    expect(Date.now() - began).toBeLessThan(20_000);
  });

  it("start no parts themselves, and are counted with it", async () => {
    const ran = await run(`node -e 'require("child_process").execSync("python3 -c 1")' || echo refused`);
    expect(ran.stdout).toBe("refused\n");
  });

  it("do not wait for the slots that their wholes hold", async () => {
    const slots = new Slots(2);
    const all = [1, 2].map((n) => run(`python3 -c 'print(${n})'`, { "n.txt": String(n) }, { slots, userId: `u${n}` }));
    expect((await Promise.all(all)).map(({ stdout }) => stdout)).toEqual(["1\n", "2\n"]);
  });
});
