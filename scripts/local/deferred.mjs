// The parts of public/ that `npm start` builds after the gateway is ready. A request for one of them waits until it is built.

import { fork } from "node:child_process";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { root } from "../kit/files.mjs";
import { Response } from "../kit/miniflare.mjs";
import { say } from "../kit/refusal.mjs";
import { openFiles } from "./gateway.mjs";

const BUILDER = path.join(root, "scripts", "build", "background.mjs");

/**
 * @typedef {{
 *   outputs: string[], fetch: (request: Request) => Promise<Response>, build: () => void, stop: () => Promise<void>,
 * }} DeferredParts `fetch` answers requests for the parts; `build` starts building them; `stop` ends everything that this started
 */

/**
 * @param {{ output: string, label: string }[]} parts that are missing or out of date
 * @param {string} owner marks the processes
 * @returns {DeferredParts}
 */
export function deferParts(parts, owner) {
  const pending = parts.map(({ output, label }) => ({
    output,
    label,
    isAwaited: false,
    isBuilt: false,
    done: Promise.withResolvers(),
  }));
  const servers = new Map();
  let builder = null;

  /** @param {string | null} problem why it could not be built */
  function finish(output, problem) {
    const part = pending.find((each) => each.output === output);
    if (part === undefined || part.isBuilt) return;
    part.isBuilt = true;
    if (problem !== null) {
      const lines = stripVTControlCharacters(problem).split("\n");
      const reason = lines
        .filter((line) => line.trim() !== "")
        .slice(0, 2)
        .join(" ");
      say(
        `✗ ${part.label} could not be built (${reason}). The API works without it. Run npm run build to see the details.`,
      );
    }
    part.done.resolve(problem);
  }

  /** A server of static files serves only the files that existed when it started, so each requested part needs a newer server. */
  function serverFor({ output }) {
    const known = servers.get(output);
    if (known !== undefined) return known;
    const opened = openFiles(owner);
    for (const part of pending) if (part.isBuilt && !servers.has(part.output)) servers.set(part.output, opened);
    return opened;
  }

  return {
    outputs: parts.map(({ output }) => output),

    async fetch(request) {
      const { pathname } = new URL(request.url);
      const part = pending.find(({ output }) => pathname.startsWith(`/${output}`));
      if (part === undefined) return new Response(null, { status: 404 });
      // The request only checks whether the part exists.
      if (!part.isBuilt && request.method === "HEAD") return new Response(null);
      if (!part.isBuilt && !part.isAwaited) {
        part.isAwaited = true;
        say(`A request is waiting for ${part.label}, which is still being built.`);
      }
      if ((await part.done.promise) !== null) {
        const text = `This gateway could not build ${part.label}. See its terminal, or run: npm run build\n`;
        return new Response(text, { status: 503, headers: { "content-type": "text/plain; charset=utf-8" } });
      }
      const server = await serverFor(part);
      return server.fetch(request.url, { method: request.method, headers: request.headers, redirect: "manual" });
    },

    build() {
      if (pending.length === 0) return;
      const outputs = pending.map(({ output }) => output);
      // Its own process group: Ctrl-C ends the launcher, which then ends the builder without reporting parts that are not built.
      builder = fork(BUILDER, outputs, { detached: true, stdio: ["ignore", "ignore", "ignore", "ipc"] });
      const end = (problem) => {
        for (const output of outputs) finish(output, problem);
      };
      process.on("exit", () => builder.kill());
      builder.on("message", ({ output, problem = null }) => finish(output, problem));
      builder.once("error", ({ message }) => end(message));
      builder.once("exit", () => end("the build process ended"));
    },

    async stop() {
      builder?.removeAllListeners("exit");
      builder?.kill();
      await Promise.all([...new Set(servers.values())].map(async (server) => (await server).close()));
    },
  };
}
