// `npm run deploy:verify`: checks on a running gateway what only an account can show. These are support for WebAssembly and promise
// integration (JSPI) in dynamic Workers, the duration of a cold start, the platform's own limits, and the executor if there is one. It
// creates a public skill and a conversation, and deletes both.

import { randomBytes } from "node:crypto";
import { strToU8, zipSync } from "fflate";
import { GATEWAY, readOptions } from "./kit/options.mjs";
import { fail, Refusal, say } from "./kit/refusal.mjs";
import { chosenGateway, nothingAnswers } from "./local/chosen-gateway.mjs";

const USAGE = `Use: npm run deploy:verify [-- --url <gateway> --key <key of an admin> | --port 8787]
  Without --url it is the gateway in GATEWAY_URL, or the one on this machine; the key may also stand in GATEWAY_KEY.`;
/** The limit on a script of the skill in seconds: longer than the platform's CPU limit. */
const TIMEOUT = 15;
/** The limit for an account. A busy machine can take longer. */
const COLD_PYTHON_MOST = 5_000;

const SCRIPTS = {
  "answer.js": `const { createHash } = require("node:crypto"); console.log(createHash("sha256").update("gateway").digest("hex").slice(0, 8));`,
  "answer.py": `import hashlib; print(hashlib.sha256(b"gateway").hexdigest()[:8])`,
  "answer.sh": "#!/usr/bin/env bash\nprintf gateway | sha256sum | cut -c1-8",
  "wait.py": `import asyncio, time\ntime.sleep(0.05)\nasync def main():\n    await asyncio.sleep(0.05)\n    print("waited")\nasyncio.run(main())`,
  "files.py": `import pathlib; pathlib.Path("out.txt").write_text("left"); print(pathlib.Path("/skill/SKILL.md").exists())`,
  "network.js": `fetch("https://example.com/").then(() => console.log("reached"), () => console.log("refused"));`,
  "network.py": `import urllib.request\ntry:\n    urllib.request.urlopen("https://example.com/", timeout=2); print("reached")\nexcept OSError: print("refused")`,
  "loop.js": "for (;;);",
  "loop.py": "while True: pass",
  "late.js": "console.log('before'); setInterval(() => {}, 100);",
  "memory.js":
    "const all = []; for (;;) { all.push(new Array(1_000_000).fill(all.length)); await new Promise((go) => setTimeout(go, 1)); }",
  "memory.py": "all = []\nwhile True: all.append(bytearray(1 << 20))",
};

/** Scripts that only an executor runs, because they start programs. */
const EXECUTOR_SCRIPTS = {
  "packages.py":
    "import subprocess, numpy, pandas, matplotlib, openpyxl, docx, pptx, pypdf, lxml, yaml\nprint(numpy.arange(4).sum())",
  "programs.sh":
    'git --version | cut -c1-11; echo "[1,2]" | python3 -c "import json, sys; print(sum(json.load(sys.stdin)))"',
  "connect.py":
    "import socket, subprocess\ntry:\n    socket.create_connection(('1.1.1.1', 443), 3); print('reached')\nexcept OSError: print('refused')",
  "leave.sh": "git --version > /tmp/left; sleep 300 & echo left",
  "look.sh": 'git --version > /dev/null; ls /tmp /workspace; cat /proc/[0-9]*/comm | grep -c "^sleep$"; echo looked',
  "processes.py":
    "import subprocess\nn = 0\ntry:\n    for n in range(200): subprocess.Popen(['sleep', '60'])\nexcept OSError: pass\nprint('limited' if n < 100 else n)",
  "shared-memory.py":
    "import os, subprocess, time\nfor n in range(5):\n    if os.fork() == 0:\n        held = b'x' * (700 << 20); time.sleep(60)\ntime.sleep(60)",
  "endless.py": "import subprocess\nwhile True:\n    try: pass\n    except BaseException: pass",
};
/** Milliseconds for which a first deployment of containers can take until one starts, and between two looks. */
const CONTAINERS_PATIENCE = 600_000;
const LOOK_MS = 5_000;

/** The expected first line of output. */
const HASH = "4ea5ee68";

main().catch(fail);

