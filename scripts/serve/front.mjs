// The HTTP server of `npm run serve`, and the only socket that other machines reach. It passes requests to the Worker's own socket with the
// client's address, and ends them in order when the gateway stops.

import { Agent, createServer, request as sendRequest } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { closingFrame, FrameTracker } from "./frames.mjs";
import { judgeRequest, responseHeaders } from "./judge.mjs";

/** Milliseconds. */
const TIMES = {
  headers: 15_000,
  /** Longer than the idle time of a reverse proxy (nginx: 60 s), so that the proxy never sends on a connection that is just closing. */
  idle: 75_000,
  /** Shorter than workerd's 5 s, for the same reason. */
  idleToWorker: 2_000,
  /** How long answers may go on after a stop has begun. */
  grace: 5_000,
  /** How long a pause waits for a moment without answers before it ends them, as a stop does. */
  quiet: 3_600_000,
  /** Between looks for such a moment. */
  look: 250,
};
const MOST_CONNECTIONS = 10_000;
const HEADER_BYTES = 32 * 1024;
const MiB = 1024 * 1024;
const BODY = {
  /** Above every limit of the Worker, and below what it reads of a body that is too large. Beyond that it would close the connection. */
  most: 24 * MiB,
  /** What is read of the body of a refused request, so that its client finishes sending and reads the answer. */
  mostRead: 256 * MiB,
};

/** Miniflare's header for `request.cf`, which it removes from the request. It shows the Worker that a request came through this server. */
const BLOB = "mf-cf-blob";

const TOO_LARGE = {
  status: 413,
  code: "BODY_TOO_LARGE",
  detail: `Request body too large (limit ${BODY.most / MiB} MiB). Send less data.`,
};
const STOPPING = "The gateway is stopping. Try again.";
/** An event that clients of all formats read as a failure of the stream: OpenAI's by `error`, Anthropic's by `event` and `type`. */
const LAST_EVENT = `event: error\ndata: ${JSON.stringify({
  type: "error",
  error: { type: "overloaded_error", code: "GATEWAY_STOPPING", message: STOPPING },
})}\n\n`;

/**
 * @param {{ origin: URL, host: string, port: number, workerPort: number, key: string, isProxy: (address: string) => boolean, say: (text:
 * string) => void, storageProblem?: () => import("./disk.mjs").Problem | null }} options `host`, `port`: where it listens; `workerPort`: the Worker's socket on this machine; `key`: what the Worker
 * expects in `request.cf`; `say`: writes one line to the log; `storageProblem`: why changes are rejected
 */
