// Runs a deployable build under a domain: with TLS and its own name, next to hosts of attackers on the same domain and on others. All of
// them run on this machine, and the browser maps the names.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import http, { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser } from "playwright-core";
import { buildGateway } from "../../../scripts/build/worker.mjs";
import { openGateway } from "../../../scripts/local/gateway.mjs";
import { applyMigrations } from "../../../scripts/local/migrate.mjs";
import { anyPort } from "../../../scripts/local/port.mjs";
import { openBrowser } from "../../browser/chromium";
import { certificateFor } from "./certificate";

export const GATEWAY = "https://gateway.domain.test";
/** Another host of the same domain, which browsers treat as same-site. */
export const SIBLING = "https://sibling.domain.test";
export const EVIL = "https://evil.example";
const HOSTS = [GATEWAY, SIBLING, EVIL].map((origin) => new URL(origin).host);

/** A request to the gateway, and its response. */
export interface Asked {
  method: string;
  path: string;
  /** The header `Sec-Fetch-Site`. */
  site: string;
  cookie: string;
  status: number;
}

/** The response of an attacker's host. */
export interface Trap {
  html: string;
  headers?: OutgoingHttpHeaders;
}

export class Deployment {
  readonly adminKey = `sgw_${randomBytes(32).toString("hex")}`;
  /** Requests to the gateway since the list was last cleared. */
  asked: Asked[] = [];
  /** Responses by path, at both hosts of the attackers. */
  readonly traps = new Map<string, Trap>();
  private readonly certificate = certificateFor(HOSTS);
  private readonly proxy = https.createServer(this.certificate);
  private folder = "";
  private port = 0;
  private stopGateway: () => Promise<void> = () => Promise.resolve();

  static async start(): Promise<Deployment> {
    const deployment = new Deployment();
    await deployment.run();
    return deployment;
  }

  /** Starts Chromium with a mapping of the host names to this machine. */
  openBrowser(): Promise<Browser> {
    const { port } = this.proxy.address() as AddressInfo;
    const rules = HOSTS.map((host) => `MAP ${host}:443 127.0.0.1:${port}`);
    return openBrowser(
      `--host-resolver-rules=${rules.join(",")}`,
      `--ignore-certificate-errors-spki-list=${this.certificate.pin}`,
    );
  }

  /** Sends an API request of an operator's program, without the proxy. */
  async ask<T>(method: string, route: string, body?: object): Promise<T> {
    const answer = await fetch(`http://127.0.0.1:${this.port}/api/v1${route}`, {
      method,
      headers: { authorization: `Bearer ${this.adminKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.status} ${text}`);
    return JSON.parse(text) as T;
  }

  async stop(): Promise<void> {
    this.proxy.close();
    this.proxy.closeAllConnections();
    await this.stopGateway();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async run(): Promise<void> {
    this.folder = await mkdtemp(path.join(tmpdir(), "try-console-"));
    this.port = await anyPort();
    const { modules } = await buildGateway({ release: true });
    const gateway = await openGateway({
      modules,
      variables: { GATEWAY_ADMIN_KEY: this.adminKey, PUBLIC_ORIGIN: GATEWAY, LOG_REQUESTS: "false" },
      state: path.join(this.folder, "state"),
      port: this.port,
      owner: `try-console ${process.pid}`,
      onRuntime: () => undefined,
      onLost: () => undefined,
    });
    this.stopGateway = () => gateway.stop();
    await gateway.ready();
    await applyMigrations(await gateway.database());
    this.proxy.on("request", (request, response) => {
      if (request.headers.host === new URL(GATEWAY).host) this.pass(request, response);
      else this.answerAsAttacker(request, response);
    });
    // The request is forwarded like any other. The gateway rejects it, because it has no protocol to switch to.
    this.proxy.on("upgrade", (request, socket) => {
      const sent = this.towards(request, (answer) => {
        socket.end(`HTTP/1.1 ${answer.statusCode} Refused\r\nconnection: close\r\n\r\n`);
        answer.resume();
      });
      sent.on("upgrade", (answer, theirs) => {
        this.note(request, answer.statusCode ?? 0);
        theirs.destroy();
        socket.end();
      });
      sent.on("error", () => socket.destroy());
      sent.end();
    });
    this.proxy.listen(0, "127.0.0.1");
    await once(this.proxy, "listening");
  }

  private pass(request: IncomingMessage, response: ServerResponse): void {
    const sent = this.towards(request, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
    });
    sent.on("error", () => response.destroy());
    request.pipe(sent);
  }

  private towards(request: IncomingMessage, answered: (answer: IncomingMessage) => void): http.ClientRequest {
    const { method, url: path, headers } = request;
    return http.request(
      { host: "127.0.0.1", port: this.port, ...(method === undefined ? {} : { method }), path, headers, agent: false },
      (answer) => {
        this.note(request, answer.statusCode ?? 0);
        answered(answer);
      },
    );
  }

  private note({ method = "", url = "", headers }: IncomingMessage, status: number): void {
    const site = headers["sec-fetch-site"];
    this.asked.push({ method, path: url, site: `${site ?? ""}`, cookie: headers.cookie ?? "", status });
  }

  private answerAsAttacker({ url = "/" }: IncomingMessage, response: ServerResponse): void {
    const trap = this.traps.get(new URL(url, EVIL).pathname);
    if (trap === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...trap.headers }).end(trap.html);
  }
}