async function main() {
  const { values } = readOptions(USAGE, GATEWAY);
  const { url, key } = await chosenGateway(values, USAGE);
  const isHere = /^(?:127\.|localhost$|\[::1\]$)/.test(new URL(url).hostname);
  const gateway = caller(url, key);
  const health = await gateway("GET", "/health");
  if (health.checks.loader === "absent")
    throw new Refusal(
      `${url} has no Worker Loader, so skills cannot run code. It needs a paid plan and [[worker_loaders]] in wrangler.toml.`,
    );
  const hasExecutor = await untilExecutor(gateway, health, isHere);
  const name = `deploy-verify-${randomBytes(4).toString("hex")}`;
  const skill = await publish(url, key, name);
  const chat = `/api/v1/conversations/${name}`;
  let failures = 0;
  try {
    await gateway("POST", `${chat}/turns`, { conversation: {} });
    await gateway("POST", `${chat}/tool-calls`, {
      calls: [{ id: "load", name: "load_skill", arguments: { skill_name: name } }],
    });
    for (const check of [...checks(isHere), ...(hasExecutor ? executorChecks(isHere) : [])])
      failures += (await look(check, (script) => run(gateway, chat, name, script))) ? 0 : 1;
  } finally {
    for (const route of [chat, `/api/v1/kinds/skills/${skill}`])
      await gateway("DELETE", route).catch((error) => say(`not deleted: ${route} (${error.message})`));
  }
  if (failures > 0) throw new Refusal(`${failures} checks failed at ${url}. docs/operate.md describes each check.`);
  console.log(`verified ${url}`);
}

