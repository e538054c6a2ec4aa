// `npm run try:image`: runs the steps of the Dockerfile without Docker. The base images are root folders that mmdebstrap makes of Debian's
// packages, with Node beside them. bubblewrap runs each step in its root folder, and then the gateway as compose.yaml does: another user,
// a read-only root, one volume, and no network. Needs Linux and root.
// usage: npm run try:image -- [--keep <folder>]

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { root } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail, Refusal, say } from "./kit/refusal.mjs";
import { Checks, ORIGIN } from "./kit/served-gateway.mjs";

const USAGE = `Use: npm run try:image -- [--keep <folder>]
  --keep   where the root folders are made, and left; else they are deleted
Needs root, and: apt-get install mmdebstrap bubblewrap`;
/** The user of the official image of Node. */
const UID = 1000;
const LINTER = "dockerfile-utils@0.16.3";
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Runs inside the container, as Docker does: starts the entry point, waits for the health check, uses the gateway, and stops it. */
const TRIAL = `
const { spawn } = require("node:child_process");
const { readFileSync, writeFileSync } = require("node:fs");
const [entry, health, origin] = JSON.parse(process.argv[1]);
const fails = (what) => { console.error(what); process.exit(1); };
const run = (command) => new Promise((resolve) => spawn(command[0], command.slice(1), { stdio: "ignore" }).on("exit", resolve));
(async () => {
  for (const file of ["/app/x", "/etc/x", "/usr/x"]) try { writeFileSync(file, ""); fails(file + " can be written"); } catch {}
  if (process.getuid() === 0) fails("the user is root");
  if (await run([...entry, "--init"]) !== 0) fails("--init failed");
  const server = spawn(entry[0], [...entry.slice(1), "--origin", origin], { stdio: ["ignore", "inherit", "inherit"] });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  let isOver = false;
  ended.then(() => { isOver = true; });
  while (await run(health) !== 0) { if (isOver) fails("the gateway has ended"); await new Promise((r) => setTimeout(r, 500)); }
  const key = /GATEWAY_ADMIN_KEY="([^"]+)"/.exec(readFileSync("/state/gateway.env", "utf8"))[1];
  const headers = { authorization: "Bearer " + key, "content-type": "application/json" };
  const send = (route, body) => fetch("http://127.0.0.1:8787" + route, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) });
  const turn = await send("/api/v1/conversations/c/turns", { format: "openai", conversation: {} });
  const load = await send("/api/v1/conversations/c/tool-calls", { calls: [{ id: "a", name: "load_skill", arguments: { skill_name: "markdown-style" } }] });
  const page = await send("/console");
  console.error(JSON.stringify({ trial: [turn.status, load.status, page.status] }));
  server.kill("SIGTERM");
  console.error(JSON.stringify({ exit: await ended }));
})();
`;

const checks = new Checks();

