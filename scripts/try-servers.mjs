// `npm run try:servers`: a user connects MCP servers from npm, each behind an OAuth issuer of this machine, to the built gateway, and calls
// their tools in a conversation and through the proxy, also after the access token has expired. Installs the servers with its first run.
// usage: npm run try:servers -- [--only <server>]

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import os from "node:os";
import path from "node:path";
import { followConnectLink } from "../test/support/connect-browser.mjs";
import { startOauthProxy } from "../test/support/oauth-proxy.mjs";
import { prepareAssets } from "./build/static.mjs";
import { root } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail, Refusal } from "./kit/refusal.mjs";
import { startTemporaryGateway } from "./kit/temporary-gateway.mjs";
import { installTrials } from "./kit/trials.mjs";
import { anyPort } from "./local/port.mjs";

const USAGE = `Use: npm run try:servers -- [--only <server>]
  --only   servers whose names have this, such as memory; all of them otherwise`;
const trial = path.join(root, "test", "trials", "servers");
const USER = "visitor";
/** Lifetime of access tokens in seconds: shorter than the minute before their end in which the gateway renews them. */
const SECONDS = 30;
/** Attempts to see what is expected soon, 250 ms apart. */
const ATTEMPTS = 240;

/**
 * The servers: a package, or a program of the trials, with the arguments of their commands and a call that needs no network. `stdio`: mcp-proxy from npm serves it over HTTP. A
 * server without `call` needs an account for its calls, so only its tools are listed.
 */
const SERVERS = {
  everything: {
    module: "@modelcontextprotocol/server-everything",
    args: () => ["streamableHttp"],
    env: (port) => ({ PORT: String(port) }),
    call: { tool: "echo", with: { message: "hello" }, returns: "hello" },
  },
  memory: {
    module: "@modelcontextprotocol/server-memory",
    stdio: true,
    env: (_, folder) => ({ MEMORY_FILE_PATH: path.join(folder, "memory.jsonl") }),
    call: { tool: "read_graph", with: {}, returns: "entities" },
  },
  filesystem: {
    module: "@modelcontextprotocol/server-filesystem",
    stdio: true,
    args: (_, folder) => [folder],
    call: { tool: "list_allowed_directories", with: {}, returns: "Allowed directories" },
  },
  "sequential-thinking": {
    module: "@modelcontextprotocol/server-sequential-thinking",
    stdio: true,
    call: {
      tool: "sequentialthinking",
      with: { thought: "one", thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false },
      returns: "thoughtNumber",
    },
  },
  grpc: {
    program: path.join(trial, "grpc.mjs"),
    stdio: true,
    call: {
      tool: "Greeter_Greet",
      with: { name: "Ada", mood: "ROUGH", ports: [{ name: "Kiel", berths: "9007199254740993" }] },
      returns: "Hello Ada, the sea is ROUGH at Kiel with 9007199254740993 berths.",
    },
  },
  playwright: {
    module: "@playwright/mcp",
    args: (port) => ["--port", String(port), "--host", "127.0.0.1", "--headless", "--allowed-hosts", "*"],
  },
  context7: {
    module: "@upstash/context7-mcp",
    args: (port) => ["--transport", "http", "--port", String(port)],
  },
  notion: {
    module: "@notionhq/notion-mcp-server",
    stdio: true,
    env: () => ({ NOTION_TOKEN: "ntn_not_a_token" }),
  },
};

