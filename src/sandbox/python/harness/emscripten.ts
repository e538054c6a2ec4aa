// Declares the internals of Pyodide's core that the harness uses. They are not a public interface, so the version is pinned and tests cover
// all uses.

export interface FileNode {
  mode: number;
  contents: unknown;
  usedBytes?: number;
  parent: FileNode;
}

type InFolder = (parent: FileNode, name: string, ...more: unknown[]) => unknown;
type Write = (s: FileStream, from: unknown, offset: number, length: number, position?: number, own?: boolean) => number;

export interface FileStat {
  mode: number;
  size: number;
  mtime: Date;
}

export interface FileStream {
  node: FileNode;
  position: number;
}

export interface FileSystem {
  ErrnoError: new (errno: number) => Error;
  ignorePermissions: boolean;
  streams: readonly (FileStream | null | undefined)[];
  createNode(parent: FileNode, name: string, mode: number, device: number): FileNode;
  hashAddNode(node: FileNode): void;
  hashRemoveNode(node: FileNode): void;
  write: Write;
  close(stream: FileStream): void;
  doTruncate(stream: FileStream | null, node: FileNode, length: number): void;
  chdir(path: string): void;
  mkdirTree(path: string): void;
  writeFile(path: string, bytes: Uint8Array, options?: { canOwn: boolean }): void;
  readFile(path: string): Uint8Array;
  readdir(path: string): string[];
  lookupPath(path: string): { node: FileNode };
  lstat(path: string): FileStat;
  isFile(mode: number): boolean;
  isDir(mode: number): boolean;
  isFIFO(mode: number): boolean;
  chmod(path: string, mode: number): void;
  unlink(path: string): void;
  rmdir(path: string): void;
  /** The file system implementation of all in-memory nodes. */
  filesystems: {
    MEMFS: {
      ops_table: {
        dir: {
          node: Record<"mknod" | "unlink" | "rmdir" | "symlink", InFolder> & {
            rename(node: FileNode, target: FileNode, ...more: unknown[]): unknown;
          };
        };
        file: { node: { setattr(node: FileNode, ...more: unknown[]): unknown }; stream: { write: Write } };
      };
    };
  };
}

export interface Core {
  FS: FileSystem;
  ENV: Record<string, string>;
  HEAP8: Int8Array;
  HEAPU32: Uint32Array;
  _Py_Version: number;
  _Py_EMSCRIPTEN_SIGNAL_HANDLING: number;
  locateFile(path: string): string;
}

/** A Python value, seen from JavaScript. */
export interface Callable {
  (...values: unknown[]): unknown;
  /** Runs the function on a stack that can be suspended while it waits. */
  callPromising(...values: unknown[]): Promise<unknown>;
}

interface Stream {
  isatty: boolean;
}

export interface Python {
  setStdout(stream: Stream & { write(bytes: Uint8Array): number }): void;
  setStderr(stream: Stream & { write(bytes: Uint8Array): number }): void;
  setStdin(stream: Stream & { read(into: Uint8Array): number }): void;
  registerJsModule(name: string, module: object): void;
  unregisterJsModule(name: string): void;
  runPython(source: string): unknown;
  pyimport(name: string): Record<string, Callable>;
}

export interface CoreApi {
  config: object;
  runtimeEnv: object;
  pyVersionTuple?: number[];
  sitePackages?: string;
  finalizeBootstrap(): Python;
  initializeStreams(): void;
  _pyodide: { set_excepthook(): void };
}
