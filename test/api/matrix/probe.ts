// Sends the request of each cell of the isolation matrix and computes the expected status.

import { exports } from "cloudflare:workers";
import { type CallOptions, call } from "../../support/call";
import { perFile } from "../../support/per-file";
import { ACTORS, type Actor, keyOf, marksOf, neverMade, type Thing, UNKNOWN, USERS, type User, userOf } from "./actors";
import type { Row } from "./table";

const isUser = (actor: Actor): actor is User => USERS.some((user) => user === actor);
const isUnknown = (actor: Actor) => UNKNOWN.some((unknown) => unknown === actor);

/** Returns the expected status of a cell. */
function verdict(row: Row, actor: Actor): number {
  // Routes that accept requests without a key ignore cookies.
  const isKeyless = actor === "anonymous" || actor === "cookie only";
  if (isKeyless && row.withoutKey !== undefined) return row.withoutKey;
  if (isUnknown(actor)) return 401;
  const best = row.may[row.best] ?? Number.NaN;
  if (actor === "scope only") return best;
  if (actor === "wrong scope") return row.scope === null ? best : 403;
  if (actor === "acting service") {
    // A service that acts for a user does not have the user's role, and only users themselves can manage their keys.
    if (row.scope === "keys" || row.scope === "admin") return 403;
    return row.best === "admin" ? (row.may.stranger ?? 404) : best;
  }
  return (isUser(actor) ? row.may[actor] : undefined) ?? (row.of === "nobody" ? 403 : 404);
}

async function sendProbe(row: Row, actor: Actor, thing: Thing): Promise<Response> {
  const [method = "", template = ""] = row.route.split(" ");
  const path = template.replace(/\{([^}]+)\}/g, (_, field: string) => thing[field] ?? field);
  const key = await keyOf(actor, row.best, row.scope);
  const marks = await marksOf(actor, row.best);
  if (row.params !== undefined) return knockMcp(path, row, actor, { ...marks, ...bearerOf(key) }, row.params(thing));
  const as: CallOptions = actor === "acting service" ? { as: userOf(row.best) } : {};
  const sent = row.send(thing);
  const headers = { ...sent.headers, ...marks };
  return call(method, path + (row.query?.(thing) ?? ""), { key, ...as, ...sent, headers });
}

const bearerOf = (key: string | null): Record<string, string> =>
  key === null ? {} : { authorization: `Bearer ${key}` };

/** Sends one message to the MCP endpoint. */
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

/** Returns a body as text, whatever its content type. */
async function textOf(answer: Response): Promise<string> {
  return new TextDecoder().decode(await answer.arrayBuffer());
}

/** Returns the status of a response. An MCP error, of the protocol or of a tool, counts as 404. */
function verdictOf(row: Row, status: number, text: string): number {
  return row.params !== undefined && status === 200 && /"error":\{|"isError":true/.test(text) ? 404 : status;
}

/** Returns everything in a response except values that differ between requests. */
function told({ status, headers }: Response, text: string, thing: Thing) {
  // The suggested names depend on the requested name and on the names that the caller can see.
  let body = text.replace(/"request_id":"[^"]*"/, "").replace(/ Did you mean [^?]*\?/, "");
  // A response can repeat names from the request.
  for (const [field, value] of Object.entries(thing)) body = body.replaceAll(value, `{${field}}`);
  return { status, headers: Object.fromEntries([...headers].filter(([name]) => !PER_REQUEST.has(name))), body };
}
const PER_REQUEST = new Set(["x-request-id", "request-id", "server-timing", "x-d1-bookmark", "date"]);

/** Whether an actor cannot see the resource. Users with a right to it can receive 404 for another reason, such as a skill without a rollout. */
function isBlind(row: Row, actor: Actor): boolean {
  const isCompared = actor === "anonymous" || (isUser(actor) && row.may[actor] === undefined);
  return isCompared && verdict(row, actor) === 404;
}

/** The answers to a row's actors. */
interface Answered {
  expected: Record<string, number>;
  seen: Record<string, number>;
  /** The answers to the actors that cannot see the resource, and the resource. */
  refused: { actor: Actor; thing: Thing; there: ReturnType<typeof told> }[];
}

/** Both tests of a row look at the same answers. */
const answered = new Map<Row, Promise<Answered>>();
/** Resources of rows that only read, by the function that creates them. */
const read = new Map<Row["thing"], Promise<Thing>>();
await perFile(() => {
  answered.clear();
  read.clear();
});

/** Returns the resource of a row. Rows that only read share it, so that none of them changes what another finds. */
function resourceFor({ route, spent, thing }: Row): Promise<Thing> {
  if (spent || !route.startsWith("GET ")) return thing();
  const known = read.get(thing) ?? thing();
  read.set(thing, known);
  return known;
}

function answersTo(row: Row): Promise<Answered> {
  const known = answered.get(row) ?? askAs(row);
  answered.set(row, known);
  return known;
}

/** Sends the request of every actor. */
async function askAs(row: Row): Promise<Answered> {
  const all: Answered = { expected: {}, seen: {}, refused: [] };
  let thing = await resourceFor(row);
  for (const actor of ACTORS) {
    all.expected[actor] = verdict(row, actor);
    const answer = await sendProbe(row, actor, thing);
    const text = await textOf(answer);
    const seen = verdictOf(row, answer.status, text);
    all.seen[actor] = seen;
    if (isBlind(row, actor)) all.refused.push({ actor, thing, there: told(answer, text, thing) });
    // A rejected request does not use up the resource, so the next actor uses the same one.
    if (row.spent && seen < 400) thing = await row.thing();
  }
  return all;
}

/** Returns the actual and the expected status for every actor. */
export async function verdictsOf(row: Row) {
  const { seen, expected } = await answersTo(row);
  return { seen, expected };
}

/** Returns the responses to actors that cannot see the resource: for the resource, and for one that was never created. */
export async function absentAs(row: Row) {
  const { refused } = await answersTo(row);
  const both = [];
  for (const { actor, thing, there } of refused) {
    const absent = neverMade(thing);
    const answer = await sendProbe(row, actor, absent);
    both.push({ there, missing: told(answer, await textOf(answer), absent) });
  }
  return both;
}
