// Requests whose trips are counted: each row of the isolation matrix, and the steps of a conversation, which share a route but differ in
// trips.

import { conversation, fresh, keyOfUser, skill, type Thing } from "../api/matrix/actors";
import { DOOR_ROWS } from "../api/matrix/compat-rows";
import { DRAFT_ROWS } from "../api/matrix/draft-rows";
import { MCP_ROWS } from "../api/matrix/mcp-rows";
import { NETWORK_ROWS } from "../api/matrix/network-rows";
import { PUBLISHER_ROWS } from "../api/matrix/publisher-rows";
import { RATING_ROWS } from "../api/matrix/rating-rows";
import { SERVER_ROWS } from "../api/matrix/server-rows";
import { SIGN_IN_ROWS } from "../api/matrix/sign-in-rows";
import { ROWS, type Row } from "../api/matrix/table";
import { LOOKING_ROWS } from "../api/matrix/view-rows";
import { call } from "../support/call";
import { providerSkill } from "../support/provider";
import { form, skillZip } from "../support/skill";
import { realServer } from "../support/upstream";

const C = "/api/v1/conversations/{id}";

async function must(answer: Response): Promise<Response> {
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer;
}

async function post(path: string, json: object): Promise<void> {
  const key = await keyOfUser("self");
  await (await must(await call("POST", path, { key, json }))).text();
}

const calls = (name: string, args: object) => ({ calls: [{ id: crypto.randomUUID(), name, arguments: args }] });
const route = (thing: Thing, rest: string) => `/api/v1/conversations/${thing.id}${rest}`;

/** A conversation in its first turn, and a skill of its user that is not loaded. */
async function chat(): Promise<Thing> {
  const offered = await skill("self");
  return { ...offered, ...(await conversation()) };
}

async function loaded(): Promise<Thing> {
  const thing = await chat();
  await post(route(thing, "/tool-calls"), calls("load_skill", { skill_name: thing.skill }));
  return thing;
}

/** A conversation that has seen everything, when something new is published. */
async function afterPublish(): Promise<Thing> {
  const thing = await chat();
  await skill("self");
  return thing;
}

async function withTool(): Promise<Thing> {
  const name = fresh("tool");
  const zip = skillZip(providerSkill(name, { echo: "return 'you said ' + args.text" }));
  const body = form(zip, { namespace: "default" });
  await must(await call("POST", "/api/v1/kinds/skills/upload", { key: await keyOfUser("self"), body }));
  const thing = await conversation();
  await post(route(thing, "/tool-calls"), calls("load_skill", { skill_name: name }));
  return thing;
}

/** A real server behind the proxy. */
async function proxied(): Promise<Thing> {
  const name = fresh("server");
  const url = await realServer("everything:world");
  await must(await call("PUT", `/api/v1/mcp-servers/${name}`, { json: { url } }));
  return { name };
}

type Send = Row["send"];
const step = (what: string, thing: Row["thing"], send: Send, path = "/tool-calls"): Row => ({
  route: `POST ${C}${path} ${what}`,
  of: "self",
  scope: "conversations",
  best: "self",
  may: { self: 200 },
  thing,
  spent: true,
  send,
});
const called =
  (name: string, args: (thing: Thing) => object): Send =>
  (thing) => ({ json: calls(name, args(thing)) });
const named = ({ skill: skill_name }: Thing) => ({ skill_name });
const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "world", version: "1" } };

const STEPS: Row[] = [
  step(
    "first",
    async () => ({ id: fresh("chat") }),
    () => ({ json: { conversation: {} } }),
    "/turns",
  ),
  step("later", chat, () => ({ json: {} }), "/turns"),
  step("later, with a skill", loaded, () => ({ json: {} }), "/turns"),
  step("after a publish", afterPublish, () => ({ json: {} }), "/turns"),
  step("load_skill", chat, called("load_skill", named)),
  step("load_skill again", loaded, called("load_skill", named)),
  step("load_skill after a publish", afterPublish, called("load_skill", named)),
  step(
    "read_skill",
    loaded,
    called("read_skill", (thing) => ({ ...named(thing), file_path: "SKILL.md" })),
  ),
  step(
    "find_skill",
    chat,
    called("find_skill", () => ({ query: "how it is done" })),
  ),
  step(
    "own tool",
    withTool,
    called("echo", () => ({ text: "x" })),
  ),
  step(
    "of nobody here",
    chat,
    called("get_weather", () => ({})),
  ),
  {
    route: "POST /mcp/{id} tools/call",
    of: "self",
    scope: "mcp",
    best: "self",
    may: { self: 200 },
    thing: chat,
    spent: true,
    send: () => ({}),
    params: (thing) => ({ name: "load_skill", arguments: named(thing) }),
  },
  {
    route: "POST /mcp/servers/{name} initialize",
    of: "public",
    scope: "mcp",
    best: "self",
    may: { self: 200 },
    thing: proxied,
    spent: true,
    send: () => ({}),
    params: () => initialize,
  },
];

/** The conversation of an MCP client begins with its first message. */
const begun = (row: Row): Row =>
  row.route.startsWith("POST /mcp/{id}") ? { ...row, spent: true, thing: async () => ({ id: fresh("client") }) } : row;

/** All of them, by a name of their own. */
export const JOURNEYS: readonly [name: string, row: Row][] = nameEach([
  ...ROWS,
  ...DRAFT_ROWS,
  ...DOOR_ROWS,
  ...LOOKING_ROWS,
  ...NETWORK_ROWS,
  ...PUBLISHER_ROWS,
  ...RATING_ROWS,
  ...SERVER_ROWS,
  ...SIGN_IN_ROWS,
  // Without the rows for resources that no user has, because their requests end after the list is read.
  ...MCP_ROWS.filter(({ may, best }) => may[best] !== 404).map(begun),
  ...STEPS,
]);

function nameEach(rows: readonly Row[]): [string, Row][] {
  const seen = new Map<string, number>();
  return rows.map((row) => {
    const name = row.of === "nobody" ? row.route : `${row.route} of ${row.of}`;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return [times === 1 ? name : `${name} (${times})`, row];
  });
}
