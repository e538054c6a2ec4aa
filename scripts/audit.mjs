// Checks the shipped dependencies for known vulnerabilities and fails on a high or critical one. If the registry does not support audits,
// as a mirror may not, the script reports that and does not fail.

import { execFile } from "node:child_process";
import { isMain } from "./kit/files.mjs";
import { say } from "./kit/refusal.mjs";

/**
 * Returns the number of high and critical vulnerabilities in the output of `npm audit --json`, or `null` if the registry sent no report.
 * @param {string} output
 * @returns {number | null}
 */
export function seriousIn(output) {
  let report;
  try {
    report = JSON.parse(output);
  } catch {
    return null;
  }
  const counts = report?.metadata?.vulnerabilities;
  return counts === undefined ? null : counts.high + counts.critical;
}

if (isMain(import.meta.url)) {
  execFile("npm", ["audit", "--omit=dev", "--json"], { maxBuffer: 1 << 26 }, (_error, stdout) => {
    const serious = seriousIn(stdout);
    if (serious === null)
      say("The registry does not support audits. The dependencies were not checked for known vulnerabilities.");
    else if (serious === 0) say("No known high or critical vulnerabilities in the dependencies.");
    else {
      say(
        `${serious} known high or critical vulnerabilities in the dependencies. List them with: npm audit --omit=dev`,
      );
      process.exitCode = 1;
    }
  });
}
