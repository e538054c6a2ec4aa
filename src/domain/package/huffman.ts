// Builds decoding tables for canonical Huffman codes from code lengths, as DEFLATE defines them.

/** A code. `table` is indexed by the next `bits` bits of the input. Values are symbol << 4 | code length, or 0 if no code matches. */
export interface Codes {
  table: Uint16Array;
  bits: number;
}

/**
 * Returns the decoding table for the code lengths of symbols 0, 1, …, or `null` if they do not form a code. Like zlib, it rejects a code
 * that leaves bit patterns unused, unless `mayBeIncomplete` is set and the code has no symbol or one single-bit symbol.
 */
export function buildCodes(lengths: Uint8Array, mayBeIncomplete: boolean): Codes | null {
  const bits = Math.max(1, ...lengths);
  const first = firstCodes(lengths, bits, mayBeIncomplete);
  if (first === null) return null;

  const table = new Uint16Array(1 << bits);
  for (const [symbol, length] of lengths.entries()) {
    if (length === 0) continue;
    const code = first[length] ?? 0;
    first[length] = code + 1;
    // Input is read from the lowest bit, codes are defined from the highest.
    for (let at = reverse(code, length); at < table.length; at += 1 << length) table[at] = (symbol << 4) | length;
  }
  return { table, bits };
}

/** Returns the first code of each length, or `null` if the lengths need more codes than exist or leave some unused. */
function firstCodes(lengths: Uint8Array, bits: number, mayBeIncomplete: boolean): Uint32Array | null {
  const counts = new Uint32Array(bits + 1);
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1;
  const first = new Uint32Array(bits + 1);
  let code = 0;
  for (let length = 1; length <= bits; length++) {
    code <<= 1;
    first[length] = code;
    code += counts[length] ?? 0;
  }
  const unused = (1 << bits) - code;
  return unused === 0 || (mayBeIncomplete && bits === 1 && unused > 0) ? first : null;
}

function reverse(value: number, count: number): number {
  let reversed = 0;
  for (let bit = 0; bit < count; bit++) reversed |= ((value >>> bit) & 1) << (count - 1 - bit);
  return reversed;
}
