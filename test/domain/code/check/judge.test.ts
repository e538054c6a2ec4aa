// The verdict on each script of a package.

import { describe, expect, it } from "vitest";
import { compilePackage, judgeScripts } from "../../../../src/domain/code/compile";
import { readPackage } from "../../../../src/domain/package/package";
import { skillZip, zip } from "../../../support/skill";

async function judged(files: Record<string, string | Uint8Array>) {
  const { package: found } = await readPackage(skillZip({ files }), {});
  const { compiled } = await compilePackage(found!);
  return judgeScripts(found!, compiled);
}
/** Each script with its verdict, the first name in its reason, and its line. */
async function told(files: Record<string, string | Uint8Array>) {
  const short = (await judged(files)).map(({ path, runs, reason, line }) => [
    path,
    [
      runs,
      ...[...(reason ?? "").matchAll(/'([^']*)'/g)].slice(0, 1).map(([, name]) => name),
      ...(line === undefined ? [] : [line]),
    ].join(" "),
  ]);
  return Object.fromEntries(short);
}

it("lists what scripts need that isolates do not have", async () => {
  const files = {
    "a.py":
      "import json, numpy.linalg\ntry:\n  import rich\nexcept ImportError:\n  rich = None\ndef f():\n  import yaml\n",
    "b.py": "import json",
    "c.sh": "git status\nls | jq .\npandoc a\ncurl x\n",
    "deep/d.py": '# /// script\n# dependencies = ["httpx<1"]\n# ///\nimport own\nimport httpx',
    "deep/own.py": "import ctypes",
    "requirements.txt": "numpy>=1.26\n",
    "deep/requirements.txt": "rich\n",
    "node_modules/x/requirements.txt": "other\n",
  };
  const needs = Object.fromEntries((await judged(files)).map((script) => [script.path, script.needs]));
  expect(needs).toEqual({
    "a.py": { modules: ["numpy", "yaml"], requirements: ["numpy>=1.26"] },
    "b.py": undefined,
    "c.sh": { commands: ["git", "pandoc"] },
    "deep/d.py": { modules: ["httpx", "ctypes"], requirements: ["httpx<1", "rich", "numpy>=1.26"] },
    "deep/own.py": { modules: ["ctypes"], requirements: ["rich", "numpy>=1.26"] },
  });
});

describe("a shell script", () => {
  const files = {
    "scripts/chart.py": "import json\nimport numpy",
    "scripts/plain.py": "import json",
    "scripts/lock.sh": "\nflock 9",
    "scripts/loop.sh": './loop.sh; "$(dirname "$0")/lock.sh"',
    "lib/common.sh": "tool() {\n  docker ps\n}",
    "lib/none.js": "require('left-pad')",
    "requirements.txt": "numpy>=2",
  };

  it.each<[string, string, string]>([
    ["by path", '"$(dirname "$0")/lock.sh" a', "remote flock"],
    ["after exec", 'exec "$DIR/lock.sh" start "$1"', "remote flock"],
    ["through another, in a circle", "bash scripts/loop.sh", "remote flock"],
    ["with an interpreter", 'python3 -u "$DIR/chart.py" --x', "remote numpy"],
    ["with an interpreter in a variable", "PY=python3\n$PY scripts/chart.py", "remote numpy"],
    [
      "from a variable",
      'CHART="$(cd "$(dirname "$0")" && pwd)/chart.py"\nif python3 "$CHART"; then :; fi',
      "remote numpy",
    ],
    ["by sourcing it", '. "$DIR/../lib/common.sh"', "remote docker"],
    ["that runs nowhere", "node lib/none.js", "partly left-pad"],
    ["that runs", "python3 scripts/plain.py scripts/chart.py", "isolate"],
    [
      "only as an argument or a text",
      "echo scripts/chart.py; python3 -c pass scripts/chart.py\ncat scripts/lock.sh",
      "isolate",
    ],
  ])("needs what a script needs that it calls %s", async (_, text, verdict) => {
    expect((await told({ ...files, "scripts/a.sh": text }))["scripts/a.sh"]).toBe(verdict);
  });

  it("names the script that it calls, with its line and its requirements", async () => {
    const all = await judged({ ...files, "scripts/a.sh": "\npython3 chart.py" });
    expect(all.find(({ path }) => path === "scripts/a.sh")).toEqual({
      path: "scripts/a.sh",
      runs: "remote",
      reason: expect.stringMatching(/'numpy'.* \(scripts\/chart\.py, line 2\)$/),
      needs: { modules: ["numpy"], requirements: ["numpy>=2"] },
    });
  });
});

