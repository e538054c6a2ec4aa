// Follows the steps of a Dockerfile in a folder, with Debian's tools instead of Docker: mmdebstrap makes the base, and bubblewrap runs
// each step in it.

import { execFile, spawn } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { root as repository } from "./files.mjs";
import { Refusal } from "./refusal.mjs";

const run = promisify(execFile);
/** As in the image `node:…-slim`: Debian's release, and a user with this number. */
const IMAGE = /^node:(\d+)-(\w+)-slim$/;
const NODE = { name: "node", id: "1000" };
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** The authorities that this machine trusts, for steps of a build that download something. */
const AUTHORITIES = "/run/authorities.pem";
const OWN_PROCESSES = ["--unshare-pid", "--proc", "/proc"];
const PATIENCE_MS = 30 * 60_000;

/** Makes the base image in a folder: Debian's minimal system, with Node and npm from the npm registry. */
export async function makeBase(image, folder) {
  const [, version, release] = IMAGE.exec(image) ?? [];
  if (release === undefined) throw new Refusal(`The base image ${image} is not supported by this trial.`);
  await run("mmdebstrap", ["--variant=minbase", release, folder, "http://deb.debian.org/debian"], {
    maxBuffer: 2 ** 26,
  });
  const local = path.join(folder, "usr/local");
  const modules = path.join(local, "lib/node_modules");
  const platform = `node-linux-${process.arch}`;
  await install(`${platform}@${version}`, folder);
  await cp(path.join(folder, "package/node_modules", platform, "bin/node"), path.join(local, "bin/node"));
  // The npm that comes with this version of Node.
  await install("npm@10", folder);
  await cp(path.join(folder, "package/node_modules/npm"), path.join(modules, "npm"), { recursive: true });
  await rm(path.join(folder, "package"), { recursive: true });
  const link = `ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && chmod +x /usr/local/lib/node_modules/npm/bin/npm-cli.js`;
  const user = `useradd --uid ${NODE.id} --user-group --create-home --shell /bin/bash ${NODE.name}`;
  await runStep({ folder, user: "root", cwd: "/", env: {} }, `${link} && ${user}`);
}

/** Copies a folder with its owners, links and devices, as Docker does for a base image and for a new volume. */
export async function copyFolder(from, to) {
  await run("cp", ["--archive", from, to]);
}

async function install(name, folder) {
  const options = ["--prefix", path.join(folder, "package"), "--ignore-scripts", "--no-audit", "--no-save"];
  await run("npm", ["install", ...options, name], { cwd: folder });
}

/**
 * Follows the steps of a stage in a folder that contains its base. Returns the user, folder and environment of its programs.
 * @param {import("./dockerfile.mjs").Stage} stage
 * @param {string} folder
 * @param {{ stages: Record<string, string>, isIgnored: (name: string) => boolean, skip?: RegExp, say: (line: string) => void }} options
 * `stages`: folders of former stages; `skip`: commands in a RUN that cannot run here
 */
export async function buildStage(stage, folder, { stages, isIgnored, skip, say }) {
  const image = { folder, user: "root", cwd: "/", env: {} };
  for (const { name, args, from } of stage.steps) {
    say(`${name} ${args.slice(0, 100)}`);
    if (name === "WORKDIR") {
      image.cwd = path.posix.resolve(image.cwd, args);
      await mkdir(path.join(folder, image.cwd), { recursive: true });
    } else if (name === "USER") image.user = args;
    else if (name === "ENV")
      Object.assign(image.env, Object.fromEntries(args.split(/\s+/).map((each) => each.split("="))));
    else if (name === "COPY") await copy(args, from === undefined ? null : stages[from], image, isIgnored);
    else {
      const commands = args.split("&&").map((command) => command.trim());
      for (const command of commands.filter((each) => skip?.test(each))) say(`skipped: ${command}`);
      await runStep(image, commands.filter((each) => !skip?.test(each)).join(" && "));
    }
  }
  return image;
}

async function copy(args, stage, { folder, cwd }, isIgnored) {
  const [source, target, ...more] = args.split(/\s+/);
  if (target === undefined || more.length > 0) throw new Refusal(`COPY ${args} is not supported by this trial.`);
  const to = path.join(folder, path.posix.resolve(cwd, target));
  const from = path.join(stage ?? repository, source);
  const filter = (file) => stage !== null || !isIgnored(path.relative(repository, file));
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from))
    if (filter(path.join(from, name)))
      await cp(path.join(from, name), path.join(to, name), { recursive: true, verbatimSymlinks: true, filter });
}

