// Starts MCP hosts with only the URL of a server. Each has its own home folder, stores its tokens there, and calls a tool.

import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const modules = path.join(import.meta.dirname, "node_modules");
const inspector = createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json");

/** The environment of a host, with its home folder and the user's browser. */
export interface Home {
  folder: string;
  env: Record<string, string>;
}

/** An OAuth client registered by an admin, for hosts that need one. */
export interface KnownClient {
  id: string;
  secret: string;
}

export interface Host {
  name: string;
  /** Calls the tool and returns its answer. Opens the browser if a sign-in is needed. */
  call(home: Home, url: string, client?: KnownClient): Promise<string>;
  /** Returns the stored access token. */
  token(home: Home): Promise<string>;
}

const SKILL = { skill_name: "mermaid-diagram" };

export const mcpRemote: Host = {
  name: "mcp-remote",
  async call({ env }, url, client) {
    const known = client && JSON.stringify({ client_id: client.id, client_secret: client.secret });
    const args = [url, ...(known === undefined ? [] : ["--static-oauth-client-info", known])];
    const bridge = new StdioClientTransport({
      command: process.execPath,
      args: [path.join(modules, "mcp-remote", "dist", "proxy.js"), ...args],
      env,
      stderr: "ignore",
    });
    const host = new Client({ name: "a-host", version: "1.0.0" });
    await host.connect(bridge, { timeout: 60_000 });
    try {
      return JSON.stringify((await host.callTool({ name: "load_skill", arguments: SKILL })).content);
    } finally {
      await host.close();
    }
  },
  token: async ({ folder }) => kept(await onlyFile(path.join(folder, ".mcp-auth"), /_tokens\.json$/)),
};

export const mcpInspector: Host = {
  name: "MCP Inspector",
  // This host does not support sign-in without a terminal.
  async call({ env }, url, client) {
    const args = ["--cli", "--server-url", url, "--transport", "http", "--quiet", "--method", "tools/call"];
    args.push("--tool-name", "load_skill", "--tool-arg", `skill_name=${SKILL.skill_name}`);
    args.push("--callback-url", "http://127.0.0.1:0/oauth/callback");
    if (client !== undefined) args.push("--client-id", client.id, "--client-secret", client.secret);
    const script = path.join(path.dirname(inspector), "clients", "launcher", "build", "index.js");
    const command = [process.execPath, script, ...args].map((word) => `'${word}'`).join(" ");
    return run("script", ["-qec", command, "/dev/null"], { ...env, MCP_INSPECTOR_SECRET_STORE: "file" });
  },
  token: async ({ folder }) => kept(await onlyFile(path.join(folder, ".mcp-inspector"), /\.json$/)),
};

/** Whether this machine reaches the client document of codex; the gateway must read it before a sign-in. */
const reachesItsDocument = fetch("https://chatgpt.com/oauth/codex/client.json", {
  signal: AbortSignal.timeout(5_000),
}).then(
  ({ ok }) => ok,
  () => false,
);

export const codex: Host = {
  name: "codex",
  async call({ env }, url, client) {
    const command = path.join(modules, ".bin", "codex");
    const known = client ? ["--oauth-client-id", client.id, "--oauth-client-secret", client.secret] : [];
    // Adding the server already signs in, if the host detects that the server requires it.
    const registers = client === undefined && !(await reachesItsDocument);
    const how = registers ? ["--oauth-client-registration", "dcr"] : [];
    if (!(await run(command, ["mcp", "list"], env)).includes("skills"))
      await run(command, ["mcp", "add", "skills", "--url", url, ...how, ...known], env);
    if (!/\bOAuth\b/.test(await run(command, ["mcp", "list"], env)))
      await run(command, ["mcp", "login", "skills", ...how], env);
    return calledByCodex(command, env);
  },
  async token({ folder }) {
    return kept(await readFile(path.join(folder, ".codex", ".credentials.json"), "utf8"));
  },
};

/** Its server for editors calls a tool without a model. */
async function calledByCodex(command: string, env: Record<string, string>): Promise<string> {
  const server = spawn(command, ["app-server"], { env, stdio: ["pipe", "pipe", "ignore"] });
  const answers = new Map<number, (answer: { result?: unknown; error?: unknown }) => void>();
  createInterface({ input: server.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    if ("result" in message || "error" in message) answers.get(message.id)?.(message);
  });
  let last = 0;
  const ask = <T>(method: string, params: object) =>
    new Promise<T>((resolve, reject) => {
      const id = ++last;
      answers.set(id, ({ result, error }) => (error ? reject(new Error(JSON.stringify(error))) : resolve(result as T)));
      server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  try {
    await ask("initialize", { clientInfo: { name: "a-trial", title: null, version: "1.0.0" } });
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "initialized" })}\n`);
    const { thread } = await ask<{ thread: { id: string } }>("thread/start", { cwd: env.HOME, ephemeral: true });
    const called = { threadId: thread.id, server: "skills", tool: "load_skill", arguments: SKILL };
    return JSON.stringify(await ask("mcpServer/tool/call", called));
  } finally {
    server.kill();
  }
}

function run(command: string, args: string[], env: Record<string, string>): Promise<string> {
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => said.push(text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve(said.join("")) : reject(new Error(said.join("")))));
  });
}

async function onlyFile(folder: string, name: RegExp): Promise<string> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => name.test(file));
  return (await Promise.all(files.map((file) => readFile(path.join(folder, file), "utf8")))).join("\n");
}

function kept(text: string): string {
  const [token] = /sga_\w+/.exec(text) ?? [];
  if (token === undefined) throw new Error("The host keeps no access token.");
  return token;
}