export function createFront({ origin, host, port, workerPort, key, isProxy, say, storageProblem = () => null }) {
  const hosts = new Set([
    origin.host,
    ...["127.0.0.1", "localhost", "[::1]", inUrl(host)].map((name) => `${name}:${port}`),
  ]);
  const agent = new Agent({ keepAlive: true, timeout: TIMES.idleToWorker, scheduling: "fifo" });
  /** Functions that end an open stream with its last event, by whether it is an answer or a subscription. */
  const answers = new Set();
  const subscriptions = new Set();
  const upgraded = new Set();
  /** Responses that are being answered, without subscriptions. */
  const open = new Set();
  /** Resolves when a pause ends. */
  let paused = null;
  let isStopping = false;
  let isWarned = false;

  const server = createServer({
    headersTimeout: TIMES.headers,
    keepAliveTimeout: TIMES.idle,
    maxHeaderSize: HEADER_BYTES,
  });
  server.maxConnections = MOST_CONNECTIONS;

  /** Returns the options of the request to the Worker, or `null` after a refusal. */
  function judge(request, refuse) {
    const verdict = judgeRequest(
      {
        method: request.method,
        url: request.url,
        rawHeaders: request.rawHeaders,
        peer: request.socket.remoteAddress ?? "",
      },
      { origin, hosts, isProxy },
    );
    if ("status" in verdict) {
      refuse(verdict);
      return null;
    }
    if (verdict.isForwardedIgnored && !isWarned) {
      isWarned = true;
      say(
        `X-Forwarded-For from ${verdict.address} is ignored. If that is your reverse proxy, set TRUSTED_PROXIES to its address.`,
      );
    }
    const blob = JSON.stringify({ front: key });
    const headers = [...verdict.headers, ["host", origin.host], ["cf-connecting-ip", verdict.address], [BLOB, blob]];
    // An absolute path is the URL that the Worker receives.
    return {
      host: "127.0.0.1",
      port: workerPort,
      method: request.method,
      path: `${origin.origin}${request.url}`,
      headers,
    };
  }

  server.on("request", async (request, response) => {
    await paused?.promise;
    if (!response.destroyed) pass(request, response);
  });

  function pass(request, response) {
    let isRefused = false;
    /** Answers at once. Reads the rest of the body, because closing the connection while a client sends would discard the answer. */
    const refuse = (problem) => {
      if (isRefused || response.headersSent) return;
      isRefused = true;
      request.unpipe();
      sendProblem(response, problem);
      let rest = 0;
      request.on("data", (part) => {
        rest += part.length;
        if (rest > BODY.mostRead) request.socket.destroy();
      });
      request.resume();
    };
    if (isStopping) return refuse({ status: 503, code: "GATEWAY_STOPPING", detail: STOPPING });
    const options = judge(request, refuse);
    if (options === null) return;
    const storage = needsRoom(request) ? storageProblem() : null;
    if (storage !== null) return refuse(storage);
    const { headers, ...rest } = options;
    open.add(response);
    response.on("close", () => open.delete(response));
    const isChunked = request.headers["transfer-encoding"] !== undefined;
    const framing = isChunked ? ["transfer-encoding", "chunked"] : [];
    const sent = sendRequest({ ...rest, agent, headers: [...headers.flat(), ...framing] });
    let bytes = 0;
    sent.on("response", (received) => {
      response.writeHead(received.statusCode, responseHeaders(received.rawHeaders));
      if (!`${received.headers["content-type"]}`.startsWith("text/event-stream")) {
        received.pipe(response);
      } else {
        const isSubscription = request.method === "GET";
        if (isSubscription) open.delete(response);
        passEvents(received, response, isSubscription ? subscriptions : answers);
      }
      received.on("error", () => response.destroy());
    });
    sent.on("error", () => {
      // The Worker may answer before it has read the body. Whether that answer is whole shows `received`.
      refuse({
        status: 503,
        code: "GATEWAY_RESTARTING",
        detail: "The gateway does not respond. Try again in a second.",
      });
    });
    response.on("close", () => response.writableFinished || sent.destroy());
    request.on("data", (part) => {
      bytes += part.length;
      if (bytes <= BODY.most || isRefused) return;
      refuse(TOO_LARGE);
      sent.destroy();
    });
    request.pipe(sent);
  }

  server.on("upgrade", async (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    await paused?.promise;
    if (socket.destroyed) return;
    const refuse = (problem) => socket.end(problemText(problem));
    if (isStopping) return refuse({ status: 503, code: "GATEWAY_STOPPING", detail: STOPPING });
    if (request.headers.upgrade?.toLowerCase() !== "websocket")
      return refuse({
        status: 400,
        code: "UPGRADE_UNSUPPORTED",
        detail: "Only WebSocket is supported. Send no other Upgrade.",
      });
    const options = judge(request, refuse);
    if (options === null) return;
    const { headers, ...rest } = options;
    const upgrade = [
      ["connection", "Upgrade"],
      ["upgrade", request.headers.upgrade],
    ];
    const sent = sendRequest({ ...rest, agent: false, headers: [...headers, ...upgrade].flat() });
    sent.on("upgrade", (received, upstream, first) => {
      socket.write(headText(received, received.rawHeaders));
      passSocket({ socket, upstream, head, first });
    });
    sent.on("response", (received) => {
      socket.write(headText(received, responseHeaders(received.rawHeaders), ["connection: close"]));
      received.pipe(socket);
    });
    sent.on("error", () =>
      refuse({
        status: 503,
        code: "GATEWAY_RESTARTING",
        detail: "The gateway does not respond. Try again in a second.",
      }),
    );
    socket.on("close", () => sent.destroy());
    sent.end();
  });

  /** Passes a stream of events. A stop ends it with a last event, behind a whole one. */
  function passEvents(received, response, streams) {
    let tail = "\n\n";
    let isEnding = false;
    const endIfWhole = () => {
      if (!isEnding || !tail.endsWith("\n\n")) return;
      received.unpipe(response);
      received.destroy();
      response.end(LAST_EVENT);
    };
    const end = () => {
      isEnding = true;
      endIfWhole();
    };
    received.on("data", (bytes) => {
      tail = (tail + bytes.subarray(-2).toString("latin1")).slice(-2);
      endIfWhole();
    });
    received.pipe(response);
    streams.add(end);
    response.on("close", () => streams.delete(end));
  }

  /** Passes the bytes of a WebSocket. A stop ends it with a closing frame, behind a whole one. */
  function passSocket({ socket, upstream, head, first }) {
    const frames = new FrameTracker();
    let isEnding = false;
    const endIfWhole = () => {
      if (!isEnding || !frames.isBetweenFrames) return;
      upstream.unpipe(socket);
      upstream.destroy();
      socket.end(closingFrame(STOPPING));
      // Reads the client's closing frame, so that the connection can end.
      socket.resume();
    };
    const end = () => {
      isEnding = true;
      endIfWhole();
    };
    const track = (bytes) => {
      frames.push(bytes);
      endIfWhole();
    };
    upstream.on("error", () => socket.destroy());
    if (head.length > 0) upstream.write(head);
    if (first.length > 0) socket.write(first);
    subscriptions.add(end);
    upgraded.add(socket);
    socket.on("close", () => {
      subscriptions.delete(end);
      upgraded.delete(socket);
      upstream.destroy();
    });
    if (first.length > 0) track(first);
    upstream.on("data", track);
    upstream.pipe(socket);
    socket.pipe(upstream);
  }

  return {
    /** Resolves when it listens. */
    listen: () =>
      new Promise((resolve, reject) => {
        server.once("error", reject);
        server.listen({ host, port }, () => {
          server.off("error", reject);
          resolve();
        });
      }),

    /**
     * Lets new requests wait until `resume`. Begins in a moment without answers and ends subscriptions. Resolves when the Worker can be
     * stopped.
     */
    async pause() {
      for (let waited = 0; open.size > 0 && waited < TIMES.quiet && !isStopping; waited += TIMES.look)
        await delay(TIMES.look);
      paused = Promise.withResolvers();
      for (const end of subscriptions) end();
      for (let waited = 0; open.size > 0 && waited < TIMES.grace; waited += TIMES.look) await delay(TIMES.look);
      for (const end of answers) end();
    },

    resume() {
      paused?.resolve();
      paused = null;
    },

    /** Accepts nothing more, ends subscriptions at once, and answers after a grace period. Resolves when all connections are closed. */
    async stop() {
      isStopping = true;
      this.resume();
      const closed = new Promise((resolve) => server.close(resolve));
      for (const end of subscriptions) end();
      server.closeIdleConnections();
      const grace = setTimeout(() => {
        for (const end of answers) end();
      }, TIMES.grace);
      const sweep = setInterval(() => server.closeIdleConnections(), 100);
      const last = setTimeout(() => {
        server.closeAllConnections();
        for (const socket of upgraded) socket.destroy();
      }, TIMES.grace + 1_000);
      await closed;
      clearTimeout(grace);
      clearTimeout(last);
      clearInterval(sweep);
      agent.destroy();
    },
  };
}

