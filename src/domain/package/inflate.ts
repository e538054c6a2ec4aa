// Inflates raw DEFLATE (RFC 1951) from untrusted input: output is limited, and the end of the stream is reported.
//
// Existing libraries do not meet this. fflate hides the end of the stream and accepts broken stored blocks and code sets.
// DecompressionStream in workerd buffers the full output of one write. The one in Node ignores trailing bytes. This module rejects the same
// streams as zlib. The tests compare both on damaged streams.

import { buildCodes, type Codes } from "./huffman";

/** An inflated stream. `consumed` is the number of input bytes it used. */
export interface Inflated {
  bytes: Uint8Array;
  consumed: number;
}

/** A bit reader, lowest bit first. Past the end of the input it returns zeros and sets `exhausted`. */
interface Bits {
  input: Uint8Array;
  at: number;
  hold: number;
  held: number;
}

/** The output so far. `buffer` grows with the bytes written, never with a declared size. */
interface Sink {
  buffer: Uint8Array;
  length: number;
  limit: number;
}

type Failure = "broken" | "too_long";

const LENGTH_BASE = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const END_OF_BLOCK = 256;
const LAST_LITERAL = 285;
const LAST_DISTANCE = 29;
const FIRST_BUFFER_BYTES = 32 * 1024;
/** The codes of blocks without their own codes. Built on first use rather than at every start of the Worker. */
let fixed: { literals: Codes | null; distances: Codes | null } | undefined;

/**
 * Inflates the raw DEFLATE stream at the start of `input`.
 *
 * @param limit the maximum output in bytes
 * @returns the bytes, `"broken"` if the stream is invalid or incomplete, `"too_long"` if the output exceeds the limit
 */
export function inflate(input: Uint8Array, limit: number): Inflated | Failure {
  const bits: Bits = { input, at: 0, hold: 0, held: 0 };
  const sink: Sink = { buffer: new Uint8Array(Math.min(limit, FIRST_BUFFER_BYTES)), length: 0, limit };
  for (;;) {
    const last = take(bits, 1) === 1;
    const failure = inflateBlock(bits, sink, take(bits, 2));
    if (exhausted(bits)) return "broken";
    if (failure !== null) return failure;
    if (last) return { bytes: sink.buffer.slice(0, sink.length), consumed: consumed(bits) };
  }
}

function inflateFixed(bits: Bits, sink: Sink): Failure | null {
  fixed ??= {
    literals: buildCodes(
      new Uint8Array(288).fill(8, 0, 144).fill(9, 144, 256).fill(7, 256, 280).fill(8, 280, 288),
      false,
    ),
    distances: buildCodes(new Uint8Array(32).fill(5), false),
  };
  return inflateCoded(bits, sink, fixed.literals, fixed.distances);
}

function inflateBlock(bits: Bits, sink: Sink, type: number): Failure | null {
  if (type === 0) return copyStored(bits, sink);
  if (type === 1) return inflateFixed(bits, sink);
  if (type === 2) return inflateDynamic(bits, sink);
  return "broken";
}

function copyStored(bits: Bits, sink: Sink): Failure | null {
  const [low = 0, high = 0, notLow = 0, notHigh = 0] = takeBytes(bits, 4);
  if ((low ^ notLow) !== 0xff || (high ^ notHigh) !== 0xff) return "broken";
  const bytes = takeBytes(bits, low | (high << 8));
  if (!reserve(sink, bytes.length)) return "too_long";
  sink.buffer.set(bytes, sink.length);
  sink.length += bytes.length;
  return null;
}

function inflateDynamic(bits: Bits, sink: Sink): Failure | null {
  const literalCount = take(bits, 5) + 257;
  const distanceCount = take(bits, 5) + 1;
  const codeCount = take(bits, 4) + 4;
  if (literalCount > LAST_LITERAL + 1 || distanceCount > LAST_DISTANCE + 1) return "broken";

  const codeLengths = new Uint8Array(CODE_LENGTH_ORDER.length);
  for (const symbol of CODE_LENGTH_ORDER.slice(0, codeCount)) codeLengths[symbol] = take(bits, 3);
  const lengths = readCodeLengths(bits, buildCodes(codeLengths, false), literalCount + distanceCount);
  if (lengths === null) return "broken";
  const literals = buildCodes(lengths.subarray(0, literalCount), true);
  const distances = buildCodes(lengths.subarray(literalCount), true);
  return inflateCoded(bits, sink, literals, distances);
}

