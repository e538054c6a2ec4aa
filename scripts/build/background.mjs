// Builds the parts of public/ named on the command line while a gateway serves. `npm start` runs it as a process of lower priority and
// receives a message for each part: `{ output }` or `{ output, problem }`.

import { constants, setPriority } from "node:os";
import path from "node:path";
import { root } from "../kit/files.mjs";
import { DEFERRABLE, preparePart } from "./static.mjs";

setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
// An orderly exit removes half-written files. The launcher can end without sending a signal.
for (const event of ["SIGINT", "SIGTERM", "SIGHUP", "disconnect"]) process.on(event, () => process.exit(1));

for (const output of process.argv.slice(2)) {
  const part = DEFERRABLE.find((each) => each.output === output);
  try {
    await preparePart(part, path.join(root, "public"));
    process.send({ output });
  } catch (error) {
    process.send({ output, problem: error.message });
  }
}
process.removeAllListeners("disconnect");
process.disconnect();
