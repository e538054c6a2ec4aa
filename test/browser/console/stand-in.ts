// The console's edge, for as long as a gateway has none: the same address for the page and for what it asks, a session in a cookie, and
// the API behind it. Where the gateway answers at /console/api itself, nothing of this is used.

import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";

export interface ConsoleAt {
  url: string;
  stop: () => void;
}

const COOKIE = "skillgate_console";

/** Where the console of a gateway is. */
export async function consoleAt(gateway: string): Promise<ConsoleAt> {
  const own = await fetch(`${gateway}/console/api/session`, {
    headers: { "x-skillgate-console": "1", "sec-fetch-site": "same-origin" },
  });
  if (own.status === 401) return { url: gateway, stop: () => undefined };

  const keys = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const answer = await answerTo(request, gateway, keys).catch((error: unknown) => problem(502, String(error)));
    const headers = [...answer.headers].filter(
      ([name]) => !/^(content-encoding|content-length|transfer-encoding)$/.test(name),
    );
    response.writeHead(answer.status, headers.flat());
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answerTo(request: IncomingMessage, gateway: string, keys: Map<string, string>): Promise<Response> {
  const { pathname, search } = new URL(request.url ?? "/", gateway);
  const { method = "GET" } = request;
  if (!pathname.startsWith("/console/api/")) {
    const isPage = /^\/console(\/[^.]*)?$/.test(pathname);
    return fetch(gateway + (isPage ? "/console/" : pathname + search), { redirect: "manual" });
  }
  if (request.headers["x-skillgate-console"] !== "1") return problem(403, "the header is missing", "CONSOLE_ONLY");
  const chunks: Uint8Array[] = [];
  for await (const chunk of Readable.from(request)) chunks.push(chunk as Uint8Array);
  const body = Buffer.concat(chunks);
  if (pathname === "/console/api/session" && method === "POST") {
    const { key = "" } = JSON.parse(body.toString()) as { key?: string };
    const me = await fetch(`${gateway}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } });
    if (!me.ok) return me;
    const secret = randomUUID();
    keys.set(secret, key);
    return Response.json(
      {},
      { status: 201, headers: { "set-cookie": `${COOKIE}=${secret}; Path=/; HttpOnly; SameSite=Strict` } },
    );
  }
  const [, secret = ""] = new RegExp(`${COOKIE}=([^;]+)`).exec(request.headers.cookie ?? "") ?? [];
  const key = keys.get(secret);
  if (key === undefined) return problem(401, "nobody is signed in", "UNAUTHENTICATED");
  if (pathname === "/console/api/session") {
    if (method !== "DELETE") return Response.json({ user: {} });
    keys.delete(secret);
    return new Response(null, { status: 204 });
  }
  const headers = new Headers({ authorization: `Bearer ${key}` });
  for (const name of ["content-type", "idempotency-key"]) {
    const value = request.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  return fetch(gateway + pathname.replace("/console", "") + search, {
    method,
    headers,
    ...(body.length === 0 ? {} : { body }),
  });
}

const problem = (status: number, detail: string, code = "STAND_IN") =>
  Response.json({ detail, code, status }, { status, headers: { "content-type": "application/problem+json" } });
