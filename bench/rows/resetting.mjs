// Measures what it costs to restore the Python interpreter after a run: warm runs of two gateways, of which one restores only the
// table of modules.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { librariesOf } from "../../scripts/build/python/library.mjs";
import { ownModules, pyodideFolder } from "../../scripts/build/python/parts.mjs";
import { root } from "../../scripts/kit/files.mjs";
import { begin, isAnswered } from "../code.mjs";
import { startGateway } from "../gateway.mjs";
import { compare } from "../measure.mjs";
import { skillZip } from "../skills.mjs";

const USER = "resetting";
const BUDGET = 1.2;
/** A conversation stores the results of its calls, so a new one starts after this number of calls. */
const CALLS = 20;
const ANSWER = "import sys\nprint(sys.stdin.read() + ': 42')\n";
const SCRIPTS = {
  "a script without imports": ANSWER,
  "a script with imports":
    "import argparse, collections, csv, dataclasses, datetime, decimal, json, pathlib, random, re, tempfile, urllib.request, zipfile\n" +
    ANSWER,
};

export async function run({ passes, seconds, until }) {
  const gateways = {};
  try {
    gateways.floor = await startGateway({ assets: { "/python/gateway.zip": await libraryWithoutRestoring() } });
    gateways.path = await startGateway();
    const rows = [];
    for (const [n, [name, source]] of Object.entries(SCRIPTS).entries()) {
      const skill = `resetting-${n}`;
      const sides = {};
      for (const side of ["floor", "path"]) {
        await publish(gateways[side], skill, source);
        sides[side] = warm(gateways[side], skill);
      }
      const send = ({ gateway, request }) => gateway.send(request);
      rows.push({
        name: `Python, warm, restoring after ${name}`,
        budget: BUDGET,
        ...(await compare(send, sides, { passes, seconds, until })),
      });
    }
    return rows;
  } finally {
    for (const gateway of Object.values(gateways)) await gateway.stop();
  }
}

/** The gateway's modules, of which the one that saves and restores the library is replaced. */
async function libraryWithoutRestoring() {
  const replaced = await readFile(path.join(root, "bench/resetting.py"), "utf8");
  const libraries = await librariesOf(pyodideFolder(), {
    ...(await ownModules()),
    "_gateway_snapshot.py": replaced,
  });
  return libraries["gateway.zip"];
}

async function publish(gateway, name, source) {
  const files = { "scripts/answer.py": Buffer.from(source) };
  const upload = await gateway.upload(null, skillZip({ name, description: `Runs ${name}.`, body: "Run it.", files }));
  await gateway.send({ ...upload, route: "/api/v1/kinds/skills/public" });
}

function warm(gateway, skill) {
  const asked = { skill_name: skill, script_path: "scripts/answer.py", input: "how much" };
  return {
    async prepare(n) {
      const route = `/api/v1/conversations/${skill}-${Math.floor(n / CALLS)}`;
      if (n % CALLS === 0) await begin(gateway, USER, route, skill);
      const calls = [{ id: `call_${n}`, name: "execute_skill_script", arguments: asked }];
      return { gateway, request: await gateway.request(USER, "POST", `${route}/tool-calls`, { calls }) };
    },
    check: isAnswered,
  };
}