/** Returns whether there is an executor, and waits for it: containers start some minutes after their first deployment. */
async function untilExecutor(gateway, health, isHere) {
  const deadline = Date.now() + (isHere ? 0 : CONTAINERS_PATIENCE);
  for (let found = health; ; found = await gateway("GET", "/health")) {
    const { checks: states, issues = [] } = found;
    if (states.executor === "absent") return false;
    if (states.executor === "ok") return true;
    if (Date.now() > deadline) {
      say(`The executor is not available. ${issues.map(({ message }) => message).join(" ")}`);
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

const MOST_MS = (TIMEOUT + 20) * 1_000;
const inExecutor = (one) => (one.executor === "remote" ? null : `it ran in: ${one.executor}`);

/** The checks of an executor. Its limits are those of docs/executor.md. */
function executorChecks(isHere) {
  const prints = (text) => (one) =>
    inExecutor(one) ?? (one.exit_code === 0 && one.stdout === text ? null : outcomeText(one));
  const isEnded = (one) => inExecutor(one) ?? (one.exit_code !== 0 && one.ms < MOST_MS ? null : outcomeText(one));
  const runs = { script: "programs.sh", says: prints("git version\n3\n") };
  return [
    { what: "executor: programs (cold)", ...runs },
    { what: "the same again (warm)", ...runs },
    {
      what: "executor: Python packages of the image",
      ...{ script: "packages.py", says: prints("6\n") },
      skipped: isHere ? "this machine has its own packages" : undefined,
    },
    { what: "executor: no network", script: "connect.py", says: prints("refused\n") },
    { what: "executor: a script leaves files and a process", script: "leave.sh", says: prints("left\n") },
    {
      what: "executor: the next one finds neither",
      script: "look.sh",
      says: prints("/tmp:\n\n/workspace:\n0\nlooked\n"),
    },
    { what: "executor: processes are limited", script: "processes.py", says: prints("limited\n") },
    { what: "executor: memory of all processes is limited", script: "shared-memory.py", says: isEnded },
    { what: "executor: an endless loop is ended", script: "endless.py", says: isEnded },
    { what: "executor: a script runs after all of these", ...runs },
  ];
}

/** Each check runs one script. `says` returns the problem with its result, or `null`. */
function checks(isHere) {
  const prints = (text) => (one) => (one.exit_code === 0 && one.stdout === `${text}\n` ? null : outcomeText(one));
  const isEnded = (most) => (one) => (one.exit_code !== 0 && one.ms < most ? null : outcomeText(one));
  const well = { script: "answer.js", says: prints(HASH) };
  return [
    { what: "a Node script runs in a dynamic Worker (cold)", ...well },
    { what: "the same again (warm)", ...well },
    {
      what: "WebAssembly runs in a dynamic Worker: Python (cold)",
      script: "answer.py",
      says: (one) =>
        prints(HASH)(one) ?? (isHere || one.ms <= COLD_PYTHON_MOST ? null : `it took more than ${COLD_PYTHON_MOST} ms`),
    },
    { what: "the same again (warm)", script: "answer.py", says: prints(HASH) },
    { what: "shell runs", script: "answer.sh", says: prints(HASH) },
    { what: "WebAssembly waits for promises (JSPI): sleep in Python", script: "wait.py", says: prints("waited") },
    { what: "a script can read its package and write files", script: "files.py", says: prints("True") },
    { what: "no network from Node", script: "network.js", says: prints("refused") },
    { what: "no network from Python", script: "network.py", says: prints("refused") },
    { what: "a deadline ends a script that waits forever", script: "late.js", says: isEnded((TIMEOUT + 5) * 1_000) },
    { what: "an endless loop is ended: Node", script: "loop.js", says: isEnded((TIMEOUT + 5) * 1_000) },
    { what: "an endless loop is ended: Python", script: "loop.py", says: isEnded((TIMEOUT + 5) * 1_000) },
    {
      what: "memory is limited: Python",
      script: "memory.py",
      says: (one) => (/MemoryError/.test(one.stderr) ? null : outcomeText(one)),
    },
    {
      what: "memory is limited: Node",
      script: "memory.js",
      says: isEnded((TIMEOUT + 5) * 1_000),
      skipped: isHere ? "not limited on this machine" : undefined,
    },
    { what: "a script runs after all of these", ...well },
  ];
}

async function look({ what, script, says, skipped }, runScript) {
  if (skipped !== undefined) {
    console.log(`skipped  ${what}: ${skipped}`);
    return true;
  }
  let problem;
  let ms = 0;
  try {
    const one = await runScript(script);
    ms = one.ms;
    problem = says(one);
  } catch (error) {
    problem = error.message;
  }
  console.log(
    `${problem === null ? "ok      " : "FAILED  "} ${what}: ${ms} ms${problem === null ? "" : `\n         ${problem}`}`,
  );
  return problem === null;
}

const outcomeText = ({ exit_code, killed, stdout, stderr, ms }) =>
  JSON.stringify({ exit_code, killed, ms, stdout: stdout.slice(0, 500), stderr: stderr.slice(-500) });

let calls = 0;
/** Runs a script of the skill. `ms` is the duration of the whole step, as for a chat back end. */
async function run(gateway, chat, skill, script) {
  const asked = { skill_name: skill, script_path: `scripts/${script}` };
  const began = performance.now();
  const { results } = await gateway("POST", `${chat}/tool-calls`, {
    calls: [{ id: `call_${calls++}`, name: "execute_skill_script", arguments: asked }],
  });
  const ms = Math.round(performance.now() - began);
  const [{ structuredContent, content }] = results;
  if (structuredContent === undefined) throw new Error(content.map(({ text }) => text).join("\n"));
  return { ...structuredContent, ms };
}

async function publish(url, key, name) {
  const text = `---\nname: ${name}\ndescription: "Verifies a deployment. You can delete it."\nversion: "1.0.0"\nconfig: { timeout: ${TIMEOUT} }\n---\n\nIts scripts are run by npm run deploy:verify.\n`;
  const scripts = Object.entries({ ...SCRIPTS, ...EXECUTOR_SCRIPTS }).map(([file, source]) => [
    `${name}/scripts/${file}`,
    strToU8(source),
  ]);
  const zip = zipSync({ [`${name}/SKILL.md`]: strToU8(text), ...Object.fromEntries(scripts) });
  const form = new FormData();
  form.set("file", new Blob([zip], { type: "application/zip" }), `${name}.zip`);
  const made = await caller(url, key)("POST", "/api/v1/kinds/skills/public", form);
  return made.metadata.labels.id;
}

/** Sends a JSON request with the key of the user. Throws the gateway's message for any error. */
function caller(url, key) {
  return async (method, route, body) => {
    const isForm = body instanceof FormData;
    const answer = await fetch(url + route, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(isForm || body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: isForm ? body : JSON.stringify(body),
      signal: AbortSignal.timeout((TIMEOUT + 40) * 1_000),
    }).catch((error) => {
      throw nothingAnswers(url, error);
    });
    const text = await answer.text();
    if (!answer.ok) throw new Refusal(`${method} ${route} returned HTTP ${answer.status}: ${text.slice(0, 500)}`);
    return text === "" ? null : JSON.parse(text);
  };
}
