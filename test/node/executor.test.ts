// The local executor: what a confined script can do, what it cannot, and the protocol.

import { availableParallelism } from "node:os";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { LIMITS, NOBODY, probe, runConfined } from "../../executor/bubblewrap.mjs";
import { openProxy } from "../../executor/proxy.mjs";
import { systemCallFilter } from "../../executor/seccomp.mjs";
import { serveExecutor } from "../../executor/server.mjs";
import { readTar, writeTar } from "../../executor/tar.mjs";
import { expectNoProcess } from "../support/left-processes";

const KEY = "a key of the tests that is long enough";
const MiB = 1024 * 1024;
const canConfine = (await probe()).ok;
/** In the environment of every run of this file, and so in the arguments of its bubblewrap. */
const MARK = crypto.randomUUID();
/** Seconds that no test waits for. */
const FOREVER = 1_000 + Math.random();

/** On a busy machine a run starts late. */
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

interface More {
  input?: string;
  args?: string[];
  ms?: number;
  memory?: number;
  files?: { path: string; bytes: Uint8Array }[];
  signal?: AbortSignal;
  network?: string;
}

async function run(program: string[], text: string, { files = [], ...more }: More = {}) {
  const script = { path: "/skill/script", bytes: Buffer.from(text), mode: 0o755 };
  const result = await runConfined({
    ...{ command: [...program, script.path], ms: 60_000, env: { MARK }, ...more },
    files: [script, ...files],
  });
  const written = result.files.filter(({ path }: { path: string }) => path !== script.path);
  return {
    ...result,
    files: Object.fromEntries(
      written.map(({ path, bytes }: { path: string; bytes: Buffer }) => [path, bytes.toString()]),
    ),
  };
}
const shell = (text: string, more?: More) => run(["/bin/bash"], text, more);
const python = (text: string, more?: More) => run(["/usr/bin/python3"], text, more);
const node = (text: string, more?: More) => run(["/opt/bin/node"], text, more);

describe("archives", () => {
  it("keep every path and byte", () => {
    const files = [
      { path: "/workspace/a.txt", bytes: Buffer.from("a") },
      { path: `/workspace/${"d/".repeat(60)}ü ${"x".repeat(150)}.txt`, bytes: Buffer.alloc(513, 7) },
      { path: "/tmp/empty", bytes: Buffer.alloc(0) },
    ];
    expect(readTar(writeTar(files)).map(({ path, bytes }) => ({ path, bytes: Buffer.from(bytes) }))).toEqual(files);
  });

  it("that are cut off end with the last whole file", () => {
    const whole = writeTar([
      { path: "/tmp/a", bytes: Buffer.from("a") },
      { path: "/tmp/b", bytes: Buffer.alloc(5_000) },
    ]);
    for (const size of [0, 511, 1_600, 2_100, 6_000])
      expect(readTar(whole.subarray(0, size)).length).toBeLessThanOrEqual(1);
    expect(readTar(Buffer.alloc(2_048, 0x41))).toEqual([]);
  });
});

it("filters system calls on the architectures it knows, and runs nothing on others", () => {
  expect(systemCallFilter("x64")?.length).toBeGreaterThan(300);
  expect(systemCallFilter("arm64")?.length).toBeGreaterThan(300);
  expect(systemCallFilter("riscv64")).toBeNull();
});

