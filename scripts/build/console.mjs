// Builds the console from console/src/ into public/console/, where the gateway serves it.

import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { listFiles, readOrNull, root, writeWhole } from "../kit/files.mjs";

const sources = path.join(root, "console", "src");
/** With another one of these the result may be another one, whatever the sources say. */
const MAKERS = [
  import.meta.filename,
  path.join(root, "package-lock.json"),
  path.join(root, "sdk", "src", "generated", "operations.ts"),
  path.join(root, "sdk", "src", "generated", "texts.ts"),
];
const PAGE = "index.html";
/** What Vite says it made: which page loads which file. A test reads it. */
const MANIFEST = "manifest.json";

/**
 * Makes the folder exactly what Vite builds, unless it is there and current. The page, which names all others, is written last, and
 * says of which sources it is.
 * @param {string} folder where static files live
 * @returns {Promise<boolean>} whether something was written
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

/** Loaded only here: a start that has nothing to build does without Vite. */
async function bundleConsole(outDir) {
  const { build } = await import("vite");
  await build({
    root: sources,
    base: "/console/",
    configFile: false,
    logLevel: "error",
    mode: "production",
    // Not as whoever builds it happens to run: a test would get React as its developers want it, larger and twice as busy.
    define: { "process.env.NODE_ENV": '"production"' },
    oxc: { jsx: { runtime: "automatic", development: false } },
    // React Aria holds the texts of 34 languages; the console speaks one.
    plugins: [onlyEnglish],
    resolve: {
      // What it brings for browsers reads `&amp;` by way of innerHTML, which the page's policy refuses. The other one has a table.
      alias: {
        "decode-named-character-reference": fileURLToPath(import.meta.resolve("decode-named-character-reference")),
      },
    },
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2022",
      manifest: MANIFEST,
      // Each would be a script or a style in the page, which its policy refuses.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
    },
  });
}

const onlyEnglish = {
  name: "only-english",
  load(id) {
    const [, locale] = /react-(?:aria|stately)[^/]*\/dist\/.*intl\/.*\/([a-z]{2}-[A-Z]{2})\.\w+$/.exec(id) ?? [];
    if (locale !== undefined && locale !== "en-US") return "export default {};";
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
