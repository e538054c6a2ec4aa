// In what two runs of a script differ.

/** @typedef {{ exit: number | null, stdout: string, stderr: string, files: Record<string, string> }} Run files: base64 by full path */

/** What says which versions made it, or when: as long as another is as good. */
const BY_LENGTH = /\.(?:db|zip)$/;

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
    ...(here.stdout === there.stdout ? [] : ["stdout"]),
    ...(isUncaught(there) || lastLine(here) === lastLine(there) ? [] : ["stderr"]),
    ...(files(here) === files(there) ? [] : ["files"]),
  ];
}

/** Of what an interpreter says of an error the last line is the error itself; above it stands where it comes from. */
function lastLine({ stderr }) {
  return stderr.trim().split("\n").at(-1);
}

/** Node shows the error amid its own source. */
function isUncaught({ stderr }) {
  return /^Node\.js v/m.test(stderr);
}
