// The extra fields of a ZIP record. Two of them change what a record says, so readers that know them and readers that
// do not must come to the same result; all others (times, owners, padding) are tolerated and ignored.

/** What the extra fields say. */
export interface Extra {
  /** 64-bit values that stand for 32-bit fields marked with 0xFFFFFFFF, in the order of those fields; `null`: no such field. */
  zip64: number[] | null;
  /** The name that Info-ZIP's field 0x7075 gives for `forName`; `null`: no such field. */
  unicodePath: { forName: number; name: Uint8Array } | null;
}

const ZIP64 = 0x0001;
const UNICODE_PATH = 0x7075;

/** Reads an extra field block; `null` when it is damaged or holds one of the two fields twice. */
export function readExtra(bytes: Uint8Array): Extra | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const extra: Extra = { zip64: null, unicodePath: null };
  let at = 0;
  while (at < bytes.length) {
    if (at + 4 > bytes.length) return null;
    const id = view.getUint16(at, true);
    const start = at + 4;
    at = start + view.getUint16(at + 2, true);
    if (at > bytes.length) return null;
    if (id === ZIP64) {
      if (extra.zip64 !== null || (at - start) % 8 !== 0) return null;
      extra.zip64 = [];
      for (let value = start; value < at; value += 8) extra.zip64.push(Number(view.getBigUint64(value, true)));
    }
    if (id === UNICODE_PATH) {
      if (extra.unicodePath !== null || at - start < 5) return null;
      extra.unicodePath = { forName: view.getUint32(start + 1, true), name: bytes.subarray(start + 5, at) };
    }
  }
  return extra;
}

/**
 * Puts ZIP64 values in the place of marked fields.
 *
 * @returns the fields; `null` when values are missing, superfluous or stand for nothing
 */
export function resolveZip64(fields: readonly number[], zip64: readonly number[] | null): number[] | null {
  const values = [...(zip64 ?? [])];
  const resolved = fields.map((field) => (field === 0xffffffff ? (values.shift() ?? -1) : field));
  const useless = zip64 !== null && zip64.length === 0;
  return values.length > 0 || resolved.includes(-1) || useless ? null : resolved;
}

/** Byte-wise equality. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
