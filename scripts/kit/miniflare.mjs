// Loads Miniflare with `require`: it is CommonJS, and `import` would parse its megabytes twice.

import { createRequire } from "node:module";

// When memory is short, V8 discards the baseline code of Python, which all isolates of Python share. It does not free that memory while one
// of them is idle, so each further isolate permanently took 2.4 MB.
process.env.MINIFLARE_WORKERD_V8_FLAGS ??= "--no-flush-liftoff-code";

/** @type {typeof import("miniflare")} */
export const { convertV4MiniflareOptions, Log, LogLevel, Miniflare, Response } = createRequire(import.meta.url)(
  "miniflare",
);
