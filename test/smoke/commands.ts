// Runs a command of scripts/ to its end, as a user would.

import { execFile } from "node:child_process";
import path from "node:path";

const root = path.dirname(path.dirname(import.meta.dirname));

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a script without the keys and addresses in the environment of the tests. */
export function run(script: string, args: string[], { cwd = root, env = {} } = {}): Promise<Outcome> {
  const { GATEWAY_KEY: _, GATEWAY_URL: __, GATEWAY_ADMIN_KEY: ___, ...inherited } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [path.join(root, "scripts", `${script}.mjs`), ...args],
      { cwd, env: { ...inherited, INIT_CWD: cwd, ...env } },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : -1, stdout, stderr }),
    );
  });
}