function readCodeLengths(bits: Bits, codes: Codes | null, count: number): Uint8Array | null {
  if (codes === null) return null;
  const lengths = new Uint8Array(count);
  for (let at = 0; at < count; ) {
    const symbol = takeSymbol(bits, codes);
    if (symbol < 0 || (symbol === 16 && at === 0)) return null;
    const value = symbol < 16 ? symbol : symbol === 16 ? (lengths[at - 1] ?? 0) : 0;
    const times = symbol < 16 ? 1 : repeatCount(bits, symbol);
    if (at + times > count) return null;
    lengths.fill(value, at, at + times);
    at += times;
  }
  return lengths;
}

function repeatCount(bits: Bits, symbol: number): number {
  if (symbol === 16) return 3 + take(bits, 2);
  return symbol === 17 ? 3 + take(bits, 3) : 11 + take(bits, 7);
}

function inflateCoded(bits: Bits, sink: Sink, literals: Codes | null, distances: Codes | null): Failure | null {
  if (literals === null || distances === null) return "broken";
  for (;;) {
    const symbol = takeSymbol(bits, literals);
    if (symbol === END_OF_BLOCK) return null;
    // After the end of the input, zeros can decode to further symbols, at most until the limit.
    if (symbol < 0 || symbol > LAST_LITERAL) return "broken";
    if (symbol < END_OF_BLOCK) {
      if (sink.length === sink.buffer.length && !reserve(sink, 1)) return "too_long";
      sink.buffer[sink.length++] = symbol;
      continue;
    }
    const length = (LENGTH_BASE[symbol - 257] ?? 0) + take(bits, LENGTH_EXTRA[symbol - 257] ?? 0);
    const code = takeSymbol(bits, distances);
    if (code < 0 || code > LAST_DISTANCE) return "broken";
    const extra = code < 4 ? 0 : (code >> 1) - 1;
    const distance = 1 + (code < 4 ? code : (2 + (code & 1)) << extra) + take(bits, extra);
    if (distance > sink.length) return "broken";
    if (!reserve(sink, length)) return "too_long";
    repeat(sink, distance, length);
  }
}

/** Reserves room for `count` more bytes. Returns false if that exceeds the limit. */
function reserve(sink: Sink, count: number): boolean {
  const needed = sink.length + count;
  if (needed > sink.limit) return false;
  if (needed > sink.buffer.length) {
    const grown = new Uint8Array(Math.min(sink.limit, Math.max(needed, sink.buffer.length * 2)));
    grown.set(sink.buffer);
    sink.buffer = grown;
  }
  return true;
}

/** Copies byte by byte, because source and target overlap by design. */
function repeat(sink: Sink, distance: number, count: number): void {
  const { buffer } = sink;
  const end = sink.length + count;
  for (let at = sink.length; at < end; at++) buffer[at] = buffer[at - distance] ?? 0;
  sink.length = end;
}

/** @param count at most 16, so that the buffered bits fit 32 bits */
function take(bits: Bits, count: number): number {
  fill(bits, count);
  const value = bits.hold & ((1 << count) - 1);
  bits.hold >>>= count;
  bits.held -= count;
  return value;
}

/** Returns the next symbol, or -1 if no code matches. */
function takeSymbol(bits: Bits, codes: Codes): number {
  fill(bits, codes.bits);
  const entry = codes.table[bits.hold & ((1 << codes.bits) - 1)] ?? 0;
  if (entry === 0) return -1;
  bits.hold >>>= entry & 15;
  bits.held -= entry & 15;
  return entry >>> 4;
}

/** Drops the rest of the current byte and returns whole bytes. Returns fewer than requested at the end of the input. */
function takeBytes(bits: Bits, count: number): Uint8Array {
  const start = consumed(bits);
  bits.at = start + count;
  bits.hold = 0;
  bits.held = 0;
  return bits.input.subarray(start, start + count);
}

function fill(bits: Bits, count: number): void {
  while (bits.held < count) {
    bits.hold |= (bits.input[bits.at++] ?? 0) << bits.held;
    bits.held += 8;
  }
}

/** Returns the number of bytes used. The last one may have unread bits. */
function consumed(bits: Bits): number {
  return bits.at - (bits.held >>> 3);
}

function exhausted(bits: Bits): boolean {
  return consumed(bits) > bits.input.length;
}
