// Runs a script of a skill confined by bubblewrap, with the interpreters and commands of this machine. A run has no network, sees no other
// processes and nothing of the disk except system programs, and writes only to memory. Files go in and out as archives through pipes.

import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, lstatSync, readlinkSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { watchMemory } from "./memory.mjs";
import { systemCallFilter } from "./seccomp.mjs";
import { readTar, writeTar } from "./tar.mjs";

const MiB = 1024 * 1024;
export const LIMITS = {
  /** Memory of each process, of all processes of a run together, and of the files of a run in each of its folders. */
  dataBytes: 1024 * MiB,
  memoryBytes: 2048 * MiB,
  folderBytes: 64 * MiB,
  fileBytes: 32 * MiB,
  processes: 64,
  descriptors: 256,
  /** CPU seconds of each process, in addition to the time limit of the run. */
  cpuSeconds: 300,
  outputBytes: 1 * MiB,
  /** Archive of all files of a run. */
  archiveBytes: 192 * MiB,
};

/** Folders that a run can write to. */
export const FOLDERS = ["/workspace", "/skill", "/home/skill", "/tmp"];

/** The user of a run if this process is root, outside of the namespaces: `nobody`. */
export const NOBODY = 65_534;
/** The user inside. */
const INSIDE = 1_000;

/** Where a run sees the folder of its proxy, and the port on which it reaches it. */
const NETWORK = { folder: "/opt/network", port: 3128 };

const PASSWD = `root:x:0:0:root:/root:/bin/sh\nskill:x:${INSIDE}:${INSIDE}:skill:/home/skill:/bin/bash\n`;

const INTERPRETERS = {
  python: ["/usr/bin/python3"],
  javascript: ["/opt/bin/node", "--max-old-space-size=512"],
  shell: ["/bin/bash"],
};

/** Seconds that a script has to end after the signal TERM, and that the server waits beyond that. */
const GRACE = 1;
const PATIENCE = 10;

/**
 * Runs inside: unpacks the files, runs the script with its limits, ends everything that it left running, packs the files. Descriptors: 3
 * files in, 4 files out, 5 status. The script gets none of them.
 */
const SUPERVISOR = `
tar -xpf - -C / <&3 || exit 1
exec 3<&-
if [ -d ${NETWORK.folder} ]; then
  exec {relay}< <(exec /opt/bin/node ${NETWORK.folder}/relay.cjs ${NETWORK.port} ${NETWORK.folder}/proxy 4>&- 5>&- </dev/null)
  read -r _ <&$relay || exit 1
  exec {relay}<&-
fi
echo started >&5
seconds=$1; folder=$2; shift 2
(
  ulimit -c 0 && ulimit -d ${LIMITS.dataBytes / 1024} && ulimit -f ${LIMITS.fileBytes / 1024} && ulimit -n ${LIMITS.descriptors} &&
  ulimit -u ${LIMITS.processes} && ulimit -t ${LIMITS.cpuSeconds} && cd "$folder" || exit 126
  exec timeout -k ${GRACE} "$seconds" "$@" 4>&- 5>&-
)
code=$?
kill -9 -1 2>/dev/null
tar -cf - --format=pax --hard-dereference --one-file-system -C / ${FOLDERS.map((folder) => folder.slice(1)).join(" ")} >&4
echo "ended $code" >&5
`;

/**
 * Runs outside, around bubblewrap. Node's pipes are sockets, which a script cannot open as /dev/stdin or /dev/stdout, so \`cat\` passes the
 * data on to real pipes. If the machine has no memory left, the kernel ends a run before anything else.
 */
const PIPES = `echo 1000 > /proc/self/oom_score_adj; cat | { { { "$@" 8>&-; } 2>&1 1>&8 | cat 1>&2; } 8>&1 | cat; }`;

