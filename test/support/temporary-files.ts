// Keeps temporary files of tests in memory. Gateways write through to the disk, and a slow disk took most of the time of their tests.

import { lstatSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const MEMORY = "/dev/shm";
const PREFIX = "skill-gateway-tests-";
/** Bytes that all temporary files of a run fit into. In containers the folder often has 64 MB only. */
const NEEDED = 6e9;

/** Vitest calls this before it starts processes, which inherit the variable. Returns how to delete the files again. */
export default function setup(): (() => void) | undefined {
  if (process.env.TMPDIR !== undefined || bytesFree() < NEEDED) return;
  for (const name of readdirSync(MEMORY)) if (isAbandoned(name)) rmSync(path.join(MEMORY, name), { recursive: true });
  const folder = mkdtempSync(path.join(MEMORY, `${PREFIX}${process.pid}-`));
  process.env.TMPDIR = folder;
  return () => {
    delete process.env.TMPDIR;
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Bytes that files in memory can take, 0 if the system has no such folder or its memory is used otherwise. */
function bytesFree(): number {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, os.freemem());
  } catch {
    return 0;
  }
}

/** Whether a run of this user has created the folder and ended without deleting it. */
function isAbandoned(name: string): boolean {
  const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? [];
  if (pid === undefined || lstatSync(path.join(MEMORY, name)).uid !== process.getuid?.()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}
