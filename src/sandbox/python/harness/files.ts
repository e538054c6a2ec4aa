// Manages the file system of a run in the isolate's memory: initial files, limits and results.

import { SCRIPT_FILES } from "../../../domain/code/script-limits";
import type { RunFile } from "../../isolate";
import type { FileNode, FileStream, FileSystem } from "./emscripten";

const { skill, workspace, temporary, home } = SCRIPT_FILES;
const FOLDERS = [skill, workspace, temporary, home];
/** Error numbers of this C library. */
const ENOSPC = 51;
const EROFS = 69;
/** The device that Pyodide creates temporarily to print an exception that passed through Python. */
const CAPTURE = "capture_stderr";

/** An initial file. A change to it changes content, size or time. */
interface Given {
  contents: unknown;
  size: number;
  mtime: number;
}

export class Files {
  readonly #fs: FileSystem;
  readonly #roots = new Set<FileNode>();
  readonly #given = new Map<string, Given>();
  /** The open streams before the first run: the standard streams. */
  #streams: readonly (FileStream | null | undefined)[] | null = null;
  #bytes = 0;
  #entries = 0;

  constructor(fs: FileSystem) {
    this.#fs = fs;
    for (const folder of FOLDERS) fs.mkdirTree(folder);
    for (const folder of FOLDERS) this.#roots.add(fs.lookupPath(folder).node);
    // As root: a script cannot make its files unreadable for the harness.
    fs.ignorePermissions = true;
    this.#protect();
    this.#count();
  }

  /** Creates the folders of a run. */
  reset(files: Iterable<RunFile>, folders: readonly string[] = []): void {
    const fs = this.#fs;
    this.#closeStreams();
    // The current directory cannot be removed.
    fs.chdir("/");
    for (const folder of FOLDERS) this.#empty(folder);
    this.#given.clear();
    this.#bytes = this.#entries = Number.NEGATIVE_INFINITY;
    for (const { path, bytes } of files) {
      fs.mkdirTree(path.slice(0, path.lastIndexOf("/")));
      // A copy: writing to the file must not change the package.
      fs.writeFile(path, bytes.slice(), { canOwn: true });
      fs.chmod(path, 0o755);
      const { node } = fs.lookupPath(path);
      this.#given.set(path, { contents: node.contents, size: node.usedBytes ?? 0, mtime: +fs.lstat(path).mtime });
    }
    for (const folder of folders) fs.mkdirTree(folder);
    this.#bytes = this.#entries = 0;
  }

  /** Closes the descriptors that the last run has left open. */
  #closeStreams(): void {
    const { streams } = this.#fs;
    this.#streams ??= [...streams];
    for (const [number, stream] of streams.entries())
      if (stream && stream !== this.#streams[number]) this.#fs.close(stream);
  }

