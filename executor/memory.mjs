// Limits the memory that all processes of a run use together, by reading /proc. For every kernel and without privileges.

import { readdirSync, readFileSync } from "node:fs";

/** Milliseconds between two looks. */
const EVERY_MS = 100;
/** Every so many looks, processes that belonged to no run are checked again, because their numbers can be used again. */
const RECHECK = 10;
const KiB = 1024;

/** @type {Set<{ root: number, limit: number, onExceeded: () => void }>} */
const watched = new Set();
/** Processes that belong to no run. */
let others = new Set();
/** @type {NodeJS.Timeout | null} */
let timer = null;
let looks = 0;

/**
 * Calls `onExceeded` once if a process and all its descendants use more than `limit` bytes. A descendant of a PID namespace stays one when
 * its parent ends, because the first process of the namespace becomes its parent.
 * @param {number} root the process
 * @param {number} limit
 * @param {() => void} onExceeded
 * @returns {() => void} ends the watch
 */
export function watchMemory(root, limit, onExceeded) {
  const run = { root, limit, onExceeded };
  watched.add(run);
  // The process can have a number that belonged to no run.
  others = new Set();
  timer ??= setInterval(look, EVERY_MS).unref();
  return () => {
    watched.delete(run);
    if (watched.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

function look() {
  if (looks++ % RECHECK === 0) others = new Set();
  const members = membersOfRuns();
  for (const run of [...watched]) {
    const processes = members.get(run.root) ?? [];
    if (sum(processes, residentBytes) <= run.limit) continue;
    // Pages that processes share count once, which takes longer to find out.
    if (sum(processes, (pid) => proportionalBytes(pid) ?? residentBytes(pid)) <= run.limit) continue;
    watched.delete(run);
    run.onExceeded();
  }
}

/** Returns the processes of each run by its first process. */
function membersOfRuns() {
  const parents = new Map();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || others.has(pid)) continue;
    // The name of the program is in parentheses and can contain any character.
    const parent = /^ \S (\d+)/.exec(read(pid, "stat").replace(/^.*\)/s, ""))?.[1];
    if (parent !== undefined) parents.set(pid, Number(parent));
  }
  const roots = new Set([...watched].map(({ root }) => root));
  const members = new Map([...roots].map((root) => [root, []]));
  for (const pid of parents.keys()) {
    let at = pid;
    for (let steps = 0; parents.has(at) && !roots.has(at) && steps < parents.size; steps++) at = parents.get(at);
    if (roots.has(at)) members.get(at).push(pid);
    // A parent that has just ended leaves its child's run unknown until the next look.
    else if (at === 0 || others.has(at)) others.add(pid);
  }
  return members;
}

const sum = (processes, bytesOf) => processes.reduce((total, pid) => total + bytesOf(pid), 0);

/** Returns the memory of a process that is not in files, including what it shares with others. */
function residentBytes(pid) {
  const status = read(pid, "status");
  return kilobytes(status, "RssAnon") + kilobytes(status, "RssShmem");
}

/** Returns the memory of a process in which shared pages are divided by their users, or `null` if that cannot be read. */
function proportionalBytes(pid) {
  const rollup = read(pid, "smaps_rollup");
  return rollup === "" ? null : kilobytes(rollup, "Pss_Anon") + kilobytes(rollup, "Pss_Shmem");
}

const kilobytes = (text, name) => KiB * Number(new RegExp(`^${name}:\\s*(\\d+) kB`, "m").exec(text)?.[1] ?? 0);

/** Returns an empty text if the process has ended, or may not be read. */
function read(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "latin1");
  } catch {
    return "";
  }
}
