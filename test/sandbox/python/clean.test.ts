// A run finds a clean interpreter, whatever an earlier run of the same user did.

import { expect, it } from "vitest";
import { runPython } from "../../support/run-python";

const LEAVES: Record<string, [before: string, then: string, out: string]> = {
  "a module of the package": ["import helper; helper.f = lambda: 'bent'", "import helper; print(helper.f())", "helper"],
  "a module of its own": [
    "import sys, types; sys.modules['mine'] = types.ModuleType('mine'); sys.modules['json'] = None",
    "import sys, json; print('mine' in sys.modules, json.dumps(1))",
    "False 1",
  ],
  "a builtin": [
    "import builtins; builtins.print = None; builtins.mine = 1; del builtins.len",
    "print(len('ab'), 'mine' in dir(__builtins__))",
    "2 False",
  ],
  "all builtins": ["import builtins; names = vars(builtins); names.clear()", "print(len('ab'))", "2"],
  "the environment": [
    "import os; os.environ['SECRET'] = '1'; os.environ['HOME'] = '/'",
    "import os; print(os.environ.get('SECRET'), os.environ['HOME'])",
    "None /home/skill",
  ],
  "the folder": [
    "import os; os.mkdir('deep'); os.chdir('deep'); os.chmod('.', 0)",
    "import os; print(os.getcwd(), os.listdir('.'))",
    "/workspace []",
  ],
  "paths and finders": [
    "import sys; sys.path.clear(); sys.meta_path.clear(); sys.path_hooks.clear()",
    "import helper, textwrap; print(helper.f())",
    "helper",
  ],
  "standard streams": [
    "import sys; sys.stdout.close(); sys.stdin.close(); sys.stderr = None",
    "print('heard')",
    "heard",
  ],
  "a descriptor": ["import os; os.close(1); os.close(2)", "print('heard')", "heard"],
  loggers: [
    "import logging; logging.basicConfig(level=10); logging.getLogger('x').setLevel(50); logging.disable(50)",
    "import logging; r = logging.getLogger(); print(r.handlers, r.level, logging.getLogger('x').level, r.manager.disable)",
    "[] 30 0 0",
  ],
  hooks: [
    "import sys; sys.excepthook = sys.displayhook = None; sys.settrace(lambda *_: None); sys.setrecursionlimit(50)",
    "import sys; print(sys.gettrace(), sys.getrecursionlimit(), sys.excepthook is sys.__excepthook__)",
    "None 1000 True",
  ],
  signals: [
    "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN); signal.signal(signal.SIGUSR1, signal.SIG_IGN)",
    "import signal; print(callable(signal.getsignal(signal.SIGXCPU)), callable(signal.getsignal(signal.SIGUSR1)))",
    "True True",
  ],
  "random numbers": [
    "import random; random.seed(1)",
    "import random; a = random.random(); random.seed(1); print(a == random.random())",
    "False",
  ],
  "what runs at the end": ["import atexit, os; atexit.register(print, 'late'); os._exit(0)", "print('first')", "first"],
  "a generator that nobody ends": [
    "def g():\n  try: yield\n  finally: print('ended')\nkept = g(); next(kept)",
    "print('second')",
    "second",
  ],
  "the standard library": ["open('/lib/python314.zip', 'wb').write(b'x')", "import colorsys; print('whole')", "whole"],
};

it.each(Object.entries(LEAVES))("is not affected by an earlier run that changed %s", async (_, [before, then, out]) => {
  await runPython(before);
  const { out: told, err } = await runPython(then);
  expect({ told, err }).toEqual({ told: `${out}\n`, err: "" });
});
