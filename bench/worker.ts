// Runs the gateway with floors next to it, in one Worker and one isolate. A floor does only the I/O that its path cannot avoid, in plain
// code: no framework, no schemas, no layers. docs/benchmarks.md describes each floor.

import { DurableObject } from "cloudflare:workers";
import { strFromU8, unzipSync, zipSync } from "fflate";
import gateway from "../src/index";
import { callBare } from "./loader-floor";
import type { AskingFloor } from "./questions";

export { Conversation, EventHub, Import, Meter } from "../src/index";
export { AskingFloor } from "./questions";

interface BenchEnv extends Env {
  FLOOR: DurableObjectNamespace<Floor>;
  ASKING: DurableObjectNamespace<AskingFloor>;
}

/** The content of a row of about the size of a conversation's event. */
type Row = { id: string; text: string };

export class Floor extends DurableObject<BenchEnv> {
  readonly #sql = this.ctx.storage.sql;

  prepare(): void {
    this.#sql.exec("CREATE TABLE IF NOT EXISTS rows (seq INTEGER PRIMARY KEY, at INTEGER, text TEXT NOT NULL)");
  }

  write(text: string): number {
    this.#sql.exec("INSERT INTO rows (at, text) VALUES (?, ?)", Date.now(), text);
    return text.length;
  }

  /** A write, then one call of a bare isolate, from the object as in the gateway. */
  async code(text: string, isolate: string): Promise<string> {
    this.write(text);
    return callBare(this.env.LOADER, isolate);
  }

  /** The object reads the file, as in the gateway, because only the object has the list of readable files. */
  async read(file: { key: string; offset: number; length: number }): Promise<string> {
    const object = await this.env.PACKAGES.get(file.key, {
      range: { offset: file.offset, length: file.length },
    });
    return object === null ? "" : object.text();
  }
}

export default {
  fetch(request: Request, env: BenchEnv, ctx: ExecutionContext): Response | Promise<Response> {
    const at = request.url.indexOf("/floor/");
    return at < 0 ? gateway.fetch(request, env, ctx) : floor(request.url.slice(at + 7), request, env);
  },
  scheduled: gateway.scheduled,
};

async function floor(name: string, request: Request, env: BenchEnv): Promise<Response> {
  switch (name) {
    case "hello":
      return new Response("hello");
    case "prepare":
      await env.FLOOR.getByName(await request.text()).prepare();
      return new Response("ok");
    case "loader": {
      const { id, text, isolate, counts } = await request.json<Row & { isolate: string; counts: boolean }>();
      const found = await principal(request, env);
      if (counts) await env.DB.prepare(COUNT).bind(id).run();
      return Response.json({ ...found, answer: await env.FLOOR.getByName(id).code(text, isolate) });
    }
    case "write": {
      const { id, text } = await request.json<Row>();
      const found = await principal(request, env);
      return Response.json({ ...found, wrote: await env.FLOOR.getByName(id).write(text) });
    }
    case "read": {
      const asked = await request.json<{ id: string; key: string; offset: number; length: number }>();
      const found = await principal(request, env);
      return Response.json({ ...found, content: await env.FLOOR.getByName(asked.id).read(asked) });
    }
    case "object-file": {
      const asked = await request.json<{ id: string; key: string; offset: number; length: number }>();
      return Response.json({ content: await env.FLOOR.getByName(asked.id).read(asked) });
    }
    case "object-read": {
      const object = await env.PACKAGES.get(await request.text());
      return new Response(object?.body ?? null);
    }
    case "d1":
      return Response.json(await principal(request, env));
    case "d1-batch":
      return Response.json(await principalInBatch(request, env));
    case "object": {
      const { id, text } = await request.json<Row>();
      return Response.json(await env.FLOOR.getByName(id).write(text));
    }
    case "chat": {
      const { id, url, sent } = await request.json<{ id: string; url: string; sent: object }>();
      await principal(request, env);
      const object = env.FLOOR.getByName(id);
      await object.write(id);
      await object.write(JSON.stringify(sent));
      return fetch(url, { method: "POST", body: JSON.stringify(sent) });
    }
    case "ask": {
      const [found, payload] = await Promise.all([principal(request, env), request.text()]);
      return Response.json({ ...found, answer: await env.ASKING.getByName("page").ask(payload) });
    }
    case "ask-socket":
      return env.ASKING.getByName("page").fetch(request);
    case "upload":
      return Response.json(await upload(request, env));
    default:
      return new Response(null, { status: 404 });
  }
}

