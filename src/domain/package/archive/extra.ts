// Parses the extra fields of a ZIP record. Two of them change the meaning of a record, so readers with and without support for them must
// reach the same result. All other fields (times, owners, padding) are ignored.

/** The parsed extra fields. */
export interface Extra {
  /** 64-bit values for the 32-bit fields marked with 0xFFFFFFFF, in the order of those fields. `null` if the field is absent. */
  zip64: number[] | null;
  /** The name that Info-ZIP's field 0x7075 declares for `forName`. `null` if the field is absent. */
  unicodePath: { forName: number; name: Uint8Array } | null;
}

const ZIP64 = 0x0001;
const UNICODE_PATH = 0x7075;

/** Parses a block of extra fields. Returns `null` if it is damaged or contains one of the two fields twice. */
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
 * Replaces marked fields with their ZIP64 values.
 *
 * @returns the fields, or `null` if values are missing or superfluous
 */
export function resolveZip64(fields: readonly number[], zip64: readonly number[] | null): number[] | null {
  const values = [...(zip64 ?? [])];
  const resolved = fields.map((field) => (field === 0xffffffff ? (values.shift() ?? -1) : field));
  const useless = zip64 !== null && zip64.length === 0;
  return values.length > 0 || resolved.includes(-1) || useless ? null : resolved;
}

/** Whether two byte arrays are equal. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
