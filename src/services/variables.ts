// From a configured server to one that can be reached: variables filled in, secrets only for the hosts they are bound to.

import type { ServerEntry } from "../domain/mcp-config";
import { fillHeader, fillUrl, secretsIn, type VariableName } from "../domain/template";
import type { UpstreamTarget } from "../domain/upstream";
import type { Context } from "./context";
import { redactorOf, type UsableSecret, usableSecrets } from "./secrets";
import { fingerprint } from "./vault";

/** Where a server is used; what is not known there has no value. */
export interface Place {
  conversationId?: string | undefined;
  ghostName?: string | undefined;
  skillName?: string | undefined;
}

/** A server ready to be reached, or the reason in words why it is not. Holds secrets: never stored, logged or shown. */
export type FilledServer =
  | {
      target: UpstreamTarget;
      /** The same while URL and headers are the same; tells nothing of them. What a session is kept under. */
      fingerprint: string;
    }
  | { problem: string };

/** Fills a server's variables for the caller. An unknown variable, or a secret that may not go there, refuses this server. */
export async function fillServer(
  context: Context,
  place: Place,
  name: string,
  entry: ServerEntry,
): Promise<FilledServer> {
  const headers = Object.entries(entry.headers ?? {});
  const used = secretsIn([entry.url, ...headers.map(([, value]) => value)]);
  const secrets = await usableSecrets(context, used);
  const absent = used.find((secret) => !secrets.has(secret));
  if (absent !== undefined) return { problem: `there is no secret '${absent}' for it` };
  const values = valuesOf(context, place, secrets);

  const url = fillUrl(entry.url, values);
  if ("problem" in url) return url;
  const host = hostOf(url.text);
  if (host === null) return { problem: "its URL cannot be read" };
  const astray = used.find((secret) => !secrets.get(secret)?.hosts.some((bound) => covers(bound, host)));
  if (astray !== undefined) return { problem: `the secret '${astray}' is not bound to the host ${host}` };

  const filled: Record<string, string> = {};
  for (const [header, template] of headers) {
    const value = fillHeader(template, values);
    if ("problem" in value) return value;
    filled[header] = value.text;
  }
  const { MCP_CONNECT_TIMEOUT_S, MCP_CALL_TIMEOUT_S } = context.settings;
  const target: UpstreamTarget = {
    name,
    type: entry.type === "sse" ? "sse" : "streamable-http",
    url: url.text,
    headers: filled,
    era: entry.era ?? "auto",
    redactor: redactorOf(secrets),
    connectMs: (entry.connect_timeout ?? MCP_CONNECT_TIMEOUT_S) * 1_000,
    callMs: (entry.timeout ?? MCP_CALL_TIMEOUT_S) * 1_000,
  };
  const sameness = JSON.stringify([target.type, target.url, target.era, Object.entries(filled).sort()]);
  return {
    target,
    fingerprint: await fingerprint(context.settings, sameness),
  };
}

function valuesOf(context: Context, place: Place, secrets: ReadonlyMap<string, UsableSecret>): Map<string, string> {
  const { principal, requestId } = context.caller;
  const known: Record<VariableName, string | undefined> = {
    "user.id": principal.userId,
    "user.name": principal.name ?? principal.userId,
    "conversation.id": place.conversationId,
    "task.id": place.conversationId,
    "ghost.name": place.ghostName,
    "skill.name": place.skillName,
    "request.id": requestId,
  };
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(known)) if (value !== undefined) values.set(name, value);
  for (const [name, { value }] of secrets) values.set(`secrets.${name}`, value);
  return values;
}

/** The host that a URL leads to, as the URL parser spells it; `null` for what is no URL. */
function hostOf(url: string): string | null {
  try {
    return new URL(url).hostname.replace(/\.$/, "").toLowerCase();
  } catch {
    return null;
  }
}

/** `*.example.com` covers every host below example.com, and not itself. */
function covers(bound: string, host: string): boolean {
  return bound.startsWith("*.") ? host.endsWith(bound.slice(1).toLowerCase()) : host === bound.toLowerCase();
}
