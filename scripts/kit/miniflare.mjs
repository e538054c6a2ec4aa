// Miniflare is CommonJS: `import` reads its megabytes twice, the first time only for the names that they export.

import { createRequire } from "node:module";

/** @type {typeof import("miniflare")} */
export const { convertV4MiniflareOptions, Log, LogLevel, Miniflare, Response } = createRequire(import.meta.url)(
  "miniflare",
);