  /** Whether the standard streams are those of the start. A script can replace them with `os.dup2`. */
  hasStandardStreams(): boolean {
    const kept = this.#streams ?? [];
    return [0, 1, 2].every((number) => this.#fs.streams[number] === kept[number]);
  }

  /** Returns the files that existed at the start of the run and were deleted. */
  *removed(): Generator<string> {
    for (const path of this.#given.keys()) if (!this.#isThere(path)) yield path;
  }

  /** Applies the file changes of a part of the run. */
  update(changed: Iterable<RunFile>, removed: Iterable<string>): void {
    for (const path of removed) if (this.#isThere(path)) this.#fs.unlink(path);
    for (const { path, bytes } of changed) {
      this.#fs.mkdirTree(path.slice(0, path.lastIndexOf("/")));
      this.#fs.writeFile(path, bytes, { canOwn: true });
    }
  }

  /** Returns all folders in the folders of a run, including empty ones. */
  *folders(): Generator<string> {
    for (const folder of FOLDERS) yield* this.#foldersIn(folder);
  }

  *#foldersIn(folder: string): Generator<string> {
    yield folder;
    for (const name of this.#namesIn(folder)) {
      const path = `${folder}/${name}`;
      if (this.#fs.isDir(this.#fs.lstat(path).mode)) yield* this.#foldersIn(path);
    }
  }

  #isThere(path: string): boolean {
    try {
      this.#fs.lstat(path);
      return true;
    } catch {
      return false;
    }
  }

  /** Returns new and changed files, ordered by path. Deleted files are not reported. */
  *changed(): Generator<RunFile> {
    for (const path of FOLDERS.flatMap((folder) => [...this.#changedIn(folder)]).sort())
      yield { path, bytes: this.#fs.readFile(path) };
  }

  *#changedIn(folder: string): Generator<string> {
    for (const name of this.#namesIn(folder)) {
      const path = `${folder}/${name}`;
      const { mode, mtime } = this.#fs.lstat(path);
      if (this.#fs.isDir(mode)) yield* this.#changedIn(path);
      else if (this.#fs.isFile(mode)) {
        const { node } = this.#fs.lookupPath(path);
        const was = this.#given.get(path);
        if (was?.size !== node.usedBytes || was?.contents !== node.contents || was?.mtime !== +mtime) yield path;
      }
    }
  }

  #empty(folder: string): void {
    for (const name of this.#namesIn(folder)) {
      const path = `${folder}/${name}`;
      if (!this.#fs.isDir(this.#fs.lstat(path).mode)) this.#fs.unlink(path);
      else {
        this.#empty(path);
        this.#fs.rmdir(path);
      }
    }
  }

  #namesIn(folder: string): string[] {
    return this.#fs.readdir(folder).filter((name) => name !== "." && name !== "..");
  }

  /** Whether a node is in one of the folders of a run. */
  #isInside(node: FileNode): boolean {
    for (let at = node; ; at = at.parent) {
      if (this.#roots.has(at)) return true;
      if (at.parent === at) return false;
    }
  }

  /** Makes everything else read-only, because the next run uses it too. */
  #protect(): void {
    const fs = this.#fs;
    const inside = (node: FileNode) => {
      if (!this.#isInside(node)) throw new fs.ErrnoError(EROFS);
    };
    const { dir, file } = fs.filesystems.MEMFS.ops_table;
    for (const name of ["mknod", "unlink", "rmdir", "symlink"] as const) {
      const act = dir.node[name];
      dir.node[name] = (parent, called, ...more) => {
        if (called !== CAPTURE) inside(parent);
        return act(parent, called, ...more);
      };
    }
    const { rename } = dir.node;
    dir.node.rename = (node, target, ...more) => {
      inside(node.parent);
      inside(target);
      return rename(node, target, ...more);
    };
    const { setattr } = file.node;
    file.node.setattr = (node, ...more) => {
      inside(node);
      return setattr(node, ...more);
    };
    const { write } = file.stream;
    file.stream.write = (stream, ...more) => {
      inside(stream.node);
      return write(stream, ...more);
    };
  }

  /** Counts the used space. A deleted file counts while it is open. */
  #count(): void {
    const fs = this.#fs;
    const { createNode, hashAddNode, hashRemoveNode, write, doTruncate } = fs;
    const full = (): never => {
      throw new fs.ErrnoError(ENOSPC);
    };
    const grow = (before: number, size: number) => {
      const more = Math.max(0, size - before);
      if (this.#bytes + more > SCRIPT_FILES.bytes) full();
      this.#bytes += more;
    };
    const sizeOf = (node: FileNode) => (fs.streams.some((stream) => stream?.node === node) ? 0 : (node.usedBytes ?? 0));
    fs.createNode = (parent, name, mode, device) => {
      if (this.#entries >= SCRIPT_FILES.entries) full();
      return createNode(parent, name, mode, device);
    };
    fs.hashAddNode = (node) => {
      this.#entries++;
      this.#bytes += sizeOf(node);
      hashAddNode(node);
    };
    fs.hashRemoveNode = (node) => {
      this.#entries--;
      this.#bytes -= sizeOf(node);
      hashRemoveNode(node);
    };
    fs.write = (stream, from, offset, length, position, own) => {
      const { node } = stream;
      if (fs.isFile(node.mode)) grow(node.usedBytes ?? 0, (position ?? stream.position) + length);
      // A pipe contains unread data, but its size is not available.
      else if (fs.isFIFO(node.mode)) grow(0, length);
      return write(stream, from, offset, length, position, own);
    };
    fs.doTruncate = (stream, node, length) => {
      const before = node.usedBytes ?? 0;
      if (fs.isFile(node.mode)) grow(before, length);
      doTruncate(stream, node, length);
      this.#bytes -= Math.max(0, before - length);
    };
  }
}
