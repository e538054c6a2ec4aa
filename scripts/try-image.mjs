// `npm run try:image`: follows the steps of `Dockerfile` and `executor/Dockerfile` in fresh Debian systems without Docker, and tries what
// they start. The gateway runs with the settings of compose.yaml.
// usage: npm run try:image -- [--only gateway | executor]

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseEnv } from "node:util";
import { strToU8, zipSync } from "fflate";
import { parse } from "yaml";
import { programOf, readDockerfile, readIgnored } from "./kit/dockerfile.mjs";
import { root } from "./kit/files.mjs";
import { buildStage, copyFolder, makeBase, readInside, startProgram } from "./kit/image-root.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail, Refusal, say } from "./kit/refusal.mjs";
import { Checks, ORIGIN, waitFor } from "./kit/served-gateway.mjs";

const USAGE = `Use: npm run try:image -- [--only gateway | executor]
Needs Linux, root, 10 GB in the folder for temporary files, and: apt-get install mmdebstrap bubblewrap iproute2`;
/** The environment variables of the process in namespaces of its own: the folder, and then the images that were built, as JSON. */
const INSIDE = "TRY_IMAGE";
const BUILT = "TRY_IMAGE_BUILT";
/** Mounts and processes end with the first process, so that nothing below the folder is mounted when it is deleted. */
const ALONE = ["--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc"];
/** The gateway listens at the port of the image, which other programs of this machine can have. */
const OFFLINE = ["--net", "--", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
/** PyPI is not reachable everywhere. Debian 12 has no package for what this command installs. */
const NEEDS_PYPI = /^python3 -m pip install /;
const STOP_MS = 10_000;
const EXECUTOR_KEY = "key-of-the-trial-0123456789";
const FILES = { gateway: "Dockerfile", executor: "executor/Dockerfile" };
const TRIALS = { gateway: tryGateway, executor: tryExecutor };

const checks = new Checks();

async function main() {
  const { values } = readOptions(USAGE, { only: { type: "string" } });
  const names = Object.keys(FILES).filter((name) => values.only === undefined || name === values.only);
  if (names.length === 0) throw new Refusal(`--only ${values.only} is unknown.\n${USAGE}`);
  if (process.env[BUILT] !== undefined) return tryAll(process.env[INSIDE], JSON.parse(process.env[BUILT]));
  if (process.env[INSIDE] !== undefined) return buildAll(process.env[INSIDE], names);
  if (process.getuid?.() !== 0) throw new Refusal(`This trial must run as root.\n${USAGE}`);
  const folder = await mkdtemp(path.join(tmpdir(), "try-image-"));
  try {
    process.exitCode = await inNamespaces(ALONE, { [INSIDE]: folder });
  } finally {
    const mounts = await readFile("/proc/mounts", "utf8");
    if (mounts.includes(folder)) say(`Something is still mounted below ${folder}, so it was not deleted.`);
    else await rm(folder, { recursive: true, force: true });
  }
}

async function buildAll(folder, names) {
  const images = {};
  for (const name of names) images[name] = await build(name, folder);
  process.exitCode = await inNamespaces(OFFLINE, { [BUILT]: JSON.stringify(images) });
}

/** Runs this script in namespaces. Returns its exit code. */
async function inNamespaces(options, env) {
  const command = [...options, process.execPath, ...process.argv.slice(1)];
  const child = spawn("unshare", command, { stdio: "inherit", env: { ...process.env, ...env } });
  const stop = () => child.kill("SIGKILL");
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
  const [code] = await once(child, "exit");
  return code ?? 1;
}

async function tryAll(folder, images) {
  for (const [name, image] of Object.entries(images)) {
    say(`\n${FILES[name]}: the image`);
    await TRIALS[name](image, folder);
  }
  say(`\n${checks.count} checks passed`);
}

/** Follows all stages. Returns the last one, with what its instructions say about starting it. */
async function build(name, folder) {
  const stages = await readDockerfile(FILES[name]);
  const isIgnored = await readIgnored();
  const folders = {};
  let last;
  for (const [n, stage] of stages.entries()) {
    say(`\n${FILES[name]}: FROM ${stage.image}`);
    const base = path.join(folder, `base-${stage.image.replace(":", "-")}`);
    if (!(await isThere(base))) await makeBase(stage.image, base);
    const to = path.join(folder, `${name}-${n}`);
    await copyFolder(base, to);
    folders[stage.name ?? n] = to;
    last = await buildStage(stage, to, {
      stages: folders,
      isIgnored,
      skip: NEEDS_PYPI,
      say: (line) => say(`  ${line}`),
    });
  }
  return { ...last, settings: stages.at(-1).settings };
}

const isThere = (file) =>
  readFile(path.join(file, "etc/os-release")).then(
    () => true,
    () => false,
  );

async function tryGateway(image, folder) {
  const compose = parse(await readFile(path.join(root, "compose.yaml"), "utf8")).services.gateway;
  const entry = programOf(image.settings.ENTRYPOINT);
  const [, port] = /^127\.0\.0\.1:(\d+):\1$/.exec(compose.ports[0]) ?? [];
  checks.that(port === image.settings.EXPOSE, `both files name port ${port}`);
  const [, inside] = compose.volumes[0].split(":");
  checks.that(inside === image.settings.VOLUME, `both files name the volume ${inside}`);
  const volume = path.join(folder, "volume");
  await copyFolder(path.join(image.folder, inside), volume);
  const options = { volumes: { [inside]: volume }, temporary: compose.tmpfs, isReadOnly: compose.read_only };
  const url = `http://127.0.0.1:${port}`;

  const made = await startProgram(image, [...entry, "--init"], options);
  checks.that((await made.ended) === 0, "--init writes the keys");
  const { GATEWAY_ADMIN_KEY } = parseEnv(await readInside(volume, "gateway.env"));
  const call = async (method, route, body) => {
    const response = await fetch(url + route, {
      method,
      headers: { authorization: `Bearer ${GATEWAY_ADMIN_KEY}`, ...(typeof body === "string" && JSON_TYPE) },
      body,
    });
    return { status: response.status, text: await response.text() };
  };
  const start = async () => {
    const args = compose.command.map((arg) => arg.replace(/\$\{ORIGIN:-\}/, ORIGIN));
    const gateway = await startProgram(image, [...entry, ...args], options);
    await waitFor("the gateway is ready", async () => {
      if (gateway.hasEnded()) throw new Refusal(`The gateway has ended:\n${gateway.log().slice(-3_000)}`);
      return (await fetch(`${url}/health`).catch(() => null))?.ok;
    });
    return gateway;
  };
  const stop = async (gateway) => {
    const started = performance.now();
    gateway.signal(image.settings.STOPSIGNAL);
    await Promise.race([gateway.ended, delay(STOP_MS, null, { ref: false })]);
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    checks.that(gateway.hasEnded(), `${image.settings.STOPSIGNAL} ends it within ${STOP_MS / 1_000} s (${seconds} s)`);
  };
  const health = async () => (await startProgram(image, programOf(image.settings.HEALTHCHECK), options)).ended;

  let gateway = await start();
  checks.that(true, "it is ready with a read-only root");
  await checkUser(gateway);
  const written = await startProgram(
    image,
    ["sh", "-c", "! touch /app/x && ! touch /home/node/x && touch /tmp/x"],
    options,
  );
  checks.that((await written.ended) === 0, `its user can write to ${inside} and /tmp only`);
  checks.that((await health()) === 0, "the command of HEALTHCHECK succeeds");
  const page = await fetch(`${url}/console/`, { redirect: "manual", headers: { "x-forwarded-proto": "https" } });
  const policy = page.headers.get("content-security-policy") ?? "";
  checks.that(page.status === 200 && policy !== "", "the console is served with its security policy");
  await publish(call);
  checks.that(await isLoaded(call, "before"), "a skill is published and loaded");
  await stop(gateway);
  checks.that((await health()) !== 0, "the command of HEALTHCHECK fails while it is stopped");
  gateway = await start();
  checks.that(await isLoaded(call, "after"), "after the next start the skill is there");
  await stop(gateway);
}

const JSON_TYPE = { "content-type": "application/json" };

/** The bit of this signal in `/proc/…/status`. */
const SIGTERM = 1n << 14n;

async function checkUser({ pid }) {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const [, user] = /^Uid:\s+(\d+)/m.exec(status) ?? [];
  checks.that(Number(user) > 0 && /^CapBnd:\s+0+$/m.test(status), `it runs as user ${user} without capabilities`);
  const [, caught = "0"] = /^SigCgt:\s+(\w+)/m.exec(status) ?? [];
  checks.that((BigInt(`0x${caught}`) & SIGTERM) !== 0n, "it handles SIGTERM, also as the first process of a container");
}

async function publish(call) {
  const text =
    "---\nname: imaged\ndescription: A skill of this trial.\nversion: 1.0.0\n---\n\nWrite the word pomegranate.\n";
  const form = new FormData();
  form.set("file", new Blob([zipSync({ "imaged/SKILL.md": strToU8(text) })]), "imaged.zip");
  const { status, text: answer } = await call("POST", "/api/v1/kinds/skills/public", form);
  if (status !== 201) throw new Refusal(`The skill was not published (${status}): ${answer}`);
}

async function isLoaded(call, conversation) {
  const route = `/api/v1/conversations/${conversation}`;
  await call("POST", `${route}/turns`, '{"conversation":{}}');
  const calls = [{ id: "call_1", name: "load_skill", arguments: { skill_name: "imaged" } }];
  const { text } = await call("POST", `${route}/tool-calls`, JSON.stringify({ calls }));
  return text.includes("pomegranate");
}

async function tryExecutor(image) {
  const env = { EXECUTOR_KEY };
  const executor = await startProgram(image, programOf(image.settings.CMD), { env, isUnmasked: true });
  const url = `http://127.0.0.1:${image.settings.EXPOSE}`;
  const headers = { authorization: `Bearer ${EXECUTOR_KEY}` };
  const about = await waitFor("the executor is ready", async () => {
    if (executor.hasEnded()) throw new Refusal(`The executor has ended:\n${executor.log().slice(-3_000)}`);
    const response = await fetch(`${url}/v1/executor`, { headers }).catch(() => null);
    return response?.ok && response.json();
  });
  checks.that(true, "the executor confines its runs, as far as its own attempts to break out can show");
  await checkUser(executor);
  const modules = [
    "numpy",
    "pandas",
    "matplotlib",
    "openpyxl",
    "docx",
    "pypdf",
    "lxml",
    "bs4",
    "yaml",
    "requests",
    "httpx",
  ];
  const missing = modules.filter((name) => !about.modules.python.includes(name));
  checks.that(missing.length === 0, `${modules.length} Python packages of the image can be found`);
  const programs = ["git", "pandoc", "pdftotext", "convert", "jq"];
  checks.that(
    programs.every((name) => about.commands.includes(name)),
    `the programs ${programs.join(", ")} are there`,
  );
  const form = new FormData();
  const run = { language: "python", path: "/skill/scripts/a.py", ms: 60_000 };
  const script = `import ${modules.join(", ")}, matplotlib.pyplot, subprocess\nmatplotlib.pyplot.plot([1, 2])\nmatplotlib.pyplot.savefig('chart.png')\nprint(subprocess.check_output(['git', '--version'], text=True), numpy.arange(7).sum())\n`;
  form.set("run", JSON.stringify(run));
  form.append("file", new Blob([script]), encodeURIComponent(run.path));
  const result = await (await fetch(`${url}/v1/runs`, { method: "POST", headers, body: form })).text();
  if (!/git version[\s\S]*21/.test(result)) throw new Refusal(`The script did not run:\n${result.slice(-3_000)}`);
  checks.that(true, "a script with packages and programs runs");
  executor.signal("SIGTERM");
  await Promise.race([executor.ended, delay(STOP_MS, null, { ref: false })]);
  checks.that(executor.hasEnded(), "SIGTERM ends it");
}

main().catch(fail);
