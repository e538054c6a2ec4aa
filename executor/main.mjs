// Starts the executor as a program: EXECUTOR_KEY is its key, PORT and HOST say where it listens. With EXECUTOR_PROBE=later it listens at once,
// and refuses every run with the reason if runs cannot be confined. See docs/executor.md for the other variables.

import { layersFrom } from "./packages.mjs";
import { serveExecutor } from "./server.mjs";

const { EXECUTOR_KEY: key = "", EXECUTOR_PROBE = "", PORT = "8790", HOST = "127.0.0.1" } = process.env;
const checksFirst = EXECUTOR_PROBE === "later" ? "none" : "all";
if (process.getuid?.() === 0) {
  console.error("The executor must not run as root. Start it as another user.");
  process.exit(1);
}
serveExecutor({ port: Number(PORT), host: HOST, key, layers: layersFrom(process.env), checksFirst }).then(
  ({ url, close }) => {
    // The kernel ignores signals without a handler for the first process of a container.
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => close().then(() => process.exit(0)));
    console.log(`✔ executor ready at ${url}`);
  },
  (error) => {
    console.error(error.message);
    process.exit(1);
  },
);
