// Canonical Huffman codes as DEFLATE describes them: a list of code lengths becomes a decoding table.

/** A code. `table` is indexed by the next `bits` bits of the input: symbol << 4 | code length; 0 where no code is. */
export interface Codes {
  table: Uint16Array;
  bits: number;
}

/**
 * The decoding table for the code lengths of symbols 0, 1, …; `null` when they do not make a code. Like zlib, a code
 * that leaves bit patterns unused is refused, except (`mayBeIncomplete`) one of no symbol or of one single-bit symbol.
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
    // The input is read from its lowest bit, codes are defined from their highest.
    for (let at = reverse(code, length); at < table.length; at += 1 << length) table[at] = (symbol << 4) | length;
  }
  return { table, bits };
}

/** The first code of each length; `null` when the lengths ask for more codes than there are, or leave some unused. */
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
