// Simulates the parts of Cloudflare's API that `npm run backup -- --remote` and its restore need: D1 as SQLite, and R2 in memory.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

const MIGRATIONS = path.join(import.meta.dirname, "..", "..", "migrations");

export interface Data {
  url: string;
  d1: DatabaseSync;
  r2: Map<string, Uint8Array>;
  /** Requests that the simulation does not support. */
  unknown: string[];
  /** Called before each query for rows. */
  onQuery: (sql: string) => void;
  close(): void;
}

/** Creates an account with a database that has the gateway's migrations. @param d1 another one, instead of one in memory */
export async function newData(d1 = migrated()): Promise<Data> {
  const data: Data = { url: "", d1, r2: new Map(), unknown: [], onQuery: () => {}, close: () => {} };
  let uploaded = "";
  const server = createServer(async (request, response) => {
    const route = decodeURIComponent(new URL(request.url ?? "", "http://x").pathname.replace("/client/v4", ""));
    const body = await bodyOf(request);
    const key = /^\/accounts\/acc\/r2\/buckets\/skill-gateway\/objects\/(.+)$/.exec(route)?.[1];
    if (key !== undefined) {
      const object = data.r2.get(key);
      if (request.method === "PUT") data.r2.set(key, body);
      response.writeHead(request.method === "PUT" || object !== undefined ? 200 : 404);
      return response.end(request.method === "PUT" ? "{}" : object);
    }
    if (route === "/upload") {
      uploaded = body.toString();
      return response.writeHead(200, { etag: createHash("md5").update(body).digest("hex") }).end();
    }
    let result: unknown;
    let message = "unknown";
    try {
      result = answer(data, `${request.method} ${route}`, body.toString(), () => uploaded);
    } catch (error) {
      message = String(error);
    }
    if (result === undefined && message === "unknown") data.unknown.push(`${request.method} ${route}`);
    response.writeHead(result === undefined ? 400 : 200, { "content-type": "application/json" });
    const errors = result === undefined ? [{ code: 7500, message }] : [];
    const info = { page: 1, per_page: 100, count: 1, total_count: 1 };
    response.end(JSON.stringify({ success: result !== undefined, errors, messages: [], result, result_info: info }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  data.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/client/v4`;
  data.close = () => server.close();
  return data;
}

function answer(data: Data, call: string, body: string, uploaded: () => string): unknown {
  const database = { name: "skill-gateway", uuid: "11111111-1111-4111-8111-111111111111" };
  if (call === "GET /user/tokens/verify") return { id: "token", status: "active" };
  if (call === "GET /user") return { id: "user", email: "someone@example.com" };
  if (call === "GET /accounts") return [{ id: "acc", name: "Account" }];
  if (call === "GET /memberships") return [{ id: "member", account: { id: "acc", name: "Account" } }];
  if (call === "GET /accounts/acc/d1/database") return [database];
  const route = `/accounts/acc/d1/database/${database.uuid}`;
  if (call === `GET ${route}`) return { ...database, version: "production" };
  if (call === `POST ${route}/query`) {
    const { sql } = JSON.parse(body) as { sql: string };
    data.onQuery(sql);
    return [{ success: true, results: data.d1.prepare(sql).all(), meta: { duration: 1 } }];
  }
  if (call === `POST ${route}/import`) {
    const { action } = JSON.parse(body) as { action: string };
    if (action === "init")
      return { success: true, upload_url: `${data.url.replace("/client/v4", "")}/upload`, filename: "rows.sql" };
    // Like D1: all statements apply, or none.
    data.d1.exec("BEGIN");
    try {
      const longest = Math.max(
        ...uploaded()
          .split(";\n")
          .map((statement) => Buffer.byteLength(statement)),
      );
      if (longest > 100_000) throw new Error("statement too long: SQLITE_TOOBIG");
      data.d1.exec(uploaded());
      data.d1.exec("COMMIT");
    } catch (error) {
      data.d1.exec("ROLLBACK");
      return {
        success: false,
        type: "import",
        status: "error",
        error: String(error),
        errors: [String(error)],
        messages: [],
      };
    }
    const meta = { duration: 1, rows_read: 1, rows_written: 1, size_after: 1 };
    return {
      success: true,
      type: "import",
      status: "complete",
      messages: [],
      result: { num_queries: 1, final_bookmark: "b", meta },
    };
  }
  return undefined;
}

function migrated(): DatabaseSync {
  const d1 = new DatabaseSync(":memory:");
  d1.exec(
    "PRAGMA foreign_keys = ON; CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE)",
  );
  for (const name of readdirSync(MIGRATIONS)
    .filter((file) => file.endsWith(".sql"))
    .sort()) {
    d1.exec(readFileSync(path.join(MIGRATIONS, name), "utf8"));
    d1.prepare("INSERT INTO d1_migrations (name) VALUES (?)").run(name);
  }
  return d1;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
