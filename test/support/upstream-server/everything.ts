// Runs server-everything from npm behind a proxy that records the calls.

import { spawn } from "node:child_process";
import { createServer, request as send } from "node:http";
import { type AddressInfo, connect } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { anyPort } from "../../../scripts/local/port.mjs";

const bin = path.join(import.meta.dirname, "../../../node_modules/.bin/mcp-server-everything");

export interface Everything {
  url: string;
  /** The tools that were called, in order. */
  called: string[];
  close(): void;
}

export async function startEverything(): Promise<Everything> {
  const port = await anyPort();
  const child = spawn(bin, ["streamableHttp"], { env: { ...process.env, PORT: `${port}` }, stdio: "ignore" });
  await listening(port);
  const called: string[] = [];
  const relay = createServer((asked, answer) => {
    const parts: Buffer[] = [];
    asked.on("data", (part) => parts.push(part));
    asked.on("end", () => {
      const body = Buffer.concat(parts);
      const { method, params } = body.length === 0 ? {} : JSON.parse(`${body}`);
      if (method === "tools/call") called.push(params.name);
      const { url: route = "/", headers } = asked;
      const passed = send({ port, path: route, method: asked.method ?? "GET", headers }, (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers).flushHeaders();
        response.pipe(answer);
        response.on("error", () => answer.destroy());
      });
      passed.on("error", () => answer.destroy());
      answer.on("close", () => passed.destroy());
      passed.end(body);
    });
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}/mcp`,
    called,
    close() {
      relay.close();
      relay.closeAllConnections();
      child.kill("SIGKILL");
    },
  };
}

async function listening(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
    if (open) return;
    await sleep(100);
  }
  throw new Error("server-everything did not start");
}
