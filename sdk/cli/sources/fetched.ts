// Fetches content from sources. Never sends a gateway key, and limits every read.

import type { Work } from "../context";
import { nothingAnswers } from "../gateway";
import { EXIT, Problem } from "../problem";

/** Returns the response of a source, or `null` for 404. */
export async function fetchFrom(work: Work, url: URL, headers: Record<string, string> = {}): Promise<Response | null> {
  const signal = AbortSignal.any([work.signal, AbortSignal.timeout(120_000)]);
  const response = await fetch(url, { headers, signal }).catch((error: unknown) => {
    throw nothingAnswers(url.origin, error);
  });
  if (response.ok) return response;
  await response.body?.cancel();
  if (response.status === 404) return null;
  const exit = response.status === 401 || response.status === 403 ? EXIT.key : EXIT.unreachable;
  throw new Problem(exit, `${url.origin} returned HTTP ${response.status} for ${url.pathname}. Check the URL.`);
}

/** Yields the body of a response as it arrives. Throws a `Problem` if it is incomplete. */
export async function* piecesOf(response: Response): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  try {
    yield* response.body;
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(EXIT.unreachable, "The download was interrupted. Nothing was saved. Try again.");
  }
}

/** Returns the whole body, up to `most` bytes. */
export async function bytesOf(response: Response, most: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of piecesOf(response)) {
    size += piece.length;
    if (size > most)
      throw new Problem(
        EXIT.refused,
        `${response.url} is too large (limit ${Math.round(most / 1024 / 1024)} MiB). Use a smaller source.`,
      );
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Returns the JSON at an address, or `null` if there is none. `most`: limit in bytes. */
export async function jsonFrom(work: Work, from: URL, most = 10 * 1024 * 1024): Promise<unknown> {
  const response = await fetchFrom(work, from);
  if (response === null) return null;
  try {
    return JSON.parse(Buffer.from(await bytesOf(response, most)).toString("utf8"));
  } catch (error) {
    if (error instanceof Problem) throw error;
    return null;
  }
}
