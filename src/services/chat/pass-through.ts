// Passes a response to the caller unchanged, reads its usage in passing, and removes the owner's private data from errors.

import { readUsage, spentTokens } from "../../domain/conversation/usage";
import { isJsonObject, type JsonObject } from "../../domain/json";
import type { ModelError } from "./upstream";

/** The usage of a passed response. `reported` is `null` if its server reported none; then `tokens` is an estimate. */
interface PassedUsage {
  tokens: number;
  reported: JsonObject | null;
}

/** Returns the same response. `used` resolves to its usage when it has ended. */
export function passThrough(
  answer: Response,
  body: JsonObject,
  untold: ModelError,
): { response: Response; used: Promise<PassedUsage> } {
  const meter = new Meter();
  const through = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      meter.see(chunk);
      controller.enqueue(chunk);
    },
  });
  const passed = answer.body?.pipeTo(through.writable) ?? through.writable.close();
  const shown = untold.isIdle ? through.readable : through.readable.pipeThrough(redactErrors(untold));
  const type = answer.headers.get("content-type");
  return {
    response: new Response(shown, { status: answer.status, headers: type === null ? {} : { "content-type": type } }),
    used: passed.catch(() => undefined).then(() => meter.usage(body)),
  };
}

const NEWLINE = 10;
/** Maximum bytes of a line that is inspected as a whole, and of an error. */
const LINE_BYTES = 1_048_576;

/** Passes whole lines. From the first error on, removes private data; lines without it stay byte for byte. */
function redactErrors(untold: ModelError): TransformStream<Uint8Array, Uint8Array> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  let held: Uint8Array[] = [];
  let isError = false;
  const pass = (controller: TransformStreamDefaultController<Uint8Array>) => {
    const bytes = joined(held);
    held = [];
    const text = decoder.decode(bytes);
    isError ||= text.includes('"error"');
    const redacted = isError ? untold.text(text) : text;
    if (bytes.length > 0) controller.enqueue(redacted === text ? bytes : encoder.encode(redacted));
  };
  return new TransformStream({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf(NEWLINE) + 1;
      held.push(chunk.subarray(0, end === 0 ? chunk.length : end));
      const isLong = held.reduce((sum, { length }) => sum + length, 0) > LINE_BYTES;
      if (end === 0 && !isLong) return;
      pass(controller);
      if (end > 0 && end < chunk.length) held.push(chunk.subarray(end));
    },
    flush: pass,
  });
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Finds the reported usage at the start and end of a response. */
class Meter {
  static readonly #KEPT = 16_384;
  readonly #decoder = new TextDecoder();
  #head = "";
  #tail = "";
  #bytes = 0;

  see(chunk: Uint8Array): void {
    const text = this.#decoder.decode(chunk, { stream: true });
    this.#bytes += chunk.byteLength;
    if (this.#head.length < Meter.#KEPT) this.#head += text;
    this.#tail = (this.#tail + text).slice(-Meter.#KEPT);
  }

  /**
   * Returns the usage that the server reports. Arguments of a tool call and an echoed list of tools can contain an object of the same name,
   * but before it. Only Anthropic's streams report a part at the start, and their arguments are texts.
   */
  #reportedIn(found: readonly JsonObject[]): JsonObject | null {
    const last = found.at(-1);
    if (last === undefined) return null;
    return /^(?:event|data):[^\n]*message_start/.test(this.#head) ? Object.assign({}, ...found) : last;
  }

  /** Estimates by size if no usage is reported. */
  usage(body: JsonObject): PassedUsage {
    const texts = [this.#head.slice(0, Meter.#KEPT), this.#tail];
    const found = texts.flatMap((text) =>
      [...text.matchAll(/"usage":\s*(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})/g)].flatMap(([, one]) =>
        readUsageText(one ?? ""),
      ),
    );
    const reported = this.#reportedIn(found);
    const read = reported === null ? null : readUsage(reported);
    // Anthropic counts cached tokens separately, so its fields must be read to find the total.
    const spent = read === null || "problem" in read ? 0 : spentTokens(read.usage);
    const most = Math.max(spent, ...found.map(totalOf));
    return { tokens: most > 0 ? most : Math.ceil((this.#bytes + JSON.stringify(body).length) / 4), reported };
  }
}

function readUsageText(text: string): JsonObject[] {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? [value] : [];
  } catch {
    return [];
  }
}

function totalOf({ total_tokens: total, input_tokens: input, output_tokens: output }: JsonObject): number {
  if (typeof total === "number") return total;
  return (typeof input === "number" ? input : 0) + (typeof output === "number" ? output : 0);
}