describe("a script in JavaScript", () => {
  it.each<[string, string, string]>([
    ["runs with what Node has", 'const fs = require("fs"); import("node:path"); require("./b")', "isolate"],
    ["runs without what it can do without", "let c; try { c = require('chalk') } catch { c = null }", "isolate"],
    [
      "does not without what it gives up for",
      "\nlet c; try { c = require('chalk') } catch { process.exit(1) }",
      "nowhere chalk 2",
    ],
    ["does not without a package", "\nrequire('axios').get('x')", "nowhere axios 2"],
    ["does not without a file", "require('./none')", "nowhere ./none 1"],
    ["runs elsewhere with what Node has there", "import { DatabaseSync } from 'node:sqlite'", "remote node:sqlite 1"],
    ["runs partly with network", "const https = require('https')", "partly https 1"],
    ["runs partly with programs", "import { execSync } from 'node:child_process'", "partly node:child_process 1"],
    ["runs partly where a function needs a package", "\nasync function f() { await import('zod') }", "partly zod 2"],
    ["does not run when it cannot be read", "\nconst = 1", "nowhere 2"],
  ])("%s", async (_, script, verdict) => {
    const found = await told({ "scripts/a.js": script, "scripts/b.js": "" });
    expect(found["scripts/a.js"]).toBe(verdict);
  });

  it("includes the modules that it imports", async () => {
    const found = await judged({
      "a.mjs": "import './lib/b.js'",
      "lib/b.js": "require('left-pad')",
      "lib/package.json": "{}",
    });
    expect(found).toEqual([
      { path: "a.mjs", runs: "nowhere", reason: expect.stringMatching(/'left-pad'.*\(lib\/b\.js\)$/) },
      { path: "lib/b.js", runs: "nowhere", reason: expect.stringContaining("'left-pad'"), line: 1 },
    ]);
  });
});

describe("a package", () => {
  it("has verdicts on scripts of all kinds, and none on other files", async () => {
    expect(
      await told({
        "scripts/a.py": "import numpy",
        "scripts/b.ps1": "Get-Item",
        "scripts/c.js": "1",
        "scripts/notes.md": "x",
        "scripts/types.d.ts": "x",
        "data.json": "{}",
        "node_modules/x/index.js": "require('y')",
        "vendor/lib.py": "import z",
      }),
    ).toEqual({ "scripts/a.py": "remote numpy 1", "scripts/b.ps1": "nowhere", "scripts/c.js": "isolate" });
  });

  it("is read with its wheels", async () => {
    const wheel = zip({ "yaml/__init__.py": "", "six.py": "", "PyYAML-6.dist-info/METADATA": "x" });
    const files = { "a.py": "import yaml, six", "b.py": "import rich", "vendor/PyYAML-6-py3-none-any.whl": wheel };
    expect(await told(files)).toEqual({ "a.py": "isolate", "b.py": "remote rich 1" });
    expect(await told({ ...files, "wheels/broken.whl": "PK" })).toEqual({ "a.py": "isolate", "b.py": "isolate" });
  });

  it("with a file that is not text or too large, reports it or nothing", async () => {
    const noise = Array.from(crypto.getRandomValues(new Uint8Array(65_536)), (byte) => byte.toString(36)).join("");
    const large = `x = "${Array.from({ length: 20 }, (_, at) => noise.slice(at * 997) + noise).join("")}"`;
    expect(await told({ "a.py": new Uint8Array([0xff, 0xfe, 0xfd]), "b.py": large })).toEqual({ "a.py": "nowhere" });
  });

  it("that is too large runs nowhere", async () => {
    const bytes = new Uint8Array(9 * 1024 * 1024);
    for (let at = 0; at < bytes.length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
    const [verdict] = await judged({ "a.py": "1", "data.bin": bytes });
    expect(verdict).toMatchObject({ runs: "nowhere", reason: expect.stringContaining("8 MiB") });
  });
});

it("counts on the network if the skill declares hosts, for clients of HTTP", async () => {
  const files = {
    "scripts/a.js": "require('https'); require('http')",
    "scripts/b.js": "require('net')",
    "scripts/c.py": "import http.client, socket, ssl, urllib.request",
    "scripts/d.py": "import smtplib",
    "scripts/e.sh": "curl -s https://x | jq .",
    "scripts/f.sh": "curl -s https://x; wget https://y",
  };
  const { package: found } = await readPackage(skillZip({ files, frontmatter: "network: [api.example.org]" }), {});
  const { compiled } = await compilePackage(found!);
  expect(judgeScripts(found!, compiled).map(({ path, runs }) => [path.slice(8, 9), runs])).toEqual([
    ...[
      ["a", "isolate"],
      ["b", "partly"],
      ["c", "isolate"],
      ["d", "partly"],
      ["e", "isolate"],
      ["f", "partly"],
    ],
  ]);
});
