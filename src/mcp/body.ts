// A posted message as text, never more of it than a message may have.

import { REQUEST_LIMITS } from "../domain/limits";

export const TOO_LARGE = `A message may have ${Math.floor(REQUEST_LIMITS.jsonBytes / 1_048_576)} MiB.`;
export const TOO_DEEP = `A message may nest ${REQUEST_LIMITS.jsonDepth} deep.`;

/** The body, or `null` when it is too large. */
export async function readBody(request: Request): Promise<string | null> {
  if (Number(request.headers.get("content-length") ?? 0) > REQUEST_LIMITS.jsonBytes) return null;
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > REQUEST_LIMITS.jsonBytes) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
