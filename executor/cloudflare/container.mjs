// Runs the executor's server in a Cloudflare container: starts it with the first request, and ends it when it is idle.

/** The port of the server in the container. */
export const PORT = 8790;
/** Milliseconds after the last request until a container ends. A request takes at most 315 s: a run 300 s, and 15 s until it has started. */
export const IDLE_MS = 360_000;
/** Milliseconds for the start of a container, and between two attempts to reach it. */
const START_MS = 60_000;
const RETRY_MS = 250;
/** Storage keys: the key of the running server, and what the executor has. */
const KEY = "key";
const DESCRIPTION = "description";

export class ContainerHost {
  #container;
  #storage;
  #version;
  #startMs;
  #retryMs;
  /** The key of the running server, if it has answered. */
  #key = null;
  #starting = null;
  #ending = null;
  /** Why the last container ended. */
  #problem = "";

  /**
   * @param {{
   *   container: {
   *     running: boolean, start: (options: { env: Record<string, string>, enableInternet: boolean }) => void, monitor: () => Promise<void>,
   *     getTcpPort: (port: number) => { fetch: (request: Request) => Promise<Response> }, destroy: () => Promise<void>,
   *   },
   *   storage: {
   *     get: (key: string) => Promise<unknown>, put: (key: string, value: unknown) => Promise<void>, setAlarm: (at: number) => Promise<void>,
   *   },
   *   version: string, startMs?: number, retryMs?: number,
   * }} options `container` and `storage`: those of a Durable Object; `version`: of the deployment
   */
  constructor({ container, storage, version, startMs = START_MS, retryMs = RETRY_MS }) {
    this.#container = container;
    this.#storage = storage;
    this.#version = version;
    this.#startMs = startMs;
    this.#retryMs = retryMs;
  }

  /** Passes a request to the container. If there is none, the response is an error of the executor protocol. */
  async fetch(request) {
    const isDescription = request.method === "GET" && new URL(request.url).pathname === "/v1/executor";
    return isDescription ? this.#describe(request) : this.#pass(request);
  }

  /** Ends the container. Each request sets the alarm again, so none is running. */
  async alarm() {
    this.#key = null;
    if (!this.#container.running) return;
    this.#ending = this.#container.destroy().finally(() => {
      this.#ending = null;
    });
    await this.#ending;
  }

  /** What an executor has is the same for a whole deployment. It is stored, so that asking for it starts one container only. */
  async #describe(request) {
    const known = await this.#storage.get(DESCRIPTION);
    if (known?.version === this.#version) return Response.json(known.body);
    const response = await this.#pass(request);
    if (!response.ok) return response;
    const body = { ...(await response.json()), name: "cloudflare" };
    await this.#storage.put(DESCRIPTION, { version: this.#version, body });
    return Response.json(body);
  }

  async #pass(request) {
    try {
      await this.#storage.setAlarm(Date.now() + IDLE_MS);
      const key = await this.#ready();
      const { method, body, signal } = request;
      const headers = new Headers(request.headers);
      headers.set("authorization", `Bearer ${key}`);
      // Node requires `duplex` for a body that is a stream.
      return await this.#send(new URL(request.url).pathname, { method, headers, body, signal, duplex: "half" });
    } catch (error) {
      const message = `The container does not respond: ${messageOf(error)}`;
      return Response.json({ error: { code: "EXECUTOR_UNAVAILABLE", message } }, { status: 503 });
    }
  }

  #send(pathname, init) {
    return this.#container.getTcpPort(PORT).fetch(new Request(`http://executor${pathname}`, init));
  }

  async #ready() {
    await this.#ending;
    if (this.#key !== null && this.#container.running) return this.#key;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  async #start() {
    // The object can have been evicted from memory while its container runs.
    let key = this.#container.running ? await this.#storage.get(KEY) : undefined;
    if (key === undefined) {
      if (this.#container.running) await this.#container.destroy();
      key = `${crypto.randomUUID()}${crypto.randomUUID()}`;
      await this.#storage.put(KEY, key);
      // The server checks that runs can be confined before the first one, and its refusal has the reason. If it ended, the reason would be lost.
      const env = { EXECUTOR_KEY: key, EXECUTOR_PROBE: "later", HOST: "0.0.0.0", PORT: String(PORT) };
      this.#problem = "it ended";
      this.#container.start({ env, enableInternet: false });
      // A container that ends is started again with the next request.
      this.#container.monitor().catch((error) => {
        this.#problem = messageOf(error);
      });
    }
    await this.#listens();
    this.#key = key;
    return key;
  }

  /** Waits until the server listens. */
  async #listens() {
    const deadline = Date.now() + this.#startMs;
    for (;;) {
      try {
        const response = await this.#send("/", {});
        await response.body?.cancel();
        return;
      } catch (error) {
        if (!this.#container.running) throw new Error(this.#problem, { cause: error });
        if (Date.now() > deadline)
          throw new Error(`it did not start within ${this.#startMs / 1_000} s`, { cause: error });
        await new Promise((resolve) => setTimeout(resolve, this.#retryMs));
      }
    }
  }
}

const messageOf = (error) => (error instanceof Error ? error.message : String(error));
