// Builds the files in public/ that are not in git. wrangler's [build], `npm start` and the tests run it. It writes nothing if everything is
// current.

import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { root } from "../kit/files.mjs";
import { isClientCurrent, prepareClient } from "./client.mjs";
import { prepareCompiler } from "./compiler.mjs";
import { isConsoleCurrent, prepareConsole } from "./console.mjs";
import { prepareDocuments } from "./documents.mjs";
import { isDrawingCurrent, prepareDrawing } from "./drawing.mjs";
import { exclusively } from "./exclusive.mjs";
import { isGuestCurrent, prepareGuest } from "./guest.mjs";
import { isOpenApiCurrent, prepareOpenApi } from "./openapi.mjs";
import { isPythonCurrent, preparePython } from "./python/parts.mjs";
import { isShellCurrent, prepareShell } from "./shell.mjs";
import { prepareTokens } from "./tokens.mjs";

const PUBLIC = path.join(root, "public");

/**
 * One row per part. `output`: its path in public/; `sources`: the folders of its sources, which `watch_dir` of wrangler.toml also lists;
 * `prepare`: builds it in a folder unless it is current, and returns whether a file was written. The first API request does not need a part
 * with `isCurrent`: `npm start` builds it after the gateway is ready, in the order of the rows. `label` is its name on the terminal.
 */
export const PARTS = [
  { output: "tokens/o200k_base.json", sources: [], prepare: prepareTokens },
  { output: "sandbox/compiler.js", sources: ["src"], prepare: prepareCompiler },
  { output: "docs/", sources: ["docs"], prepare: prepareDocuments },
  {
    output: "console/",
    label: "the console",
    sources: ["console/src", "sdk/src"],
    prepare: prepareConsole,
    isCurrent: isConsoleCurrent,
  },
  {
    output: "drawing/",
    label: "the diagram renderer",
    sources: ["src/pages/drawing"],
    prepare: prepareDrawing,
    isCurrent: isDrawingCurrent,
  },
  {
    output: "sandbox/node.js",
    label: "the JavaScript runtime",
    sources: ["src/sandbox/guest"],
    prepare: prepareGuest,
    isCurrent: isGuestCurrent,
  },
  {
    output: "sandbox/shell.js",
    label: "the shell",
    sources: ["src"],
    prepare: prepareShell,
    isCurrent: isShellCurrent,
  },
  {
    output: "python/",
    label: "the Python runtime",
    sources: ["src"],
    prepare: preparePython,
    isCurrent: isPythonCurrent,
  },
  {
    output: "client/",
    label: "the browser client",
    sources: ["sdk/src/client"],
    prepare: prepareClient,
    isCurrent: isClientCurrent,
  },
  {
    output: "openapi.json",
    label: "the OpenAPI document",
    sources: ["src"],
    prepare: prepareOpenApi,
    isCurrent: isOpenApiCurrent,
  },
];

export const DEFERRABLE = PARTS.filter(({ isCurrent }) => isCurrent !== undefined);

/**
 * Builds every part that is missing or out of date.
 * @param {string} folder the folder of static files
 * @param {typeof PARTS} parts
 * @returns {Promise<string[]>} the parts that were written
 */
export async function prepareAssets(folder = PUBLIC, parts = PARTS) {
  const written = await Promise.all(
    parts.map(async (part) => ((await preparePart(part, folder)) ? [part.output] : [])),
  );
  return written.flat();
}

/**
 * Builds the parts that a first API request needs.
 * @returns {Promise<{ output: string, label: string }[]>} the other parts that are missing or out of date
 */
export async function prepareFirstAssets(folder = PUBLIC) {
  const [stale] = await Promise.all([
    Promise.all(DEFERRABLE.map(async (part) => ((await part.isCurrent(folder)) ? [] : [part]))),
    prepareAssets(
      folder,
      PARTS.filter((part) => !DEFERRABLE.includes(part)),
    ),
  ]);
  return stale.flat();
}

/** Builds one part. Two processes never build a deferrable part at the same time. Half-written files of a killed process are removed. */
export async function preparePart({ output, prepare, isCurrent }, folder) {
  if (isCurrent === undefined) return prepare(folder);
  if (await isCurrent(folder)) return false;
  return exclusively(output, async () => {
    await removeDrafts(path.join(folder, output), output.endsWith("/"));
    return prepare(folder);
  });
}

async function removeDrafts(target, isFolder) {
  const folder = isFolder ? target : path.dirname(target);
  const names = await readdir(folder, { recursive: isFolder }).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const drafts = names.filter(
    (name) => name.endsWith(".tmp") && (isFolder || name.startsWith(`${path.basename(target)}.`)),
  );
  await Promise.all(drafts.map((name) => rm(path.join(folder, name), { force: true })));
}
