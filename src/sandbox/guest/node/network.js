// Implements `fetch`, `node:http` and `node:https` for scripts. Requests go through the gateway, which sends them to approved hosts only.

import { Readable, Writable } from "node:stream";
import { begin, callbackOf, during } from "./loop.js";

const WITHOUT_BODY = new Set([101, 204, 205, 304]);

/** `fetch` of a run. Never uses the network of the isolate, which has none. */
export function fetchOf(run, input, init) {
  return during(run, sendRequest(run, input, init));
}

async function sendRequest(run, input, init) {
  const request = new Request(input, init);
  const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
  const headers = [...request.headers].filter(([name]) => name !== "accept-encoding");
  const sent = run.host.fetch({ url: request.url, method: request.method, headers, body });
  const { value, error } = await unlessAborted(sent, request.signal);
  if (error !== undefined) throw new TypeError(`fetch failed: ${error}`);
  const { status, statusText, url } = value;
  const response = new Response(WITHOUT_BODY.has(status) ? null : value.body, {
    status,
    statusText,
    headers: new Headers(value.headers),
  });
  Object.defineProperty(response, "url", { value: url });
  return response;
}

function unlessAborted(sent, signal) {
  if (signal === null || signal === undefined) return sent;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason ?? new DOMException("This operation was aborted", "AbortError"));
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    sent.then(resolve, reject);
  });
}

/** `node:http` or `node:https`: clients only. `real` has the constants and classes that need no network. */
export function httpModule(run, real, protocol) {
  const request = (...args) => {
    const { url, options, callback } = readArguments(args, protocol);
    const made = new ClientRequest(run, url, options);
    if (callback !== undefined) made.once("response", callbackOf(run, callback));
    return made;
  };
  const get = (...args) => {
    const made = request(...args);
    made.end();
    return made;
  };
  return { ...real, request, get, ClientRequest };
}

function readArguments(args, protocol) {
  const callback = typeof args.at(-1) === "function" ? args.at(-1) : undefined;
  const [first, second] = args;
  const isUrl = typeof first === "string" || first instanceof URL;
  const options = { ...(isUrl ? (typeof second === "object" ? second : {}) : first) };
  if (isUrl) return { url: new URL(first), options, callback };
  const host = options.hostname ?? String(options.host ?? "localhost").replace(/:\d+$/, "");
  const port = options.port ? `:${options.port}` : "";
  const url = new URL(`${options.protocol ?? protocol}//${host}${port}${options.path ?? "/"}`);
  return { url, options, callback };
}

class ClientRequest extends Writable {
  #run;
  #url;
  #headers = new Map();
  #chunks = [];
  #abort = new AbortController();
  /** Ends the pending work of the run that this request is. */
  #end;

  constructor(run, url, options) {
    // Otherwise it would be destroyed, and its request ended, when everything is written.
    super({ autoDestroy: false });
    this.#run = run;
    this.#end = begin(run);
    this.#url = url;
    this.method = String(options.method ?? "GET").toUpperCase();
    this.path = url.pathname + url.search;
    this.host = url.host;
    this.protocol = url.protocol;
    const headers = Array.isArray(options.headers)
      ? options.headers.flatMap((name, at, all) => (at % 2 === 0 ? [[name, all[at + 1]]] : []))
      : Object.entries(options.headers ?? {});
    for (const [name, value] of headers) if (value !== undefined) this.setHeader(name, value);
    if (options.auth) this.setHeader("authorization", `Basic ${Buffer.from(options.auth).toString("base64")}`);
    if (options.timeout) this.setTimeout(options.timeout);
    options.signal?.addEventListener("abort", () => this.destroy(options.signal.reason), { once: true });
  }

  setHeader(name, value) {
    this.#headers.set(String(name).toLowerCase(), [name, value]);
    return this;
  }

  getHeader(name) {
    return this.#headers.get(String(name).toLowerCase())?.[1];
  }

  hasHeader(name) {
    return this.#headers.has(String(name).toLowerCase());
  }

  removeHeader(name) {
    this.#headers.delete(String(name).toLowerCase());
  }

  getHeaders() {
    return Object.fromEntries([...this.#headers].map(([name, [, value]]) => [name, value]));
  }

  flushHeaders() {}
  setNoDelay() {}
  setSocketKeepAlive() {}

  setTimeout(ms, callback) {
    if (callback !== undefined) this.once("timeout", callback);
    if (ms > 0) globalThis.setTimeout(() => !this.destroyed && this.emit("timeout"), ms).unref?.();
    return this;
  }

  abort() {
    this.destroy();
  }

  _write(chunk, encoding, done) {
    this.#chunks.push(typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk);
    done();
  }

  _final(done) {
    const headers = [...this.#headers.values()].flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((one) => [String(name), String(one)]),
    );
    const body = this.#chunks.length === 0 ? undefined : Buffer.concat(this.#chunks);
    const { method } = this;
    // `redirect: manual` cannot be promised: the gateway follows redirects within the origin.
    const sent = sendRequest(this.#run, this.#url, { method, headers, body, signal: this.#abort.signal });
    during(this.#run, sent).then(
      (response) => this.#respond(response),
      (error) => this.destroy(Object.assign(error, { code: "ECONNREFUSED" })),
    );
    done();
  }

  _destroy(error, done) {
    this.#end();
    this.#abort.abort(error ?? Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }));
    done(error);
  }

  async #respond(response) {
    const bytes = new Uint8Array(await response.arrayBuffer());
    const incoming = Readable.from(bytes.length === 0 ? [] : [Buffer.from(bytes)], { objectMode: false });
    const headers = {};
    for (const [name, value] of response.headers)
      if (name === "set-cookie") headers[name] = [...(headers[name] ?? []), value];
      else headers[name] = value;
    Object.assign(incoming, {
      ...{ statusCode: response.status, statusMessage: response.statusText, headers, complete: true },
      ...{ rawHeaders: [...response.headers].flat(), httpVersion: "1.1", url: "", req: this },
      setTimeout: () => incoming,
    });
    this.res = incoming;
    const isRead = this.emit("response", incoming);
    if (!isRead) incoming.resume();
    incoming.once("close", () => this.#end());
  }
}
