// The state of a gateway on this machine as the target of a restore. The caller must own the lock, because two processes cannot use one state.

import { randomBytes } from "node:crypto";
import { openGateway } from "../local/gateway.mjs";
import { ownerMark, processOf } from "../local/processes.mjs";

/** Statements in one call. */
const BATCH = 50;

/**
 * Opens a gateway on a state, only to read or fill it.
 * @param {{ modules: Record<string, string>, state: string, owned?: string, port: number, onRuntime: (pid: number) => void }} options
 * `state`: the folder of the data; `owned`: the state that the lock protects, if it is another folder
 */
export async function openLocal({ modules, state, owned = state, port, onRuntime }) {
  // Keys for this process only; those in .dev.vars are not used.
  const key = `sgw_${randomBytes(32).toString("hex")}`;
  const gateway = await openGateway({
    modules,
    variables: { GATEWAY_ADMIN_KEY: key, LOG_REQUESTS: "false" },
    port,
    state,
    owner: ownerMark(owned, processOf(process.pid)),
    onRuntime,
    onLost: () => {},
  });
  await gateway.ready();
  const db = await gateway.database();
  const bucket = await gateway.packages();
  return {
    ...{ key, db, url: `http://127.0.0.1:${port}`, stop: gateway.stop },
    query: async (sql) => (await db.prepare(sql).all()).results,
    async readPackage(name) {
      const object = await bucket.get(name);
      return object === null ? null : new Uint8Array(await object.arrayBuffer());
    },
    async writePackage(name, bytes, contentType = "application/zip") {
      await bucket.put(name, bytes, contentType === null ? {} : { httpMetadata: { contentType } });
    },
    async run(statements) {
      let waiting = [];
      const flush = async () => {
        if (waiting.length > 0) await db.batch(waiting.map((sql) => db.prepare(sql)));
        waiting = [];
      };
      for await (const sql of statements) {
        waiting.push(sql);
        if (waiting.length === BATCH) await flush();
      }
      await flush();
    },
  };
}
