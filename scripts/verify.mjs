// `npm run deploy:verify`: checks on a running gateway what only an account can show. These are support for WebAssembly and promise
// integration (JSPI) in dynamic Workers, the duration of a cold start, and the platform's own limits. It creates a public skill and a
// conversation, and deletes both.

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

/** The expected first line of output. */
const HASH = "4ea5ee68";

main().catch(fail);

async function main() {
  const { values } = readOptions(USAGE, GATEWAY);
  const { url, key } = await chosenGateway(values, USAGE);
  const isHere = /^(?:127\.|localhost$|\[::1\]$)/.test(new URL(url).hostname);
  const gateway = caller(url, key);
  const health = await gateway("GET", "/health");
  if (health.loader === "absent")
    throw new Refusal(
      `${url} has no Worker Loader, so skills cannot run code. It needs a paid plan and [[worker_loaders]] in wrangler.toml.`,
    );
  const name = `deploy-verify-${randomBytes(4).toString("hex")}`;
  const skill = await publish(url, key, name);
  const chat = `/api/v1/conversations/${name}`;
  let failures = 0;
  try {
    await gateway("POST", `${chat}/turns`, { conversation: {} });
    await gateway("POST", `${chat}/tool-calls`, {
      calls: [{ id: "load", name: "load_skill", arguments: { skill_name: name } }],
    });
    for (const check of checks(isHere))
      failures += (await look(check, (script) => run(gateway, chat, name, script))) ? 0 : 1;
  } finally {
    for (const route of [chat, `/api/v1/kinds/skills/${skill}`])
      await gateway("DELETE", route).catch((error) => say(`not deleted: ${route} (${error.message})`));
  }
  if (failures > 0) throw new Refusal(`${failures} checks failed at ${url}. docs/operate.md describes each check.`);
  console.log(`verified ${url}`);
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
  const scripts = Object.entries(SCRIPTS).map(([file, source]) => [`${name}/scripts/${file}`, strToU8(source)]);
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
