// Defines the operations whose costs are reported: the request, its preparation, and the limit on written rows. Each runs several times.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { publishCode } from "../code.mjs";
import { prose, skillZip } from "../skills.mjs";

const BASE = "/api/v1/conversations";

/**
 * @typedef {object} Operation
 * @property {string} name
 * @property {(n: number) => Promise<unknown>} act the part that is counted
 * @property {(n: number) => Promise<unknown>} [before] preparation, which is not counted
 * @property {{ object?: number, d1?: number }} [ceiling] limits on written rows; alarms count as rows of the object
 * @property {number} [requests] requests of callers, 1 by default
 * @property {number} [userWaits] how often an object waits for a user
 * @property {boolean} [once] the operation cannot be repeated
 */

/** @returns {Promise<Operation[]>} */
export async function operationsFor(gateway, { user, skills, everything }) {
  const some = (n) => skills[(n * 7_919) % skills.length].name;
  const tell = (route, method, path, body) => gateway.call(user, method, `${BASE}/${route}${path}`, body);
  const turn = (route, body = {}) => tell(route, "POST", "/turns", body);
  let made = 0;
  const call = (route, name, args) => {
    const one = { id: `call_${made++}`, name, arguments: args };
    return tell(route, "POST", "/tool-calls", { calls: [one] });
  };
  const standing = async (route, settings = {}) => turn(route, { conversation: settings });
  const known = async (route, settings) => {
    await standing(route, settings);
    await call(route, "load_skill", { skill_name: some(1) });
  };
  await publishCode(gateway, "coded");
  const whole = await published(gateway, user);
  await known("talk");
  await known("auto", { delivery: "auto" });
  await standing("code");
  await call("code", "load_skill", { skill_name: "coded" });
  const ask = (wait_ms) => tell("talk", "POST", "/requests", { action: "confirm", payload: { sure: true }, wait_ms });
  const answer = ({ request_id }) =>
    tell("talk", "POST", `/requests/${request_id}/response`, { success: true, result: true });
  await answer(await ask(0));
  const zip = (n) =>
    skillZip({ name: `cost-${user}-${n}`, description: prose(120, n).replaceAll(/\s+/g, " "), body: prose(4_000, n) });
  const client = new Client({ name: "bench", version: "1.0.0" });
  const authorization = `Bearer ${await gateway.keyOf(user)}`;
  const proxied = new URL("/mcp/servers/everything", gateway.url);
  const proxy = new StreamableHTTPClientTransport(proxied, { requestInit: { headers: { authorization } } });
  return [
    {
      name: "create a conversation",
      act: (n) => tell(`made-${n}`, "PUT", "", {}),
      ceiling: { object: 8, d1: 3 },
    },
    { name: "its first turn", act: (n) => turn(`made-${n}`) },
    { name: "create with the first turn, in one request", act: (n) => standing(`both-${n}`) },
    {
      name: "the same under `auto`",
      act: (n) => standing(`both-auto-${n}`, { delivery: "auto" }),
    },
    { name: "a later turn", act: (n) => turn("talk", { key: `m${n}` }), ceiling: { object: 2, d1: 0 } },
    { name: "a later turn under `auto`", act: (n) => turn("auto", { key: `m${n}` }), ceiling: { object: 2, d1: 0 } },
    {
      name: "`load_skill`",
      before: (n) => turn("talk", { key: `load-${n}` }),
      act: (n) => call("talk", "load_skill", { skill_name: some(n + 2) }),
      ceiling: { object: 3, d1: 0 },
    },
    {
      name: "`load_skill` under `auto`",
      act: (n) => call("auto", "load_skill", { skill_name: some(n + 2) }),
      ceiling: { object: 3, d1: 0 },
    },
    {
      name: "`load_skill` again",
      before: (n) => call("talk", "load_skill", { skill_name: some(n + 2) }),
      act: (n) => call("talk", "load_skill", { skill_name: some(n + 2) }),
      ceiling: { object: 1, d1: 0 },
    },
    {
      name: "`read_skill`",
      act: () => call("talk", "read_skill", { skill_name: skills[0].name }),
      ceiling: { object: 1, d1: 0 },
    },
    {
      name: "`find_skill`",
      act: (n) => call("talk", "find_skill", { query: skills[n % skills.length].description.slice(0, 40) }),
      ceiling: { object: 1, d1: 0 },
    },
    { name: "a tool of a skill's own", act: () => call("code", "answer", { question: "how much" }) },
    {
      name: "a script",
      act: () =>
        call("code", "execute_skill_script", { skill_name: "coded", script_path: "scripts/answer.js", input: "x" }),
    },
    {
      name: "a question and its answer, nobody waiting",
      act: async () => answer(await ask(0)),
      requests: 2,
      ceiling: { object: 4, d1: 0 },
    },
    {
      name: "the same, a back end waiting for the user",
      act: async () => answer(await ask(0)),
      requests: 2,
      userWaits: 1,
    },
    { name: "the prompt again", act: () => tell("talk", "GET", "/prompt"), ceiling: { object: 0, d1: 0 } },
    { name: "the status", act: () => tell("talk", "GET", ""), ceiling: { object: 0, d1: 0 } },
    { name: "a list of skills", act: () => gateway.call(user, "GET", "/api/v1/kinds/skills?limit=50") },
    {
      name: "a file of a skill",
      act: async () => gateway.send(await gateway.request(user, "GET", `/api/v1/kinds/skills/${whole}/files/notes.md`)),
    },
    { name: "publish", act: async (n) => gateway.send(await gateway.upload(user, zip(n))) },
    { name: "a turn after a publish", act: (n) => turn("talk", { key: `after-${n}` }), once: true },
    {
      name: "a tool of an MCP server, in a conversation",
      before: async (n) => {
        // Done last, because it affects every later conversation.
        if (n === 0) await gateway.call(null, "PUT", "/api/v1/mcp-servers/everything", { url: everything.url });
        await (n === 0 ? untilServed(() => standing("served")) : turn("served"));
      },
      act: () => call("served", "everything__echo", { message: "hello" }),
    },
    { name: "a later turn with an MCP server", act: (n) => turn("served", { key: `s${n}` }) },
    {
      name: "a tool of that server, through the proxy",
      before: async (n) => {
        if (n === 0) await client.connect(proxy);
      },
      act: () => client.callTool({ name: "echo", arguments: { message: "hello" } }),
    },
    {
      name: "counts of an hour, sent by the alarm",
      before: async () => gateway.send(post(`/cost/clock/${61 * 60_000}`)),
      act: () => gateway.send(post(`/cost/ring/${objectOf(user, "auto")}`)),
      requests: 0,
      once: true,
    },
    { name: "the hourly job", act: () => gateway.send(post("/cost/hourly")), once: true },
    {
      name: "the end of an idle conversation",
      before: async (n) => {
        if (n === 0) await gateway.send(post(`/cost/clock/${31 * 24 * 60 * 60_000}`));
      },
      act: (n) => gateway.send(post(`/cost/ring/${objectOf(user, `made-${n}`)}`)),
      requests: 0,
    },
  ];
}

const post = (route) => ({ method: "POST", route });
const objectOf = (user, id) => encodeURIComponent(JSON.stringify([user, id]));

/** A skill with a file, published through the API, because seeded skills have only rows. */
async function published(gateway, user) {
  const files = { "notes.md": Buffer.from(prose(2_000, 5)) };
  const zip = skillZip({ name: "with-a-file", description: "Has a file.", body: prose(1_000, 6), files });
  const { text } = await gateway.send(await gateway.upload(user, zip));
  return JSON.parse(text).metadata.labels.id;
}

async function untilServed(turn) {
  for (let tries = 0; tries < 20; tries++) {
    const { tools } = await turn();
    if (JSON.stringify(tools).includes("everything__echo")) return;
  }
  throw new Error("the MCP server did not connect");
}
