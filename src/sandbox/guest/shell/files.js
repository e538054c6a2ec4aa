// Creates the in-memory files of a run: its own copy of the package, writable folders, and standard input as a file, with size limits.

import { InMemoryFs } from "just-bash/browser";

/** Folders of the shell itself: its commands, devices and process information. */
const SHELLS_OWN = /^\/(?:dev|proc)(?:\/|$)/;

/** Endless devices, and the number of bytes returned when a reader reads all of one. */
const DEVICES = {
  "/dev/random": () => crypto.getRandomValues(new Uint8Array(4_096)),
  "/dev/urandom": () => crypto.getRandomValues(new Uint8Array(4_096)),
  "/dev/zero": () => new Uint8Array(1_048_576),
};

export class RunFiles extends InMemoryFs {
  /** The initial files of the package and the call, by absolute path. */
  original = new Map();
  /** The files of the package, by absolute path. */
  packaged = new Map();
  #roots = [];
  #room = Number.POSITIVE_INFINITY;

  /** From now on, writes are counted and limited to the script's folders. */
  bound({ roots, bytes, entries }) {
    this.#roots = roots;
    this.#room = this.data.size + entries;
    // Files of the package do not count, and deleting them frees no quota.
    this.maxTotalBytes = this.retainedBytes + bytes;
    const { data } = this;
    const set = data.set.bind(data);
    data.set = (path, entry) => {
      if (!data.has(path)) this.#mayMake(path, data.size);
      return set(path, entry);
    };
  }

  /** Writes an initial file, or a file from a part of the run in another language. */
  place(path, bytes, mode) {
    this.writeFileSync(path, bytes, "binary", { mode: mode ?? this.data.get(path)?.mode ?? 0o644 });
  }

  /** Returns new and changed files in the script's folders, in the order of the folders. */
  *changed() {
    for (const root of this.#roots)
      for (const path of [...this.data.keys()].filter((each) => each.startsWith(`${root}/`)).sort()) {
        const entry = this.data.get(path);
        if (entry?.type !== "file") continue;
        const bytes = bytesOf(entry.content);
        const before = this.original.get(path);
        if (before === undefined || !isSame(before, bytes)) yield { path, bytes };
      }
  }

  /** Returns the files that a part of the run needs in addition to the package: all that differ from it. */
  *apart() {
    for (const [path, entry] of this.data)
      if (entry.type === "file" && this.#roots.some((root) => path.startsWith(`${root}/`))) {
        const bytes = bytesOf(entry.content);
        const before = this.packaged.get(path);
        if (before === undefined || !isSame(before, bytes)) yield { path, bytes };
      }
  }

  /** Returns all folders inside the script's folders. */
  folders() {
    const inside = (path) => this.#roots.some((root) => path.startsWith(`${root}/`));
    return [...this.data].flatMap(([path, { type }]) => (type === "directory" && inside(path) ? [path] : []));
  }

  /** Returns the deleted files of the package. */
  gone() {
    return this.#lost(this.packaged);
  }

  /** Returns the files that existed at the start of the run and were deleted. */
  removed() {
    return this.#lost(this.original);
  }

  #lost(files) {
    return [...files.keys()].filter((path) => this.data.get(path)?.type !== "file");
  }

  async readFileBuffer(path) {
    const make = DEVICES[path];
    return make === undefined ? super.readFileBuffer(path) : make();
  }

  setEntry(path, entry) {
    // Moving and overwriting call this method without a new name.
    this.#mayWrite(path);
    super.setEntry(path, entry);
  }

  deleteEntry(path) {
    this.#mayWrite(path);
    return super.deleteEntry(path);
  }

  #mayWrite(path) {
    if (this.#roots.length === 0 || SHELLS_OWN.test(path)) return;
    if (!this.#roots.some((root) => path.startsWith(`${root}/`)))
      throw new Error(`EROFS: read-only file system, open '${path}'`);
  }

  #mayMake(path, count) {
    this.#mayWrite(path);
    // A file has no children.
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
      if (this.data.get(path.slice(0, end))?.type === "file")
        throw new Error(`ENOTDIR: not a directory, open '${path}'`);
    if (count + 1 > this.#room) throw new Error(`ENOSPC: no space left on device, open '${path}'`);
  }
}

const encoder = new TextEncoder();
const bytesOf = (content) => (content instanceof Uint8Array ? content : encoder.encode(content));

function isSame(a, b) {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
