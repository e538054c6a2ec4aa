// Starts the misbehaving servers next to the pool, and real servers when a test first requests them.

import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { anyPort } from "../../../scripts/local/port.mjs";
import { startFaults } from "./faults";

const bin = path.join(import.meta.dirname, "../../../node_modules/.bin");

/** Commands by name, and the path at which each server listens. */
const COMMANDS: Record<string, { command(port: number): [string, string[]]; path: string }> = {
  everything: { command: () => [`${bin}/mcp-server-everything`, ["streamableHttp"]], path: "/mcp" },
  "everything-sse": { command: () => [`${bin}/mcp-server-everything`, ["sse"]], path: "/sse" },
  memory: {
    command: (port) => [
      `${bin}/mcp-proxy`,
      ["--port", `${port}`, "--host", "127.0.0.1", "--", `${bin}/mcp-server-memory`],
    ],
    path: "/mcp",
  },
  "memory-sse": {
    command: (port) => [
      `${bin}/mcp-proxy`,
      ["--port", `${port}`, "--host", "127.0.0.1", "--", `${bin}/mcp-server-memory`],
    ],
    path: "/sse",
  },
};

/** Returns the command for a name. `everything:mine` is an `everything` that no other test restarts. */
function commandOf(name: string) {
  return COMMANDS[name.split(":")[0] ?? ""];
}

interface Running {
  child: ChildProcess;
  port: number;
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const faults: Awaited<ReturnType<typeof startFaults>>[] = [];
  const running = new Map<string, Running>();
  const full = fullBacklog();

  const start = async (name: string, port: number): Promise<Running> => {
    const [command, args] = commandOf(name)?.command(port) ?? ["false", []];
    const env = {
      ...process.env,
      PORT: `${port}`,
      MEMORY_FILE_PATH: `/tmp/upstream-memory-${process.pid}-${port}.jsonl`,
    };
    const child = spawn(command, args, { env, stdio: "ignore", detached: true });
    await listening(port);
    const started = { child, port };
    running.set(name, started);
    return started;
  };
  const stop = async ({ child }: Running) => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, "SIGKILL");
      await ended;
    }
  };

  const starting = new Map<string, Promise<Running>>();
  const control = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const name = url.searchParams.get("name") ?? "";
    const answer = async () => {
      if (url.pathname === "/faults") {
        const started = await startFaults();
        faults.push(started);
        return { url: started.url };
      }
      if (url.pathname === "/full") return { url: `http://127.0.0.1:${await full.port()}/mcp` };
      if (url.pathname === "/stop") {
        const known = running.get(name);
        if (known !== undefined) await stop(known);
      } else if (url.pathname === "/restart") {
        const known = running.get(name);
        if (known !== undefined) {
          await stop(known);
          starting.set(name, start(name, known.port));
        }
      } else if (!starting.has(name)) {
        starting.set(
          name,
          anyPort().then((port) => start(name, port)),
        );
      }
      const { port } = (await starting.get(name)) ?? { port: 0 };
      return { url: `http://127.0.0.1:${port}${commandOf(name)?.path ?? ""}` };
    };
    answer().then(
      (value) => response.end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => control.listen(0, "127.0.0.1", resolve));
  project.provide("control", `http://127.0.0.1:${(control.address() as AddressInfo).port}`);

  return async () => {
    await Promise.all([...running.values()].map(stop));
    full.close();
    for (const server of faults) server.close();
    control.close();
    control.closeAllConnections();
  };
}

/** Returns a port that never accepts: its process is stopped and its connection queue is full. */
function fullBacklog() {
  let started: Promise<number> | null = null;
  let child: ChildProcess | null = null;
  let waiting: Socket[] = [];
  const begin = async () => {
    const port = await anyPort();
    const source = `require("node:net").createServer().listen({port:${port},host:"127.0.0.1",backlog:1},()=>process.kill(process.pid,"SIGSTOP"))`;
    child = spawn(process.execPath, ["-e", source], { stdio: "ignore" });
    await listening(port);
    waiting = Array.from({ length: 8 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
    await new Promise((resolve) => setTimeout(resolve, 300));
    return port;
  };
  return {
    port: () => {
      started ??= begin();
      return started;
    },
    close: () => {
      for (const socket of waiting) socket.destroy();
      child?.kill("SIGKILL");
    },
  };
}

async function listening(port: number): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy();
        resolve(true);
      });
      socket.on("error", () => resolve(false));
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Nothing listens on port ${port}.`);
}

declare module "vitest" {
  export interface ProvidedContext {
    control: string;
  }
}