/**
 * @typedef {{
 *   command: string[], args?: string[], input?: string, files?: { path: string, bytes: Uint8Array, mode?: number }[],
 *   cwd?: string, env?: Record<string, string>, packages?: string | null, network?: string | null, ms: number,
 *   memory?: number, signal?: AbortSignal,
 * }} Run `command`: program and leading arguments; `files`: absolute paths in FOLDERS; `packages`: a folder of Python packages; `network`:
 * the folder of a proxy; `memory`: limit in bytes for all processes together
 * @typedef {{
 *   exit: number | null, stdout: string, stderr: string, ms: number, reason: "timeout" | "cancelled" | "stopped" | null,
 *   files: { path: string, bytes: Buffer }[],
 * }} Result `files`: all files after the run; `exit`: `null` if the run did not end by itself
 */

/**
 * Returns the folder for temporary files. If this process is root, runs have another user, who must be able to enter it: `/tmp` if the usual
 * one is below a private folder, as with `npm start` in the folder of root.
 */
export function temporaryFolder() {
  const usual = path.resolve(tmpdir());
  if (process.getuid?.() !== 0) return usual;
  const parts = usual.split("/");
  const modeOf = (folder) => statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
  const isOpen = parts.every((_, at) => (modeOf(parts.slice(0, at + 1).join("/") || "/") & 0o001) !== 0);
  return isOpen ? usual : "/tmp";
}

/** @returns {string[]} the program and its leading arguments for a language, or null */
export const interpreterOf = (language) => INTERPRETERS[language] ?? null;

/** @param {Run} run @returns {Promise<Result>} */
export async function runConfined({
  command,
  args = [],
  input = "",
  files = [],
  cwd = "/workspace",
  env = {},
  packages = null,
  network = null,
  ms,
  memory = LIMITS.memoryBytes,
  signal,
}) {
  const filter = systemCallFilter();
  if (filter === null) throw new Error(`System calls cannot be filtered on ${process.arch}.`);
  const seconds = Math.max(0.1, ms / 1_000);
  const inside = ["/bin/bash", "-c", SUPERVISOR, "bash", String(seconds), cwd, ...command, ...args];
  const isRoot = process.getuid?.() === 0;
  const began = performance.now();
  const child = spawn(
    "/bin/sh",
    ["-c", PIPES, "sh", "bwrap", ...confinement({ env, packages, network }), "--", ...inside],
    {
      // Its own group, which is ended as a whole.
      detached: true,
      stdio: ["pipe", "pipe", "pipe", "pipe", "pipe", "pipe", "pipe", "pipe"],
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
      cwd: "/",
      ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    },
  );
  const [stdin, stdout, stderr, archiveIn, archiveOut, status, filterPipe, passwd] = child.stdio;
  let reason = null;
  const end = (why) => {
    reason ??= why;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  };
  const cancel = () => end("cancelled");
  let isOverMemory = false;
  const stopWatching = watchMemory(child.pid, memory, () => {
    isOverMemory = true;
    end("stopped");
  });
  const late = setTimeout(() => end("timeout"), ms + (GRACE + PATIENCE) * 1_000);
  signal?.addEventListener("abort", cancel, { once: true });
  if (signal?.aborted) cancel();
  for (const [pipe, bytes] of [
    [stdin, Buffer.from(input)],
    [archiveIn, writeTar(files)],
    [filterPipe, filter],
    [passwd, Buffer.from(PASSWD)],
  ]) {
    // A run can end before it has read everything.
    pipe.on("error", () => {});
    pipe.end(bytes);
  }
  try {
    const [out, error, archive, states] = await Promise.all([
      read(stdout, LIMITS.outputBytes),
      read(stderr, LIMITS.outputBytes),
      read(archiveOut, LIMITS.archiveBytes),
      read(status, 1_000),
      new Promise((resolve, reject) => {
        child.once("error", reject);
        child.once("close", resolve);
      }),
    ]);
    const took = performance.now() - began;
    const ended = /^ended (\d+)$/m.exec(states.toString("latin1"));
    const code = ended === null ? null : Number(ended[1]);
    const isLate = took >= ms && (code === 124 || code === 137);
    if (ended === null && !states.toString("latin1").startsWith("started") && reason === null)
      throw new Error(`bubblewrap did not start the run: ${error.toString("utf8").slice(0, 500)}`);
    return {
      exit: isLate || reason !== null ? null : code,
      stdout: out.toString("utf8"),
      stderr: error.toString("utf8") + (isOverMemory ? memoryMessage(memory) : ""),
      ms: Math.round(took),
      reason: reason ?? (isLate ? "timeout" : code === null ? "stopped" : null),
      files: readTar(archive).filter(({ path }) => FOLDERS.some((folder) => path.startsWith(`${folder}/`))),
    };
  } finally {
    clearTimeout(late);
    stopWatching();
    signal?.removeEventListener("abort", cancel);
    end("stopped");
  }
}

