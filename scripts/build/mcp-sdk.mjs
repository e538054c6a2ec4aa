// Bundles the parts of the two MCP SDK packages that the gateway uses. Each package contains its own copy of their common code. Without
// this step the runtime would compile the copies and unused code at every start.

import { readdir, readFile, realpath } from "node:fs/promises";
import path from "node:path";
import { root } from "../kit/files.mjs";
import { Refusal } from "../kit/refusal.mjs";

const FOLDER = path.join(root, "node_modules/@modelcontextprotocol");

/** Source files in the packages' bundles that depend only on packages and on each other, with the names they export to the rest. */
const REGIONS = {
  "wire/resultFamilies.ts": ["TOOL_RESULT_FOREIGN_FAMILY_KEYS", "normalizeContentlessToolResult"],
  "wire/rev2025-11-25/buildSchemas.ts": ["buildSchemas2025"],
  "wire/rev2026-07-28/buildSchemas.ts": ["buildSchemas2026"],
};
/** Files of both packages that are equal except for the digests in their names. */
const FILES = /^\.\/(cfWorkerProvider|dialects)-[\w-]+\.mjs$/;
/** Matches the bundles' imports of packages, but not of each other. */
const PACKAGES = /^import .* from "[^."].*";$/gm;
const SHARED = "mcp-shared";

/** A plugin for esbuild. It throws if the two copies differ, which means that an update changed one of them. */
export const mcpSdkOnce = {
  name: "the MCP SDK once",
  setup({ onResolve, onLoad }) {
    // The client can sign its requests and imports all of jose for that. The gateway does not use it: keys of servers are in their entries.
    onResolve({ filter: /^jose$/ }, ({ importer }) =>
      inPackage(importer, "client") ? { path: "jose", namespace: "no-jose" } : undefined,
    );
    onLoad({ filter: /^jose$/, namespace: "no-jose" }, () => ({
      contents: 'throw new Error("The gateway does not sign requests to MCP servers.");',
    }));

    onResolve({ filter: FILES }, async ({ path: name, importer }) =>
      inPackage(importer, "client") ? { path: await fileOfBoth(FILES.exec(name)[1]) } : undefined,
    );
    onResolve({ filter: /^mcp-shared$/ }, () => ({ path: SHARED, namespace: SHARED, sideEffects: false }));
    onLoad({ filter: /./, namespace: SHARED }, async () => {
      const text = await readFile(await fileOf("server", "src"), "utf8");
      const regions = await Promise.all(Object.keys(REGIONS).map(regionOfBoth));
      const names = Object.values(REGIONS).flat().join(", ");
      const contents = [...(text.match(PACKAGES) ?? []), ...regions, `export { ${names} };`].join("\n");
      return { contents, resolveDir: path.join(FOLDER, "server/dist") };
    });
    onLoad({ filter: /@modelcontextprotocol[\\/](client|server)[\\/]dist[\\/]src-[\w-]+\.mjs$/ }, async (file) => {
      let contents = await readFile(file.path, "utf8");
      for (const [name, given] of Object.entries(REGIONS))
        contents = contents.replace(
          await regionOfBoth(name),
          () => `import { ${given.join(", ")} } from ${JSON.stringify(SHARED)};\n`,
        );
      return { contents };
    });
  },
};

/** Compares only the file name, because the path differs if node_modules is a link. */
function inPackage(importer, name) {
  return importer.includes(`${path.sep}@modelcontextprotocol${path.sep}${name}${path.sep}`);
}

/** Returns the file of the server package that begins with `name`. The client package has the same file. */
async function fileOfBoth(name) {
  const [client, server] = await Promise.all(["client", "server"].map((kind) => fileOf(kind, name)));
  const [mine, theirs] = await Promise.all([client, server].map((file) => readFile(file, "utf8")));
  if (withoutDigests(mine) !== withoutDigests(theirs)) throw differs(path.basename(client));
  return server;
}

const withoutDigests = (text) => text.replace(/(cfWorkerProvider|dialects)-[\w-]+\.mjs/g, "$1.mjs");

/** Returns the text of a source file that the bundles of both packages contain. */
async function regionOfBoth(name) {
  const [mine, theirs] = await Promise.all(
    ["client", "server"].map(async (kind) => regionOf(await readFile(await fileOf(kind, "src"), "utf8"), name)),
  );
  if (mine === null || mine !== theirs) throw differs(name);
  return mine;
}

function regionOf(text, name) {
  const start = text.indexOf(`//#region ../core-internal/src/${name}\n`);
  const end = text.indexOf("//#endregion", start);
  return start < 0 || end < 0 ? null : text.slice(start, end);
}

/** Returns the real path, like esbuild's. A file with two paths would be in the bundle twice. */
async function fileOf(kind, name) {
  const folder = await realpath(path.join(FOLDER, kind, "dist"));
  const found = (await readdir(folder)).filter((file) => file.startsWith(`${name}-`) && file.endsWith(".mjs"));
  if (found.length !== 1) throw differs(name);
  return path.join(folder, found[0]);
}

function differs(name) {
  return new Refusal(
    `The client and the server of the MCP SDK no longer share ${name}. Update scripts/build/mcp-sdk.mjs.`,
  );
}
