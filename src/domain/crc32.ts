// CRC-32 as ZIP uses it (reflected, polynomial 0xEDB88320), four bytes at a time.

const POLYNOMIAL = 0xedb88320;
/** Made when first used: few requests touch a ZIP, but every start of the Worker would pay. */
let table: Int32Array | undefined;

/** The unsigned CRC-32 of the bytes. */
export function crc32(bytes: Uint8Array): number {
  table ??= makeTable();
  const rows = table;
  const row = (index: number, byte: number): number => rows[index * 256 + (byte & 0xff)] ?? 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const words = bytes.length - (bytes.length % 4);
  let crc = -1;
  for (let at = 0; at < words; at += 4) {
    const word = crc ^ view.getInt32(at, true);
    crc = row(3, word) ^ row(2, word >>> 8) ^ row(1, word >>> 16) ^ row(0, word >>> 24);
  }
  for (const byte of bytes.subarray(words)) crc = (crc >>> 8) ^ row(0, crc ^ byte);
  return ~crc >>> 0;
}

/** Row k is the effect of a byte that k more bytes follow. */
function makeTable(): Int32Array {
  const made = new Int32Array(4 * 256);
  for (let index = 0; index < 256; index++) {
    let value = index;
    for (let bit = 1; bit <= 32; bit++) {
      value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
      if (bit % 8 === 0) made[(bit / 8 - 1) * 256 + index] = value;
    }
  }
  return made;
}
