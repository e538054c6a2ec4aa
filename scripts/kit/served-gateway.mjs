// Runs `npm run serve` for trials, and counts what they check.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseEnv } from "node:util";
import { root } from "./files.mjs";
import { Refusal } from "./refusal.mjs";

export const ORIGIN = "https://skills.example.org";
const SCRIPT = path.join(root, "scripts", "serve.mjs");
/** Milliseconds. A start takes a minute when the machine is busy. */
const PATIENCE = 180_000;

/** Counts checks. The first one that fails ends the trial. */
export class Checks {
  count = 0;

  that(isTrue, what) {
    if (!isTrue) throw new Refusal(`✗ ${what}`);
    this.count++;
    console.log(`✔ ${what}`);
  }
}

/** Polls until `look` returns a value other than `null`, `undefined` and `false`. */
export async function waitFor(what, look) {
  for (const deadline = Date.now() + PATIENCE; Date.now() < deadline; await delay(20)) {
    const found = await look();
    if (found !== false && found !== null && found !== undefined) return found;
  }
  throw new Refusal(`Timeout (${PATIENCE / 1_000} s): ${what}.`);
}

/** Writes gateway.env. */
export function initialize(state) {
  execFileSync(process.execPath, [SCRIPT, "--state", state, "--init"], { stdio: ["ignore", "ignore", "inherit"] });
}

/**
 * Starts a gateway and waits until it is ready or has ended.
 * @param {string} state
 * @param {{ args?: string[], env?: Record<string, string>, command?: string[], mayEnd?: boolean }} [options] `command`: what runs the script,
 * else Node; `mayEnd`: a gateway that does not start is no error, and `listens` is then empty
 */
export async function openServed(
  state,
  { args = [], env = {}, command = [process.execPath, SCRIPT], mayEnd = false } = {},
) {
  const [program, ...before] = command;
  const all = [...before, "--state", state, "--origin", ORIGIN, "--no-executor", ...args];
  const child = spawn(program, all, { env: { ...process.env, ...env } });
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text) => {
      log += text;
    });
  const ended = once(child, "exit");
  const address = () => /"listens":"([^"]+)"/.exec(log)?.[1];
  const listens = await waitFor("the gateway is ready", () => address() ?? (child.exitCode === null ? null : ""));
  if (listens === "" && !mayEnd) throw new Refusal(`The gateway has ended:\n${log}`);
  const key = parseEnv(await readFile(path.join(state, "gateway.env"), "utf8")).GATEWAY_ADMIN_KEY;
  /** Sends a request past a reverse proxy. */
  async function call(method, route, body) {
    const isPlain = body === undefined || body instanceof FormData;
    const answer = await fetch(`http://${listens}${route}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(isPlain ? {} : { "content-type": "application/json" }) },
      body: isPlain ? body : JSON.stringify(body),
    });
    return { status: answer.status, text: await answer.text() };
  }
  return {
    pid: child.pid,
    listens,
    key,
    call,
    log: () => log,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      await ended;
    },
  };
}
