// Determines whether a shell script runs in the gateway, from the commands and scripts it calls.

import { missingCommands } from "../shell-commands";
import { readShell } from "../shell-text";
import { type Judgement, shownName, worst } from "./verdict";

/** Commands that need a network and have no substitute. */
const NETWORK = new Set(
  "aria2c curl dig ftp host http httpie nc ncat nslookup ping rsync scp sftp ssh telnet traceroute wget".split(" "),
);

/**
 * Returns the files of the package that a shell script runs or sources. Expansions at the beginning of a path, such as
 * `"$(dirname "$0")"`, are taken for the folder of the script.
 */
export function calledFiles(text: string, from: string, paths: readonly string[]): string[] {
  const folder = from.replace(/[^/]*$/, "");
  const all = new Set(paths);
  return readShell(text).files.flatMap(({ end }) => {
    const name = end.replace(/^(?:.*\/)?\.{1,2}\//, "").replace(/^\/+/, "");
    if (name === "") return [];
    if (all.has(folder + name)) return [folder + name];
    const found = paths.filter((path) => path === name || path.endsWith(`/${name}`));
    return found.length === 1 ? found : [];
  });
}

/** @param hasNetwork whether its skill declares hosts, with which `curl` exists */
export function shellJudgement(text: string, hasNetwork = false): Judgement {
  const missing = missingCommands(text).filter(({ command }) => !(hasNetwork && command === "curl"));
  return worst(
    missing.map(({ command, line }) => {
      const asks = `It calls ${shownName(command)}`;
      return NETWORK.has(command)
        ? { runs: "partly", reason: `${asks}, but network access is not available. Calls that need it fail.`, line }
        : {
            runs: "remote",
            reason: `${asks}, a command that is not available.`,
            line,
            needs: { commands: [command] },
          };
    }),
  );
}