const memoryMessage = (bytes) =>
  `The processes of the script use too much memory (limit ${bytes / MiB} MiB together). Process less data at once.\n`;

/** Reads at most `limit` bytes and drops the rest, so that a flood of output does not stop the run or fill the memory. */
async function read(stream, limit) {
  const chunks = [];
  let size = 0;
  stream.on("error", () => {});
  try {
    for await (const chunk of stream) {
      if (size < limit) chunks.push(chunk.subarray(0, limit - size));
      size += chunk.length;
    }
  } catch {
    // The pipe was closed by the end of the run.
  }
  return Buffer.concat(chunks);
}

/** Where a run sees the packages of its skill. */
const PACKAGES = "/opt/packages";

const PROXY_URL = `http://127.0.0.1:${NETWORK.port}`;
const CERTIFICATE = `${NETWORK.folder}/ca.pem`;
const LOCAL = "localhost,127.0.0.1,::1";
/** What HTTP clients read. A server that a script starts itself is reached without the proxy. */
const PROXY_VARIABLES = {
  ...{ HTTP_PROXY: PROXY_URL, HTTPS_PROXY: PROXY_URL, http_proxy: PROXY_URL, https_proxy: PROXY_URL },
  ...{ NO_PROXY: LOCAL, no_proxy: LOCAL, NODE_USE_ENV_PROXY: "1" },
  ...{ SSL_CERT_FILE: CERTIFICATE, REQUESTS_CA_BUNDLE: CERTIFICATE, CURL_CA_BUNDLE: CERTIFICATE },
  ...{ NODE_EXTRA_CA_CERTS: CERTIFICATE, GIT_SSL_CAINFO: CERTIFICATE },
};

/** Files and folders of /etc that programs and packages of Debian need. */
const SETTINGS = [
  ...["ld.so.cache", "alternatives", "fonts", "localtime", "mime.types"],
  ...["ImageMagick-6", "ImageMagick-7", "matplotlibrc"],
];

