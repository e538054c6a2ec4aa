// Who may do what, for every route there is: the table is held against the served document, and every cell of it is knocked at.

import { describe, expect, it } from "vitest";
import { type CallOptions, call } from "./call";
import {
  ACTORS,
  type Actor,
  keyOf,
  LIMITED,
  neverMade,
  type Thing,
  UNKNOWN,
  USERS,
  type User,
  userOf,
} from "./matrix/actors";
import { MCP_METHODS, OPEN, ROWS, type Row } from "./matrix/table";

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
const cells = ROWS.length * ACTORS.length;

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
  const as: CallOptions = actor === "acting service" ? { as: userOf(row.best) } : {};
  return call(method, path, { key, ...as, ...row.send(thing) });
}

/** All that an answer tells, but for what differs from request to request. */
async function told(answer: Response) {
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !PER_REQUEST.has(name)));
  const text = await answer.text();
  return { status: answer.status, headers, body: text.replace(/"request_id":"[^"]*"/, "") };
}
const PER_REQUEST = new Set(["x-request-id", "server-timing", "x-d1-bookmark", "date"]);

describe(`the matrix of ${ROWS.length} rows for ${operations.length} operations × ${ACTORS.length} actors = ${cells} cells`, () => {
  it("has every route, and none that is not there", () => {
    const closed = operations.filter((operation) => !operation.open).map((operation) => operation.route);
    const expected = [...closed, ...MCP_METHODS.map((method) => `POST /mcp ${method}`)];
    expect([...new Set(ROWS.map((row) => row.route))].sort()).toEqual(expected.sort());
    expect(
      operations
        .filter((operation) => operation.open)
        .map((operation) => operation.route)
        .sort(),
    ).toEqual([...OPEN].sort());
    expect([...UNKNOWN, ...LIMITED, ...USERS]).toEqual(ACTORS);
  });

  it.each(ROWS.map((row): [string, Row] => [`${row.route} of ${row.of}`, row]))("%s", async (_, row) => {
    const expected: Record<string, number> = {};
    const seen: Record<string, number> = {};
    const kept = row.spent ? null : await row.thing();
    for (const actor of ACTORS) {
      expected[actor] = verdict(row, actor);
      const answer = await knock(row, actor, kept ?? (await row.thing()));
      seen[actor] = answer.status;
      await answer.arrayBuffer();
    }
    expect(seen).toEqual(expected);
  });

  it.each(ROWS.filter((row) => row.of !== "nobody").map((row): [string, Row] => [`${row.route} of ${row.of}`, row]))(
    "%s: another's is as a missing one",
    async (_, row) => {
      const refused = USERS.filter((user) => verdict(row, user) === 404 && user !== row.best);
      const thing = await row.thing();
      for (const user of refused) {
        const there = await told(await knock(row, user, thing));
        const missing = await told(await knock(row, user, neverMade(thing)));
        expect(there).toEqual(missing);
        expect(there.headers).not.toHaveProperty("etag");
      }
      expect(refused.length > 0 || row.of === "public").toBe(true);
    },
  );
});