describe.runIf(canConfine)("a confined script", () => {
  it("has arguments, input, files, and returns what it wrote", async () => {
    const files = [{ path: "/workspace/in.txt", bytes: Buffer.from("given") }];
    const script =
      "import sys; open('out.txt','w').write(open('in.txt').read() + sys.argv[1] + sys.stdin.read()); sys.exit(3)";
    const { exit, stdout, stderr, reason, files: written } = await python(script, { files, args: ["-a"], input: "i" });
    expect({ exit, stdout, stderr, reason }).toEqual({ exit: 3, stdout: "", stderr: "", reason: null });
    expect(written).toEqual({ "/workspace/in.txt": "given", "/workspace/out.txt": "given-ai" });
  });

  it("starts programs and opens its streams by name", async () => {
    const script =
      "echo out > /dev/stdout; echo err > /dev/stderr; cat /dev/stdin | tr a-z A-Z; python3 -c 'print(1)' | cat";
    expect(await shell(script, { input: "in\n" })).toMatchObject({ exit: 0, stdout: "out\nIN\n1\n", stderr: "err\n" });
  });

  it("in JavaScript has Node with processes", async () => {
    const script = "console.log(require('child_process').execSync('echo hello').toString().trim(), process.cwd())";
    expect(await node(script)).toMatchObject({ exit: 0, stdout: "hello /workspace\n" });
  });

  it("can share pages between its processes, which count once", async () => {
    const text = `import os, time\nheld = b'x' * (96 << 20)\nfor n in range(6):\n  if os.fork() == 0: break\nelse:\n  for n in range(6): os.wait()\n  print('done')\n  raise SystemExit\ntime.sleep(1)`;
    expect(await python(text, { memory: 192 * MiB })).toMatchObject({ exit: 0, stdout: "done\n", reason: null });
  });

  it("ends at its deadline, and keeps what it has written", async () => {
    const { exit, reason, files } = await shell("trap '' TERM; echo x > kept; while :; do :; done", { ms: 3_000 });
    expect({ exit, reason, files }).toEqual({ exit: null, reason: "timeout", files: { "/workspace/kept": "x\n" } });
  });

  const SEND = 'fetch("https://api.example.org/")';
  it.each<[string, typeof shell, string]>([
    ["shell", shell, `trap "" TERM INT; setsid sleep ${FOREVER} & node -e '${SEND}'; while :; do wait; done`],
    [
      "Python",
      python,
      `import subprocess, time
subprocess.Popen(["setsid", "sleep", "${FOREVER}"])
subprocess.run(["node", "-e", '${SEND}'])
while True:
  try: time.sleep(${FOREVER})
  except BaseException: pass`,
    ],
    [
      "JavaScript",
      node,
      `require("child_process").spawn("sleep", ["${FOREVER}"], { detached: true, stdio: "inherit" });
${SEND}.then(() => { for (;;); });`,
    ],
  ])("in %s ends with all its processes when its caller cancels", async (_, language, script) => {
    const began = Promise.withResolvers<void>();
    const send = async () => {
      began.resolve();
      return { status: 200, statusText: "OK", headers: [], body: Buffer.alloc(0) };
    };
    const proxy = await openProxy({ send, owner: process.getuid?.() === 0 ? NOBODY : null });
    try {
      const cancel = new AbortController();
      const more = { ms: FOREVER * 1_000, network: proxy.folder, signal: cancel.signal };
      const running = language(script, more);
      // The script has started a process and sent a request.
      await began.promise;
      cancel.abort();
      expect(await running).toMatchObject({ exit: null, reason: "cancelled" });
      await expectNoProcess(`${FOREVER}`);
    } finally {
      await proxy.close();
    }
  });

  it("ends with what it left running", async () => {
    const ms = FOREVER * 1_000;
    const { exit } = await shell(`(setsid sleep ${FOREVER} >/dev/null 2>&1 &) ; sleep ${FOREVER} & echo done`, { ms });
    expect(exit).toBe(0);
    await expectNoProcess(`sleep ${FOREVER}`);
  });
});

