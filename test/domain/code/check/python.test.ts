// Verdicts on Python scripts: real imports decide, and text that only looks like an import does not.

import { describe, expect, it } from "vitest";
import { pythonJudge } from "../../../../src/domain/code/check/python";

/** The verdict on the first file, with the name that its reason begins with. */
function told(script: string, others: Record<string, string> = {}, wheels: string[] | null = []) {
  const texts = new Map(Object.entries({ "scripts/x.py": script, ...others }));
  const textOf = (path: string) => texts.get(path) ?? null;
  const judge = pythonJudge({ paths: [...texts.keys()], textOf, wheels: wheels === null ? null : new Set(wheels) });
  const { runs, reason, line } = judge("scripts/x.py");
  return [runs, /'([^']*)'/.exec(reason ?? "")?.[1] ?? null, line ?? null];
}
const RUNS = ["isolate", null, null];

describe("a script in Python runs", () => {
  it.each([
    ["with the standard library", "import json, os.path as p\nfrom collections.abc import Mapping\nimport sqlite3, re"],
    [
      "with what only looks like an import",
      '"""\nimport numpy\n"""\n# import pandas\ntext = "\\"import scipy"\nx = \'\'\'a\nimport lxml\n\'\'\'',
    ],
    ["with an import in a text of a call", 'print(f"""\nimport torch\n""", "a", r"\\")\nprint("import x")'],
    ["with a text that its line does not end", 'x = "abc\nimport json'],
    ["with an import whose absence is thought of", "try:\n    import yaml\nexcept ImportError:\n    yaml = None"],
    [
      "with one that is thought of on the same line",
      "try: import yaml\nexcept (ValueError, ModuleNotFoundError): yaml = None",
    ],
    ["with another in its stead", "try:\n    import tomllib\nexcept ImportError:\n    import tomli as tomllib"],
    [
      "with an older name in its stead",
      "import sys\nif sys.version_info >= (3, 11):\n    import tomllib\nelse:\n    import tomli as tomllib",
    ],
    ["with types alone", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pandas as pd"],
    ["with what another system has, on that system", "import os\nif os.name == 'nt':\n    import msvcrt"],
    [
      "with what the gateway brings for providers",
      "from pydantic import BaseModel\nfrom langchain_core.tools import BaseTool",
    ],
    ["whatever its texts are continued by", "x = 'a' \\\n  'b'\nimport json; import \\\n  csv"],
  ])("%s", (_, script) => {
    expect(told(script)).toEqual(RUNS);
  });

  it("with modules of its package, wherever they lie", () => {
    expect(
      told("import helper\nfrom lib.more import x", { "scripts/helper.py": "import json", "lib/more.py": "" }),
    ).toEqual(RUNS);
    expect(
      told("from tools import a", {
        "tools/__init__.py": "",
        "tools/a.py": "from . import b\nfrom .b import c",
        "tools/b.py": "",
      }),
    ).toEqual(RUNS);
  });

  it("with modules of its wheels, and with a wheel that cannot be read", () => {
    expect(told("import yaml", {}, ["yaml"])).toEqual(RUNS);
    expect(told("import yaml", {}, ["rich"])).toEqual(["remote", "yaml", 1]);
    expect(told("import yaml", {}, null)).toEqual(RUNS);
  });
});

describe("a script in Python does not run", () => {
  it.each<[string, string, unknown[]]>([
    ["without a package", "import json\nimport urllib.parse\nimport numpy as np, os", ["remote", "numpy", 3]],
    ["without one that is taken apart", "from PIL import (\n  Image,\n  ImageDraw)", ["remote", "PIL", 1]],
    ["without what Python has elsewhere", "from ctypes import CDLL", ["remote", "ctypes", 1]],
    ["without what Python has no more", "import json\nimport imp", ["nowhere", "imp", 2]],
    [
      "when its handler gives up",
      "import sys\ntry:\n    import yaml\nexcept ImportError:\n    print('pip install pyyaml')\n    sys.exit(1)",
      ["remote", "yaml", 3],
    ],
    [
      "when its handler raises",
      "try:\n    import yaml\nexcept ImportError as e:\n    raise SystemExit(1) from e",
      ["remote", "yaml", 2],
    ],
    [
      "without either of two",
      "try:\n    import yaml\nexcept ImportError:\n    import ruamel.yaml as yaml",
      ["remote", "ruamel.yaml", 4],
    ],
    ["when it is begun under its name", "if __name__ == '__main__':\n    import click", ["remote", "click", 2]],
    ["in a class or a with", "class A:\n  import numpy\nwith x:\n  import scipy", ["remote", "numpy", 2]],
    ["behind a text of many lines", 'x = """\n\n"""\nimport rich', ["remote", "rich", 4]],
  ])("%s", (_, script, verdict) => {
    expect(told(script)).toEqual(verdict);
  });

  it("if a module of its package does not run, with its location", () => {
    const others = { "scripts/helper.py": "import json\nimport pandas" };
    expect(told("import helper", others)).toEqual(["remote", "pandas", null]);
    const judge = pythonJudge({
      paths: ["a.py", "b.py"],
      textOf: (path) => (path === "a.py" ? "import b" : "\nimport pandas"),
      wheels: new Set(),
    });
    expect(judge("a.py").reason).toContain("(b.py, line 2)");
  });

  it("when it is a module of others", () => {
    expect(told("from .helper import x", { "scripts/helper.py": "" })[0]).toBe("nowhere");
  });
});

describe("a script in Python runs partly", () => {
  it.each<[string, string, unknown[]]>([
    ["with network", "import json\nfrom urllib.request import urlopen", ["partly", "urllib.request", 2]],
    ["with network by its other name", "from urllib import parse, request", ["partly", "urllib.request", 1]],
    ["with processes", "import subprocess", ["partly", "subprocess", 1]],
    ["with threads", "from concurrent.futures import ThreadPoolExecutor", ["partly", "concurrent.futures", 1]],
    [
      "when a function needs what is not there",
      "def plot():\n    import matplotlib.pyplot as plt\n",
      ["partly", "matplotlib.pyplot", 2],
    ],
    ["when a branch does", "if fancy: import rich", ["partly", "rich", 1]],
  ])("%s", (_, script, verdict) => {
    expect(told(script)).toEqual(verdict);
  });
});

it("the worst finding of a script decides", () => {
  expect(told("import subprocess\nimport numpy\nimport socket")).toEqual(["remote", "numpy", 2]);
});
