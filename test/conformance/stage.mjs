// Prepares a conformance run: the gateway as `npm start` builds it, in its own folder, and an endpoint for the suite, which cannot send a
// key.

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

const root = path.join(import.meta.dirname, "..", "..");

/** Starts the gateway. `call` sends JSON as the admin, or as the user of the key, and throws on an error. */
export async function startGateway() {
  const folder = await mkdtemp(path.join(os.tmpdir(), "gateway-conformance-"));
  const options = [
    "--port",
    "0",
    "--state",
    path.join(folder, "state"),
    "--vars",
    path.join(folder, ".dev.vars"),
    "--no-executor",
  ];
  const { GATEWAY_ADMIN_KEY: _, ...env } = process.env;
  const child = spawn(process.execPath, [path.join(root, "scripts", "start.mjs"), ...options], {
    cwd: root,
    // The client id that the suite expects where it reads documents. It does not fetch the document.
    env: { ...env, OAUTH_CLIENT_ID_URL: "https://conformance-test.local/client-metadata.json" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log = [];
  child.stderr.setEncoding("utf8").on("data", (text) => log.push(text));
  const exit = new Promise((resolve) => child.once("exit", resolve));
  const [url, key] = await Promise.race([announced(child.stdout), exit.then(() => [])]);
  if (key === undefined) throw new Error(`The gateway does not start:\n${log.join("")}`);
  return {
    url,
    key,
    call: (method, route, body, as = key) => callGateway({ url, key: as }, method, route, body),
    async stop() {
      child.kill("SIGTERM");
      await exit;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function announced(stdout) {
  let url;
  for await (const line of createInterface({ input: stdout })) {
    url ??= /^✔ ready at (http:\/\/\S+)$/.exec(line)?.[1];
    const key = /^ {2}Admin key {2}(sgw_\S+)/.exec(line)?.[1];
    if (key !== undefined) return [url, key];
  }
  return [];
}

/** Sends JSON and returns the parsed response; throws on an error. */
export async function callGateway({ url, key }, method, route, body) {
  const response = await fetch(new URL(route, url), {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}

/** Forwards everything unchanged to one URL, including Host and Origin, and adds the key. */
export async function openDoor(target, key) {
  const to = new URL(target);
  const server = http.createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const sent = http.request(
      { host: to.hostname, port: to.port, path: to.pathname + to.search, method: incoming.method, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode, answer.rawHeaders);
        outgoing.flushHeaders();
        answer.on("error", () => outgoing.destroy()).pipe(outgoing);
      },
    );
    sent.on("error", () => outgoing.destroy());
    outgoing.on("close", () => sent.destroy());
    incoming.pipe(sent);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
