// Loads Miniflare with `require`: it is CommonJS, and `import` would parse its megabytes twice.

import { createRequire } from "node:module";

// When memory is short, V8 discards the baseline code of Python, which all isolates of Python share. It does not free that memory while one
// of them is idle, so each further isolate permanently took 2.4 MB.
process.env.MINIFLARE_WORKERD_V8_FLAGS ??= "--no-flush-liftoff-code";

/** @type {typeof import("miniflare")} */
export const { convertV4MiniflareOptions, Log, LogLevel, Miniflare, Response } = createRequire(import.meta.url)(
  "miniflare",
);

/**
 * Returns the options for Workers on a free port of this machine that log errors only.
 *
 * @param {object[]} workers in the format of Miniflare 4
 * @param {object} [shared] further options of all of them
 */
export function quietWorkers(workers, shared = {}) {
  return {
    ...convertV4MiniflareOptions({
      ...{ log: new Log(LogLevel.ERROR), host: "127.0.0.1", port: 0, cf: false },
      ...shared,
      workers,
    }),
    // The registry is for several Workers on one machine and creates a file in the home folder.
    enableDevRegistry: false,
    logRequests: false,
  };
}
