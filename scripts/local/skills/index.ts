// `npm start -- --skills`: serves the skills of folders on this machine, and publishes what changes there.

import { type FSWatcher, watch } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { note, type Work } from "../../../sdk/cli/context";
import { Gateway, Refused } from "../../../sdk/cli/gateway";
import { EXIT, Problem } from "../../../sdk/cli/problem";
import { type Progress, progressOf } from "../../../sdk/cli/progress";
import { type Action, type PublishedSkill, planChanges, type SkillFolder } from "./plan";
import {
  adoptEqual,
  FolderProblem,
  hasVersion,
  listPublic,
  type Packed,
  packAndRead,
  publishFolder,
  yankVersions,
} from "./registry";
import { codeOf, type Scan, type ScannedFolder, scan, signatureOf } from "./scan";
import { readState, type SkillsState, writeState } from "./state";

/** An editor writes several times in a row, and a checkout for longer. */
const QUIET_MS = 250;
/** A folder that is missing for this long counts as deleted. Editors and git replace files by deleting them first. */
const GONE_MS = 1_000;
/** The interval for polling folders when the system has no watchers left. */
const POLL_MS = 5_000;
/** Continuous changes are published at least this often. */
const MOST_WAIT_MS = 2_000;
/** Folders at once: one is read while the gateway publishes another. */
const PARALLEL = 2;
/** A round with more changes is one line. */
const MOST_LINES = 5;
/** Packages of a first round are sent as they were read, up to this size together. */
const MOST_KEPT_BYTES = 64 * 1024 * 1024;

export interface FolderOptions {
  roots: readonly string[];
  /** The file that stores the state. */
  file: string;
  url: string;
  key: string;
  builtins: Readonly<Record<string, string>>;
}

export interface SkillFolders {
  close(): Promise<void>;
}

/** Publishes the skills below the roots, then updates the gateway when they change, until it is closed. */
export async function serveFolders(options: FolderOptions): Promise<SkillFolders> {
  const folders = new Folders(options, await readState(options.file));
  folders.begin();
  return folders;
}

class Folders implements SkillFolders {
  readonly #controller = new AbortController();
  readonly #gateway: Gateway;
  readonly #work: Work;
  readonly #watchers = new Map<string, FSWatcher>();
  /** When a folder of a published skill was first found missing. */
  readonly #missing = new Map<string, number>();
  /** Reasons that were reported, by folder. */
  readonly #reported = new Map<string, string>();
  #packed = new Map<string, Packed>();
  #timer: NodeJS.Timeout | undefined;
  /** The time of the first change that no round has processed. */
  #changedAt: number | null = null;
  /** The error of the last round. */
  #failure = "";
  #running: Promise<void> = Promise.resolve();
  #isFirst = true;
  #isPolling = false;

