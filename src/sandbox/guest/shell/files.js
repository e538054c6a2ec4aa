// The files of a run, in memory: its own copy of the package, folders to write to, its standard input as a file, and a bound.

import { InMemoryFs } from "just-bash/browser";

/** Where the shell itself keeps something: its commands, its devices, what it tells of itself. */
const SHELLS_OWN = /^\/(?:dev|proc)(?:\/|$)/;

/** Devices without an end, of which a reader that wants all gets so much. */
const DEVICES = {
  "/dev/random": () => crypto.getRandomValues(new Uint8Array(4_096)),
  "/dev/urandom": () => crypto.getRandomValues(new Uint8Array(4_096)),
  "/dev/zero": () => new Uint8Array(1_048_576),
};

export class RunFiles extends InMemoryFs {
  /** What the package and the call brought, by full path. */
  original = new Map();
  /** Of them those of the package. */
  packaged = new Map();
  #roots = [];
  #room = Number.POSITIVE_INFINITY;

  /** From here on the script's own writing is counted, and only its folders can be written to. */
  bound({ roots, bytes, entries }) {
    this.#roots = roots;
    this.#room = this.data.size + entries;
    // What the package brought is not counted, and is not given back either.
    this.maxTotalBytes = this.retainedBytes + bytes;
    const { data } = this;
    const set = data.set.bind(data);
    data.set = (path, entry) => {
      if (!data.has(path)) this.#mayMake(path, data.size);
      return set(path, entry);
    };
  }

  /** Puts a file where it lies when the script begins, or where another language's part of the run has left it. */
  place(path, bytes, mode) {
    this.writeFileSync(path, bytes, "binary", { mode: mode ?? this.data.get(path)?.mode ?? 0o644 });
  }

  /** New and changed files of the script's folders, in the order of the folders. */
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

  /** What a part of the run does not have by itself: all that is not as the package has it. */
  *apart() {
    for (const [path, entry] of this.data)
      if (entry.type === "file" && this.#roots.some((root) => path.startsWith(`${root}/`))) {
        const bytes = bytesOf(entry.content);
        const before = this.packaged.get(path);
        if (before === undefined || !isSame(before, bytes)) yield { path, bytes };
      }
  }

  /** All folders in the script's own. */
  folders() {
    const inside = (path) => this.#roots.some((root) => path.startsWith(`${root}/`));
    return [...this.data].flatMap(([path, { type }]) => (type === "directory" && inside(path) ? [path] : []));
  }

  /** Files of the package that are not there any more. */
  gone() {
    return this.#lost(this.packaged);
  }

  /** What was there when the run began, and is not any more. */
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
    // Moved and overwritten files come here without a new name.
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
    // Nothing lies below a file.
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
