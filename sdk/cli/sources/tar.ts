// Reads a tar archive as a stream: regular files only, within limits. Writes nothing to disk.

import { EXIT, Problem } from "../problem";

export interface TarFile {
  path: string;
  bytes: Uint8Array;
  isExecutable: boolean;
}

export interface TarBounds {
  bytes: number;
  entries: number;
}

const BLOCK = 512;
/** Size limit of one file's headers: long names and attributes. */
const MOST_HEADER = 1024 * 1024;

/**
 * Yields the files of a tar stream. Passes links and devices to `refused`. Throws a `Problem` if the stream is not a tar archive or is
 * incomplete.
 * @param wants returns whether the bytes of a file are needed
 */
export async function* readTar(
  stream: AsyncIterable<Uint8Array>,
  bounds: TarBounds,
  {
    wants,
    refused,
    comment,
  }: { wants: (path: string) => boolean; refused: (path: string) => void; comment: (text: string) => void },
): AsyncGenerator<TarFile> {
  const reader = new Blocks(stream, bounds.bytes);
  let entries = 0;
  let next: { path?: string | undefined } = {};
  for (;;) {
    const header = await reader.take(BLOCK);
    if (header === null) throw brokenOff();
    if (header.every((byte) => byte === 0)) return;
    if (++entries > bounds.entries) throw tooLarge(`${bounds.entries} entries`);
    requireSum(header);
    const size = number(header, 124, 12);
    const type = String.fromCharCode(header[156] ?? 0);
    const padded = Math.ceil(size / BLOCK) * BLOCK;
    if ("xgLK".includes(type)) {
      if (size > MOST_HEADER) throw tooLarge("1 MiB in a header");
      const text = await reader.take(padded);
      if (text === null) throw brokenOff();
      const value = text.subarray(0, size);
      if (type === "L") next = { path: nullEnded(value) };
      else if (type === "x") next = { ...next, path: attribute(value, "path") ?? next.path };
      else if (type === "g") comment(attribute(value, "comment") ?? "");
      continue;
    }
    const prefix = nullEnded(header.subarray(345, 500));
    const short = nullEnded(header.subarray(0, 100));
    const path = next.path ?? (prefix === "" ? short : `${prefix}/${short}`);
    next = {};
    const isFile = type === "0" || type === "\0";
    if (isFile && wants(path)) {
      const bytes = await reader.take(padded);
      if (bytes === null) throw brokenOff();
      yield { path, bytes: bytes.slice(0, size), isExecutable: (number(header, 100, 8) & 0o111) !== 0 };
      continue;
    }
    if (!isFile && type !== "5") refused(path);
    if (!(await reader.skip(padded))) throw brokenOff();
  }
}

/** Reads a stream in pieces of a given size. */
class Blocks {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest = new Uint8Array(0);
  #read = 0;

  constructor(
    stream: AsyncIterable<Uint8Array>,
    private readonly most: number,
  ) {
    this.#source = stream[Symbol.asyncIterator]();
  }

  /** Returns `size` bytes, or `null` at the end of the stream. */
  async take(size: number): Promise<Uint8Array | null> {
    if (size > this.most) throw tooLarge(`${this.most} bytes`);
    const pieces: Uint8Array[] = [];
    let missing = size;
    while (missing > 0) {
      if (this.#rest.length === 0 && !(await this.#more())) return null;
      const piece = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(piece.length);
      missing -= piece.length;
      pieces.push(piece);
    }
    return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
  }

  async skip(size: number): Promise<boolean> {
    let missing = size;
    while (missing > 0) {
      if (this.#rest.length === 0 && !(await this.#more())) return false;
      const gone = Math.min(missing, this.#rest.length);
      this.#rest = this.#rest.subarray(gone);
      missing -= gone;
    }
    return true;
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#source.next();
    if (done === true) return false;
    this.#read += value.length;
    if (this.#read > this.most) throw tooLarge(`${Math.round(this.most / 1024 / 1024)} MiB`);
    this.#rest = new Uint8Array(value);
    return true;
  }
}

function number(header: Uint8Array, at: number, length: number): number {
  const text = nullEnded(header.subarray(at, at + length)).trim();
  if (!/^[0-7]*$/.test(text))
    throw new Problem(EXIT.refused, "The downloaded file is not a supported archive. Check the URL.");
  return text === "" ? 0 : Number.parseInt(text, 8);
}

function requireSum(header: Uint8Array): void {
  const checksum = number(header, 148, 8);
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (sum !== checksum)
    throw new Problem(EXIT.refused, "The downloaded file is not a supported archive. Check the URL.");
}

function nullEnded(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString("utf8");
}

/** Returns a value of a pax header, which has lines `<length> <key>=<value>`. */
function attribute(bytes: Uint8Array, key: string): string | undefined {
  const text = Buffer.from(bytes).toString("utf8");
  return new RegExp(`(?:^|\\n)\\d+ ${key}=([^\\n]*)\\n`).exec(text)?.[1];
}

function tooLarge(bound: string): Problem {
  return new Problem(EXIT.refused, `Archive too large (limit ${bound}). Use a smaller archive.`);
}

function brokenOff(): Problem {
  return new Problem(EXIT.unreachable, "The download was interrupted. Nothing was saved. Try again.");
}
