// Counts the writes of a conversation's object: SQLite rows reported by cursors, and alarms, each billed as one row.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

export interface Written {
  rows: number;
  alarms: number;
}

/**
 * Counts the writes of all objects in the pool's isolate until `stop`.
 * @returns the writes since the last call of `since`
 */
export async function countWrites(): Promise<{ since(): Written; stop(): void }> {
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  let alarms = 0;
  const restore: (() => void)[] = [];
  await runInDurableObject(env.CONVERSATIONS.getByName("rows-meter"), (_, { storage }) => {
    const sql: SqlStorage = Object.getPrototypeOf(storage.sql);
    const own: DurableObjectStorage = Object.getPrototypeOf(storage);
    const { exec } = sql;
    const { setAlarm } = own;
    sql.exec = function (this: SqlStorage, ...given: Parameters<typeof exec>) {
      const cursor = exec.apply(this, given);
      cursors.push(cursor);
      return cursor;
    } as typeof exec;
    own.setAlarm = function (this: DurableObjectStorage, ...given: Parameters<typeof setAlarm>) {
      alarms++;
      return setAlarm.apply(this, given);
    };
    restore.push(
      () => Object.assign(sql, { exec }),
      () => Object.assign(own, { setAlarm }),
    );
  });
  return {
    since() {
      const rows = cursors.splice(0).reduce((sum, cursor) => sum + cursor.rowsWritten, 0);
      const written = { rows, alarms };
      alarms = 0;
      return written;
    },
    stop() {
      for (const put of restore) put();
    },
  };
}