async function main() {
  const { values } = readOptions(USAGE, { only: { type: "string" } });
  const names = Object.keys(SERVERS).filter((name) => name.includes(values.only ?? ""));
  if (names.length === 0) throw new Refusal(`No server matches --only.\n${USAGE}`);
  await installTrials(trial, "60 MB, 30 seconds");
  await prepareAssets();
  const gateway = await startTemporaryGateway();
  const failures = [];
  try {
    const { key } = await request(gateway.url, gateway.key, "POST", "/api/v1/keys", { user_id: USER });
    for (const name of names) {
      try {
        console.log(`${name}: ${await tryServer(gateway, key, name)}`);
      } catch (error) {
        failures.push(name);
        console.log(`${name}: FAILED. ${error.message}`);
      }
    }
  } finally {
    await gateway.stop();
  }
  console.log(failures.length === 0 ? `All ${names.length} servers passed.` : `${failures.length} failed.`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

/** Connects one server and calls it. Returns what was seen. */
async function tryServer(gateway, key, name) {
  const server = SERVERS[name];
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "try-servers-")));
  await writeFile(path.join(folder, "note.txt"), "a note\n");
  const running = await startServer(server, folder);
  const issuer = await startOauthProxy(running.url, { seconds: SECONDS });
  const as = (method, route, body) => request(gateway.url, key, method, route, body);
  try {
    await request(gateway.url, gateway.key, "PUT", `/api/v1/mcp-servers/${name}`, { url: issuer.url });
    const earlier = `/api/v1/conversations/${name}-before`;
    const before = await stateIn(as, earlier, name, "sign_in");
    expect(before.state === "sign_in", `it is ${JSON.stringify(before)} before the sign-in`);
    const { url } = await as("POST", `/api/v1/mcp-servers/${name}/connect`, {});
    const page = await followConnectLink(url, key);
    expect(page === "200 Connected", `the last page is ${page}`);
    const chat = `/api/v1/conversations/${name}`;
    const after = await stateIn(as, chat, name, "connected");
    expect(after.state === "connected", `it is ${JSON.stringify(after)} after the sign-in`);
    const { tools } = after;
    if (server.call === undefined) return `${tools.length} tools`;
    const calls = [{ id: "call-1", name: `${name}__${server.call.tool}`, arguments: server.call.with }];
    const text = JSON.stringify(await as("POST", `${chat}/tool-calls`, { calls }));
    expect(text.includes(server.call.returns), `it returns ${text}`);
    const connect = [{ id: "call-1", name: `${name}__connect`, arguments: {} }];
    const known = JSON.stringify(await as("POST", `${earlier}/tool-calls`, { calls: connect }));
    expect(known.includes(server.call.tool), `the earlier conversation is told ${known}`);
    // A token that lives for half a minute is renewed with each use.
    const { refresh, refused } = issuer.counts;
    expect(refresh > 0, "no access token was renewed");
    await removeConnection(as, name, issuer.counts);
    return `${tools.length} tools, ${server.call.tool} answers, ${refresh} renewals, ${refused} requests without a token`;
  } finally {
    issuer.close();
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Disconnects the server. The gateway revokes its tokens after the response. */
async function removeConnection(as, name, counts) {
  const { items } = await as("GET", "/api/v1/connections");
  const { id } = items.find(({ server }) => server === name);
  await as("DELETE", `/api/v1/connections/${id}`);
  const left = await as("GET", "/api/v1/connections");
  expect(!left.items.some((one) => one.id === id), "the connection is still listed");
  for (let attempt = 0; attempt < ATTEMPTS && counts.revoke === 0; attempt++) await pause();
  expect(counts.revoke > 0, "no token was revoked");
}

/** Begins turns of a conversation until the server has this state, at most 40. Returns its last state. */
async function stateIn(as, chat, name, state) {
  let found = { state: "unknown" };
  for (let n = 0; n < 40; n++) {
    await as("POST", `${chat}/turns`, n === 0 ? { conversation: {} } : {});
    const { mcp } = await as("GET", chat);
    found = mcp.find(({ server }) => server === name) ?? found;
    if (found.state === state) break;
    await pause();
  }
  return found;
}

async function startServer({ module, program, stdio = false, args = () => [], env = () => ({}) }, folder) {
  const port = await anyPort();
  const own = [process.execPath, program ?? (await binOf(module)), ...args(port, folder)];
  const bridge = [process.execPath, await binOf("mcp-proxy"), "--port", String(port), "--host", "127.0.0.1", "--"];
  const [command, ...rest] = stdio ? [...bridge, ...own] : own;
  const child = spawn(command, rest, {
    cwd: folder,
    env: { ...process.env, ...env(port, folder) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const printed = [];
  child.stderr.on("data", (part) => printed.push(String(part)));
  const exit = once(child, "exit");
  const stop = async () => {
    child.kill();
    await exit;
  };
  for (let attempt = 0; attempt < ATTEMPTS && child.exitCode === null; attempt++) {
    if (await accepts(port)) return { url: `http://127.0.0.1:${port}/mcp`, stop };
    await pause();
  }
  await stop();
  throw new Error(`it did not start: ${printed.join("").slice(-500)}`);
}

/** Returns the path of the program of an installed package. */
async function binOf(module) {
  const folder = path.join(trial, "node_modules", module);
  const { bin } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  return path.join(folder, typeof bin === "string" ? bin : Object.values(bin)[0]);
}

function accepts(port) {
  return new Promise((done) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => socket.end(() => done(true))).once("error", () => done(false));
  });
}

async function request(url, key, method, route, body) {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  const answer = await fetch(new URL(route, url), { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${route} returned ${answer.status}: ${text.slice(0, 300)}`);
  return text === "" ? null : JSON.parse(text);
}

function pause() {
  return new Promise((done) => setTimeout(done, 250));
}

function expect(isSo, otherwise) {
  if (!isSo) throw new Error(otherwise);
}

main().catch(fail);
