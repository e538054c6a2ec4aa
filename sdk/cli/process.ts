// Runs a command with the arguments, environment, streams and signals of this process.

import { deleteUnfinished } from "./context";
import { main, type Start } from "./main";
import { EXIT } from "./problem";

export { main };

/** Runs the command that the user typed and sets the exit code of the process. */
export async function runTyped(start: Pick<Start, "program" | "folder" | "checkout">): Promise<void> {
  const controller = new AbortController();
  endOnInterrupt(controller);
  const { argv, env, stdin, stdout, stderr } = process;
  process.exitCode = await main({
    ...start,
    ...{ args: argv.slice(2), env, stdin, stdout, stderr, signal: controller.signal },
  });
}

/** Aborts on Ctrl-C and deletes unfinished folders. A second Ctrl-C ends the process at once. */
function endOnInterrupt(controller: AbortController): void {
  const end = () => {
    controller.abort();
    deleteUnfinished();
    process.stderr.write("\nInterrupted. No incomplete files were left behind.\n");
    process.exit(EXIT.interrupted);
  };
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
}
