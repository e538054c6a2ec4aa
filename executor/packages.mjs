// Installs the Python packages that a skill declares. A set of requirements is installed once, outside of runs, into a folder that runs see
// read-only. Only wheels are installed, so that no code of a package runs meanwhile.

import { spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { chownSync, existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { interpreterOf, NOBODY, temporaryFolder } from "./bubblewrap.mjs";

const MiB = 1024 * 1024;
export const MODES = ["off", "pinned", "any"];
/** The number of layers, and the bytes of each. */
const LAYERS = 20;
const LAYER_BYTES = 1024 * MiB;
/** Milliseconds of an installation, and those for which a run waits for one. */
const INSTALL_MS = 300_000;
const WAIT_MS = 10_000;
/** Milliseconds after which a failed installation is tried again. */
const RETRY_MS = 60_000;
const REQUIREMENTS = 200;

const NAME = /^[A-Za-z0-9][\w.-]*(?:\[[\w.,\s-]*\])?/;
const VERSIONS =
  /^(?:\s*\(?\s*(?:===?|[<>~!]=|[<>])\s*[\w.*+!-]+(?:\s*,\s*(?:===?|[<>~!]=|[<>])\s*[\w.*+!-]+)*(?:\s*\))?)?/;
const MARKER = /^(?:\s*;[^#\n]*?)?(?=\s+--hash=|\s*$)/;
const HASHES = /^(?:\s+--hash=sha(?:256|384|512):[0-9a-f]+)*\s*$/;

/** Why packages were not installed. */
export class NotInstalled extends Error {}
/** The installation takes longer than a run waits. */
export class Installing extends Error {}

/**
 * Returns the lines of a requirements.txt that name a package and its versions. Options, URLs and paths are dropped: pip would read files
 * of this machine or other indexes for them.
 * @param {string} text
 */
export function safeLines(text) {
  const lines = text
    .replaceAll(/\\\r?\n/g, " ")
    .split(/\r?\n/)
    .map((line) =>
      line
        .replace(/(?:^|\s)#.*$/, "")
        .replaceAll(/\s+/g, " ")
        .trim(),
    );
  return lines.filter((line) => {
    let rest = line;
    for (const part of [NAME, VERSIONS, MARKER]) {
      const [match] = part.exec(rest) ?? [];
      if (match === undefined) return false;
      rest = rest.slice(match.length);
    }
    return HASHES.test(rest);
  });
}

export class Layers {
  #mode;
  #index;
  #folder;
  #waitMs;
  #installing = new Map();
  #used = new Map();

  /**
   * @param {{ mode: string, index?: string, folder: string, waitMs?: number }} options `mode`: of `MODES`; `index`: the URL of a package
   * index, or a folder of wheels; `folder`: where layers are stored; `waitMs`: how long a run waits for an installation
   */
  constructor({ mode, index = "https://pypi.org/simple", folder, waitMs = WAIT_MS }) {
    if (!MODES.includes(mode)) throw new Error(`EXECUTOR_INSTALL is not one of ${MODES.join(", ")}.`);
    this.#mode = mode;
    this.#index = index;
    this.#folder = folder;
    this.#waitMs = waitMs;
  }

  get mode() {
    return this.#mode;
  }

  /** Returns the stored layers, the most recently used first. */
  async list() {
    const ids = this.#mode === "off" ? [] : await readdir(this.#folder).catch(() => []);
    const layers = ids.filter((id) => /^[0-9a-f]{64}$/.test(id)).map((id) => this.#about(id));
    return (await Promise.all(layers)).sort((a, b) => b.used - a.used);
  }

  async #about(id) {
    const file = path.join(this.#folder, id, "requirements.txt");
    const { mtimeMs } = await stat(file);
    const requirements = (await readFile(file, "utf8")).split("\n").map((line) => line.replace(/\s+--hash=.*$/, ""));
    return { id, requirements, bytes: await sizeOf(path.join(this.#folder, id)), used: mtimeMs };
  }

  /**
   * Returns the folder with the packages for a script and a function to call after the run, or `null` if it needs none.
   * @param {{ path: string, files: { path: string, bytes: Uint8Array }[], requirements: string[] }} run
   * @throws {NotInstalled | Installing}
   */
  async take(run) {
    const lines = this.#linesOf(run);
    if (lines.length === 0) return null;
    if (lines.length > REQUIREMENTS) throw new NotInstalled(`There are more than ${REQUIREMENTS} requirements.`);
    const text = lines.join("\n");
    const id = createHash("sha256")
      .update(JSON.stringify([this.#mode, this.#index, text]))
      .digest("hex");
    this.#used.set(id, (this.#used.get(id) ?? 0) + 1);
    const release = () => {
      const count = this.#used.get(id) - 1;
      if (count > 0) this.#used.set(id, count);
      else this.#used.delete(id);
    };
    try {
      await this.#ready(id, text);
      const folder = path.join(this.#folder, id);
      await utimes(path.join(folder, "requirements.txt"), new Date(), new Date());
      return { folder: path.join(folder, "packages"), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** With `pinned` only requirements with hashes are installed, which a requirements.txt can contain. */
  #linesOf({ path: script, files, requirements }) {
    if (this.#mode === "off") return [];
    const around = files.filter(
      (file) => file.path.endsWith("/requirements.txt") && script.startsWith(`${path.posix.dirname(file.path)}/`),
    );
    const found = around.flatMap(({ bytes }) => safeLines(Buffer.from(bytes).toString("utf8")));
    const lines = this.#mode === "any" ? [...found, ...safeLines(requirements.join("\n"))] : found.filter(isPinned);
    return [...new Set(lines)].sort();
  }

  async #ready(id, text) {
    if (existsSync(path.join(this.#folder, id))) return;
    let installing = this.#installing.get(id);
    if (installing === undefined) {
      installing = this.#install(id, text);
      this.#installing.set(id, installing);
      installing.then(
        () => this.#installing.delete(id),
        () => setTimeout(() => this.#installing.delete(id), RETRY_MS).unref(),
      );
    }
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Installing("The packages of the skill are being installed.")), this.#waitMs);
    });
    await Promise.race([installing, late]).finally(() => clearTimeout(timer));
  }

  async #install(id, text) {
    const draft = path.join(this.#folder, `draft-${randomUUID()}`);
    const target = path.join(draft, "packages");
    await mkdir(target, { recursive: true });
    try {
      const requirements = path.join(draft, "requirements.txt");
      await writeFile(requirements, text);
      const isRoot = process.getuid?.() === 0;
      if (isRoot) for (const place of [draft, target]) chownSync(place, NOBODY, NOBODY);
      const isFolder = !/^https?:/.test(this.#index);
      const source = isFolder
        ? ["--no-index", "--find-links", path.resolve(this.#index)]
        : ["--index-url", this.#index];
      await pip(
        [
          ...["install", "--isolated", "--disable-pip-version-check", "--no-input", "--no-cache-dir", "--no-compile"],
          ...["--only-binary=:all:", "--target", target, "-r", requirements],
          ...(this.#mode === "pinned" ? ["--require-hashes"] : []),
          ...source,
        ],
        { cwd: draft, ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}) },
      );
      const size = await sizeOf(target);
      if (size > LAYER_BYTES) throw new NotInstalled(`The packages are too large (limit ${LAYER_BYTES / MiB} MiB).`);
      await rename(draft, path.join(this.#folder, id));
      await this.#removeOldest();
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }

  async #removeOldest() {
    const layers = await this.list();
    for (const { id } of layers.slice(LAYERS))
      if (!this.#used.has(id)) await rm(path.join(this.#folder, id), { recursive: true, force: true });
  }
}

/**
 * Returns the layers that the variables of a process configure.
 * @param {Record<string, string | undefined>} variables
 */
export function layersFrom({
  EXECUTOR_INSTALL: mode = "off",
  EXECUTOR_INDEX: index,
  EXECUTOR_PACKAGES: folder = path.join(temporaryFolder(), `skill-gateway-packages-${process.getuid?.() ?? 0}`),
}) {
  return new Layers({ mode, folder, ...(index === undefined ? {} : { index }) });
}

const isPinned = (line) => /==\s*[\w.+!-]+\s*(?:;[^#]*)?\s+--hash=/.test(line) && !line.includes("*");

/** Runs pip. It has no variables of this process, and no configuration of the machine. */
async function pip(args, options) {
  const [python] = interpreterOf("python");
  const env = { PATH: "/usr/bin:/bin", HOME: options.cwd, LANG: "C.UTF-8" };
  const child = spawn(python, ["-m", "pip", ...args], { ...options, env, stdio: ["ignore", "ignore", "pipe"] });
  const timer = setTimeout(() => child.kill("SIGKILL"), INSTALL_MS);
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    output = (output + text).slice(-4_000);
  });
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  }).finally(() => clearTimeout(timer));
  if (code === 0) return;
  const reason = output.split("\n").findLast((line) => /^ERROR:|No module named/.test(line)) ?? "pip failed";
  throw new NotInstalled(`${reason.replace(/^ERROR:\s*/, "").slice(0, 500)}`);
}

async function sizeOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => stat(path.join(entry.parentPath, entry.name)));
  return (await Promise.all(files)).reduce((sum, { size }) => sum + size, 0);
}
