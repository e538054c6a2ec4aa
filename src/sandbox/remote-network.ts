// Reads the response to a run with a network: messages with requests of the script, which the gateway sends, and then the result. See
// docs/executor.md.

import * as z from "zod";
import { decodeBase64 } from "../domain/base64";
import { CODE_REQUESTS } from "../domain/code/network";
import { Host, type HostCall } from "./host";

/** The content type of a response that begins with messages. */
const MESSAGES = "application/x-skill-run";
/** A request with its body in base64, and its headers. */
const MESSAGE_BYTES = Math.ceil(CODE_REQUESTS.requestBytes * (4 / 3)) + 256 * 1024;
/** Limit on all messages of a run. */
export const MESSAGES_BYTES = CODE_REQUESTS.requests * MESSAGE_BYTES;
/** Messages to the user about requests that were not sent. */
const SHOWN = { problems: 5, chars: 300 };
/** The status that a script sees if the gateway has not sent its request, or the host has not answered it. */
const STATUSES = { refused: 403, failed: 502 };
const NEWLINE = 10;

const messageSchema = z.lazy(() =>
  z.union([
    z.object({
      request: z.object({
        id: z.int().min(0),
        method: z.string(),
        url: z.string(),
        headers: z.array(z.tuple([z.string(), z.string()])),
        body: z.base64().nullable(),
      }),
    }),
    z.object({ result: z.object({ type: z.string().max(200) }) }),
  ]),
);

/** Sends the response to a request of a run to the executor. */
export type SendReply = (requestId: number, form: FormData) => Promise<void>;

/**
 * Sends the requests of a run until its result arrives. Returns the result as a response with a form, and the distinct reasons of requests
 * that were not sent. Throws if the executor does not follow the protocol.
 *
 * @param line the gateway's state of the run, whose host sends the requests
 */
export async function exchangeRequests(
  response: Response,
  line: HostCall,
  reply: SendReply,
): Promise<{ response: Response; problems: string[] }> {
  const problems = new Set<string>();
  if (response.headers.get("content-type") !== MESSAGES || response.body === null) return { response, problems: [] };
  const host = new Host(line);
  const reader = response.body.getReader();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  void line.stopped.promise.then((reason) => failed.reject(new Error(reason)));
  void line.over.promise.then(() => failed.reject(new Error("the run has ended")));
  let open = 0;

  async function handle(id: number, asked: object): Promise<void> {
    const answer = await host.fetch(asked);
    // Before the reply, after which the executor can send the next one.
    open--;
    // The run has ended meanwhile.
    if (!line.isOpen) return;
    const form = new FormData();
    if ("error" in answer) {
      if (problems.size < SHOWN.problems) problems.add(answer.error.slice(0, SHOWN.chars));
      const status = answer.isRefused === true ? STATUSES.refused : STATUSES.failed;
      form.set("response", JSON.stringify({ error: answer.error, status }));
    } else {
      const { body, ...head } = answer.value;
      form.set("response", JSON.stringify(head));
      form.set("body", new File([body], "body"));
    }
    await reply(id, form);
  }

  const rest = new Lines(reader);
  try {
    for (;;) {
      const text = await Promise.race([rest.line(), failed.promise]);
      const message = messageSchema.parse(JSON.parse(text));
      if ("result" in message) {
        const headers = { "content-type": message.result.type };
        return { response: new Response(rest.remainder(), { headers }), problems: [...problems] };
      }
      const { id, body, ...about } = message.request;
      // An executor has as many requests at once as the limit of a run.
      if (++open > CODE_REQUESTS.atOnce) throw new Error("the executor sends too many requests at once");
      handle(id, { ...about, body: body === null ? null : decodeBase64(body) }).catch((error: unknown) => {
        if (line.isOpen) failed.reject(error);
      });
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    throw error;
  }
}

/** Reads lines from a stream, and then everything behind them. */
class Lines {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #chunks: Uint8Array[] = [];

  constructor(reader: ReadableStreamDefaultReader<Uint8Array>) {
    this.#reader = reader;
  }

  /** Returns the next line. Throws if it is too long or has no end. */
  async line(): Promise<string> {
    let size = 0;
    for (let index = 0; ; index++) {
      const chunk = this.#chunks[index] ?? (await this.#read());
      if (chunk === null) throw new Error("its response ends without a result");
      const end = chunk.indexOf(NEWLINE);
      size += end === -1 ? chunk.length : end;
      if (size > MESSAGE_BYTES) throw new Error("a message of the executor is too large");
      if (end === -1) continue;
      const parts = [...this.#chunks.slice(0, index), chunk.subarray(0, end)];
      this.#chunks = [chunk.subarray(end + 1), ...this.#chunks.slice(index + 1)].filter(({ length }) => length > 0);
      return new Blob(parts).text();
    }
  }

  /** Returns what follows the lines that were read. */
  remainder(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const chunk = this.#chunks.shift() ?? (await this.#read(false));
        if (chunk === null) controller.close();
        else controller.enqueue(chunk);
      },
      cancel: () => this.#reader.cancel(),
    });
  }

  async #read(isKept = true): Promise<Uint8Array | null> {
    const { done, value } = await this.#reader.read();
    if (done) return null;
    if (isKept) this.#chunks.push(value);
    return value;
  }
}
