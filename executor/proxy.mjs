// The HTTP proxy of one run. It opens no connection: it reads each request whole, passes it to the gateway and returns the response. For
// https it ends TLS itself, with certificates of an authority that only this run trusts.

import { chmod, chown, copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { Duplex } from "node:stream";
import { createSecureContext, TLSSocket } from "node:tls";
import { temporaryFolder } from "./bubblewrap.mjs";
import { Authority } from "./certificates.mjs";

const MiB = 1024 * 1024;
export const NETWORK_LIMITS = {
  requests: 100,
  /** Requests at the same time. Further ones wait. */
  atOnce: 4,
  requestBytes: 4 * MiB,
  /** How much of a request that is too large is read before the connection is closed. */
  discardedBytes: 64 * MiB,
  connections: 64,
  hosts: 100,
  headerBytes: 64 * 1024,
  /** Milliseconds in which a request must arrive whole. */
  requestMs: 60_000,
};

/** The folder of a run begins with this. */
export const FOLDER = "skill-gateway-run-";

/** Headers that belong to a connection. `accept-encoding` is that of the gateway, which decodes responses. */
export const DROPPED = new Set(
  (
    "connection proxy-connection keep-alive proxy-authorization te trailer transfer-encoding upgrade host expect content-length " +
    "accept-encoding"
  ).split(" "),
);
/** The first byte of a TLS connection (RFC 8446 5.1). */
const TLS_HANDSHAKE = 0x16;
const AUTHORITY = /^(?:[a-z\d._-]+|\[[\da-f:.]+\]):\d{1,5}$/i;

/** Why a request was not sent, with the status for the client. */
class Problem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Opens the proxy of a run. Its folder contains what the run needs: the socket, the certificate and the relay.
 * @param {{
 *   send: (request: { method: string, url: string, headers: [string, string][], body: Buffer | null }) => Promise<{
 *     status: number, statusText: string, headers: [string, string][], body: Buffer }>,
 *   owner: number | null,
 * }} options `send`: throws with a message and a `status` for the client; `owner`: the user of the run, if it is another one than that of this process
 * @returns {Promise<{ folder: string, close: () => Promise<void> }>}
 */
export async function openProxy({ send, owner }) {
  const folder = await mkdtemp(path.join(temporaryFolder(), FOLDER));
  const proxy = new RunProxy(send);
  try {
    await writeFile(path.join(folder, "ca.pem"), proxy.certificate);
    await copyFile(path.join(import.meta.dirname, "relay.cjs"), path.join(folder, "relay.cjs"));
    const socket = path.join(folder, "proxy");
    await proxy.listen(socket);
    // Only the user of the run enters the folder. The modes do not depend on this process's umask.
    await chmod(path.join(folder, "ca.pem"), 0o644);
    await chmod(socket, 0o666);
    await chmod(path.join(folder, "relay.cjs"), 0o644);
    if (owner !== null) await chown(folder, owner, owner);
  } catch (error) {
    proxy.close();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    folder,
    close: async () => {
      proxy.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

class RunProxy {
  #send;
  #authority = new Authority();
  #contexts = new Map();
  #sockets = new Set();
  /** The origin that a connection inside a tunnel belongs to. */
  #origins = new WeakMap();
  #waiting = [];
  #open = 0;
  #count = 0;
  #server;

  constructor(send) {
    this.#send = send;
    const options = {
      maxHeaderSize: NETWORK_LIMITS.headerBytes,
      requestTimeout: NETWORK_LIMITS.requestMs,
      headersTimeout: NETWORK_LIMITS.requestMs,
    };
    this.#server = createServer(options, (request, response) => this.#handle(request, response));
    this.#server.maxConnections = NETWORK_LIMITS.connections;
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => socket.destroy());
    });
    this.#server.on("connect", (request, socket, head) => this.#tunnel(request.url, socket, head));
    this.#server.on("clientError", (error, socket) => {
      const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400;
      socket.end(`HTTP/1.1 ${status} Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    });
  }

  get certificate() {
    return this.#authority.certificate;
  }

  listen(socket) {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(socket, resolve);
    });
  }

  close() {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Accepts a tunnel to any host. The gateway decides about each request in it. */
  #tunnel(authority, socket, head) {
    const url = AUTHORITY.test(authority) ? URL.parse(`https://${authority}/`) : null;
    const context = url === null || this.#origins.has(socket) ? null : this.#contextFor(url.hostname);
    if (context === null) {
      socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) socket.unshift(head);
    socket.once("data", (first) => {
      socket.pause();
      socket.unshift(first);
      // Node's fetch also opens tunnels for plain http, which the gateway refuses with a reason.
      const isTls = first[0] === TLS_HANDSHAKE;
      const inside = isTls
        ? new TLSSocket(socket, { isServer: true, secureContext: context, ALPNProtocols: ["http/1.1"] })
        : // Not the socket itself, from which the server would not read what was read here.
          Duplex.from({ readable: socket, writable: socket });
      inside.on("error", () => socket.destroy());
      this.#origins.set(inside, `${isTls ? "https" : "http"}://${authority}`);
      this.#server.emit("connection", inside);
    });
  }

  #contextFor(hostname) {
    const host = hostname.replaceAll(/^\[|\]$/g, "");
    let context = this.#contexts.get(host);
    if (context === undefined) {
      if (this.#contexts.size >= NETWORK_LIMITS.hosts) return null;
      context = createSecureContext(this.#authority.issue(host));
      this.#contexts.set(host, context);
    }
    return context;
  }

  async #handle(request, response) {
    response.on("error", () => response.destroy());
    try {
      const url = urlOf(request, this.#origins.get(request.socket));
      const body = await bodyOf(request);
      if (++this.#count > NETWORK_LIMITS.requests)
        throw new Problem(403, `Request limit of a run reached (${NETWORK_LIMITS.requests}). Send fewer requests.`);
      const { method } = request;
      const answer = await this.#oneOfFew(() => this.#send({ method, url, headers: headersOf(request), body }));
      respond(response, method, answer);
    } catch (error) {
      refuse(response, error.status ?? 502, error.message);
    }
  }

  async #oneOfFew(work) {
    if (this.#open >= NETWORK_LIMITS.atOnce) await new Promise((resolve) => this.#waiting.push(resolve));
    else this.#open++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#open--;
      else next();
    }
  }
}

/** In a tunnel, a request names a path; outside of one, a whole URL. So no request in a tunnel leads to another host. */
function urlOf({ url }, origin) {
  if (origin !== undefined && url.startsWith("/")) return `${origin}${url}`;
  if (origin === undefined && /^https?:\/\//i.test(url)) return url;
  throw new Problem(400, "The target of the request is not valid. Use this proxy as an HTTP proxy.");
}

/** Returns the body. It reads one that is too large to the end, because many clients read no response while they send. */
async function bodyOf(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > NETWORK_LIMITS.discardedBytes) break;
    if (size > NETWORK_LIMITS.requestBytes) chunks.length = 0;
    else chunks.push(chunk);
  }
  if (size > NETWORK_LIMITS.requestBytes)
    throw new Problem(413, `Request too large (limit ${NETWORK_LIMITS.requestBytes / MiB} MiB). Send less.`);
  return size === 0 ? null : Buffer.concat(chunks);
}

function headersOf({ rawHeaders }) {
  const headers = [];
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (!DROPPED.has(rawHeaders[at].toLowerCase())) headers.push([rawHeaders[at], rawHeaders[at + 1]]);
  return headers;
}

function respond(response, method, { status, statusText, headers, body }) {
  if (response.destroyed) return;
  const isHead = method === "HEAD";
  const kept = headers.filter(
    ([name]) => !DROPPED.has(name.toLowerCase()) || (isHead && name.toLowerCase() === "content-length"),
  );
  const length = isHead || status === 204 || status === 304 ? [] : [["content-length", String(body.length)]];
  response.writeHead(status, phraseOf(statusText), [...kept, ...length].flat());
  response.end(isHead ? undefined : body);
}

/** Clients show the reason phrase of a status, so it has the message. */
function refuse(response, status, message) {
  if (response.headersSent || response.destroyed) return response.destroy();
  const body = Buffer.from(`${message}\n`);
  response.writeHead(status, phraseOf(message), {
    "content-type": "text/plain; charset=utf-8",
    "content-length": body.length,
    connection: "close",
  });
  response.end(body);
}

const phraseOf = (text) => text.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 500);