/** Runs a command of a build as Docker does: with `sh -c`, without this machine's environment. */
async function runStep(image, command) {
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  const trusted = authorities === undefined ? [] : ["--ro-bind", authorities, AUTHORITIES];
  const files = ["--ro-bind", "/etc/resolv.conf", "/etc/resolv.conf", ...trusted];
  const mounts = ["--bind", image.folder, "/", ...files, ...OWN_PROCESSES];
  const env = { ...image.env, ...(authorities === undefined ? {} : { NODE_EXTRA_CA_CERTS: AUTHORITIES }) };
  const args = confined({ ...image, env }, mounts, ["sh", "-c", command]);
  await run("bwrap", args, { maxBuffer: 2 ** 28, timeout: PATIENCE_MS }).catch((error) => {
    throw new Refusal(`RUN ${command}\n${error.stdout?.slice(-3_000)}\n${error.stderr?.slice(-3_000)}`);
  });
}

/**
 * Starts a program of an image as the first process of its container. `signal` sends to it, as `docker stop` does.
 * @param {{ folder: string, user: string, cwd: string, env: Record<string, string> }} image
 * @param {string[]} program
 * @param {{ volumes?: Record<string, string>, temporary?: string[], isReadOnly?: boolean, isUnmasked?: boolean, env?: Record<string, string>
 * }} [options] `volumes`: folders of this machine by their path inside; `isUnmasked`: as with `systempaths=unconfined` of Docker, so that
 * the program can create namespaces with processes. bubblewrap then cannot make it the first process
 */
export async function startProgram(
  image,
  program,
  { volumes = {}, temporary = [], isReadOnly = false, isUnmasked = false, env = {} } = {},
) {
  const mounts = [
    isReadOnly ? "--ro-bind" : "--bind",
    image.folder,
    "/",
    ...Object.entries(volumes).flatMap(([inside, folder]) => ["--bind", folder, inside]),
    ...temporary.flatMap((inside) => ["--perms", "1777", "--tmpfs", inside]),
  ];
  // A `/proc` that bubblewrap mounts has read-only parts, and then namespaces inside cannot have one of their own.
  const processes = isUnmasked ? ["--bind", "/proc", "/proc"] : [...OWN_PROCESSES, "--as-pid-1"];
  const args = confined({ ...image, env: { ...image.env, ...env } }, [...mounts, ...processes], program);
  const child = spawn("bwrap", ["--json-status-fd", "3", ...args], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      log += text;
    });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const pid = await new Promise((resolve, reject) => {
    let status = "";
    child.stdio[3].setEncoding("utf8").on("data", (text) => {
      status += text;
      const found = /"child-pid": (\d+)/.exec(status);
      if (found !== null) resolve(Number(found[1]));
    });
    child.on("error", reject);
    child.on("close", () => reject(new Refusal(`${program.join(" ")} did not start:\n${log}`)));
  });
  return {
    pid,
    ended,
    log: () => log,
    signal: (name) => process.kill(pid, name),
    hasEnded: () => child.exitCode !== null,
  };
}

/** The arguments of bubblewrap. Users other than root have no capabilities and cannot get any. */
function confined({ user, cwd, env }, mounts, program) {
  const variables = Object.entries({ PATH, HOME: user === "root" ? "/root" : `/home/${user}`, ...env });
  if (!["root", NODE.name].includes(user)) throw new Refusal(`USER ${user} is not supported by this trial.`);
  const asUser = [
    "setpriv",
    "--reuid",
    NODE.id,
    "--regid",
    NODE.id,
    "--clear-groups",
    "--inh-caps=-all",
    "--bounding-set=-all",
  ];
  return [
    ...mounts,
    ...["--dev", "/dev", "--unshare-ipc", "--unshare-uts", "--die-with-parent"],
    ...["--cap-add", "ALL", "--clearenv", ...variables.flatMap(([name, value]) => ["--setenv", name, value])],
    ...["--chdir", cwd, "--"],
    ...(user === "root" ? [] : [...asUser, "--"]),
    ...program,
  ];
}

/** Reads a file of an image or a volume. */
export const readInside = (folder, name) => readFile(path.join(folder, name), "utf8");
