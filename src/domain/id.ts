// Creates ids: a prefix for the kind, then 48 bits of time and 80 random bits in Crockford's base 32 (the ULID layout), so that ids sort by
// time.

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** `<prefix>_<26 characters>`. `random` is ten bytes. */
export function makeId(prefix: string, now: number, random: Uint8Array): string {
  let time = "";
  for (let rest = now, digit = 0; digit < 10; digit++, rest = Math.floor(rest / 32)) {
    time = ALPHABET.charAt(rest % 32) + time;
  }
  let tail = "";
  for (let index = 0; index < 16; index++) {
    // Sixteen digits of five bits from eighty bits: reads the two bytes that contain them.
    const bit = index * 5;
    const pair = ((random[bit >> 3] ?? 0) << 8) | (random[(bit >> 3) + 1] ?? 0);
    tail += ALPHABET.charAt((pair >> (11 - (bit & 7))) & 31);
  }
  return `${prefix}_${time}${tail}`;
}
