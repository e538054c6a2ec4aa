// The floor of code: one call of a bare isolate with a minimal host object.

import { RpcTarget } from "cloudflare:workers";

const MODULE = `import { WorkerEntrypoint } from "cloudflare:workers";
export default class extends WorkerEntrypoint {
  async run(text, host) { return JSON.stringify({ answer: text + ": 42" }); }
}`;

class Host extends RpcTarget {
  async nothing(): Promise<void> {}
}

/** Calls the isolate with this id, which is created if it does not exist. */
export async function callBare(loader: WorkerLoader, id: string): Promise<string> {
  const worker = loader.get(`floor:${id}`, async () => ({
    compatibilityDate: "2026-10-20",
    mainModule: "main.js",
    modules: { "main.js": MODULE },
    globalOutbound: null,
    env: {},
  }));
  const entrypoint = worker.getEntrypoint() as unknown as { run(text: string, host: Host): Promise<string> };
  return entrypoint.run("how much", new Host());
}
