// Compares two runs of a script.

/** @typedef {{ exit: number | null, stdout: string, stderr: string, files: Record<string, string> }} Run files: base64 by full path */

/** Matches versions and times, which can differ. */
const BY_LENGTH = /\.(?:db|zip)$/;
/** Times that a script prints, which differ between two runs. */
const TIME = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?/g;
const withoutTimes = (text) => text.replaceAll(TIME, "<time>");

/**
 * @param {Run} here
 * @param {Run} there what is expected
 * @returns {string[]} `exit`, `stdout`, `stderr` or `files`; empty where they are equal
 */
export function differences(here, there) {
  const files = ({ files: found }) =>
    JSON.stringify(
      Object.entries(found)
        .map(([name, text]) => [name, BY_LENGTH.test(name) ? text.length : text])
        .sort(),
    );
  return [
    ...(here.exit === there.exit ? [] : ["exit"]),
    ...(withoutTimes(here.stdout) === withoutTimes(there.stdout) ? [] : ["stdout"]),
    ...(isUncaught(there) || lastLine(here) === lastLine(there) ? [] : ["stderr"]),
    ...(files(here) === files(there) ? [] : ["files"]),
  ];
}

/** The last line of an interpreter's error is the error itself; the lines above show its origin. */
function lastLine({ stderr }) {
  return withoutTimes(stderr).trim().split("\n").at(-1);
}

/** Node prints the error together with its own source. */
function isUncaught({ stderr }) {
  return /^Node\.js v/m.test(stderr);
}
