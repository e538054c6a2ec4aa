// CRC-32 as used by ZIP (reflected, polynomial 0xEDB88320), sixteen bytes at a time, because every upload is checked with it.

const POLYNOMIAL = 0xedb88320;
const STEP = 16;
/** Created on first use: few requests need it, but every start of the Worker would pay. */
let table: Int32Array | undefined;

/** Returns the unsigned CRC-32 of the bytes. */
export function crc32(bytes: Uint8Array): number {
  table ??= makeTable();
  const rows = table;
  const row = (index: number, byte: number): number => rows[index * 256 + (byte & 0xff)] ?? 0;
  /** Returns the effect of four bytes that are followed by `after` more. */
  const four = (after: number, word: number): number =>
    row(after + 3, word) ^ row(after + 2, word >>> 8) ^ row(after + 1, word >>> 16) ^ row(after, word >>> 24);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = bytes.length - (bytes.length % STEP);
  let crc = -1;
  for (let at = 0; at < whole; at += STEP) {
    crc =
      four(12, crc ^ view.getInt32(at, true)) ^
      four(8, view.getInt32(at + 4, true)) ^
      four(4, view.getInt32(at + 8, true)) ^
      four(0, view.getInt32(at + 12, true));
  }
  for (const byte of bytes.subarray(whole)) crc = (crc >>> 8) ^ row(0, crc ^ byte);
  return ~crc >>> 0;
}

/** Row k contains the effect of a byte that is followed by k more. */
function makeTable(): Int32Array {
  const made = new Int32Array(STEP * 256);
  for (let index = 0; index < 256; index++) {
    let value = index;
    for (let bit = 1; bit <= 8 * STEP; bit++) {
      value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
      if (bit % 8 === 0) made[(bit / 8 - 1) * 256 + index] = value;
    }
  }
  return made;
}