  constructor(
    private readonly options: FolderOptions,
    private readonly state: SkillsState,
  ) {
    const { url, key } = options;
    this.#work = {
      program: "npm start",
      folder: process.cwd(),
      ...{ stdin: process.stdin, stdout: process.stdout, stderr: process.stderr },
      env: {},
      json: false,
      checkout: null,
      signal: this.#controller.signal,
    };
    this.#gateway = new Gateway(this.#work, { url, key });
  }

  begin(): void {
    this.#schedule(0);
  }

  async close(): Promise<void> {
    this.#controller.abort();
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    await this.#running;
  }

  /** One round at a time, after a quiet moment. */
  #schedule(ms: number): void {
    if (this.#controller.signal.aborted) return;
    const now = Date.now();
    this.#changedAt ??= now;
    clearTimeout(this.#timer);
    const wait = Math.min(ms, Math.max(0, this.#changedAt + Math.max(ms, MOST_WAIT_MS) - now));
    this.#timer = setTimeout(() => {
      this.#changedAt = null;
      this.#running = this.#running.then(() => this.#round()).catch((error: unknown) => this.#failed(error));
    }, wait);
  }

  #failed(error: unknown): void {
    if (this.#controller.signal.aborted) return;
    const failure =
      error instanceof Problem ? error.message : error instanceof Error ? (error.stack ?? "") : String(error);
    if (failure !== this.#failure)
      note(this.#work, `✗ skills are not published: ${failure} The next try is in ${POLL_MS / 1_000} s.`);
    this.#failure = failure;
    this.#schedule(POLL_MS);
  }

  async #round(): Promise<void> {
    const found = await scan(this.options.roots);
    if (this.#watch(found)) this.#schedule(QUIET_MS);
    // A deleted folder cannot be watched.
    if (found.unreadable.some(({ directory }) => this.options.roots.includes(directory))) this.#schedule(POLL_MS);
    const progress =
      this.#isFirst && found.folders.length > 0
        ? progressOf(
            this.#work,
            `publishing ${found.folders.length} ${found.folders.length === 1 ? "skill" : "skills"}…`,
          )
        : null;
    try {
      const scanned = new Map(found.folders.map((each) => [each.folder, each]));
      const folders = await this.#readAll(found.folders);
      const actions = planChanges({
        folders,
        published: this.state.skills,
        listed: await listPublic(this.#gateway),
        builtins: this.options.builtins,
        isGone: (skill) => this.#isGone(skill, found),
      });
      const report = await this.#apply(actions, scanned, progress);
      if (report.changed > 0 || this.#isFirst) await writeState(this.options.file, this.state);
      progress?.end();
      this.#tell(report, folders, found);
      this.#isFirst = false;
      this.#failure = "";
    } finally {
      progress?.end();
      this.#packed = new Map();
    }
  }

  /** Reads the folders whose files have changed since they were read last. */
  async #readAll(scanned: readonly ScannedFolder[]): Promise<SkillFolder[]> {
    let bytes = 0;
    const { folders } = this.state;
    const current = new Set(scanned.map(({ folder }) => folder));
    for (const folder of Object.keys(folders)) {
      if (!current.has(folder) && this.options.roots.some((root) => isBelow(root, folder))) delete folders[folder];
    }
    const found = await inParallel(scanned, async (each): Promise<SkillFolder | null> => {
      const { folder, root, signature } = each;
      const known = folders[folder];
      if (known?.signature === signature) return { folder, root, read: known.read };
      let read: SkillFolder["read"];
      try {
        const packed = await packAndRead(each);
        read = packed.read;
        bytes += packed.zip.length;
        if (bytes < MOST_KEPT_BYTES) this.#packed.set(folder, packed);
      } catch (error) {
        if (!(error instanceof FolderProblem) && codeOf(error) === undefined) throw error;
        read = { problem: reasonOf(error) };
      }
      if ((await signatureOf(folder, each.files)) !== signature) {
        // A file is being saved, so half of it may have been read. The published version stays until the next round.
        this.#packed.delete(folder);
        this.#schedule(QUIET_MS);
        return known === undefined ? null : { folder, root, read: known.read };
      }
      folders[folder] = { signature, read };
      return { folder, root, read };
    });
    return found.filter((each) => each !== null);
  }

  #isGone({ folder, root }: PublishedSkill, { unreadable }: Scan): boolean {
    if (!this.options.roots.includes(root)) return false;
    if (unreadable.some(({ directory }) => isBelow(directory, folder))) return false;
    const now = Date.now();
    const since = this.#missing.get(folder) ?? now;
    this.#missing.set(folder, since);
    // In the first round a missing folder is not being replaced, so it counts as deleted at once.
    if (this.#isFirst || now - since >= GONE_MS) return true;
    this.#schedule(GONE_MS);
    return false;
  }

  async #apply(
    actions: readonly Action[],
    scanned: ReadonlyMap<string, ScannedFolder>,
    progress: Progress | null,
  ): Promise<Report> {
    const report: Report = { published: [], yanked: [], skipped: [], dangers: [], changed: 0 };
    const total = actions.filter(({ kind }) => kind === "publish").length;
    await inParallel(actions, async (action) => {
      if (this.#controller.signal.aborted) return;
      const folder = "from" in action ? action.from.folder : action.kind === "skip" ? action.folder : action.name;
      try {
        await this.#applyOne(action, scanned, report);
      } catch (error) {
        if (this.#controller.signal.aborted) return;
        if (error instanceof Problem && (error.exit === EXIT.unreachable || error.exit === EXIT.key)) throw error;
        if (!(error instanceof Problem) && !(error instanceof FolderProblem) && codeOf(error) === undefined)
          throw error;
        report.skipped.push({ folder, reason: reasonOf(error) });
      }
      if (process.stderr.isTTY === true) progress?.step(`publishing skills: ${report.published.length} of ${total}`);
    });
    return report;
  }

  async #applyOne(action: Action, scanned: ReadonlyMap<string, ScannedFolder>, report: Report): Promise<void> {
    const { skills } = this.state;
    if (action.kind === "skip") {
      report.skipped.push({ folder: action.folder, reason: action.reason });
      return;
    }
    const { name } = action;
    const known = skills[name];
    if (action.kind === "yank") {
      if (known === undefined) return;
      await yankVersions(this.#gateway, known);
      known.isYanked = true;
      this.#missing.delete(known.folder);
      report.changed++;
      report.yanked.push(name);
      return;
    }
    const { from } = action;
    this.#missing.delete(from.folder);
    const place = scanned.get(from.folder);
    if (place === undefined) return;
    if (action.kind === "move" && known !== undefined) {
      skills[name] = { ...known, folder: from.folder, root: from.root };
      report.changed++;
      return;
    }
    if (action.kind === "check" && known !== undefined) {
      const newest = known.versions.at(-1) ?? "";
      if (await hasVersion(this.#gateway, known.skillId, newest)) {
        // An admin has made another version current. It stays current until the folder changes.
        skills[name] = { ...known, folder: from.folder, root: from.root, updatedAt: action.listed.updatedAt };
        report.changed++;
        return;
      }
    }
    const packed = this.#packed.get(from.folder) ?? (await packAndRead(place));
    if (packed.read.name !== name) {
      this.#schedule(QUIET_MS);
      return;
    }
    if (action.kind === "adopt") {
      const outcome = await adoptEqual(this.#gateway, place, packed, action.listed);
      if (outcome === null)
        throw new FolderProblem(
          `a public skill '${name}' was published by other means, and stays as it is. Rename one of them, or delete that skill`,
        );
      this.#record(name, from, packed, outcome, undefined);
      report.changed++;
      return;
    }
    const outcome = await publishFolder(this.#gateway, place, packed, known);
    this.#record(name, from, packed, outcome, known);
    report.changed++;
    report.published.push(outcome.label === null ? name : `${name} ${outcome.label}`);
    for (const danger of outcome.dangers) report.dangers.push({ name, danger });
  }

  #record(
    name: string,
    { folder, root }: SkillFolder,
    { read }: Packed,
    { skillId, versionId, updatedAt }: { skillId: string; versionId: string; updatedAt: string },
    known: PublishedSkill | undefined,
  ): void {
    const before = known?.skillId === skillId ? known.versions.filter((version) => version !== versionId) : [];
    const versions = [...before, versionId];
    this.state.skills[name] = { folder, root, digest: read.digest, skillId, versions, updatedAt, isYanked: false };
  }

  #tell({ published, yanked, skipped, dangers }: Report, folders: readonly SkillFolder[], { unreadable }: Scan): void {
    const from = this.options.roots.map(shortFolder).join(", ");
    const all = [...skipped, ...unreadable.map(({ directory, reason }) => ({ folder: directory, reason }))];
    const fresh = all.filter(({ folder, reason }) => this.#reported.get(folder) !== reason);
    this.#reported.clear();
    for (const { folder, reason } of all) this.#reported.set(folder, reason);
    const [only] = fresh;
    const lines = fresh.map(({ folder, reason }) => `  ${path.basename(folder)} skipped: ${reason}.`);
    const warnings = dangers.map(({ name, danger }) => `! ${name} is published with a serious finding: ${danger}`);
    if (this.#isFirst) {
      const served = folders.length - skipped.length;
      const counts = [
        ...(published.length > 0 && published.length < served ? [`${served - published.length} unchanged`] : []),
        ...(yanked.length > 0 ? [`${yanked.length} yanked`] : []),
        ...(all.length === 1 && only !== undefined ? [`1 skipped: ${path.basename(only.folder)}: ${only.reason}`] : []),
        ...(all.length > 1 ? [`${all.length} skipped`] : []),
      ];
      const what = published.length === 0 && served > 0 ? "up to date, from" : "published from";
      const number = published.length === 0 ? served : published.length;
      note(
        this.#work,
        `✔ ${number} ${number === 1 ? "skill" : "skills"} ${what} ${from}${counts.length === 0 ? "" : ` (${counts.join(", ")})`}`,
      );
      for (const line of [...(all.length > 1 ? lines : []), ...warnings]) note(this.#work, line);
      return;
    }
    for (const [names, what] of [
      [published, "published"],
      [yanked, "yanked, because the folder is gone"],
    ] as const) {
      if (names.length > MOST_LINES) note(this.#work, `✔ ${names.length} skills ${what}`);
      else for (const name of names) note(this.#work, `✔ ${name} ${what}`);
    }
    for (const line of [...lines, ...warnings]) note(this.#work, line);
  }

  /** Watches every directory that was read. Returns whether some are new: their content may have changed since they were read. */
  #watch({ directories }: Scan): boolean {
    const wanted = new Set(directories);
    for (const [directory, watcher] of this.#watchers) {
      if (wanted.has(directory)) continue;
      watcher.close();
      this.#watchers.delete(directory);
    }
    let isNew = false;
    for (const directory of wanted) {
      if (this.#watchers.has(directory) || this.#isPolling) continue;
      try {
        const watcher = watch(directory, { persistent: false }, () => this.#schedule(QUIET_MS));
        watcher.on("error", () => {
          watcher.close();
          this.#watchers.delete(directory);
          this.#schedule(QUIET_MS);
        });
        this.#watchers.set(directory, watcher);
        isNew = true;
      } catch (error) {
        if (codeOf(error) === "ENOENT") isNew = true;
        else this.#poll(error);
      }
    }
    return isNew;
  }

  /** The system watches no more directories: look again and again instead. */
  #poll(error: unknown): void {
    if (this.#isPolling) return;
    this.#isPolling = true;
    note(
      this.#work,
      `  The system cannot watch all skill folders (${codeOf(error) ?? "unknown error"}). They are read every ${POLL_MS / 1_000} s instead.`,
    );
    const timer = setInterval(() => this.#schedule(0), POLL_MS);
    this.#controller.signal.addEventListener("abort", () => clearInterval(timer));
  }
}

interface Report {
  /** Names with their labels. */
  published: string[];
  yanked: string[];
  skipped: { folder: string; reason: string }[];
  /** Findings of high severity in published versions. */
  dangers: { name: string; danger: string }[];
  /** Changes of the stored state. */
  changed: number;
}

function reasonOf(error: unknown): string {
  return textOf(error).replace(/\.$/, "");
}

function textOf(error: unknown): string {
  if (error instanceof Refused) return error.body.issues[0]?.message ?? error.body.detail;
  return error instanceof Error ? error.message : String(error);
}

function isBelow(folder: string, inner: string): boolean {
  return inner === folder || inner.startsWith(folder + path.sep);
}

/** Returns a folder in the short form for messages. */
function shortFolder(folder: string): string {
  const home = homedir();
  return isBelow(home, folder) && home !== "/" ? `~${folder.slice(home.length)}` : folder;
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next++;
      const item = items[at];
      if (item !== undefined) results[at] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return results;
}