/** What a script tries, and what it must print: never `in`, which means that it succeeded. */
const HOSTILE_SHELL: Record<string, string> = {
  "read the users of the machine": "grep -q ':/root:/bin/bash' /etc/passwd && echo in",
  "read /etc/shadow": "cat /etc/shadow && echo in",
  "read the home of root": "ls /root && echo in",
  "see the processes of the machine": "[ $(ls -d /proc/[0-9]* | wc -l) -gt 20 ] && echo in",
  "read the environment of another process": "cat /proc/1/environ | tr '\\0' '\\n' | grep -i key && echo in",
  "write to /": "touch /x && echo in",
  "write to /usr": "touch /usr/x && echo in",
  "write to /etc": "echo x > /etc/passwd && echo in",
  "write to /dev": "touch /dev/x && echo in",
  "write to /opt": "touch /opt/bin/x && echo in",
  "write to /proc/sys": "echo x > /proc/sys/kernel/hostname && echo in",
  "trigger sysrq": "echo b > /proc/sysrq-trigger && echo in",
  "make a user namespace": "unshare -Ur true && echo in",
  "make a mount namespace": "unshare -m true && echo in",
  "enter the namespaces of init": "nsenter -t 1 -m true && echo in",
  "mount a file system": "mount -t tmpfs none /tmp && echo in",
  "remount / writable": "mount -o remount,rw / && echo in",
  "change the root": "chroot / true && echo in",
  "become root": "su -c true < /dev/null && echo in; sudo -n true && echo in; setpriv --reuid=0 true && echo in",
  "make a device": "mknod /tmp/d b 8 0 && echo in",
  "reach 127.0.0.1": "(exec 3<>/dev/tcp/127.0.0.1/22) && echo in; curl -sm 2 http://127.0.0.1:8787/health && echo in",
  "reach the metadata address": "curl -sm 2 http://169.254.169.254/ && echo in",
  "resolve a name": "getent hosts example.com && echo in",
  "signal processes outside":
    "kill -9 1; sleep 0.1; kill -0 $PPID 2>/dev/null; for p in $(seq 300 400); do kill -0 $p 2>/dev/null && echo in; done",
  "raise its limits": "ulimit -u unlimited && echo in; ulimit -f unlimited && echo in; ulimit -d unlimited && echo in",
  "write more than a file may have": `head -c ${LIMITS.fileBytes + MiB} /dev/zero > f; [ $(stat -c %s f) -gt ${LIMITS.fileBytes} ] && echo in`,
  "fill a folder": `for i in $(seq 20); do head -c ${16 * MiB} /dev/zero > f$i || break; done; [ $(du -sm . | cut -f1) -gt ${LIMITS.folderBytes / MiB + 1} ] && echo in`,
  "fill /dev/shm": `for i in $(seq 20); do head -c ${16 * MiB} /dev/zero > /dev/shm/f$i || break; done; [ $(du -sm /dev/shm | cut -f1) -gt ${LIMITS.folderBytes / MiB + 1} ] && echo in`,
  "fill its home": `for i in $(seq 20); do head -c ${16 * MiB} /dev/zero > ~/f$i || break; done; [ $(du -sm ~ | cut -f1) -gt ${LIMITS.folderBytes / MiB + 1} ] && echo in`,
  "read the descriptors of the executor": "for n in 3 4 5 6 7 8 9; do { true <&$n; } 2>/dev/null && echo in; done",
  "read the environment of the executor": "env | grep -iE 'key|token|secret|gateway|executor' && echo in",
  "run a setuid program":
    "find / -xdev -perm -4000 2>/dev/null | head -1 | xargs -r -n1 sh -c '[ $(id -u) = 0 ] && echo in'",
};
const LIBC = "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n";
const HOSTILE_PYTHON: Record<string, string> = {
  "trace its parent": `${LIBC}print('in') if libc.ptrace(16, os.getppid(), 0, 0) == 0 else None`,
  "read another process's memory": `${LIBC}print('in') if libc.syscall(310, 1, 0, 0, 0, 0, 0) >= 0 else None`,
  "use keys of the kernel": `${LIBC}print('in') if libc.syscall(250, 0, -3, 1) >= 0 else None`,
  "load a BPF program": `${LIBC}print('in') if libc.syscall(321, 0, 0, 0) >= 0 else None`,
  "open io_uring": `${LIBC}import ctypes as c\nprint('in') if libc.syscall(425, 8, c.create_string_buffer(200)) >= 0 else None`,
  "use userfaultfd": `${LIBC}print('in') if libc.syscall(323, 0) >= 0 else None`,
  "unshare by a system call": `${LIBC}print('in') if libc.unshare(0x10000000) == 0 else None`,
  "clone into a user namespace": `${LIBC}pid = libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0)\nif pid == 0: print('in', flush=True); os._exit(0)`,
  "call by x32 numbers": `${LIBC}print('in') if libc.syscall(0x40000000 | 39) > 0 else None`,
  "open a raw socket":
    "import socket\ntry: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); print('in')\nexcept OSError: pass",
  "reach an abstract socket":
    "import socket\ns = socket.socket(socket.AF_UNIX)\nfor name in ('\\0/tmp/dbus', '/run/dbus/system_bus_socket', '/var/run/docker.sock'):\n  try: s.connect(name); print('in')\n  except OSError: pass",
  "fork without end":
    "import os, signal\ntry:\n  while True:\n    if os.fork() == 0: signal.pause()\nexcept OSError: pass\n",
  "fill the memory": "try: bytearray(4 * 10 ** 9); print('in')\nexcept MemoryError: pass",
  "create memory without a process": `${LIBC}print('in') if libc.syscall(319, b'x', 0) >= 0 else None`,
  "create secret memory": `${LIBC}print('in') if libc.syscall(447, 0) >= 0 else None`,
  "create shared memory segments": `${LIBC}print('in') if libc.shmget(0, 1 << 20, 0o1600) >= 0 else None`,
  "flood its output": "import sys\nfor n in range(3000): sys.stdout.write('x' * 10000)\n",
  "escape by a link":
    "import os\nos.symlink('/etc/passwd', 'link'); os.symlink('/', 'root'); os.link('/skill/script', '/tmp/hard') if False else None",
  "push characters into a terminal":
    "import fcntl, termios\ntry: fcntl.ioctl(0, termios.TIOCSTI, 'x'); print('in')\nexcept OSError: pass",
};

