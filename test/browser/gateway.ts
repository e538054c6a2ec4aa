// Runs a gateway as `npm start` does, with its own copy of a prepared state. A test can kill and restart it.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { parseEnv } from "node:util";
import { inject } from "vitest";
import { copyPrepared, type Place, placeIn } from "../support/prepared-state";

const root = path.dirname(path.dirname(import.meta.dirname));

export interface Answered<T> {
  status: number;
  body: T;
}

export class Gateway {
  #child: ChildProcess | null = null;
  #port = 0;
  url = "";
  key = "";
  /** One-time link that opens the console as the operator. */
  consoleLink = "";
  /** Output on stderr. */
  readonly said: string[] = [];

  private constructor(readonly folder: string) {}

  /**
   * @param port a fixed port, for tests that need it before the start
   * @param prepared the folder of the prepared state, outside of a test
   */
  static async start(settings: Record<string, string> = {}, port = 0, prepared?: string): Promise<Gateway> {
    const gateway = new Gateway(await mkdtemp(path.join(tmpdir(), "skill-gateway-browser-")));
    gateway.#port = port;
    await copyPrepared(gateway.#place, prepared);
    await gateway.start(settings);
    return gateway;
  }

  /**
   * Returns the gateway that several files share, because a start takes seconds. A file can use it if it has users of its own, reads no list
   * of all users, and changes nothing that all users see.
   */
  static shared(): Gateway {
    const gateway = new Gateway("");
    const { url, key } = inject("sharedGateway");
    gateway.url = url;
    gateway.key = key;
    return gateway;
  }

  /** Starts the gateway, or restarts it with the same state and port. */
  async start(settings: Record<string, string> = {}): Promise<void> {
    const { state, vars } = this.#place;
    const options = ["--port", `${this.#port}`, "--state", state, "--vars", vars, "--no-executor"];
    const { GATEWAY_ADMIN_KEY: _, ...inherited } = process.env;
    const child = spawn(process.execPath, [path.join(root, "scripts/start.mjs"), ...options], {
      cwd: root,
      // A scheduled check would change the health of a server in the middle of a test.
      env: { ...inherited, MCP_CHECK_MINUTES: "0", ...settings },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    child.stderr.on("data", (data) => this.said.push(`${data}`));
    for await (const line of createInterface({ input: child.stdout })) {
      const [, url] = /^✔ ready at (\S+)$/.exec(line) ?? [];
      if (url !== undefined) this.url = url;
      this.consoleLink = /^ {2}Console {4}(\S+)/.exec(line)?.[1] ?? this.consoleLink;
      if (!line.startsWith("  Admin key")) continue;
      this.key = settings.GATEWAY_ADMIN_KEY ?? parseEnv(await readFile(vars, "utf8")).GATEWAY_ADMIN_KEY ?? "";
      this.#port = Number(new URL(this.url).port);
      return;
    }
    throw new Error(`the gateway ended:\n${this.said.join("")}`);
  }

  /** Kills the launcher and workerd with `kill -9`. */
  async kill(): Promise<void> {
    const { runtime } = JSON.parse(await readFile(path.join(this.#place.state, "gateway.lock"), "utf8"));
    await this.#end("SIGKILL");
    process.kill(runtime.pid, "SIGKILL");
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM");
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Sends a request of a chat back end. Returns the response for every status. */
  async call<T = Record<string, unknown>>(
    method: string,
    route: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answered<T>> {
    const response = await fetch(new URL(`/api/v1${route}`, this.url), {
      method,
      headers: { authorization: `Bearer ${this.key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  }

  get #place(): Place {
    return placeIn(this.folder);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }
}
