// Creates the in-memory files of a run: its own copy of the package, writable folders, and standard input and output as files.

import { createFsFromVolume, Volume } from "memfs";
import { begin, callbackOf, during } from "./loop.js";

const IN = "/dev/stdin";
const OUTPUTS = new Map([
  [1, "stdout"],
  [2, "stderr"],
  ["/dev/stdout", "stdout"],
  ["/dev/stderr", "stderr"],
]);

/** Creates the files of the package and the call, and finds new and changed ones. */
export function makeFiles({ zip, files, given, limits, run }) {
  const volume = new Volume();
  const fs = createFsFromVolume(volume);
  const original = new Map();
  for (const folder of [...limits.roots, "/dev", ...(run.asked.folders ?? [])])
    fs.mkdirSync(folder, { recursive: true });
  const put = (path, bytes, mode) => {
    fs.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    fs.writeFileSync(path, bytes, { mode });
    original.set(path, bytes);
  };
  const gone = new Set(run.asked.gone);
  for (const { path, offset, size, mode } of files) {
    const full = `${limits.skill}/${path}`;
    if (!gone.has(full)) put(full, new Uint8Array(zip, offset, size), mode);
  }
  for (const { path, bytes } of given) put(path, bytes, 0o644);
  put(IN, new TextEncoder().encode(run.asked.input), 0o644);
  bound(volume, limits);
  countWork(fs, run);
  patchStandard(fs, run);
  // A script can replace the functions of its module.
  const own = { ...fs };
  const written = () => limits.roots.flatMap((root) => filesBelow(own, root));
  return { fs, volume, original, written: () => new Map(written()) };
}

/** Sets the folder for relative paths. Files keep the owner with which memfs checks permissions, whatever user the script is. */
export function bindProcess(fs, process) {
  const core = fs.__vol._core;
  const { process: own } = core;
  core.process = {
    cwd: () => process.cwd(),
    platform: process.platform,
    getuid: () => own.getuid?.() ?? 0,
    getgid: () => own.getgid?.() ?? 0,
  };
}

export function isChanged({ original }, path, bytes) {
  const before = original.get(path);
  return before === undefined || Buffer.compare(before, bytes) !== 0;
}

function filesBelow(fs, folder) {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return filesBelow(fs, path);
      return entry.isFile() ? [[path, fs.readFileSync(path)]] : [];
    });
}

/** Rejects writes over the run's limits with the error of a full disk. */
function bound({ _core: core }, { bytes, entries }) {
  const used = { bytes: 0, entries: 0 };
  const full = (call) =>
    Object.assign(new Error(`ENOSPC: no space left on device, ${call}`), { code: "ENOSPC", errno: -28, syscall: call });
  const grow = (node, size, call) => {
    const more = Math.max(0, size - node.size);
    if (used.bytes + more > bytes) throw full(call);
    used.bytes += more;
  };
  const watch = (node) => {
    const { write, truncate, setBuffer, del } = node;
    node.write = (buffer, offset = 0, length = buffer.length, position = 0) => {
      grow(node, position + length, "write");
      return write.call(node, buffer, offset, length, position);
    };
    node.truncate = (length = 0) => {
      grow(node, length, "ftruncate");
      used.bytes -= Math.max(0, node.size - Math.max(0, length));
      return truncate.call(node, length);
    };
    node.setBuffer = (buffer) => {
      grow(node, buffer.length, "write");
      return setBuffer.call(node, buffer);
    };
    node.del = (...args) => {
      used.bytes -= node.size;
      used.entries--;
      return del.apply(node, args);
    };
    return node;
  };
  for (const node of Object.values(core.inodes)) {
    watch(node);
    // Files of the package do not count, and deleting them frees no quota.
    used.bytes += node.size;
    used.entries++;
  }
  const [base, count] = [used.bytes, used.entries];
  bytes += base;
  entries += count;
  const { createNode } = core;
  core.createNode = (mode) => {
    if (used.entries + 1 > entries) throw full("open");
    used.entries++;
    return watch(createNode.call(core, mode));
  };
}

/** Counts file operations as pending work of the script. */
function countWork(fs, run) {
  for (const [name, own] of Object.entries(fs)) {
    if (typeof own !== "function" || /^[A-Z_]|Sync$|^create|^watch|^unwatch/.test(name)) continue;
    fs[name] = (...args) => {
      const at = args.length - 1;
      const callback = args[at];
      if (typeof callback === "function") {
        const end = begin(run);
        const call = callbackOf(run, callback);
        args[at] = (...answer) => {
          end();
          call(...answer);
        };
      }
      return own.apply(fs, args);
    };
    Object.assign(fs[name], own);
  }
  const { promises } = fs;
  const counted = { constants: fs.constants };
  for (const name of namesOf(promises)) {
    const own = promises[name];
    if (typeof own !== "function" || name === "constructor") continue;
    counted[name] = (...args) => {
      const answer = own.apply(promises, args);
      return typeof answer?.then === "function"
        ? during(
            run,
            answer.then((value) => handleOf(value, run)),
          )
        : answer;
    };
  }
  Object.defineProperty(fs, "promises", { value: counted, enumerable: true, configurable: true, writable: true });
  for (const name of ["createReadStream", "createWriteStream"]) {
    const own = fs[name];
    fs[name] = (...args) => countStream(own.apply(fs, args), run);
  }
}