describe.runIf(canConfine)("a hostile script cannot", () => {
  const isHarmless = ({ stdout, stderr }: { stdout: string; stderr: string }) => {
    expect(stdout.length + stderr.length).toBeLessThanOrEqual(2 * LIMITS.outputBytes);
    expect(stdout.split("\n")).not.toContain("in");
  };
  it.each(Object.entries(HOSTILE_SHELL))("%s", async (_, text) => isHarmless(await shell(text, { ms: 8_000 })));
  it.runIf(process.arch === "x64").each(Object.entries(HOSTILE_PYTHON))("%s (Python)", async (_, text) =>
    isHarmless(await python(text, { ms: 8_000 })),
  );

  const memory = 192 * MiB;
  const HOLD = "held = b'x' * (48 << 20)\n    signal.pause()";
  const IMPORTS = "import mmap, os, signal";
  it.each<[string, string]>([
    ["in many processes", `${IMPORTS}\nfor n in range(8):\n  if os.fork() == 0:\n    ${HOLD}\nsignal.pause()`],
    [
      "in processes whose parents have ended",
      `${IMPORTS}\nfor n in range(8):\n  if os.fork() == 0:\n    os.setsid()\n    if os.fork(): os._exit(0)\n    ${HOLD}\nsignal.pause()`,
    ],
    [
      "in a shared mapping",
      `${IMPORTS}\nheld = mmap.mmap(-1, 256 << 20)\nfor n in range(256): held.write(b'x' * (1 << 20))\nsignal.pause()`,
    ],
  ])("use more memory than all its processes may have: %s", async (_, text) => {
    const { exit, reason, stderr } = await python(text, { memory });
    expect({ exit, reason, stderr }).toEqual({
      exit: null,
      reason: "stopped",
      stderr: expect.stringContaining("too much memory (limit 192 MiB together)"),
    });
  });

  it("return links, devices or folders as files", async () => {
    const { files } = await shell("ln -s /etc/passwd a; ln -s / b; mkfifo c; mkdir d; echo x > e");
    expect(files).toEqual({ "/workspace/e": "x\n" });
  });

  it("leave processes behind", () => expectNoProcess(MARK));
});

