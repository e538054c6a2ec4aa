/// <reference types="vite/client" />
// Who may do what, for every route there is: the table is held against the served document, and every cell of it is knocked at.

import { exports } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { type CallOptions, call } from "../support/call";
import {
  ACTORS,
  type Actor,
  dropServers,
  keyOf,
  LIMITED,
  marksOf,
  neverMade,
  type Thing,
  UNKNOWN,
  USERS,
  type User,
  userOf,
} from "./matrix/actors";
import { CHAT_ROWS } from "./matrix/chat-rows";
import { DOOR_ROWS } from "./matrix/door-rows";
import { DRAFT_ROWS } from "./matrix/draft-rows";
import { LOOKING_ROWS } from "./matrix/looking-rows";
import { MCP_ROWS } from "./matrix/mcp-rows";
import { PROXY_ROWS, SERVER_ROWS } from "./matrix/server-rows";
import { OPEN, ROWS, type Row } from "./matrix/table";

interface Document {
  paths: Record<string, Record<string, { security?: unknown[] }>>;
}

const document = await (await call("GET", "/openapi.json")).json<Document>();
const operations = Object.entries(document.paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, { security }]) => ({
    route: `${method.toUpperCase()} ${template}`,
    open: security?.length === 0,
  })),
);
afterEach(dropServers);

const MCP_SOURCES = import.meta.glob<string>("../../src/mcp/*.ts", { query: "?raw", import: "default", eager: true });
const ALL = [
  ...ROWS,
  ...DRAFT_ROWS,
  ...DOOR_ROWS,
  ...LOOKING_ROWS,
  ...SERVER_ROWS,
  ...MCP_ROWS,
  ...PROXY_ROWS,
  ...CHAT_ROWS,
];
const cells = ALL.length * ACTORS.length;

const isUser = (actor: Actor): actor is User => USERS.some((user) => user === actor);
const isUnknown = (actor: Actor) => UNKNOWN.some((unknown) => unknown === actor);

/** The verdict of a cell. */
function verdict(row: Row, actor: Actor): number {
  if (isUnknown(actor)) return 401;
  const best = row.may[row.best] ?? Number.NaN;
  if (actor === "scope only") return best;
  if (actor === "wrong scope") return row.scope === null ? best : 403;
  if (actor === "acting service") {
    // A service lends its reach and never its role, and keys are their user's alone.
    if (row.scope === "keys" || row.scope === "admin") return 403;
    return row.best === "admin" ? (row.may.stranger ?? 404) : best;
  }
  return (isUser(actor) ? row.may[actor] : undefined) ?? (row.of === "nobody" ? 403 : 404);
}

async function knock(row: Row, actor: Actor, thing: Thing): Promise<Response> {
  const [method = "", template = ""] = row.route.split(" ");
  const path = template.replace(/\{([^}]+)\}/g, (_, field: string) => thing[field] ?? field);
  const key = await keyOf(actor, row.best, row.scope);
  const marks = await marksOf(actor, row.best);
  if (row.params !== undefined) return knockMcp(path, row, actor, { ...marks, ...bearerOf(key) }, row.params(thing));
  const as: CallOptions = actor === "acting service" ? { as: userOf(row.best) } : {};
  return call(method, path + (row.query?.(thing) ?? ""), { key, ...as, ...row.send(thing), headers: marks });
}

const bearerOf = (key: string | null): Record<string, string> =>
  key === null ? {} : { authorization: `Bearer ${key}` };

/** One message to the MCP door. */
function knockMcp(path: string, row: Row, actor: Actor, who: Record<string, string>, params: object) {
  const method = row.route.split(" ")[2];
  return exports.default.fetch(`https://gateway.test${path}`, {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": "2025-11-25",
      ...who,
      ...(actor === "acting service" ? { "on-behalf-of": userOf(row.best) } : {}),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

/** A body as text, whatever its type says. */
async function textOf(answer: Response): Promise<string> {
  return new TextDecoder().decode(await answer.arrayBuffer());
}

/** The verdict that an answer is: of MCP an error, of the protocol or of a tool, is as good as a 404. */
async function verdictOf(row: Row, answer: Response): Promise<number> {
  const text = await textOf(answer);
  return row.params !== undefined && answer.status === 200 && /"error":\{|"isError":true/.test(text)
    ? 404
    : answer.status;
}

/** All that an answer tells, but for what differs from request to request. */
async function told(answer: Response, thing: Thing) {
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !PER_REQUEST.has(name)));
  // Which names are near depends on the one that was asked for, and on those that the caller sees.
  let body = (await textOf(answer)).replace(/"request_id":"[^"]*"/, "").replace(/ Did you mean [^?]*\?/, "");
  // What the caller itself has named may be named back.
  for (const [field, value] of Object.entries(thing)) body = body.replaceAll(value, `{${field}}`);
  return { status: answer.status, headers, body };
}
const PER_REQUEST = new Set(["x-request-id", "server-timing", "x-d1-bookmark", "date"]);

describe(`the matrix of ${ALL.length} rows for ${operations.length} operations × ${ACTORS.length} actors = ${cells} cells`, () => {
  it("has every route, and none that is not there", () => {
    const closed = operations.filter((operation) => !operation.open).map((operation) => operation.route);
    expect(
      [
        ...new Set([...ROWS, ...DRAFT_ROWS, ...DOOR_ROWS, ...LOOKING_ROWS, ...SERVER_ROWS].map((row) => row.route)),
      ].sort(),
    ).toEqual(closed.sort());
    expect(
      operations
        .filter((operation) => operation.open)
        .map((operation) => operation.route)
        .sort(),
    ).toEqual([...OPEN].sort());
    expect([...UNKNOWN, ...LIMITED, ...USERS]).toEqual(ACTORS);
    // The MCP door has no document. Its methods are those that its source registers, and two that the SDK answers itself.
    const registered = Object.values(MCP_SOURCES).flatMap((source) =>
      [...source.matchAll(/setRequestHandler\("([^"]+)"/g)].map((match) => match[1]),
    );
    const methods = new Set(MCP_ROWS.map((row) => row.route.split(" ")[2]));
    expect([...methods].sort()).toEqual([...registered, "initialize", "ping"].sort());
  });

  it.each(ALL.map((row): [string, Row] => [`${row.route} of ${row.of}`, row]))("%s", async (_, row) => {
    const expected: Record<string, number> = {};
    const seen: Record<string, number> = {};
    const kept = row.spent ? null : await row.thing();
    for (const actor of ACTORS) {
      expected[actor] = verdict(row, actor);
      seen[actor] = await verdictOf(row, await knock(row, actor, kept ?? (await row.thing())));
    }
    expect(seen).toEqual(expected);
  });

  it.each(ALL.filter((row) => row.of !== "nobody").map((row): [string, Row] => [`${row.route} of ${row.of}`, row]))(
    "%s: another's is as a missing one",
    async (_, row) => {
      const refused = USERS.filter((user) => verdict(row, user) === 404 && user !== row.best);
      const thing = await row.thing();
      for (const user of refused) {
        const absent = neverMade(thing);
        const there = await told(await knock(row, user, thing), thing);
        const missing = await told(await knock(row, user, absent), absent);
        expect(there).toEqual(missing);
        expect(there.headers).not.toHaveProperty("etag");
      }
      expect(refused.length > 0 || row.of === "public").toBe(true);
    },
  );
});
