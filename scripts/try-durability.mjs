// `npm run try:durability`: shows with strace that `npm run serve` syncs every acknowledged write before it answers, and fills its disk. Needs
// Linux, root, and Debian's package strace.

import { execFileSync, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { strToU8, zipSync } from "fflate";
import { fail, Refusal } from "./kit/refusal.mjs";
import { Checks, initialize, openServed, waitFor } from "./kit/served-gateway.mjs";

const MiB = 1024 * 1024;
/** More than the reserve of scripts/serve/disk.mjs. */
const DISK_MIB = 120;

const checks = new Checks();
const open = (state, mayEnd = false) => openServed(state, { args: ["--port", "0"], mayEnd });

function skill(name, bytes) {
  const text = `---\nname: ${name}\ndescription: A skill of this trial.\nversion: 1.0.0\n---\n\nDo it.\n`;
  const noise = Uint8Array.from({ length: bytes }, () => Math.floor(Math.random() * 256));
  const form = new FormData();
  form.set(
    "file",
    new Blob([zipSync({ [`${name}/SKILL.md`]: strToU8(text), [`${name}/noise.bin`]: noise })]),
    "skill.zip",
  );
  return form;
}

const ACTIONS = [
  ["a group (D1)", "POST", "/api/v1/groups", () => ({ name: "traced" })],
  [
    "a secret (D1)",
    "PUT",
    "/api/v1/secrets/TRACED",
    () => ({ value: "not-a-real-secret", hosts: ["api.example.com"] }),
  ],
  ["a skill (R2, then D1)", "POST", "/api/v1/kinds/skills/upload", () => skill("traced", 100_000)],
  [
    "the first turn of a conversation (Durable Object)",
    "POST",
    "/api/v1/conversations/traced/turns",
    () => ({ format: "openai", conversation: {} }),
  ],
  ["its second turn", "POST", "/api/v1/conversations/traced/turns", () => ({ format: "openai" })],
  ["its deletion", "DELETE", "/api/v1/conversations/traced", () => undefined],
  ["the deletion of a user's data", "DELETE", "/api/v1/users/traced", () => undefined],
];

/** Traces workerd and the launcher while they write, and finds writes to files of the state that were not synced when the answer was sent. */
async function trace(folder) {
  const state = path.join(folder, "traced");
  initialize(state);
  const gateway = await open(state);
  const { runtime, launcher } = JSON.parse(await readFile(path.join(state, "gateway.lock"), "utf8"));
  const output = path.join(folder, "trace.txt");
  const calls =
    "pwrite64,write,writev,sendto,sendmsg,fsync,fdatasync,rename,renameat,renameat2,link,linkat,copy_file_range,ftruncate";
  const strace = spawn("strace", [
    "-f",
    "-y",
    "-ttt",
    "-s",
    "300",
    "-e",
    `trace=${calls}`,
    "-p",
    String(runtime.pid),
    // It syncs the objects of R2.
    "-p",
    String(launcher.pid),
    "-o",
    output,
  ]);
  strace.on("error", () => fail(new Refusal("strace is missing. Install it: apt-get install strace")));
  try {
    await waitFor("strace is attached", async () => {
      await gateway.call("GET", "/health");
      return (await readFile(output, "utf8").catch(() => "")) !== "";
    });
    for (const [what, method, route, body] of ACTIONS) {
      const from = Date.now() / 1_000;
      const { status, text } = await gateway.call(method, route, body());
      const to = Date.now() / 1_000;
      if (status >= 300) throw new Refusal(`${method} ${route} returned ${status}: ${text}`);
      await delay(300);
      const { dirty, synced } = readTrace(await readFile(output, "utf8"), state, from, to);
      checks.that(
        synced > 0 && dirty.length === 0,
        `${what}: ${synced} files written and synced before the answer${dirty.length > 0 ? `; not synced: ${dirty.join(", ")}` : ""}`,
      );
    }
  } finally {
    strace.kill("SIGINT");
    await gateway.stop();
  }
}

/**
 * Follows the writes to each file of the state between two times. A rename must be synced through its folder. Shared memory of SQLite is not
 * data.
 */
function readTrace(text, state, from, to) {
  const dirty = new Set();
  const files = new Set();
  for (const line of text.split("\n")) {
    const [, time, call, rest] = /^\d+\s+(\d+\.\d+) (\w+)\((.*)$/.exec(line) ?? [];
    if (time === undefined || Number(time) < from || Number(time) > to) continue;
    if (/^rename|^link/.test(call)) {
      // `rename(at)` with folders as `5</folder>`, or with whole paths.
      const named = [...rest.matchAll(/(?:<([^>]+)>, )?"([^"]+)"/g)].map(([, folder = "/", name]) =>
        path.resolve(folder, name),
      );
      const [before, after] = named;
      if (after === undefined || !after.startsWith(state)) continue;
      if (dirty.delete(before)) dirty.add(after);
      dirty.add(path.dirname(after));
      files.delete(before);
      files.add(after);
      continue;
    }
    const file = /<([^>]+)>/.exec(rest)?.[1]?.replace(/\(deleted\)$/, "") ?? "";
    if (!file.startsWith(state) || file.endsWith("-shm")) continue;
    if (/sync$/.test(call)) dirty.delete(file);
    else {
      files.add(file);
      dirty.add(file);
    }
  }
  return { dirty: [...dirty].map((file) => path.relative(state, file)), synced: files.size };
}

/** Fills the disk of a gateway, and checks that nothing acknowledged is lost. */
async function fillDisk(folder) {
  const disk = path.join(folder, "disk");
  await mkdir(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MIB}m`, "none", disk]);
  try {
    const state = path.join(disk, "state");
    initialize(state);
    let gateway = await open(state);
    const names = [];
    let last;
    for (let n = 0; n < 100; n++) {
      last = await gateway.call("POST", "/api/v1/kinds/skills/upload", skill(`filling-${n}`, 2 * MiB));
      if (last.status === 201) names.push(`filling-${n}`);
      else break;
    }
    checks.that(
      names.length > 0 && last.status === 507 && last.text.includes('"code":"DISK_FULL"'),
      `${names.length} skills of 2 MiB are stored, and the next is a 507 DISK_FULL`,
    );
    const turn = (id) =>
      gateway.call("POST", `/api/v1/conversations/${id}/turns`, { format: "openai", conversation: {} });
    checks.that((await turn("late")).status === 507, "a turn is a 507, too");
    const skills = async () => {
      const { status, text } = await gateway.call("GET", "/api/v1/kinds/skills?namespace=default&limit=100");
      return status === 200 ? JSON.parse(text).items.map(({ metadata }) => metadata) : [];
    };
    const [first] = (await skills()).filter(({ name }) => name === names[0]);
    checks.that(
      (await gateway.call("DELETE", `/api/v1/kinds/skills/${first.labels.id}`)).status === 204,
      "a skill can be deleted on the full disk",
    );
    // Another program takes the rest.
    const free = () => Number(execFileSync("df", ["--output=avail", "-B1", disk], { encoding: "utf8" }).split("\n")[1]);
    await writeFile(path.join(disk, "other"), Buffer.alloc(free())).catch((error) => {
      if (error.code !== "ENOSPC") throw error;
    });
    const deleted = await gateway.call("DELETE", "/api/v1/conversations/none");
    checks.that(
      free() === 0 && deleted.status !== 200,
      `with 0 bytes free the gateway still runs (DELETE returned ${deleted.status})`,
    );
    await gateway.stop();
    const refused = await open(state, true);
    if (refused.listens !== "") await refused.stop();
    checks.that(/disk of the (state|gateway) is full/.test(refused.log()), "a start names the full disk");
    await rm(path.join(disk, "other"));
    execFileSync("mount", ["-o", `remount,size=${3 * DISK_MIB}m`, disk]);
    gateway = await open(state);
    const kept = (await skills()).map(({ name }) => name);
    checks.that(
      names.slice(1).every((name) => kept.includes(name)),
      "after room was made, all acknowledged skills are there",
    );
    checks.that((await turn("late")).status === 200, "and changes work again");
    await gateway.stop();
    execFileSync("mount", ["-o", "remount,ro", disk]);
    const readOnly = await open(state, true);
    checks.that(
      readOnly.listens === "" && readOnly.log().includes("is on a read-only file system"),
      "a start on a read-only folder names it and ends",
    );
  } finally {
    execFileSync("umount", ["-l", disk]);
  }
}

async function main() {
  if (process.platform !== "linux" || process.getuid() !== 0)
    throw new Refusal("This needs Linux and root, for strace and a small file system.");
  const folder = await mkdtemp(path.join(tmpdir(), "skill-gateway-durability-"));
  try {
    await trace(folder);
    await fillDisk(folder);
    console.log(`${checks.count} checks passed`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

main().then(() => process.exit(), fail);
