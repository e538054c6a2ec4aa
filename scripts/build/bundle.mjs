// Bundles a Worker for deployment: one main module, and a separate module for each `await import()`. The runtime reads those on demand.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";
import { root } from "../kit/files.mjs";
import { Refusal } from "../kit/refusal.mjs";
import { readWranglerConfig } from "../kit/wrangler-config.mjs";
import { mcpSdkOnce } from "./mcp-sdk.mjs";

export const MAIN_MODULE = "index.js";

/** The options of wrangler's own bundler, which does not support splitting. */
export const WORKERD = {
  format: "esm",
  target: "es2024",
  supported: { using: true },
  conditions: ["workerd", "worker", "browser"],
  external: ["cloudflare:*", "node:*"],
};

/**
 * Replacements for two packages that `@hono/zod-openapi` imports. It imports zod as one object (60 KiB of gzip) but uses only `ZodType`.
 * The generators of the OpenAPI document run only in the build (openapi.mjs).
 */
const OF_ZOD_OPENAPI = {
  zod: 'import { ZodType } from "zod"; export const z = { ZodType };',
  "@asteasolutions/zod-to-openapi":
    'export { OpenAPIRegistry, extendZodWithOpenApi, getOpenApiMetadata } from "@asteasolutions/zod-to-openapi"; export class OpenApiGeneratorV3 {} export class OpenApiGeneratorV31 {}',
};

const zodOpenApiAsUsed = {
  name: "zod-openapi as far as it is used",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(zod|@asteasolutions\/zod-to-openapi)$/ }, ({ path: name, importer }) =>
      /[\\/]@hono[\\/]zod-openapi[\\/]/.test(importer) ? { path: name, namespace: "zod-openapi" } : undefined,
    );
    onLoad({ filter: /./, namespace: "zod-openapi" }, ({ path: name }) => ({
      contents: OF_ZOD_OPENAPI[name],
      resolveDir: root,
    }));
  },
};

/** markdown-it imports linkify-it (13 KiB) for an option that src/pages/catalog/markdown.ts leaves off. */
const markdownItAsUsed = {
  name: "markdown-it as far as it is used",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^linkify-it$/ }, ({ path: name }) => ({ path: name, namespace: "markdown-it" }));
    onLoad({ filter: /./, namespace: "markdown-it" }, () => ({ contents: "export class LinkifyIt {}" }));
  },
};

const SETTINGS = /[\\/]src[\\/]domain[\\/]settings[\\/][\w-]+\.ts$/;
/** A description: a text in quotes without templates. */
const DESCRIPTION = /\.describe\(\s*"(?:[^"\\]|\\.)*",?\s*\)/g;

/** Only docs/settings.md contains the descriptions of settings, which are half of their code. Every start reads that code. */
const settingsWithoutDescriptions = {
  name: "settings without descriptions",
  setup({ onLoad }) {
    onLoad({ filter: SETTINGS }, async ({ path: file }) => ({
      contents: (await readFile(file, "utf8")).replace(DESCRIPTION, ""),
      loader: "ts",
    }));
  },
};

/**
 * Bundles a Worker.
 * @param {{ entry: string | { name: string, contents: string }, release?: boolean, development?: boolean, isLocal?: boolean, plugins?:
 *   import("esbuild").Plugin[] }} options `entry`: a file from the root, or a text; `release`: minified; `development`: with the
 *   allowances for loopback upstreams; `isLocal`: for a machine of its own instead of Cloudflare; `plugins`: further ones of the caller
 * @returns {Promise<{ modules: Record<string, string>, metafile: import("esbuild").Metafile }>} texts by file name, the main
 *   module first; outputs in the metafile have the same names
 */
export async function bundleWorker({
  entry,
  release = false,
  development = !release,
  isLocal = development,
  plugins = [],
}) {
  const { define } = await readWranglerConfig();
  const { outputFiles, metafile } = await bundle({
    ...WORKERD,
    ...(typeof entry === "string"
      ? { entryPoints: { index: entry } }
      : { stdin: { contents: entry.contents, sourcefile: entry.name, resolveDir: root } }),
    define: {
      "process.env.NODE_ENV": release ? '"production"' : '"development"',
      ...define,
      ...(development ? { __DEVELOPMENT__: "true" } : {}),
      ...(isLocal ? { __LOCAL_RUNTIME__: "true" } : {}),
    },
    plugins: [...plugins, zodOpenApiAsUsed, markdownItAsUsed, settingsWithoutDescriptions, mcpSdkOnce],
    minify: release,
    keepNames: !release,
    splitting: true,
    metafile: true,
    outdir: root,
    entryNames: "index",
    chunkNames: "[name]-[hash]",
  });
  const texts = outputFiles.map((file) => [path.basename(file.path), file.text]);
  const main = texts.findIndex(([name]) => name === MAIN_MODULE);
  return { modules: Object.fromEntries([...texts.splice(main, 1), ...texts]), metafile };
}

/** Returns the modules that are loaded at the start: the main module and all its direct and indirect static imports. */
export function startModules({ outputs }, name = MAIN_MODULE, found = new Set()) {
  if (found.has(name)) return [...found];
  found.add(name);
  for (const { kind, path: imported, external } of outputs[name].imports) {
    if (kind === "import-statement" && !external) startModules({ outputs }, imported, found);
  }
  return [...found];
}

/** Returns the exports of TypeScript modules without bindings, such as those of `src/domain`, in this process. */
export async function importTypeScript(...files) {
  const contents = files.map((file) => `export * from ${JSON.stringify(`./${file}`)};`).join("\n");
  // Resolves imports as for a Worker: to the ES modules, not to the CommonJS ones for Node.
  const { outputFiles } = await bundle({ stdin: { contents, resolveDir: root, loader: "ts" }, platform: "browser" });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
}

/** Runs esbuild with the options that all bundles share. esbuild prints its own errors with their location. */
export async function bundle(options) {
  try {
    return await build({
      absWorkingDir: root,
      bundle: true,
      format: "esm",
      write: false,
      logLevel: "warning",
      ...options,
    });
  } catch (error) {
    throw new Refusal(`The bundle cannot be built: ${error.message}`);
  }
}
