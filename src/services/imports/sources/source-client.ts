// Sends requests to an import source: under the host policy, to its own origin only, with limits on time and size, and with its secret if
// it has one.

import type { ImportSource } from "../../../domain/imports/import";
import { IMPORT_LIMITS } from "../../../domain/imports/limits";
import type { Redactor } from "../../../domain/servers/redactor";
import { statusFault, UpstreamFault } from "../../../upstream/fault";
import { guardedFetch } from "../../../upstream/fetch";
import type { Context } from "../../context";
import { fillServerVariables } from "../../servers/variables";
import { ImportStop } from "../stop";

/** Sends requests to one source. */
export interface SourceAsker {
  /** Removes the source's secret from a text. */
  redact(text: string): string;
  /** Returns the response; `null` if not found. Its body fails above `most` bytes. @throws UpstreamFault */
  get(url: string, most: number): Promise<Response | null>;
}

/** Creates a client for the import's identity. The secret belongs to the target scope and is bound to the source's host. */
export async function sourceAsker(
  context: Context,
  scope: string,
  source: ImportSource,
  signal: AbortSignal,
): Promise<SourceAsker> {
  const { origin } = new URL(source.url);
  const { headers, redactor } = await credentials(context, scope, source);
  return {
    redact: (text) => redactor?.text(text) ?? text,
    async get(url, most) {
      if (new URL(url).origin !== origin)
        throw new UpstreamFault("refused", "its URL is not allowed: it has another host than the source");
      const answer = await guardedFetch(
        url,
        { headers: { "user-agent": "skill-gateway", accept: "*/*", ...headers }, signal },
        {
          ...{ development: __DEVELOPMENT__, headersMs: IMPORT_LIMITS.answerMs },
          ...{ totalMs: IMPORT_LIMITS.wholeMs, bytes: most },
        },
      );
      if (answer.status === 200) return answer;
      await answer.body?.cancel();
      if (answer.status === 404 || answer.status === 410) return null;
      const after = Number(answer.headers.get("retry-after") ?? Number.NaN);
      throw statusFault(answer.status, Number.isFinite(after) ? after : null);
    },
  };
}

async function credentials(
  context: Context,
  scope: string,
  { url, secret, header }: ImportSource,
): Promise<{ headers: Record<string, string>; redactor: Redactor | null }> {
  if (secret === undefined) return { headers: {}, redactor: null };
  const value = `\${{ secrets.${secret} }}`;
  const headers = header === undefined ? { authorization: `Bearer ${value}` } : { [header]: value };
  const filled = await fillServerVariables(context, { shared: scope }, "source", { url, headers });
  if ("problem" in filled)
    throw new ImportStop("failed", {
      code: "SECRET_UNUSABLE",
      message: `The source was not contacted: ${filled.problem}. Check the secrets of the import.`,
    });
  return { headers: filled.target.headers, redactor: filled.target.redactor };
}