function namesOf(object) {
  const names = new Set();
  for (let at = object; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  return names;
}

/** Counts the promises of an open file as pending work too. */
function handleOf(value, run) {
  if (typeof value?.fd !== "number" || typeof value.close !== "function") return value;
  for (const name of ["read", "readFile", "write", "writeFile", "appendFile", "close", "stat", "truncate", "sync"]) {
    const own = value[name];
    if (typeof own === "function") value[name] = (...args) => during(run, own.apply(value, args));
  }
  return value;
}

/** Counts a stream as pending work while it reads or writes, but not while it is idle. */
export function countStream(stream, run) {
  for (const [name, at] of [
    ["_write", 2],
    ["_writev", 1],
    ["_final", 0],
    ["_destroy", 1],
  ]) {
    const own = stream[name];
    if (typeof own !== "function") continue;
    stream[name] = (...args) => {
      const end = begin(run);
      const callback = args[at];
      args[at] = (...answer) => {
        end();
        callback(...answer);
      };
      return own.apply(stream, args);
    };
  }
  let end = null;
  const { _read: read, push } = stream;
  if (typeof read === "function") {
    stream._read = (size) => {
      end ??= begin(run);
      return read.call(stream, size);
    };
    stream.push = (...args) => {
      end?.();
      end = null;
      return push.apply(stream, args);
    };
    stream.once("close", () => end?.());
  }
  return stream;
}

/** Provides standard input and output by number and by name. */
function patchStandard(fs, run) {
  const target = (file) =>
    OUTPUTS.get(
      typeof file === "string"
        ? file.replace(/^\/proc\/self\/fd\/([12])$/, (_, n) => ["/dev/stdout", "/dev/stderr"][n - 1])
        : file,
    );
  let opened = null;
  const numberOf = (fd) => {
    if (fd !== 0) return fd;
    opened ??= fs.openSync(IN, "r");
    return opened;
  };
  const fileOf = (file) => (file === 0 || file === "/proc/self/fd/0" || file === "/dev/fd/0" ? IN : file);
  const {
    readFileSync,
    readFile,
    writeFileSync,
    appendFileSync,
    writeSync,
    write,
    readSync,
    read,
    fstatSync,
    closeSync,
    createReadStream,
  } = fs;
  const { readFile: readFilePromise, writeFile: writeFilePromise } = fs.promises;
  fs.readFileSync = (file, ...rest) => readFileSync(fileOf(file), ...rest);
  fs.readFile = (file, ...rest) => readFile(fileOf(file), ...rest);
  fs.promises.readFile = (file, ...rest) => readFilePromise(fileOf(file), ...rest);
  fs.createReadStream = (file, options) =>
    options?.fd === 0 ? createReadStream(IN, { ...options, fd: undefined }) : createReadStream(fileOf(file), options);
  for (const [name, own] of Object.entries({ writeFileSync, appendFileSync })) {
    fs[name] = (file, data, ...rest) => {
      const output = target(file);
      return output === undefined ? own(file, data, ...rest) : run.writeBytes(output, data);
    };
  }
  fs.promises.writeFile = async (file, data, ...rest) => {
    const output = target(file);
    return output === undefined ? writeFilePromise(file, data, ...rest) : run.writeBytes(output, data);
  };
  fs.writeSync = (fd, data, ...rest) => {
    const output = target(fd);
    return output === undefined ? writeSync(fd, data, ...rest) : run.writeBytes(output, partOf(data, rest));
  };
  fs.write = (fd, data, ...rest) => {
    const output = target(fd);
    if (output === undefined) return write(fd, data, ...rest);
    const callback = rest.findLast((one) => typeof one === "function");
    const length = run.writeBytes(output, partOf(data, rest));
    queueMicrotask(() => callback?.(null, length, data));
  };
  fs.readSync = (fd, ...rest) => readSync(numberOf(fd), ...rest);
  fs.read = (fd, ...rest) => read(numberOf(fd), ...rest);
  fs.closeSync = (fd) => (fd <= 2 ? undefined : closeSync(fd));
  fs.fstatSync = (fd, ...rest) => (fd > 2 ? fstatSync(fd, ...rest) : pipeStats());
}

function partOf(data, [offset, length]) {
  if (typeof data === "string" || typeof offset !== "number") return data;
  return data.subarray(offset, typeof length === "number" ? offset + length : undefined);
}

function pipeStats() {
  const no = () => false;
  const kinds = {
    isFile: no,
    isDirectory: no,
    isCharacterDevice: no,
    isSocket: no,
    isSymbolicLink: no,
    isBlockDevice: no,
  };
  return { ...kinds, isFIFO: () => true, size: 0, mode: 0o010600 };
}
