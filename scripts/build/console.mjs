// Builds the console from console/src/ into public/console/, where the gateway serves it.

import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { listFiles, readOrNull, root, writeWhole } from "../kit/files.mjs";

const sources = path.join(root, "console", "src");
/** A change of one of these can change the result even if the sources are the same. */
const MAKERS = [
  import.meta.filename,
  path.join(root, "package-lock.json"),
  path.join(root, "sdk", "src", "generated", "operations.ts"),
  path.join(root, "sdk", "src", "generated", "texts.ts"),
];
const PAGE = "index.html";
/** Vite's manifest: which page loads which file. A test reads it. */
const MANIFEST = "manifest.json";

/**
 * Builds the console with Vite into the folder, unless it is current, and removes other files. The page is written last, because it refers
 * to all other files. It contains the stamp of its sources.
 * @param {string} folder the folder of static files
 * @returns {Promise<boolean>} whether a file was written
 */
export async function prepareConsole(folder = path.join(root, "public")) {
  if (await isConsoleCurrent(folder)) return false;
  const target = path.join(folder, "console");
  const stamp = await stampOfSources();
  const draft = await mkdtemp(path.join(tmpdir(), "skill-gateway-console-"));
  try {
    await bundleConsole(draft);
    const names = (await listFiles(draft)).filter((name) => name !== PAGE);
    await Promise.all(
      names.map(async (name) => writeWhole(path.join(target, name), await readFile(path.join(draft, name)))),
    );
    await writeWhole(path.join(target, PAGE), (await readFile(path.join(draft, PAGE), "utf8")) + stamp);
    const left = (await listFiles(target)).filter(
      (name) => name !== PAGE && !names.includes(name) && !name.endsWith(".tmp"),
    );
    await Promise.all(left.map((name) => rm(path.join(target, name), { force: true })));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return true;
}

/** Whether the console in a folder of static files was built from the current sources. */
export async function isConsoleCurrent(folder) {
  return (await readOrNull(path.join(folder, "console", PAGE)))?.endsWith(await stampOfSources()) ?? false;
}

/**
 * Returns the size of the scripts that the console loads before its first page, compressed with gzip.
 * @returns {Promise<number>} in bytes
 */
export async function firstLoadOf(folder = path.join(root, "public")) {
  const chunks = JSON.parse(await readFile(path.join(folder, "console", MANIFEST), "utf8"));
  const seen = new Set();
  const add = (name) => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const other of chunks[name].imports ?? []) add(other);
  };
  for (const [name, { isEntry }] of Object.entries(chunks)) if (isEntry) add(name);
  const files = [...seen].map((name) => path.join(folder, "console", chunks[name].file));
  const sizes = await Promise.all(files.map(async (file) => gzipSync(await readFile(file)).length));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Vite is loaded only here, because most starts have nothing to build. */
async function bundleConsole(outDir) {
  const { build } = await import("vite");
  await build({
    root: sources,
    base: "/console/",
    configFile: false,
    logLevel: "error",
    mode: "production",
    // Does not depend on the caller's environment. In a test, React's development build would be used, which is larger and does twice the
    // work.
    define: { "process.env.NODE_ENV": '"production"' },
    oxc: { jsx: { runtime: "automatic", development: false } },
    // React Aria contains the texts of 34 languages. The console uses two.
    plugins: [ownLanguages, earlyTheme],
    resolve: {
      // The package's browser version decodes `&amp;` with innerHTML, which the page's policy forbids. The other version uses a table.
      alias: {
        "decode-named-character-reference": fileURLToPath(import.meta.resolve("decode-named-character-reference")),
      },
    },
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2022",
      manifest: MANIFEST,
      // The page's Content-Security-Policy rejects inline scripts and styles.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
    },
  });
}

const LOCALES = ["en-US", "zh-CN"];
const ownLanguages = {
  name: "own-languages",
  load(id) {
    const [, locale] = /react-(?:aria|stately)[^/]*\/dist\/.*intl\/.*\/([a-z]{2}-[A-Z]{2})\.\w+$/.exec(id) ?? [];
    if (locale !== undefined && !LOCALES.includes(locale)) return "export default {};";
  },
};

/** Adds the script that applies the stored theme, as a file of its own that blocks the first paint. Vite bundles only modules. */
const earlyTheme = {
  name: "early-theme",
  async buildStart() {
    const source = await readFile(path.join(sources, "theme-early.js"), "utf8");
    this.emitFile({ type: "asset", name: "theme-early.js", source });
  },
  transformIndexHtml: {
    order: "post",
    handler(_html, { bundle = {} }) {
      const [file] = Object.keys(bundle).filter((name) => name.includes("theme-early"));
      if (file === undefined) throw new Error("The script of the theme is missing in the bundle.");
      return [{ tag: "script", attrs: { src: `/console/${file}` }, injectTo: "head-prepend" }];
    },
  },
};

async function stampOfSources() {
  const hash = createHash("sha256");
  const names = (await listFiles(sources)).map((name) => path.join(sources, name));
  for (const file of [...names, ...MAKERS]) {
    hash.update(path.relative(root, file)).update("\0");
    hash.update(await readFile(file)).update("\0");
  }
  return `<!-- ${hash.digest("hex").slice(0, 32)} -->\n`;
}
