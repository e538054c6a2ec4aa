// Determines whether a shell script runs in the gateway, from the commands it calls.

import { missingCommands } from "../shell-commands";
import { type Judgement, shownName, worst } from "./verdict";

/** Commands that need a network and have no substitute. */
const NETWORK = new Set(
  "aria2c curl dig ftp host http httpie nc ncat nslookup ping rsync scp sftp ssh telnet traceroute wget".split(" "),
);

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