async function main() {
  const { values } = readOptions(USAGE, { keep: { type: "string" } });
  if (process.getuid?.() !== 0) throw new Refusal(USAGE);
  const folder = values.keep ?? (await mkdtemp(path.join(tmpdir(), "try-image-")));
  await mkdir(folder, { recursive: true });
  try {
    const found = execFileSync("npx", ["--yes", LINTER, "lint", path.join(root, "Dockerfile")], { encoding: "utf8" });
    checks.that(found.trim() === "", `${LINTER} finds nothing wrong${found}`);
    const stages = parseDockerfile(await readFile(path.join(root, "Dockerfile"), "utf8"));
    const built = new Map();
    for (const [n, stage] of stages.entries()) {
      const place = path.join(folder, `stage-${n}`);
      say(`stage ${n + 1}: ${stage.from}`);
      await makeBase(place, stage.from);
      for (const step of stage.steps) await runStep(place, step, stage, built);
      built.set(stage.name ?? String(n), place);
    }
    checks.that(true, "every step of the Dockerfile runs");
    await runImage(folder, stages.at(-1), path.join(folder, `stage-${stages.length - 1}`));
    console.log(`${checks.count} checks passed`);
  } finally {
    if (values.keep === undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** Reads the instructions that this Dockerfile uses. Others are an error. */
function parseDockerfile(text) {
  const stages = [];
  const lines = text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n/g, " ")
    .split("\n");
  for (const line of lines.filter((each) => each.trim() !== "")) {
    const [, name, rest] = /^(\w+)\s+(.*)$/.exec(line.trim()) ?? [];
    const stage = stages.at(-1);
    if (name === "FROM") {
      const [from, , as] = rest.split(/\s+/);
      stages.push({ from, name: as, steps: [], workdir: "/", user: "root" });
    } else if (["RUN", "COPY", "WORKDIR"].includes(name)) stage.steps.push({ name, rest });
    else if (name === "USER") stage.user = rest;
    else if (name === "ENTRYPOINT") stage.entry = JSON.parse(rest);
    else if (name === "HEALTHCHECK") stage.health = JSON.parse(rest.slice(rest.indexOf("CMD ") + 4));
    else if (!["VOLUME", "EXPOSE", "STOPSIGNAL"].includes(name))
      throw new Refusal(`try:image does not support ${name}.`);
  }
  return stages;
}

/** Makes a root folder like the official image of Node: a small Debian, Node, npm, and the user `node`. */
async function makeBase(place, image) {
  const [, release] = /^node:22-(\w+)-slim$/.exec(image) ?? [];
  if (release === undefined) throw new Refusal(`try:image does not know the base image ${image}.`);
  await rm(place, { recursive: true, force: true });
  execFileSync("mmdebstrap", ["--variant=minbase", release, place], { stdio: ["ignore", "ignore", "inherit"] });
  await cp(process.execPath, path.join(place, "usr/local/bin/node"));
  const npm = path.join(
    path.dirname(execFileSync("sh", ["-c", "readlink -f $(which -a npm | tail -n 1)"], { encoding: "utf8" }).trim()),
    "..",
  );
  await cp(npm, path.join(place, "usr/local/lib/node_modules/npm"), { recursive: true });
  const setup = `ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm; groupadd --gid ${UID} node; useradd --uid ${UID} --gid node --create-home node`;
  await inside(place, ["sh", "-ec", setup]);
}

async function runStep(place, { name, rest }, stage, built) {
  say(`${name} ${rest}`);
  if (name === "WORKDIR") {
    stage.workdir = rest;
    return mkdir(path.join(place, rest), { recursive: true });
  }
  if (name === "RUN") return inside(place, ["sh", "-ec", rest], ["--chdir", stage.workdir]);
  const [, from, source, target] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(rest) ?? [];
  const to = path.join(place, path.resolve(stage.workdir, target));
  if (from !== undefined)
    return cp(path.join(built.get(from), source), to, { recursive: true, verbatimSymlinks: true });
  const ignored = (await readFile(path.join(root, ".dockerignore"), "utf8")).split("\n").filter((line) => line !== "");
  const patterns = ignored.map(
    (line) => new RegExp(`^${line.replaceAll(/[.]/g, "\\.").replaceAll("*", "[^/]*").replace(/\/$/, "")}$`),
  );
  const isCopied = (file) => !patterns.some((pattern) => pattern.test(path.relative(root, file)));
  return cp(path.join(root, source), to, { recursive: true, verbatimSymlinks: true, filter: isCopied });
}

/** Runs a command in a root folder, with the network of this machine. */
async function inside(place, command, more = []) {
  const files = [["/etc/resolv.conf"], [path.join(process.env.HOME ?? "/root", ".npmrc"), "/root/.npmrc"]];
  const binds = files.flatMap(([from, to = from]) => ["--ro-bind-try", from, to]);
  const args = ["--bind", place, "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", ...binds, "--clearenv"];
  const proxies = Object.entries(process.env).filter(([name]) =>
    /^(?:https?_proxy|no_proxy|npm_config_registry|NODE_EXTRA_CA_CERTS)$/i.test(name),
  );
  const env = [["PATH", PATH], ["HOME", "/root"], ...proxies].flatMap(([name, value]) => ["--setenv", name, value]);
  const child = spawn("bwrap", [...args, ...env, ...more, ...command], { stdio: ["ignore", 2, 2] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Refusal(`✗ ${command.at(-1)} ended with ${code}.`);
}

/** Runs the image as compose.yaml does. */
async function runImage(folder, { entry, health, user, workdir }, place) {
  const state = path.join(folder, "volume");
  await rm(state, { recursive: true, force: true });
  // A new volume has the owner and the mode of the folder in the image.
  execFileSync("cp", ["-a", path.join(place, "state"), state]);
  checks.that(user !== "root", `the user of the image is ${user}`);
  const args = [
    ...["--unshare-all", "--uid", String(UID), "--gid", String(UID), "--cap-drop", "ALL", "--die-with-parent"],
    ...["--ro-bind", place, "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--bind", state, "/state"],
    ...["--clearenv", "--setenv", "PATH", PATH, "--setenv", "HOME", "/home/node", "--chdir", workdir],
  ];
  const trial = ["node", "-e", TRIAL, JSON.stringify([entry, health, ORIGIN])];
  const child = spawn(
    "setpriv",
    [`--reuid=${UID}`, `--regid=${UID}`, "--clear-groups", "--", "bwrap", ...args, ...trial],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text) => {
      log += text;
    });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Refusal(`✗ The image does not run (${code}):\n${log.slice(-4_000)}`);
  checks.that(
    log.includes('"event":"ready"'),
    "it runs as another user, with a read-only root, one volume and no network",
  );
  checks.that(
    /"trial":\[200,200,200\]/.test(log),
    "the health check succeeds; a turn, load_skill and the console work",
  );
  checks.that(log.includes('{"exit":0}'), "SIGTERM ends it with 0");
}

main().catch(fail);