describe.runIf(canConfine)("the protocol", () => {
  let server: Awaited<ReturnType<typeof serveExecutor>>;
  beforeAll(async () => {
    server = await serveExecutor({ key: KEY, parallel: 2 });
  });
  afterAll(() => server?.close());

  const ask = (route: string, init: RequestInit = {}, key = KEY) =>
    fetch(server.url + route, { ...init, headers: { authorization: `Bearer ${key}` } });
  function form(asked: object | string, files: Record<string, string> = {}): FormData {
    const made = new FormData();
    made.set("run", typeof asked === "string" ? asked : JSON.stringify(asked));
    for (const [path, text] of Object.entries(files)) made.append("file", new Blob([text]), encodeURIComponent(path));
    return made;
  }
  const post = (body: FormData, signal?: AbortSignal) =>
    ask("/v1/runs", { method: "POST", body, ...(signal === undefined ? {} : { signal }) });
  const shellRun = { language: "shell", path: "/skill/a.sh", ms: 60_000 };

  it("describes the executor", async () => {
    const about = await (await ask("/v1/executor")).json();
    expect(about).toMatchObject({
      protocol: 1,
      languages: expect.arrayContaining(["shell", "javascript"]),
      network: true,
    });
  });

  it("runs a script and returns the result and its files", async () => {
    const answer = await post(
      form({ ...shellRun, args: ["ü"], env: { A: "b" } }, { "/skill/a.sh": 'echo "$1 $A" | tee out' }),
    );
    const parts = await answer.formData();
    expect(JSON.parse(await (parts.get("result") as File).text())).toMatchObject({
      ...{ exit_code: 0, stdout: "ü b\n", stderr: "", reason: null, left: [] },
    });
    const files = parts.getAll("file") as File[];
    expect(files.map(({ name }) => decodeURIComponent(name))).toEqual(["/workspace/out"]);
    expect(await files[0]?.text()).toBe("ü b\n");
  });

  it("rejects a wrong key", async () => {
    expect((await ask("/v1/executor", {}, "wrong")).status).toBe(401);
    expect((await fetch(`${server.url}/v1/executor`)).status).toBe(401);
  });

  it.each([
    ["no form", "run", "INVALID_RUN"],
    ["a path outside", { ...shellRun, path: "/etc/passwd" }, "INVALID_RUN"],
    ["a path with ..", { ...shellRun, path: "/skill/../etc/passwd" }, "INVALID_RUN"],
    ["an unknown language", { ...shellRun, language: "perl" }, "LANGUAGE_UNSUPPORTED"],
    ["a time limit that is too long", { ...shellRun, ms: 10 ** 9 }, "INVALID_RUN"],
    ["arguments that are not text", { ...shellRun, args: [1] }, "INVALID_RUN"],
    ["a variable with a name that is not one", { ...shellRun, env: { "A=B": "c" } }, "INVALID_RUN"],
  ])("rejects %s", async (_, asked, code) => {
    const answer = await post(form(asked));
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ error: { code, message: expect.any(String) } });
  });

  it("rejects a file outside of the folders of a run", async () => {
    for (const path of ["/etc/x", "/skill/../x", "skill/x", "/skill//x", "/skill/"])
      expect((await post(form(shellRun, { [path]: "x" }))).status, path).toBe(422);
  });

  it("ends the run of a caller that has gone, and frees its place", async () => {
    const cancel = new AbortController();
    const runs = Array.from({ length: 2 }, () =>
      post(form({ ...shellRun, ms: 300_000 }, { "/skill/a.sh": "sleep 300" }), cancel.signal),
    );
    const waiting = post(form(shellRun, { "/skill/a.sh": "echo waited" }));
    await new Promise((resolve) => setImmediate(resolve));
    cancel.abort();
    for (const one of runs) await expect(one).rejects.toThrow();
    expect(JSON.parse(await ((await (await waiting).formData()).get("result") as File).text())).toMatchObject({
      stdout: "waited\n",
    });
  });
});

it.runIf(canConfine)("stays usable while several runs attack it", async () => {
  const bomb = ":(){ :|:& };:";
  const bombs = Array.from({ length: availableParallelism() }, () => shell(bomb, { ms: 1_000 }));
  expect(await shell("echo fine")).toMatchObject({ exit: 0, stdout: "fine\n" });
  await Promise.all(bombs);
});
