// Implements D1's protocol over the SQLite of an object, as the database of Workers whose cold start is measured. Miniflare's own database
// takes longer to start than the Worker.

import { DurableObject } from "cloudflare:workers";

interface Query {
  sql: string;
  params?: (string | number | null)[] | null;
}

export class Database extends DurableObject {
  override async fetch(request: Request): Promise<Response> {
    const asked: Query | Query[] = await request.json();
    const { storage } = this.ctx;
    try {
      const answers = storage.transactionSync(() => [asked].flat().map((query) => this.#run(query)));
      return Response.json(answers, { headers: { "x-cf-d1-session-commit-token": "0" } });
    } catch (error) {
      return Response.json({ success: false, error: String(error) });
    }
  }

  #run({ sql, params }: Query): object {
    const cursor = this.ctx.storage.sql.exec(sql, ...(params ?? []));
    const results = { columns: cursor.columnNames, rows: [...cursor.raw()] };
    const changes = cursor.rowsWritten;
    const meta = { served_by: "bench", served_by_primary: true, duration: 0, changes, rows_read: cursor.rowsRead };
    return { success: true, results, meta };
  }
}

export default {
  fetch(request: Request, env: { DATABASE: DurableObjectNamespace; NAME: string }): Promise<Response> {
    return env.DATABASE.getByName(env.NAME).fetch(request);
  },
};
