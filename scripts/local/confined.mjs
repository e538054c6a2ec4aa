// Runs a script in Node as it is, confined: namespaces of its own (no network, no processes of others), a root that has nothing but
// the system's libraries and the package, an empty home, a deadline; and the folder goes away afterwards. Linux only, and only where
// the kernel gives namespaces: where it does not, nothing is run.

import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { root } from "../kit/files.mjs";

const MS = 10_000;
const FOLDERS = ["skill", "workspace", "tmp", "home/skill"];
const NODE = path.join(root, "node_modules", "node", "bin", "node");

/** Inside the namespaces: the root is built of read-only mounts, then there is no way back out of it. */
const INSIDE = `
set -e
cd "$1"
mount -t tmpfs -o size=64m,mode=755 none root
mkdir -p root/usr root/proc root/opt root/dev root/skill root/workspace root/tmp root/home/skill
for place in usr lib lib64; do [ -e /$place ] || continue; mkdir -p root/$place; mount --rbind /$place root/$place; mount -o remount,bind,ro root/$place; done
ln -s usr/bin root/bin
touch root/opt/node root/dev/null root/dev/urandom
mount --bind "$2" root/opt/node; mount --bind /dev/null root/dev/null; mount --bind /dev/urandom root/dev/urandom
mount -t proc none root/proc
for place in skill workspace tmp home/skill; do mount --bind files/$place root/$place; done
shift 2
ulimit -f 65536
exec chroot root /usr/bin/env -i HOME=/home/skill PATH=/usr/bin LANG=C.UTF-8 PWD=/workspace TMPDIR=/tmp USER=skill NODE_NO_WARNINGS=1 /usr/bin/sh -c 'cd /workspace; exec /opt/node "$@"' sh "$@"
`;

/** @returns {Promise<{ exit: number, stdout: string, stderr: string, files: Record<string, string> }>} files: base64 by full path, new and changed */
export async function runConfined({ files, script, args = [], input = "", files_in = {}, given = {} }) {
  const place = await mkdtemp(path.join(tmpdir(), "confined-"));
  try {
    await mkdir(path.join(place, "root"));
    for (const folder of FOLDERS) await mkdir(path.join(place, "files", folder), { recursive: true });
    const brought = new Map(Object.entries(files).map(([name, bytes]) => [`/skill/${name}`, Buffer.from(bytes)]));
    for (const [name, text] of Object.entries({ ...files_in, ...given })) brought.set(name, Buffer.from(text));
    for (const [name, bytes] of brought) {
      const file = path.join(place, "files", name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, bytes);
      await chmod(file, 0o755);
    }
    const command = [
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
      `/skill/${script}`,
      ...args,
    ];
    const { status, stdout, stderr } = spawnSync("unshare", command, {
      input,
      encoding: "utf8",
      timeout: MS,
      maxBuffer: 1 << 26,
    });
    const after = await filesBelow(path.join(place, "files"), "");
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

async function filesBelow(folder, name) {
  const entries = await readdir(path.join(folder, name), { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const inner = `${name}/${entry.name}`;
      if (entry.isDirectory()) return filesBelow(folder, inner);
      return entry.isFile() ? [[inner, await readFile(path.join(folder, inner))]] : [];
    }),
  );
  return found.flat().sort(([a], [b]) => (a < b ? -1 : 1));
}
