// Writes and reads tar archives of regular files, with pax headers for long names. Links, devices and other entries are not read.

const BLOCK = 512;

/** @param {Iterable<{ path: string, bytes: Uint8Array, mode?: number }>} files @returns {Buffer} */
export function writeTar(files) {
  const parts = [];
  for (const { path, bytes, mode = 0o644 } of files) {
    const name = path.replace(/^\/+/, "");
    const record = paxRecord("path", name);
    parts.push(header("pax", record.length, 0o644, "x"), padded(record));
    parts.push(header(name.slice(0, 60), bytes.length, mode, "0"), padded(bytes));
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function paxRecord(key, value) {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

function header(name, size, mode, type) {
  const block = Buffer.alloc(BLOCK);
  const octal = (value, at, length) => block.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1");
  block.write(name.replace(/[^\x20-\x7e]/g, "_"), 0, 99, "latin1");
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  block.write("        ", 148, "latin1");
  block.write(type, 156, "latin1");
  block.write("ustar\0" + "00", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

function padded(bytes) {
  const rest = bytes.length % BLOCK;
  return rest === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(BLOCK - rest)]);
}

/**
 * Returns the regular files of an archive. An archive that is cut off or damaged ends with the last whole file.
 * @param {Buffer} archive
 * @returns {{ path: string, bytes: Buffer }[]}
 */
export function readTar(archive) {
  const files = [];
  let long = null;
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const block = archive.subarray(at, at + BLOCK);
    const size = Number.parseInt(text(block, 124, 12), 8);
    const type = text(block, 156, 1);
    if (text(block, 257, 5) !== "ustar" || !Number.isSafeInteger(size) || size < 0) break;
    const bytes = archive.subarray(at + BLOCK, at + BLOCK + size);
    if (bytes.length < size) break;
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (type === "x") {
      long = paxPath(bytes);
      continue;
    }
    const prefix = text(block, 345, 155);
    const name = long ?? (prefix === "" ? "" : `${prefix}/`) + text(block, 0, 100);
    if (type === "0" || type === "") files.push({ path: `/${name.replace(/^[./]+/, "")}`, bytes });
    long = null;
  }
  return files;
}

function text(block, at, length) {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? length : end).toString("utf8");
}

function paxPath(bytes) {
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = Number.parseInt(bytes.subarray(at, space).toString("latin1"), 10);
    if (space < 0 || !(length > 0)) return null;
    const record = bytes.subarray(space + 1, at + length - 1).toString("utf8");
    if (record.startsWith("path=")) return record.slice("path=".length);
    at += length;
  }
  return null;
}
