// Finds running processes and those of the gateway. A restart of the machine or the container assigns process ids again, so a process is
// identified by its id and its start time.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** The environment variable that marks a runtime with its owner, so that it is found even if its process id was never recorded. */
export const OWNER_VARIABLE = "SKILL_GATEWAY_OWNER";

/** @typedef {{ pid: number, began: string }} Process */

/** @returns {Process | null} */
export function processOf(pid) {
  const began = beginOf(pid);
  return began === null ? null : { pid, began };
}

/** @param {Process | null | undefined} known */
export function isRunning(known) {
  return known != null && beginOf(known.pid) === known.began;
}

/** Returns the start time of a process in the system's own format, or null if it does not exist or is a zombie. */
function beginOf(pid) {
  if (process.platform === "linux") {
    try {
      // After the name in brackets, which can contain any character, come the state and, later, the number of threads and the start time.
      const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];
      // A zombie with live threads is not dead: the threads use its port and files.
      const isDead = (fields[0] === "Z" || fields[0] === "X") && Number(fields[17]) <= 1;
      return isDead ? null : `${bootId()}/${fields[19]}`;
    } catch {
      return null;
    }
  }
  try {
    const line = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
    return line === "" || line.startsWith("Z") ? null : line.replace(/^\S+\s+/, "");
  } catch (error) {
    if (error.code !== "ENOENT") return null;
    return answersSignal(pid) ? "unknown" : null;
  }
}

function bootId() {
  return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").slice(0, 8);
}

function answersSignal(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Returns the value of `OWNER_VARIABLE` for a runtime of this state. */
export function ownerMark(state, launcher) {
  return JSON.stringify({ state, launcher });
}

/** Returns the processes that were started for a state, each with its owner. Works on Linux only; elsewhere the lock file must suffice. */
export function markedProcesses(state) {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").flatMap((entry) => {
    try {
      const variables = readFileSync(`/proc/${Number(entry)}/environ`, "utf8").split("\0");
      const mark = variables.find((variable) => variable.startsWith(`${OWNER_VARIABLE}=`)) ?? "";
      const owner = JSON.parse(mark.slice(OWNER_VARIABLE.length + 1));
      const found = owner.state === state ? processOf(Number(entry)) : null;
      return found === null ? [] : [{ ...found, launcher: owner.launcher }];
    } catch {
      // Not a process, not marked, already ended, or owned by another user.
      return [];
    }
  });
}

/** Kills processes and waits until they have ended, so that their port and files are free. */
export async function end(processes, withGroup = false) {
  for (const known of processes.filter(isRunning)) {
    if (withGroup) kill(-known.pid);
    kill(known.pid);
  }
  const deadline = Date.now() + 5_000;
  while (processes.some(isRunning) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Kills a process, or a process group if the number is negative. A missing process counts as killed. */
export function kill(pid, signal = "SIGKILL") {
  try {
    process.kill(pid, signal);
  } catch {}
}
