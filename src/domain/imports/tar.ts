// Reads a tar archive as a stream, with limits, and rejects anything that parsers may read differently.

import { IMPORT_LIMITS } from "./limits";

/** An archive entry. `bytes` is present for requested files. */
export interface TarEntry {
  path: string;
  type: "file" | "folder" | "link";
  size: number;
  isExecutable: boolean;
  bytes: Uint8Array | null;
}

/** An invalid or too large archive. */
export class TarFault extends Error {
  override readonly name = "TarFault";

  constructor(
    readonly code: "SOURCE_INVALID" | "SOURCE_TOO_LARGE",
    message: string,
  ) {
    super(message);
  }
}

const BLOCK = 512;
/** Long names and attributes of one file. */
const MOST_HEADER = 64 * 1024;
const MOST_PATH = 4_096;

/**
 * Yields the entries of a tar stream. Links, devices and other non-files are `link`.
 *
 * @param wants whether to store a file's bytes; they are in memory until the next entry is requested
 * @throws TarFault
 */
export async function* readTar(
  stream: AsyncIterable<Uint8Array>,
  wants: (path: string, size: number) => boolean,
): AsyncGenerator<TarEntry> {
  const blocks = new Blocks(stream);
  let longName: string | null = null;
  for (let entries = 0; ; ) {
    const header = await blocks.take(BLOCK);
    if (header.every((byte) => byte === 0)) return;
    if (++entries > IMPORT_LIMITS.entries) throw tooLarge(`limit ${IMPORT_LIMITS.entries} entries`);
    requireSum(header);
    const size = octal(header, 124, 12);
    const padded = Math.ceil(size / BLOCK) * BLOCK;
    const type = String.fromCharCode(header[156] ?? 0);
    if ("xgLK".includes(type)) {
      if (size > MOST_HEADER) throw tooLarge("limit 64 KiB per header");
      const value = (await blocks.take(padded)).subarray(0, size);
      if (type === "L") longName = nullEnded(value);
      if (type === "x") longName = pathIn(value) ?? longName;
      continue;
    }
    const prefix = nullEnded(header.subarray(345, 500));
    const short = nullEnded(header.subarray(0, 100));
    const path = longName ?? (prefix === "" ? short : `${prefix}/${short}`);
    longName = null;
    if (path.length > MOST_PATH) throw tooLarge(`limit ${MOST_PATH} characters per path`);
    const isFile = type === "0" || type === "\0";
    const isWanted = isFile && wants(path, size);
    const bytes = isWanted ? (await blocks.take(padded)).slice(0, size) : null;
    if (!isWanted) await blocks.skip(padded);
    const kind = isFile ? "file" : type === "5" ? "folder" : "link";
    yield { path, type: kind, size, isExecutable: (octal(header, 100, 8) & 0o100) !== 0, bytes };
  }
}

/** Reads a stream in pieces of a requested size. */
class Blocks {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);
  #read = 0;

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#source = stream[Symbol.asyncIterator]();
  }

  async take(size: number): Promise<Uint8Array> {
    if (this.#rest.length >= size) return this.#cut(size);
    const whole: Uint8Array[] = [];
    for (let missing = size; missing > 0; ) {
      const piece = await this.#some(missing);
      whole.push(piece);
      missing -= piece.length;
    }
    const taken = new Uint8Array(size);
    let at = 0;
    for (const piece of whole) {
      taken.set(piece, at);
      at += piece.length;
    }
    return taken;
  }

  async skip(size: number): Promise<void> {
    for (let missing = size; missing > 0; ) missing -= (await this.#some(missing)).length;
  }

  async #some(most: number): Promise<Uint8Array> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#source.next();
      if (done === true) throw new TarFault("SOURCE_INVALID", "The archive is incomplete. Import it again.");
      this.#read += value.length;
      if (this.#read > IMPORT_LIMITS.unpackedBytes)
        throw tooLarge(`limit ${IMPORT_LIMITS.unpackedBytes / 1_048_576} MiB`);
      this.#rest = value;
    }
    return this.#cut(Math.min(most, this.#rest.length));
  }

  #cut(size: number): Uint8Array {
    const piece = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(size);
    return piece;
  }
}

/** Reads a number in octal, as in tar. Other encodings are not supported. */
function octal(header: Uint8Array, at: number, length: number): number {
  const text = nullEnded(header.subarray(at, at + length)).trim();
  if (!/^[0-7]*$/.test(text)) throw foreign();
  return text === "" ? 0 : Number.parseInt(text, 8);
}

function requireSum(header: Uint8Array): void {
  const checksum = octal(header, 148, 8);
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (sum !== checksum) throw foreign();
}

/** Returns the path of a pax header with lines `<length> <key>=<value>`. A size there is rejected, because other parsers ignore it. */
function pathIn(bytes: Uint8Array): string | null {
  const text = new TextDecoder().decode(bytes);
  if (/(?:^|\n)\d+ size=/.test(text)) throw foreign();
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(text)?.[1] ?? null;
}

function nullEnded(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
}

function foreign(): TarFault {
  return new TarFault("SOURCE_INVALID", "The source did not return a supported archive. Use a tar.gz or ZIP.");
}

function tooLarge(bound: string): TarFault {
  return new TarFault("SOURCE_TOO_LARGE", `Archive too large (${bound}). Import a smaller archive.`);
}
