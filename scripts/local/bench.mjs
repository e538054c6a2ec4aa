// The bench: the gateway's package reader, compiler and sandbox in a local workerd, without a gateway. See skill-worker.ts.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { root } from "../kit/files.mjs";

/**
 * Opens a bench, a local Worker that runs the code of skills.
 * @returns {Promise<{ ask: (name: string, zip: Uint8Array, asked: object) => Promise<any>, close: () => Promise<void> }>}
 */
export async function openBench() {
  const [{ Miniflare, convertV4MiniflareOptions, Log, LogLevel, Response }, { keptWorker }, { prepareAssets }] =
    await Promise.all([import("../kit/miniflare.mjs"), import("../build/cache.mjs"), import("../build/static.mjs")]);
  const [modules] = await Promise.all([
    keptWorker("skill-worker", { entry: "scripts/local/skill-worker.ts" }),
    prepareAssets(),
  ]);
  const { readWranglerConfig } = await import("../kit/wrangler-config.mjs");
  const { compatibility_date, compatibility_flags } = await readWranglerConfig();
  const bench = new Miniflare(
    convertV4MiniflareOptions({
      log: new Log(LogLevel.ERROR),
      host: "127.0.0.1",
      cf: false,
      workers: [
        {
          name: "skill-bench",
          modules: Object.entries(modules).map(([name, contents]) => ({ type: "ESModule", path: name, contents })),
          compatibilityDate: compatibility_date,
          compatibilityFlags: compatibility_flags,
          workerLoaders: { LOADER: {} },
          serviceBindings: {
            ASSETS: async (request) => {
              const { pathname } = new URL(request.url);
              return new Response(await readFile(path.join(root, "public", pathname)));
            },
          },
        },
      ],
    }),
  );
  const url = await bench.ready;
  return {
    async ask(name, zip, asked) {
      const form = new FormData();
      form.set("asked", JSON.stringify({ fileName: `${name}.zip`, arguments: {}, ...asked }));
      form.set("file", new Blob([zip], { type: "application/zip" }), "skill.zip");
      // Longer than the limit of any tool. Code that blocks its isolate in an endless loop ends with the isolate.
      const answer = await fetch(url, { method: "POST", body: form, signal: AbortSignal.timeout(330_000) });
      if (!answer.ok) throw new Error(await answer.text());
      return answer.json();
    },
    close: () => bench.dispose(),
  };
}
