// Implements `tar`: creates, lists and unpacks archives of files and folders, plain or with gzip.

import { gunzipSync, gzipSync } from "node:zlib";

const BLOCK = 512;
const text = new TextEncoder();
const read = new TextDecoder();
const MOST = 64 * 1024 * 1024;

export function tarCommand() {
  return { name: "tar", execute: tar };
}

async function tar(args, { fs, cwd, stdin }) {
  const options = { file: "-", folder: cwd, strip: 0, words: [] };
  const letters = new Set();
  const took = { f: "file", C: "folder" };
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    const [, name, value] = /^--([\w-]+)(?:=(.*))?$/.exec(word) ?? [];
    if (name === "strip-components") options.strip = Number(value ?? args[++at]);
    else if (name === "file") options.file = value ?? args[++at];
    else if (name === "directory") options.folder = fs.resolvePath(cwd, value ?? args[++at]);
    else if (name !== undefined)
      letters.add({ create: "c", extract: "x", list: "t", gzip: "z", verbose: "v" }[name] ?? "");
    else if (at === 0 || (word.startsWith("-") && word !== "-"))
      for (const letter of word.replace(/^-/, "")) {
        letters.add(letter);
        if (!Object.hasOwn(took, letter)) continue;
        const given = args[++at] ?? "";
        options[took[letter]] = letter === "C" ? fs.resolvePath(cwd, given) : given;
      }
    else options.words.push(word);
  }
  try {
    if (letters.has("c")) return await create(fs, cwd, options, letters);
    if (letters.has("x") || letters.has("t")) return await unpack(fs, cwd, options, letters, stdin);
  } catch (error) {
    return { stdout: "", stderr: `tar: ${error.message}\n`, exitCode: 2 };
  }
  return { stdout: "", stderr: "tar: You must specify one of the '-ctx' options\n", exitCode: 2 };
}

async function create(fs, cwd, { file, folder, words }, letters) {
  if (words.length === 0) throw new Error("Cowardly refusing to create an empty archive");
  const blocks = [];
  const told = [];
  const add = async (name) => {
    const path = fs.resolvePath(folder, name);
    const { isDirectory, mode, mtime } = await fs.stat(path).catch(() => {
      throw new Error(`${name}: Cannot stat: No such file or directory`);
    });
    const shown = isDirectory ? `${name.replace(/\/+$/, "")}/` : name;
    const bytes = isDirectory ? new Uint8Array() : await fs.readFileBuffer(path);
    told.push(shown);
    blocks.push(
      header(shown.replace(/^\/+/, ""), bytes.length, mode, mtime, isDirectory),
      bytes,
      new Uint8Array(-bytes.length & (BLOCK - 1)),
    );
    if (isDirectory) for (const inner of await fs.readdir(path)) await add(`${shown}${inner}`);
  };
  for (const word of words) await add(word);
  const plain = joined([...blocks, new Uint8Array(2 * BLOCK)]);
  const bytes = letters.has("z") ? new Uint8Array(gzipSync(plain)) : plain;
  const list = letters.has("v") ? told.map((name) => `${name}\n`).join("") : "";
  if (file === "-") return { stdout: latin1(bytes), stdoutKind: "bytes", stderr: list, exitCode: 0 };
  await fs.writeFile(fs.resolvePath(cwd, file), bytes);
  return { stdout: list, stderr: "", exitCode: 0 };
}

async function unpack(fs, cwd, { file, folder, strip, words }, letters, stdin) {
  const packed =
    file === "-"
      ? Uint8Array.from(stdin, (char) => char.charCodeAt(0))
      : await fs.readFileBuffer(fs.resolvePath(cwd, file)).catch(() => {
          throw new Error(`${file}: Cannot open: No such file or directory`);
        });
  const bytes =
    packed[0] === 0x1f && packed[1] === 0x8b ? new Uint8Array(gunzipSync(packed, { maxOutputLength: MOST })) : packed;
  const told = [];
  for (let at = 0; at + BLOCK <= bytes.length && bytes[at] !== 0; ) {
    const field = (from, length) =>
      read.decode(bytes.subarray(at + from, at + from + length)).replace(/\0[\s\S]*$/, "");
    const size = Number.parseInt(field(124, 12).trim() || "0", 8);
    const prefix = field(257, 5) === "ustar" ? field(345, 155) : "";
    const name = (prefix === "" ? "" : `${prefix}/`) + field(0, 100);
    const body = bytes.subarray(at + BLOCK, at + BLOCK + size);
    if (!(size >= 0) || body.length < size) throw new Error("Unexpected EOF in archive");
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (words.length > 0 && !words.some((word) => name === word || name.startsWith(`${word.replace(/\/+$/, "")}/`)))
      continue;
    told.push(name);
    if (letters.has("t")) continue;
    const parts = name
      .split("/")
      .filter((part) => part !== "" && part !== ".")
      .slice(strip);
    if (parts.includes("..")) throw new Error(`${name}: Member name contains '..'`);
    if (parts.length === 0) continue;
    const path = `${folder}/${parts.join("/")}`;
    if (name.endsWith("/")) await fs.mkdir(path, { recursive: true });
    else {
      await fs.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
      await fs.writeFile(path, body.slice());
      await fs.chmod(path, Number.parseInt(field(100, 8).trim() || "644", 8) & 0o777);
    }
  }
  const list = letters.has("t") || letters.has("v") ? told.map((name) => `${name}\n`).join("") : "";
  return { stdout: list, stderr: "", exitCode: 0 };
}

function header(name, size, mode, mtime, isFolder) {
  const bytes = new Uint8Array(BLOCK);
  const put = (at, value) => bytes.set(text.encode(value), at);
  let [prefix, last] = ["", name];
  if (text.encode(name).length > 100) {
    const cut = name.lastIndexOf("/", 100);
    [prefix, last] = [name.slice(0, cut), name.slice(cut + 1)];
    if (cut <= 0 || text.encode(last).length > 100 || text.encode(prefix).length > 155)
      throw new Error(`${name}: file name is too long`);
  }
  const octal = (value, length) =>
    `${Math.floor(value)
      .toString(8)
      .padStart(length - 1, "0")}\0`;
  put(0, last);
  put(100, octal(mode & 0o777, 8));
  put(108, octal(1000, 8));
  put(116, octal(1000, 8));
  put(124, octal(size, 12));
  put(136, octal(mtime.getTime() / 1_000, 12));
  put(148, "        ");
  put(156, isFolder ? "5" : "0");
  put(257, "ustar\x0000");
  put(265, "skill");
  put(297, "skill");
  put(345, prefix);
  put(
    148,
    `${bytes
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, "0")}\0 `,
  );
  return bytes;
}

function joined(parts) {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function latin1(bytes) {
  const parts = [];
  for (let at = 0; at < bytes.length; at += 8_192) parts.push(String.fromCharCode(...bytes.subarray(at, at + 8_192)));
  return parts.join("");
}
