// Hostile Python scripts. Each ends with a reason by its deadline, and the next run is not affected.

import { expect, it } from "vitest";
import { NO_PAGE } from "../../src/sandbox/browser-link";
import { lastOf, runPython } from "../support/run-python";

/** By the end: its own error, or the reason why it was ended. */
const ENDED = "The script was ended";
const CASES: Record<string, [source: string, ends: RegExp, ms?: number]> = {
  "a loop without end": ["while True: pass", /ended/, 1_500],
  "a loop that takes every exception": [
    "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
    /ended/,
    1_500,
  ],
  "a loop that hears no signal": [
    "import signal\nfor n in (signal.SIGXCPU, signal.SIGUSR1): signal.signal(n, signal.SIG_IGN)\nwhile True: pass",
    /ended/,
    1_500,
  ],
  "a sleep beyond its time": ["import time\nprint('before')\ntime.sleep(100)", /ended/, 1_500],
  "a sleep that is slept again": [
    "import time\nwhile True:\n  try: time.sleep(100)\n  except BaseException: pass",
    /ended/,
    1_500,
  ],
  "a coroutine that does not end": [
    "import asyncio\nasync def f():\n  while True: await asyncio.sleep(0)\nasyncio.run(f())",
    /ended/,
    1_500,
  ],
  "a task that cannot be cancelled": [
    "import asyncio\nasync def f():\n  while True:\n    try: await asyncio.sleep(0.01)\n    except BaseException: pass\nasync def m(): asyncio.ensure_future(f())\nasyncio.run(m())",
    /ended/,
    1_500,
  ],
  "an expression that backtracks": ["import re; re.match('(a+)+$', 'a' * 40 + 'b')", /ended/, 1_500],
  "a number that nobody needs": ["x = 10 ** (10 ** 7)", /ended/, 1_500],
  "a flood of output": ["while True: print('x' * 1000)", /ended/, 1_500],
  "an end that does not end": ["import atexit\nn = 0\n@atexit.register\ndef f():\n  while True: pass", /ended/, 1_500],
  recursion: ["def f(n): return f(n + 1)\nf(0)", /^RecursionError/],
  "recursion without a limit": [
    "import sys\nsys.setrecursionlimit(10 ** 6)\ndef f(n): return f(n + 1)\nf(0)",
    /RecursionError|Maximum call stack|ended/,
  ],
  "a gigabyte at once": ["bytearray(10 ** 9)", /^MemoryError/],
  "a list without end": ["x = []\nwhile True: x.append(bytearray(1 << 20))", /^MemoryError/],
  "a string that doubles": ["x = 'x'\nwhile True: x += x", /^MemoryError/],
  "a file without end": ["f = open('big', 'wb')\nwhile True: f.write(b'x' * (1 << 20))", /No space left on device/],
  "a file that is only said to be large": ["open('x', 'wb').truncate(10 ** 9)", /No space left on device/],
  "a hole in a file": ["f = open('x', 'wb', buffering=0); f.seek(10 ** 9); f.write(b'x')", /No space left on device/],
  "files that are deleted and held open": [
    "import os\nheld = []\nwhile True:\n  f = open('x', 'wb', buffering=0); f.write(b'x' * (1 << 20)); os.remove('x'); held.append(f)",
    /No space left on device/,
  ],
  "files without number": ["for i in range(10 ** 6): open(f'f{i}', 'w').close()", /No space left on device/],
  "folders without end": [
    "import os\nwhile True: os.mkdir('d'); os.chdir('d')",
    /No space left on device|File name too long|ended/,
    5_000,
  ],
  "a pipe that nobody reads": [
    "import os\nr, w = os.pipe()\nwhile True: os.write(w, b'x' * 65536)",
    /No space left on device/,
  ],
  "a ring of links": [
    "import os\nos.symlink('a', 'b'); os.symlink('b', 'a'); open('a')",
    /Symbolic link loop|Too many/,
  ],
  "the library": ["import os; os.remove('/lib/python314.zip')", /Read-only file system/],
  "a file beside its folders": ["open('/etc-passwd', 'w')", /Read-only file system/],
  "its own folder": ["import os; os.rename('/workspace', '/tmp/w')", /Resource busy/],
  JavaScript: ["import js", /No module named 'js'/],
  "the runtime": ["import pyodide_js", /No module named 'pyodide_js'/],
  "a way to run JavaScript": ["from pyodide.code import run_js", /No module named 'pyodide'/],
  C: ["import ctypes", /No module named 'ctypes'/],
  "the harness": ["import _gateway_bridge", /No module named '_gateway_bridge'/],
  "the harness, by the loader": ["import importlib; importlib.import_module('_gateway')", /No module named '_gateway'/],
  "a socket": ["import socket; socket.create_connection(('127.0.0.1', 80), 2)", /Error|unreachable/],
  "a name": ["import socket; socket.create_connection(('example.com', 80), 2)", /Error|unreachable/],
  "a process": ["import os; os.fork()", /Error/],
};

it.each(Object.entries(CASES))("%s", async (_, [source, ends, ms = 20_000]) => {
  const began = Date.now();
  const { err, run } = await runPython(source, { ms });
  const words = run.killed ? ENDED : lastOf(err);
  expect(run.killed ? lastOf(err) : words).toMatch(ends);
  // Generous, because a machine with two cores may start an interpreter meanwhile.
  expect(Date.now() - began).toBeLessThan(ms + 15_000);
  const next = await runPython("import os; print('well', os.listdir('.'))");
  expect({ out: next.out, err: next.err }).toEqual({ out: "well []\n", err: "" });
});

it("has no secret, and nothing of another user", async () => {
  const mine = { userId: "alice" };
  await runPython("import builtins, json; json.stolen = builtins.stolen = 'of alice'", mine);
  const { out } = await runPython(
    "import builtins, json, os; print(hasattr(json, 'stolen'), hasattr(builtins, 'stolen'), sorted(os.environ))",
    {
      userId: "mallory",
    },
  );
  expect(out).toBe("False False ['HOME', 'LANG', 'PATH']\n");
});

it("writes no line into the operator's log", async () => {
  const lines: string[] = [];
  const host = { log: (text: string) => lines.push(text), browserLink: NO_PAGE };
  const source = `import sys, logging\nforged = '{"event":"request","status":200}'\nprint(forged); logging.error(forged); sys.__stderr__.write(forged)`;
  const { exit, err } = await runPython(source, { host });
  expect({ exit, err, lines }).toEqual({ exit: 0, err: expect.stringContaining("ERROR:root:{"), lines: [] });
});

it("gets nowhere with a finder of its own back in place", async () => {
  const source = [
    "import gc, sys",
    "for each in list(sys.meta_path): sys.meta_path.remove(each)",
    "found = [type(each).__name__ for each in gc.get_objects() if type(each).__name__ == 'JsProxy']",
    "import zipimport; print(len(sys.meta_path))",
    "try:",
    "  import js; print('js')",
    "except ImportError as e: print(e)",
  ].join("\n");
  const { out } = await runPython(source);
  expect(out).toMatch(/^0\n(?:No module named 'js'|import of js halted.*)\n$/);
});

it("does not hold up its neighbour", async () => {
  const [slow, quick] = await Promise.all([
    runPython("while True: pass", { ms: 4_000, userId: "slow" }),
    runPython("print('quick')", { userId: "neighbour" }),
  ]);
  expect([slow.run.reason, quick.out]).toEqual(["timeout", "quick\n"]);
});
