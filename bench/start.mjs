// `npm run bench:start`: measures the first `npm start` after an install against a later one, in a fresh copy of this checkout.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { root } from "../scripts/kit/files.mjs";
import { readOptions } from "../scripts/kit/options.mjs";
import { fail, Refusal } from "../scripts/kit/refusal.mjs";

const USAGE = `Use: npm run bench:start -- [--rounds 3]
  --rounds   fresh copies to start in; the medians are reported`;

async function main() {
  const { values } = readOptions(USAGE, { rounds: { type: "string", default: "3" } });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Refusal(`--rounds ${values.rounds} is not a number of rounds.`);
  const found = [];
  for (let round = 0; round < rounds; round++) {
    const measured = await measure();
    found.push(measured);
    console.log(`first ${measured.first} ms, second ${measured.second} ms`);
  }
  const [first, second] = ["first", "second"].map((name) => median(found.map((each) => each[name])));
  console.log(`median: first ${first} ms, second ${second} ms, ratio ${(first / second).toFixed(2)}`);
}

/** Milliseconds from `npm start` to its line `ready`, of two starts one after the other. */
async function measure() {
  const copy = mkdtempSync(path.join(tmpdir(), "skill-gateway-start-"));
  try {
    copyCheckout(copy);
    const first = await start(copy);
    // The second start has nothing left to build.
    execFileSync("npm", ["run", "build"], { cwd: copy, stdio: "ignore" });
    const second = await start(copy);
    return { first, second };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Copies the files that git tracks or would track, and the installed packages as hard links. */
function copyCheckout(copy) {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  for (const file of listed.toString().split("\0").filter(Boolean)) {
    cpSync(path.join(root, file), path.join(copy, file), { verbatimSymlinks: true });
  }
  execFileSync("cp", ["-a", "-l", path.join(root, "node_modules"), path.join(copy, "node_modules")]);
}

async function start(copy) {
  const began = performance.now();
  const child = spawn("npm", ["start", "--silent", "--", "--port", "0"], {
    cwd: copy,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  let took = null;
  for await (const line of createInterface({ input: child.stdout })) {
    if (took === null && line.includes("ready at")) took = Math.round(performance.now() - began);
    if (!line.startsWith("  Admin key")) continue;
    child.kill("SIGTERM");
    await ended;
    if (took !== null) return took;
  }
  throw new Refusal("The gateway ended before it was ready.");
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

main().catch(fail);
