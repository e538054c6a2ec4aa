// Finds names in the environment that are almost a setting's. The environment contains names of other programs, which must never prevent a
// start. Therefore only a near miss that no other program uses is an error.

/** Settings with names that are common in other programs. A similar name may belong to one of those (Django has a SECRET_KEY). */
const COMMON = /^(?:SECRETS_|ALLOWED_|LOG_|RATE_|JWT_)/;
/** Shorter names are similar to too many others. */
const TELLING_CHARS = 10;
/** One additional letter, one missing letter, or two exchanged letters. */
const SLIPS = 2;

/**
 * @param {readonly string[]} settings
 * @param {readonly string[]} names in the environment
 * @returns {{ wrong: { name: string, meant: string }[], doubtful: { name: string, meant: string }[] }} `wrong`: surely meant for us
 */
export function misspelt(settings, names) {
  const known = new Set(settings);
  const found = names
    .filter((name) => !known.has(name))
    .flatMap((name) => {
      const meant = settings.find(
        (setting) => setting.length >= TELLING_CHARS && slips(name.toUpperCase(), setting) <= SLIPS,
      );
      return meant === undefined ? [] : [{ name, meant }];
    });
  return {
    wrong: found.filter(({ meant }) => !COMMON.test(meant)),
    doubtful: found.filter(({ meant }) => COMMON.test(meant)),
  };
}

/** Returns the number of letters to insert, delete or replace to turn one text into the other. Stops counting above `SLIPS`. */
function slips(one, other) {
  if (Math.abs(one.length - other.length) > SLIPS) return SLIPS + 1;
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[other.length];
}
