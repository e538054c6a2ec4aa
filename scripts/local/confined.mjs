// Runs a script confined in its own interpreter. The script has separate namespaces (no network, no other processes), a user without files,
// and a root with only the system's libraries and the package. It cannot leave that root and has no capabilities. It has an empty home and
// a deadline, and its folder is deleted afterwards. Linux only. If any of this is unavailable, nothing runs.

import { spawnSync } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { root } from "../kit/files.mjs";

const MS = 10_000;
/** The limit on the bytes that are read from each file a script leaves, and from all of them. */
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_FILES = 1_000;
const FOLDERS = ["skill", "workspace", "tmp", "home/skill"];
const NODE = path.join(root, "node_modules", "node", "bin", "node");
/** Interpreter and options for each language. */
const INTERPRETERS = {
  javascript: ["/opt/node", "--max-old-space-size=512"],
  python: ["/usr/bin/python3"],
  shell: ["/usr/bin/bash"],
};
/** The user id of the script outside its namespaces (`nobody`), so that files of root do not belong to it. */
const NOBODY = 65_534;
const BEGUN = "begun";
/**
 * Runs inside the namespaces. It builds a root of read-only mounts, makes it the only one, removes the old root, and drops all
 * capabilities. Every step must succeed before it reports that the script begins.
 */
const INSIDE = `
set -e
cd "$1"
mount --make-rprivate /
mount -t tmpfs -o size=1m,mode=755 none root
mkdir -p root/usr root/proc root/opt root/dev root/etc root/skill root/workspace root/tmp root/home/skill root/old
for place in usr lib lib64; do [ -e /$place ] || continue; mkdir -p root/$place; mount --bind /$place root/$place; mount -o remount,bind,ro,nosuid,nodev root/$place; done
ln -s usr/bin root/bin
[ ! -d /etc/alternatives ] || { mkdir root/etc/alternatives; mount --bind /etc/alternatives root/etc/alternatives; mount -o remount,bind,ro,nosuid,nodev root/etc/alternatives; }
touch root/opt/node root/dev/null root/dev/urandom
mount --bind "$2" root/opt/node; mount -o remount,bind,ro,nosuid,nodev root/opt/node
mount --bind /dev/null root/dev/null; mount --bind /dev/urandom root/dev/urandom
ln -s /proc/self/fd root/dev/fd; ln -s /proc/self/fd/0 root/dev/stdin; ln -s /proc/self/fd/1 root/dev/stdout; ln -s /proc/self/fd/2 root/dev/stderr
mount -t proc -o nosuid,nodev,noexec none root/proc
for place in skill workspace tmp home/skill; do mount --bind files/$place root/$place; mount -o remount,bind,rw,nosuid,nodev root/$place; done
mount -o remount,bind,ro,nosuid,nodev root
shift 2
cd root
pivot_root . old
umount -l old
cd /workspace
ulimit -c 0
ulimit -f 16384
ulimit -n 256
ulimit -p 128
echo ${BEGUN} >&3
exec 3>&- env -i HOME=/home/skill PATH=/usr/bin:/bin LANG=C.UTF-8 PWD=/workspace TMPDIR=/tmp USER=skill NODE_NO_WARNINGS=1 PYTHONDONTWRITEBYTECODE=1 \\
  setpriv --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all -- "$@"
`;

/** @returns {Promise<{ exit: number, stdout: string, stderr: string, files: Record<string, string> }>} files: base64 by full path, new and changed */
export async function runConfined({
  files,
  script,
  language = "javascript",
  args = [],
  input = "",
  files_in = {},
  given = {},
  ms = MS,
}) {
  const place = await mkdtemp(path.join(tmpdir(), "confined-"));
  try {
    await mkdir(path.join(place, "root"));
    for (const folder of FOLDERS) await mkdir(path.join(place, "files", folder), { recursive: true });
    const brought = new Map(Object.entries(files).map(([name, bytes]) => [`/skill/${name}`, Buffer.from(bytes)]));
    for (const [name, text] of Object.entries({ ...files_in, ...given })) brought.set(name, Buffer.from(text));
    for (const [name, bytes] of brought) {
      const file = path.join(place, "files", path.posix.normalize(`/${name}`));
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, bytes);
      await chmod(file, 0o755);
    }
    const isRoot = process.getuid?.() === 0;
    if (isRoot) await give(place);
    const nobody = isRoot ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--"] : [];
    const [command, ...rest] = [
      ...nobody,
      ...[
        "unshare",
        "-r",
        "-n",
        "-m",
        "-p",
        "-i",
        "-u",
        "--fork",
        "--kill-child",
        "sh",
        "-c",
        INSIDE,
        "sh",
        place,
        NODE,
      ],
      ...INTERPRETERS[language],
      ...[`/skill/${script}`, ...args],
    ];
    const { status, output, error } = spawnSync(command, rest, {
      input,
      encoding: "utf8",
      stdio: ["pipe", "pipe", "pipe", "pipe"],
      timeout: ms,
      killSignal: "SIGKILL",
      maxBuffer: 1 << 26,
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
    });
    const [, stdout = "", stderr = "", said] = output ?? [];
    if (said?.trim() !== BEGUN)
      throw new Error(
        `The code was not run, because it cannot be confined on this machine: ${(error?.message ?? stderr).slice(0, 500)}`,
      );
    const after = await filesBelow(path.join(place, "files"));
    const changed = after.filter(([name, bytes]) => !brought.get(name)?.equals(bytes));
    return {
      exit: status ?? 137,
      stdout,
      stderr,
      files: Object.fromEntries(changed.map(([name, bytes]) => [name, bytes.toString("base64")])),
    };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Changes the owner of the writable files to the script's user. */
async function give(folder) {
  await chown(folder, NOBODY, NOBODY);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const inner = path.join(folder, entry.name);
    if (entry.isDirectory()) await give(inner);
    else await chown(inner, NOBODY, NOBODY);
  }
}

/** Returns the regular files below a folder. Links are not followed, and files above the size limit of the comparison are left out. */
async function filesBelow(folder) {
  const found = [];
  async function walk(name) {
    for (const entry of await readdir(path.join(folder, name), { withFileTypes: true })) {
      const inner = `${name}/${entry.name}`;
      if (found.length >= MOST_FILES) return;
      if (entry.isDirectory()) await walk(inner);
      else if (entry.isFile() && (await stat(path.join(folder, inner))).size <= MOST_BYTES)
        found.push([inner, await readFile(path.join(folder, inner))]);
    }
  }
  await walk("");
  return found.sort(([a], [b]) => (a < b ? -1 : 1));
}