function confinement({ env, packages, network }) {
  const variables = {
    PATH: "/opt/bin:/usr/local/bin:/usr/bin:/bin",
    HOME: "/home/skill",
    USER: "skill",
    LANG: "C.UTF-8",
    TMPDIR: "/tmp",
    PYTHONDONTWRITEBYTECODE: "1",
    MPLBACKEND: "Agg",
    NODE_NO_WARNINGS: "1",
    ...(packages === null ? {} : { PYTHONPATH: PACKAGES }),
    ...(network === null ? {} : PROXY_VARIABLES),
    ...env,
  };
  const folder = (place) => ["--size", String(LIMITS.folderBytes), "--tmpfs", place];
  return [
    ...["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"],
    ...["--uid", String(INSIDE), "--gid", String(INSIDE), "--hostname", "skill", "--cap-drop", "ALL", "--seccomp", "6"],
    ...["--ro-bind", "/usr", "/usr"],
    ...["bin", "sbin", "lib", "lib32", "lib64", "libx32"].flatMap(systemFolder),
    ...SETTINGS.flatMap((name) => ["--ro-bind-try", `/etc/${name}`, `/etc/${name}`]),
    ...["--ro-bind-data", "7", "/etc/passwd"],
    ...["--ro-bind", process.execPath, "/opt/bin/node"],
    ...(packages === null ? [] : ["--ro-bind", packages, PACKAGES]),
    ...(network === null ? [] : ["--ro-bind", network, NETWORK.folder]),
    ...["--proc", "/proc", "--dev", "/dev", ...folder("/dev/shm"), "--remount-ro", "/dev"],
    ...FOLDERS.flatMap(folder),
    ...["--remount-ro", "/", "--chdir", "/", "--clearenv"],
    ...Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}

/** On most systems /bin and the like are links into /usr. */
function systemFolder(name) {
  const found = lstatSync(`/${name}`, { throwIfNoEntry: false });
  if (found === undefined) return [];
  return found.isSymbolicLink()
    ? ["--symlink", readlinkSync(`/${name}`), `/${name}`]
    : ["--ro-bind", `/${name}`, `/${name}`];
}

/** Milliseconds for a probe. It takes less than a second unless the machine is busy. */
const PROBE_MS = 60_000;

/** Attempts that a confined script must not succeed with. Each prints its name if it does. */
const PROBE = `
[ "$(id -u)" = 0 ] && echo root
unshare -Ur true 2>/dev/null && echo "user namespace"
for place in / /usr /etc /dev /proc/sys/kernel/hostname; do { echo x > "$place/x" || echo x > "$place"; } 2>/dev/null && echo "write $place"; done
(exec 3<>/dev/tcp/127.0.0.1/80) 2>/dev/null; [ "$(ls /sys/class/net 2>/dev/null | grep -cv '^lo$')" = 0 ] || echo network
head -c $((${LIMITS.folderBytes} + 1048576)) /dev/zero 2>/dev/null | split -b 8m - /dev/shm/x 2>/dev/null && echo "memory in /dev/shm"
rm -f /dev/shm/x*
[ "$(ulimit -u)" -le ${LIMITS.processes} ] || echo processes
echo probed
`;

const ALLOW_NAMESPACES =
  "Allow user namespaces: sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000";

/** @typedef {{ ok: true } | { ok: false, problem: string, fix: string }} Probed */

/**
 * Whether bubblewrap starts here. Starts one empty run, which takes a few hundredths of a second. Before a script runs, `probe` decides.
 * @returns {Promise<Probed>}
 */
export const probeStart = () => tried("true", ({ exit }) => exit === 0);

/**
 * Whether runs can be confined here. Tries it, because it depends on the kernel, on settings of the system and on containers around.
 * @param {AbortSignal} [signal]
 * @returns {Promise<Probed>}
 */
export const probe = (signal) => tried(PROBE, ({ exit, stdout }) => exit === 0 && stdout === "probed\n", signal);

async function tried(script, isGood, signal) {
  const no = (problem, fix) => ({ ok: false, problem, fix });
  if (process.platform !== "linux")
    return no("bubblewrap runs on Linux only", "Use an executor on a Linux machine (EXECUTOR_URL).");
  if (!isInstalled("bwrap")) return no("bwrap is not installed", "Install it: apt-get install bubblewrap");
  if (!existsSync("/bin/bash") || !existsSync("/usr/bin/timeout"))
    return no("bash or timeout is missing", "Install bash and coreutils.");
  try {
    const files = [{ path: "/tmp/probe.sh", bytes: Buffer.from(script) }];
    const run = { command: ["/bin/bash"], args: ["/tmp/probe.sh"], files, ms: PROBE_MS, signal };
    const result = await runConfined(run);
    if (isGood(result)) return { ok: true };
    const { exit, stdout, stderr } = result;
    if (exit === null)
      return no(
        `a confined script did not end within ${PROBE_MS / 1_000} s`,
        "Try again when the machine is less busy.",
      );
    return no(
      `a confined script was able to: ${stdout.replaceAll("\n", ", ")} ${stderr.slice(0, 300)}`.trim(),
      "Do not use this machine.",
    );
  } catch (error) {
    return no(error.message, ALLOW_NAMESPACES);
  }
}

/** Whether a program is in a folder of PATH. */
function isInstalled(name) {
  return (process.env.PATH ?? "").split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, name), constants.X_OK);
      return folder !== "";
    } catch {
      return false;
    }
  });
}
