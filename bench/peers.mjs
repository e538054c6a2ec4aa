// Runs other MCP gateways from npm in front of the same server. Each is started as its own documentation describes and is ready when it is
// returned. None of them checks a key by default, so the same key check is added to each process. They are not dependencies of this
// project: missing ones are installed once into a separate folder.

import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import os from "node:os";
import path from "node:path";
import { root } from "../scripts/kit/files.mjs";
import { anyPort } from "../scripts/local/port.mjs";

const VERSIONS = { "mcp-hub": "4.2.1", supergateway: "4.0.0" };
const folder = path.join(root, "node_modules", ".cache", "bench-peers");
const PATIENCE = 30_000;
const CHECK = ["--import", path.join(import.meta.dirname, "key-check.mjs")];

/** @returns {Promise<{ url: string, stop(): Promise<void> }>} server-everything, over streamable HTTP */
export async function startEverything() {
  const port = await anyPort();
  const script = path.join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  const stop = await started(port, [script, "streamableHttp"], { PORT: String(port) });
  return { url: `http://127.0.0.1:${port}/mcp`, stop };
}

/**
 * @param {string} upstream the URL of the server behind all of them
 * @returns {Promise<{ name: string, url: string, type: "http" | "sse", prefix: string, key: string, stop(): Promise<void> }[]>}
 */
export async function startPeers(upstream) {
  await install();
  const key = randomBytes(32).toString("hex");
  const checked = { KEY_DIGEST: createHash("sha256").update(key).digest("hex") };
  const versions = { ...VERSIONS, "mcp-proxy": await versionOf(path.join(root, "node_modules/mcp-proxy")) };
  const state = await mkdtemp(path.join(os.tmpdir(), "bench-peers-"));
  const [proxy, hub, inner] = [await anyPort(), await anyPort(), await anyPort()];
  const library = path.join(import.meta.dirname, "mcp-proxy.mjs");
  const stopProxy = await started(proxy, [...CHECK, library, upstream, String(proxy)], checked);

  const config = path.join(state, "hub.json");
  await writeFile(config, JSON.stringify({ mcpServers: { everything: { url: upstream } } }));
  const home = { XDG_STATE_HOME: state, XDG_CONFIG_HOME: state, XDG_DATA_HOME: state };
  const hubScript = path.join(folder, "node_modules/mcp-hub/dist/cli.js");
  const hubArgs = [...CHECK, hubScript, "--port", String(hub), "--config", config];
  const stopHub = await started(hub, hubArgs, { ...home, ...checked });

  const gateway = path.join(folder, "node_modules/supergateway/dist/index.js");
  const stdio = `${process.execPath} ${gateway} --streamableHttp ${upstream} --logLevel none`;
  const options = ["--stdio", stdio, "--outputTransport", "streamableHttp", "--stateful", "--port", String(inner)];
  const stopSuper = await started(inner, [...CHECK, gateway, ...options, "--logLevel", "none"], checked);

  const at = (port) => `http://127.0.0.1:${port}/mcp`;
  const label = (name) => `${name} ${versions[name]}`;
  return [
    { name: `${label("mcp-proxy")}, as a library`, url: at(proxy), type: "http", prefix: "", key, stop: stopProxy },
    {
      name: label("mcp-hub"),
      url: at(hub),
      type: "sse",
      prefix: "everything__",
      key,
      async stop() {
        await stopHub();
        await rm(state, { recursive: true, force: true });
      },
    },
    {
      name: `${label("supergateway")}, two in a chain`,
      url: at(inner),
      type: "http",
      prefix: "",
      key,
      stop: stopSuper,
    },
  ];
}

async function install() {
  const missing = Object.entries(VERSIONS).filter(([name]) => !existsSync(path.join(folder, "node_modules", name)));
  if (missing.length === 0) return;
  await mkdir(folder, { recursive: true });
  const packages = missing.map(([name, version]) => `${name}@${version}`);
  const args = ["install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", ...packages];
  const child = spawn("npm", args, { stdio: ["ignore", "ignore", "inherit"] });
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  if (code !== 0) throw new Error(`npm cannot install ${packages.join(", ")}.`);
}

async function versionOf(place) {
  return JSON.parse(await readFile(path.join(place, "package.json"), "utf8")).version;
}

/** Starts Node with these arguments and waits until its port responds. Returns a function that stops it. */
async function started(port, args, env = {}) {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: "ignore",
    detached: true,
  });
  const exit = new Promise((resolve) => child.once("exit", resolve));
  // Also stops the processes that it has started.
  const stop = async () => {
    if (child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    await exit;
  };
  const until = Date.now() + PATIENCE;
  while (!(await listens(port))) {
    if (child.exitCode !== null || Date.now() > until) {
      await stop();
      throw new Error(`${args.join(" ")} does not listen on its port.`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return stop;
}

function listens(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
