// Runs a script of a package on the bench with the same request as confined.mjs.

import { zipSync } from "fflate";

/** The SKILL.md for files that contain none. */
export const SKILL = Buffer.from("---\nname: scripts\ndescription: Scripts.\n---\n\n# Scripts\n");

/** Returns the files as a package with this name. */
export function packed(files, skill = "scripts") {
  const inside = Object.entries({ "SKILL.md": SKILL, ...files });
  const entry = (bytes) => [new Uint8Array(bytes), { os: 3, attrs: 0o100755 << 16 }];
  return zipSync(Object.fromEntries(inside.map(([name, bytes]) => [`${skill}/${name}`, entry(bytes)])));
}

/** @returns {Promise<{ exit: number | null, stdout: string, stderr: string, files: Record<string, string> }>} */
export async function runOnBench(bench, { files, script, args = [], input = "", files_in = {}, given = {} }) {
  const placed = Object.entries({ ...files_in, ...given });
  const { run, ...other } = await bench.ask("scripts", packed(files), {
    call: script,
    arguments: { args, input },
    files: Object.fromEntries(placed.map(([name, text]) => [name, Buffer.from(text).toString("base64")])),
  });
  if (run === undefined) return { exit: null, stdout: "", stderr: JSON.stringify(other), files: {} };
  return { exit: run.exit_code, stdout: run.stdout, stderr: run.stderr, files: run.files };
}
