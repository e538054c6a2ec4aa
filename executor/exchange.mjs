// Passes the requests of one run to the gateway, as messages in the response to the run, and receives the responses.

/** The content type of a response to a run that begins with messages. */
export const MESSAGES = "application/x-skill-run";

/** The status of a request whose response has none. */
const FAILED = 502;

export class Exchange {
  #response;
  #waiting = new Map();
  #last = 0;
  #isOver = false;

  /** @param {import("node:http").ServerResponse} response the response to the run */
  constructor(response) {
    this.#response = response;
  }

  /** Sends a message. The first one begins the response. */
  write(message) {
    if (!this.#response.headersSent) this.#response.writeHead(200, { "content-type": MESSAGES });
    this.#response.write(`${JSON.stringify(message)}\n`);
  }

  /**
   * Sends a request to the gateway, and resolves with its response. Throws with a message and, as `status`, an HTTP status for the script.
   * @param {{ method: string, url: string, headers: [string, string][], body: Buffer | null }} request
   */
  async send({ method, url, headers, body }) {
    if (this.#isOver || this.#response.destroyed) throw new Error("The run has ended.");
    const id = ++this.#last;
    const { promise, resolve, reject } = Promise.withResolvers();
    this.#waiting.set(id, { resolve, reject });
    this.write({ request: { id, method, url, headers, body: body?.toString("base64") ?? null } });
    return promise;
  }

  /** Ends the requests. Only the result follows. */
  end() {
    this.#isOver = true;
  }

  /** Takes the response to a request. Returns whether it can be read. */
  take(id, head, body) {
    const { error, status, statusText = "", headers = [] } = Object(head);
    const waiting = this.#waiting.get(id);
    if (typeof error === "string") {
      const isFailure = Number.isInteger(status) && status >= 400 && status <= 599;
      waiting?.reject(Object.assign(new Error(error), { status: isFailure ? status : FAILED }));
    } else if (Number.isInteger(status) && status >= 200 && status <= 599 && isHeaders(headers))
      waiting?.resolve({ status, statusText: String(statusText), headers, body });
    else return false;
    this.#waiting.delete(id);
    return true;
  }
}

const isHeaders = (headers) =>
  Array.isArray(headers) &&
  headers.every((pair) => Array.isArray(pair) && pair.every((text) => typeof text === "string"));
