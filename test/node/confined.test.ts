// The confinement of third-party scripts on this machine, for comparisons with their native interpreter.

import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { beforeAll, describe, expect, it } from "vitest";
import { runConfined } from "../../scripts/local/confined.mjs";

const python = (text: string, more: object = {}) =>
  runConfined({ files: { "a.py": Buffer.from(text) }, script: "a.py", language: "python", ...more });

/** Without kernel namespaces, no script runs, and the error message says so. */
let refused = "";
beforeAll(async () => {
  await runConfined({ files: { "a.sh": Buffer.from("true") }, script: "a.sh", language: "shell" }).catch((error) => {
    refused = String(error);
  });
});

describe("a script that is confined", () => {
  it("runs, or nothing does", async () => {
    if (refused !== "") return expect(refused).toContain("cannot be confined on this machine");
    const args = ["a b"];
    const given = { "/workspace/in.txt": "x" };
    const run = await python("import sys; open('out.txt','w').write(sys.argv[1] + sys.stdin.read()); sys.exit(3)", {
      ...{ args, given, input: "y" },
    });
    expect(run).toEqual({
      ...{ exit: 3, stdout: "", stderr: "" },
      files: { "/workspace/out.txt": Buffer.from("a by").toString("base64") },
    });
  });

  it.each<[string, string]>([
    ["the network", "import socket; socket.create_connection(('127.0.0.1', 22), 1)"],
    ["names", "import socket; socket.getaddrinfo('example.com', 80)"],
    ["a way back", "import os; os.chroot('/tmp')"],
    ["what the kernel is told", "open('/proc/sys/kernel/core_pattern', 'w')"],
    ["the system", "open('/usr/x', 'w')"],
    ["the root", "open('/x', 'w')"],
    ["the machine's files", `open(${JSON.stringify(import.meta.filename)})`],
    ["the old root", "import os; os.listdir('/old')[0]"],
    ["others", "import os; os.kill(2, 0)"],
    ["the host's processes", "import os; [p for p in os.listdir('/proc') if p.isdigit()][1]"],
    ["mounts", "import subprocess as s; s.run(['mount', '-t', 'tmpfs', 'none', '/tmp'], check=True)"],
    ["another namespace", "import subprocess as s; s.run(['unshare', '-r', 'true'], check=True)"],
    [
      "a large file",
      "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); open('x', 'wb').write(bytes(64 << 20))",
    ],
  ])("does not reach %s", async (_, text) => {
    if (refused !== "") return;
    const { exit, stderr } = await python(text);
    expect([exit, stderr]).toEqual([1, expect.stringMatching(/error/i)]);
  });

  it("has an empty home, and nothing of the environment", async () => {
    if (refused !== "") return;
    const { stdout } = await python("import os; print(sorted(os.environ), os.listdir(os.environ['HOME']))");
    expect(stdout).toBe(
      "['HOME', 'LANG', 'NODE_NO_WARNINGS', 'PATH', 'PWD', 'PYTHONDONTWRITEBYTECODE', 'TMPDIR', 'USER'] []\n",
    );
  });

  it("leaves no folder, and linked files are not read", async () => {
    if (refused !== "") return;
    const before = (await readdir(tmpdir())).filter((name) => name.startsWith("confined-"));
    const { files } = await python("import os; os.symlink('/etc/passwd', 'link'); os.mkfifo('pipe'); open('own', 'w')");
    expect(Object.keys(files)).toEqual(["/workspace/own"]);
    const after = (await readdir(tmpdir())).filter((name) => name.startsWith("confined-"));
    expect(after.filter((name) => !before.includes(name))).toEqual([]);
  });

  it("is ended with all that it began", async () => {
    if (refused !== "") return;
    const own = `confined-${crypto.randomUUID()}`;
    const script = `import os, time\nif os.fork() == 0: os.execv('/usr/bin/sleep', ['${own}', '1000'])\ntime.sleep(1000)`;
    expect((await python(script)).exit).toBe(137);
    const running = await Promise.all(
      (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map((pid) => commandOf(pid)),
    );
    expect(running.filter((command) => command.includes(own))).toEqual([]);
  }, 20_000);
});

async function commandOf(pid: string): Promise<string> {
  const file = `/proc/${pid}/cmdline`;
  return existsSync(file) ? readFile(file, "utf8").catch(() => "") : "";
}
