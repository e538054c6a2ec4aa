// `npm run build`: bundles the Worker, and the table of settings for the launcher.
// `--release` makes what a deployment gets: minified, without the loopback allowances of development.

import path from "node:path";
import { buildGateway } from "./build/worker.mjs";
import { root } from "./kit/files.mjs";
import { fail, say } from "./kit/refusal.mjs";

async function main() {
  // wrangler's [build] runs this too, and says for which of its commands.
  const release = process.argv.includes("--release") || process.env.WRANGLER_COMMAND === "deploy";
  const { modules, main: file } = await buildGateway({ release });
  for (const [name, text] of Object.entries(modules)) {
    const module = path.relative(root, path.join(path.dirname(file), name));
    say(`${module}: ${Math.round(Buffer.byteLength(text) / 1024)} KiB`);
  }
}

main().catch(fail);