/** The host as it stands in a URL. */
const inUrl = (host) => (host.includes(":") ? `[${host}]` : host);

function problemOf({ status, code, detail }) {
  return JSON.stringify({ type: `urn:skill-gateway:problem:${code}`, title: TITLES[status], status, detail, code });
}

const READING = new Set(["GET", "HEAD", "OPTIONS", "DELETE"]);
const SIGN_IN = "/console/api/session";

/** Whether a request can fill the disk. Its administrator can still sign in and delete. */
function needsRoom({ method, url }) {
  return !READING.has(method) && !url.startsWith(SIGN_IN);
}

const TITLES = {
  308: "Permanent Redirect",
  400: "Bad Request",
  403: "Forbidden",
  413: "Content Too Large",
  421: "Misdirected Request",
  503: "Service Unavailable",
  507: "Insufficient Storage",
};

function headersOf({ status, location }) {
  return {
    "content-type": "application/problem+json",
    "cache-control": "no-store",
    ...(location === undefined ? {} : { location }),
    ...(status === 503 ? { "retry-after": "1" } : {}),
  };
}

function sendProblem(response, problem) {
  response.writeHead(problem.status, headersOf(problem));
  response.end(problemOf(problem));
}

function problemText(problem) {
  const body = problemOf(problem);
  const lines = Object.entries({
    ...headersOf(problem),
    "content-length": Buffer.byteLength(body),
    connection: "close",
  });
  const head = lines.map(([name, value]) => `${name}: ${value}`).join("\r\n");
  return `HTTP/1.1 ${problem.status} ${TITLES[problem.status]}\r\n${head}\r\n\r\n${body}`;
}

/** Returns the head of a response. */
function headText({ statusCode, statusMessage }, headers, more = []) {
  const lines = Array.from({ length: headers.length / 2 }, (_, i) => `${headers[2 * i]}: ${headers[2 * i + 1]}`);
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${[...lines, ...more].join("\r\n")}\r\n\r\n`;
}
