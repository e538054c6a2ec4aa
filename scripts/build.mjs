// `npm run build`: bundles the Worker and the table of settings for the launcher. `--release` builds a deployment: minified, without the
// loopback exceptions for development. `--serve` builds everything that `npm run serve` needs.

import path from "node:path";
import { firstLoadOf, isConsoleCurrent } from "./build/console.mjs";
import { buildGateway, buildServed } from "./build/worker.mjs";
import { root } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail, say } from "./kit/refusal.mjs";
import { OWNER_VARIABLE } from "./local/processes.mjs";

const USAGE = `Use: npm run build -- [--release | --serve]
  --release   what a deployment gets: minified, without the loopback allowances of development
  --serve     what npm run serve runs, so that it starts without writing to this folder`;

async function main() {
  // wrangler's [build] also runs this script and sets the command it runs for.
  const { values } = readOptions(USAGE, { release: { type: "boolean" }, serve: { type: "boolean" } });
  if (values.serve) {
    await buildServed();
    return say("✔ npm run serve can start without building anything");
  }
  if (process.env.WRANGLER_COMMAND === "deploy" && process.env.SKILL_GATEWAY_BUILT === "release") return;
  const release = values.release === true || process.env.WRANGLER_COMMAND === "deploy";
  // `npm run dev` sets a variable for the processes that it starts.
  if (process.env.WRANGLER_COMMAND === "dev" && process.env[OWNER_VARIABLE] === undefined)
    say("`wrangler dev` applies no migrations and creates no key. Use `npm run dev` instead.");
  const { modules, main: file } = await buildGateway({ release });
  for (const [name, text] of Object.entries(modules)) {
    const module = path.relative(root, path.join(path.dirname(file), name));
    say(`${module}: ${Math.round(Buffer.byteLength(text) / 1024)} KiB`);
  }
  if (await isConsoleCurrent(path.join(root, "public")))
    say(`console: ${Math.round((await firstLoadOf()) / 1024)} KiB of scripts at first (gzip)`);
}

main().catch(fail);
