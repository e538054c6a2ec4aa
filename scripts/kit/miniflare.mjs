// Miniflare is CommonJS: `import` reads its megabytes twice, the first time only for the names that they export.

import { createRequire } from "node:module";

// Where memory is short V8 throws away what its first compiler made of Python, which all isolates of Python share, and gives none of it
// back as long as one of them is idle: each one more took 2.4 MB for good.
process.env.MINIFLARE_WORKERD_V8_FLAGS ??= "--no-flush-liftoff-code";

/** @type {typeof import("miniflare")} */
export const { convertV4MiniflareOptions, Log, LogLevel, Miniflare, Response } = createRequire(import.meta.url)(
  "miniflare",
);
