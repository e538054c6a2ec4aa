// Fetches a client metadata document from an untrusted URL: without redirects and credentials, with limits on time and size.

/** Fetches a URL. */
export type FetchAddress = (url: string, init: RequestInit) => Promise<Response>;

/** The text of a document and its `Cache-Control`, or the reason for a failure. */
export type FetchedDocument = { text: string; cacheControl: string | null } | { problem: string };

/** Fetches the document. The caller has checked the URL. */
export async function fetchDocument(
  url: URL,
  ask: FetchAddress,
  most: { ms: number; bytes: number },
): Promise<FetchedDocument> {
  try {
    const signal = AbortSignal.timeout(most.ms);
    const answer = await ask(url.href, { headers: { accept: "application/json" }, redirect: "manual", signal });
    if (answer.status !== 200) {
      await answer.body?.cancel();
      const redirected = answer.status === 0 || (answer.status > 299 && answer.status < 400);
      return {
        problem: redirected
          ? "it redirects, and redirects are not followed"
          : `its host returned HTTP ${answer.status}`,
      };
    }
    const type = (answer.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
    if (!/^application\/(?:[a-z0-9.+-]+\+)?json$/.test(type)) {
      await answer.body?.cancel();
      return { problem: "it is not application/json" };
    }
    const text = await readFew(answer, most.bytes);
    return text === null ? { problem: "it is too large" } : { text, cacheControl: answer.headers.get("cache-control") };
  } catch (error) {
    console.warn(JSON.stringify({ event: "client_document_failed", error: String(error) }));
    return { problem: "its host does not respond" };
  }
}

/** Returns the text of a body, or `null` if it is longer than the limit in bytes. */
async function readFew(answer: Response, most: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > most) return null;
    chunks.push(chunk);
  }
  return new Blob(chunks).text();
}
