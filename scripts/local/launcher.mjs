// Contains the common parts of `npm start` and `npm run dev`: options, the lock, signals, and the lines printed when the gateway is ready.

import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { root } from "../kit/files.mjs";
import { EXECUTOR, executorOf, PORT, portOf, readOptions, STATE, VARS } from "../kit/options.mjs";
import { portTaken, Refusal, say } from "../kit/refusal.mjs";
import { DEFAULT_PORT } from "./key.mjs";
import { acquireLock } from "./lock.mjs";
import { anyPort, probe } from "./port.mjs";
import { consoleLink, signInLink } from "./sign-in-link.mjs";

/** The limit on the duration of a stop. */
const STOP_PATIENCE = 1_500;

const USAGE = (
  script,
) => `Use: npm ${script} -- [--port 8787] [--state <folder>] [--vars <file>]${script === "start" ? " [--skills <folder>]… [--executor | --no-executor]" : ""}
  --port    where it listens on this machine; 0: any free port
  --state   where its data is; else .wrangler/state
  --vars    its file of settings; else .dev.vars${
    script === "start"
      ? "\n  --skills  publishes every skill folder below it as a public skill, again on each change; repeatable\n  --executor  fails the check of /health if scripts that need packages or programs cannot run with bubblewrap\n  --no-executor  runs no script with bubblewrap; otherwise the gateway uses it if it works here"
      : ""
  }`;

/**
 * Returns the options of `npm start` and `npm run dev`.
 * @param {"start" | "run dev"} script
 */
export function readLauncherOptions(script) {
  const usage = USAGE(script);
  const more = script === "start" ? { skills: { type: "string", multiple: true, default: [] }, ...EXECUTOR } : {};
  const { values } = readOptions(usage, { ...PORT, ...STATE, ...VARS, ...more });
  const vars = path.resolve(values.vars ?? path.join(root, ".dev.vars"));
  const skills = [...new Set((values.skills ?? []).map(skillsFolder))];
  const port = portOf(values, usage) ?? DEFAULT_PORT;
  return { port, state: stateOf(values), vars, skills, executor: executorOf(values, usage) };
}

/**
 * Resolves a folder of skills from the command line. npm runs scripts in the project's folder and passes the user's folder in a variable.
 */
function skillsFolder(typed) {
  const folder = path.resolve(process.env.npm_lifecycle_event === "start" ? process.env.INIT_CWD : "", typed);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw new Refusal(`Skills folder not found: ${folder}. Name a folder that has skills below it.`);
}

/** The folder of a gateway's data on this machine. */
export function stateOf({ state }) {
  return path.resolve(state ?? path.join(root, ".wrangler", "state"));
}

/** Takes the lock. When this process ends, the runtime is ended and the lock released. After `kill -9` the next start cleans up. */
export async function takeState({ host = "127.0.0.1", ...options }) {
  const port = options.port === 0 ? await anyPort() : options.port;
  keepPrivate(options.state);
  const lock = await acquireLock(options.state, { ...options, port });
  process.on("exit", lock.release);
  // After `kill -9` Miniflare leaves its files in the folder for temporary files. They are deleted here.
  const scratch = path.join(options.state, "tmp");
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch);
  process.env.TMPDIR = scratch;
  await probe(port, host).catch((error) => {
    if (error.code === "EADDRNOTAVAIL") throw new Refusal(`${host} is not an address of this machine.`);
    throw portTaken(port);
  });
  return { lock, port };
}

/**
 * Calls `stop` on the first signal, or when the npm process that started this one is gone, and then ends this process. A second signal ends
 * it at once.
 */
export function stopOnSignals(stop, patience = STOP_PATIENCE) {
  let isStopping = false;
  const end = async () => {
    if (isStopping) process.exit(1);
    isStopping = true;
    const late = new Promise((resolve) => setTimeout(resolve, patience));
    await Promise.race([late, stop()]).catch((error) => say(error.stack));
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, end);
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || isStopping || end(), 100).unref();
}

/**
 * Writes the only lines on stdout: where the gateway is, what to open first, and what to enter elsewhere. Output is often stored, so the admin
 * key is shown only when it is new. The links can be used once, within ten minutes.
 */
export async function announce(port, { GATEWAY_ADMIN_KEY: key }, { isKeyNew, keyFile }, executor = null) {
  const url = `http://127.0.0.1:${port}`;
  console.log(`✔ ready at ${url}\n`);
  const [operator, signIn] = await Promise.all([consoleLink(url, key), signInLink(url, key)]);
  if (operator !== null) row("Console", operator, "opens signed in, once");
  row("Base URL", `${url}/openai/v1`, "for any OpenAI client");
  row("MCP", `${url}/mcp`, "for any MCP host");
  if (signIn !== null) row("Sign-in", signIn, "for an MCP host that asks, once");
  if (keyFile === null) row("Admin key", "from the environment (GATEWAY_ADMIN_KEY)");
  else if (isKeyNew) row("Admin key", key, `saved in ${shortPath(keyFile)}`);
  else row("Admin key", `in ${shortPath(keyFile)}`);
  if (executor !== null) row("Executor", executor);
}

function row(label, value, note) {
  console.log(`  ${label.padEnd(9)}  ${value}${note === undefined ? "" : `  (${note})`}`);
}

/** Returns a path relative to the current folder if it is below it. */
function shortPath(file) {
  const relative = path.relative(process.cwd(), file);
  return relative.startsWith("..") ? file : relative;
}

/** The gateway's entries in a state folder. The user can have chosen a folder that contains other files. */
const OWN_ENTRIES = ["v3", "restoring", "tmp", "gateway.lock", "gateway.env", "backups", "dev.vars", "skills.json"];

/**
 * Protects conversations, packages and hashes from other users of this machine. This covers files that this process and its children
 * create, and files that an earlier version created readable for everyone.
 */
function keepPrivate(state) {
  process.umask(0o077);
  mkdirSync(state, { recursive: true });
  if ((statSync(state).mode & 0o077) === 0) return;
  for (const entry of OWN_ENTRIES) tighten(path.join(state, entry));
  // Written last, so that an interrupted start begins again.
  chmodSync(state, 0o700);
}

function tighten(file) {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.isSymbolicLink()) return;
  if (found.isDirectory()) for (const entry of readdirSync(file)) tighten(path.join(file, entry));
  chmodSync(file, found.mode & 0o700);
}