/** Runs of scripts are counted exactly. */
const COUNT = `INSERT INTO usage (subject, kind, window_start, count) VALUES (?, 'floor', 0, 1)
  ON CONFLICT DO UPDATE SET count = count + 1 RETURNING count`;
const KEY = "SELECT * FROM keys WHERE id = ? AND revoked_at IS NULL";
const COUNTERS = `SELECT * FROM counters WHERE scope IN (
  SELECT 'public' UNION ALL SELECT 'user:' || user_id FROM keys WHERE id = ?1
  UNION ALL SELECT 'group:' || member.value FROM keys, json_each(keys.groups) AS member WHERE keys.id = ?1)`;

/** One statement that reads the data for authentication: the key, and the change counters of the scopes its user can see. */
async function principal(request: Request, env: BenchEnv): Promise<{ user_id: unknown; counters: unknown }> {
  const row = await env.DB.prepare(
    `SELECT key.*, (SELECT json_group_object(scope, value) FROM (${COUNTERS})) AS counted FROM (${KEY.replace("?", "?1")}) AS key`,
  )
    .bind(keyId(request))
    .first<{ user_id: string; counted: string }>();
  return { user_id: row?.user_id, counters: JSON.parse(row?.counted ?? "{}") };
}

/** The same as a batch of two statements, as in the gateway. It is not a floor, but shows the cost of the second statement. */
async function principalInBatch(request: Request, env: BenchEnv): Promise<{ user_id: unknown; counters: unknown }> {
  const id = keyId(request);
  const [key, counters] = await env.DB.batch<{ user_id: string }>([
    env.DB.prepare(KEY).bind(id),
    env.DB.prepare(COUNTERS).bind(id),
  ]);
  return { user_id: key?.results[0]?.user_id, counters: counters?.results };
}

function keyId(request: Request): string {
  return /sgw_([0-9A-Za-z]+)_/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
}

/** Unzip, SHA-256 of upload, files and result, write a stored ZIP, one R2 put, one D1 batch of the four rows of a publish. */
async function upload(request: Request, env: BenchEnv): Promise<{ files: number }> {
  const form = await request.formData();
  const file: unknown = form.get("file");
  if (!(file instanceof File)) return { files: 0 };
  const bytes = new Uint8Array(await file.arrayBuffer());
  const uploadHash = await sha256(bytes);
  const entries = unzipSync(bytes);
  const files = await Promise.all(
    Object.entries(entries).map(async ([path, content]) => ({
      path,
      size: content.length,
      sha256: await sha256(content),
    })),
  );
  const zip = zipSync(entries, { level: 0 });
  const zipHash = await sha256(zip);
  const id = crypto.randomUUID();
  await env.PACKAGES.put(`floor/${id}.zip`, zip, { sha256: zipHash });
  const path = Object.keys(entries).find((name) => name.endsWith("/SKILL.md")) ?? "";
  const instructions = strFromU8(entries[path] ?? new Uint8Array());
  await env.DB.batch([
    env.DB.prepare("INSERT INTO bench_skills (id, name, version_id) VALUES (?, ?, ?)").bind(id, path, id),
    env.DB.prepare("INSERT INTO bench_versions VALUES (?, ?, ?, ?, ?, ?)").bind(
      id,
      uploadHash,
      zipHash,
      zip.length,
      JSON.stringify(files),
      instructions,
    ),
    env.DB.prepare("INSERT INTO bench_search (name, description) VALUES (?, ?)").bind(path, instructions.slice(0, 200)),
    env.DB.prepare("UPDATE bench_counters SET value = value + 1").bind(),
  ]);
  return { files: files.length };
}

async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
