// The suite's `authorization` mode against the gateway's sign-in. The suite acts as the host and needs a user at a browser. This script
// registers a client and approves the requests with a user's key.

import { spawn } from "node:child_process";
import { createServer } from "node:net";

/**
 * Runs the mode for one revision; what was checked is below `output`.
 * @param {{ suite: string, url: string, key: string, revision: string, output: string }} asked `key`: a user's
 */
export async function runAuthorization({ suite, url, key, revision, output }) {
  const client = await register(url);
  const port = String(await freePort());
  const args = ["--url", url, "--client-id", client, "--resource", `${url}/mcp`, "-p", port, "-o", output];
  const child = spawn(process.execPath, [suite, "authorization", ...args, "--spec-version", revision], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  let said = "";
  const allowed = new Map();
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    said += chunk;
    // Waits for a whole line, because a URL can arrive in two parts.
    for (const [address] of said.matchAll(/^http\S+\/oauth\/authorize\?\S+(?=\n)/gm))
      if (!allowed.has(address)) allowed.set(address, allow(address, key));
  }
  await Promise.all(allowed.values());
  await ended;
}

async function register(url) {
  const body = JSON.stringify({ client_name: "conformance", redirect_uris: ["http://127.0.0.1/callback"] });
  const answer = await fetch(new URL("/oauth/register", url), { method: "POST", body });
  return (await answer.json()).client_id;
}

/** Acts like a user: opens the page, signs in with a key, approves, and follows the redirect. */
async function allow(address, key) {
  const opened = await fetch(address, { redirect: "manual" });
  const page = opened.headers.get("location");
  const [cookie] = opened.headers.get("set-cookie").split(";");
  const post = (form) =>
    fetch(page, { method: "POST", redirect: "manual", headers: { cookie }, body: new URLSearchParams(form) });
  await post({ how: "key", key });
  const answer = await post({ how: "approve" });
  await fetch(answer.headers.get("location"));
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
