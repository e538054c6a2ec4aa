import { expect, it } from "vitest";
import { lastOf, runPython } from "../../support/run-python";

it("finds its package, its arguments and its neighbours where a process would", async () => {
  const source = [
    "import os, sys, pathlib",
    "from helper import f",
    "print(sys.argv, f(), pathlib.Path(__file__).parent.parent.joinpath('data/x.txt').read_text().strip())",
    "print(os.getcwd(), os.environ['HOME'], os.path.expanduser('~'), sys.path[0], __name__)",
  ].join("\n");
  const { exit, out, err } = await runPython(source, { args: ["--a", "b c"] });
  expect({ exit, out, err }).toEqual({
    exit: 0,
    out: "['/skill/scripts/main.py', '--a', 'b c'] helper hällo\n/workspace /home/skill /home/skill /skill/scripts __main__\n",
    err: "",
  });
});

it("reads its standard input as lines and by input()", async () => {
  const { out } = await runPython("import sys\nprint(input('name? ').upper(), [line.strip() for line in sys.stdin])", {
    input: "ada\none\ntwo",
  });
  expect(out).toBe("name? ADA ['one', 'two']\n");
});

it("prints errors like python3, without the gateway's frames", async () => {
  const { exit, err } = await runPython("def g(x):\n    return 1 / x\n\ng(0)\n");
  expect(exit).toBe(1);
  expect(err.split("\n").filter((line) => !/[~^]/.test(line))).toEqual([
    "Traceback (most recent call last):",
    '  File "/skill/scripts/main.py", line 4, in <module>',
    "    g(0)",
    '  File "/skill/scripts/main.py", line 2, in g',
    "    return 1 / x",
    "ZeroDivisionError: division by zero",
    "",
  ]);
  expect(lastOf((await runPython("def (:\n")).err)).toBe("SyntaxError: invalid syntax");
});

it.each([
  ["import sys; sys.exit()", 0, ""],
  ["import sys; sys.exit(300)", 44, ""],
  ["import sys; sys.exit('bad')", 1, "bad\n"],
  ["raise SystemExit", 0, ""],
  ["import os; os._exit(3)", 3, ""],
  ["import asyncio, sys\nasync def main(): sys.exit(4)\nasyncio.run(main())", 4, ""],
])("exits with the code of %j", async (source, code, stderr) => {
  const { exit, err, run } = await runPython(source);
  expect({ exit, err, killed: run.killed }).toEqual({ exit: code, err: stderr, killed: false });
});

it("runs exit handlers, and flushes open files", async () => {
  const source = "import atexit\natexit.register(lambda: print('bye'))\nf = open('o.txt', 'w'); f.write('kept')";
  const { out, files } = await runPython(source);
  expect({ out, files }).toMatchObject({ out: "bye\n", files: { "/workspace/o.txt": "kept" } });
});

it("returns written and changed files, and leaves the package unchanged", async () => {
  const source = [
    "import pathlib",
    "open('/skill/data/x.txt', 'a').write('more'); open('/tmp/t', 'w').write('1')",
    "pathlib.Path('~/deep/er').expanduser().mkdir(parents=True); pathlib.Path('~/deep/er/h').expanduser().write_text('2')",
    "open('given.txt').read(); open('changed.txt', 'w').write('new')",
  ].join("\n");
  const { exit, err, files } = await runPython(source, {
    workspace: { "/workspace/given.txt": "g", "/workspace/changed.txt": "old" },
  });
  expect({ exit, err }).toEqual({ exit: 0, err: "" });
  expect(files).toEqual({
    "/home/skill/deep/er/h": "2",
    "/skill/data/x.txt": "hällo\nmore",
    "/tmp/t": "1",
    "/workspace/changed.txt": "new",
  });
  const { out } = await runPython(
    "import os; print(open('/skill/data/x.txt').read(), os.listdir('.'), os.listdir('/tmp'))",
  );
  expect(out).toBe("hällo\n [] []\n");
});

it("waits without blocking, and cancels unawaited tasks", async () => {
  const source = [
    "import asyncio, time",
    "async def forever():",
    "  try: await asyncio.sleep(100)",
    "  finally: print('cancelled')",
    "async def main():",
    "  asyncio.create_task(forever())",
    "  return sum(await asyncio.gather(*(asyncio.sleep(0.01, n) for n in range(4))))",
    "print(asyncio.run(main()))",
    "time.sleep(0.01); asyncio.get_event_loop().call_later(0.01, print, 'never')",
  ].join("\n");
  expect((await runPython(source)).out).toBe("cancelled\n6\n");
  expect((await runPython("import time; time.sleep(0.05); print('alone')")).out).toBe("alone\n");
});

it("finds the standard library", async () => {
  const names =
    "argparse array base64 bisect calendar collections concurrent.futures configparser contextlib copy csv dataclasses datetime decimal difflib email enum fnmatch fractions functools getopt glob gzip hashlib heapq hmac html http.client inspect io itertools json keyword locale logging lzma math mimetypes multiprocessing operator os pathlib pickle platform pprint queue random re sched secrets shlex shutil smtplib socket sqlite3 ssl stat statistics string struct subprocess tempfile textwrap threading time timeit tokenize traceback types typing unicodedata unittest urllib.request uuid warnings weakref xml.etree.ElementTree zipfile zlib zoneinfo";
  const { out, err } = await runPython(
    `import importlib\nfor name in ${JSON.stringify(names)}.split(): importlib.import_module(name)\nprint('all')`,
  );
  expect({ out, err: lastOf(err) }).toEqual({ out: "all\n", err: "" });
});

it.each([
  ["import subprocess; subprocess.run(['ls'])", /does not support processes/],
  ["import threading; threading.Thread(target=print).start()", /can't start new thread/],
  ["import urllib.request; urllib.request.urlopen('http://example.com')", /URLError/],
  ["import numpy", /^ModuleNotFoundError: No module named 'numpy'/],
])("names the missing module or program: %s", async (source, words) => {
  const { exit, err } = await runPython(source);
  expect(exit).toBe(1);
  expect(lastOf(err)).toMatch(words);
});
