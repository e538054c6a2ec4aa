// Fills the variables of a configured server. Secrets are filled in only for the hosts they are bound to.

import { groupOfScope, kindOfScope } from "../../domain/access/access";
import { bindingProblem } from "../../domain/servers/binding";
import { httpAddress, instancesProblem, type ServerEntry } from "../../domain/servers/entry";
import { judgeUrl } from "../../domain/servers/host-policy";
import { CLIENT_CAPABILITIES, type UpstreamTarget } from "../../domain/servers/memory";
import {
  fillHeader,
  fillUrl,
  markedUrl,
  secretsIn,
  templateProblem,
  type VariableName,
} from "../../domain/servers/template";
import type { Context } from "../context";
import { fingerprint } from "../secrets/encryption";
import { redactorOf, type UsableSecret, usableSecrets } from "../secrets/secrets";

/** The context in which a server is used. Unknown values are absent. */
export interface ServerUse {
  conversationId?: string | undefined;
  ghostName?: string | undefined;
  skillName?: string | undefined;
  /** The scope of the shared ghost that brings the server and whose secrets it uses; otherwise the caller's are used. */
  shared?: string | null;
  /** Origins that the operator allows in addition to the host policy. */
  origins?: readonly string[];
}

/** A server ready to be called, or the reason why it is not. Contains secrets: never stored, logged or returned. */
export type FilledServer = { target: UpstreamTarget } | { problem: string };

/**
 * Fills a server's variables for the caller. An unknown variable, or a secret not bound to the host, fails. The URL is checked before any
 * secret is read, and every text afterwards passes the redactor.
 */
export async function fillServerVariables(
  context: Context,
  place: ServerUse,
  name: string,
  given: ServerEntry,
): Promise<FilledServer> {
  const entry = { ...given, url: httpAddress(given) };
  const aim = aimOf(entry.url, place.origins ?? []);
  if ("problem" in aim) return aim;
  const { urls = [] } = entry;
  const together = instancesProblem(entry);
  if (together !== null) return { problem: together };
  const aims = urls.map((one) => aimOf(one.url, place.origins ?? []));
  const used = secretsIn([entry.url, ...urls.map((one) => one.url), ...Object.values(entry.headers ?? {})]);
  const secrets = await usableSecrets(context, used, place.shared ?? null);
  const redactor = redactorOf(secrets);
  const absent = used.find((secret) => !secrets.has(secret));
  if (absent !== undefined) return { problem: `the secret '${absent}'${ownerOf(place)} was not found` };
  const values = valuesOf(context, place, secrets);
  const addresses: string[] = [];
  for (const [n, one] of [aim, ...aims].entries()) {
    if ("problem" in one) return one;
    const astray = used.flatMap((secret) => astrayOf(secret, secrets.get(secret)?.hosts ?? [], one.url)).at(0);
    if (astray !== undefined) return { problem: astray };
    const address = fillAddress(n === 0 ? entry.url : (urls[n - 1]?.url ?? ""), one.url, values);
    if ("problem" in address) return { problem: redactor.text(address.problem) };
    addresses.push(address.text);
  }
  const headers = fillHeaders(entry, values);
  if ("problem" in headers) return { problem: redactor.text(headers.problem) };
  const instances = urls.map(({ weight = 1 }, n) => ({ url: addresses[n + 1] ?? "", weight }));

  const { MCP_CONNECT_TIMEOUT_S, MCP_CALL_TIMEOUT_S } = context.settings;
  const target: UpstreamTarget = {
    name,
    type: entry.type === "sse" || entry.type === "websocket" ? entry.type : "streamable-http",
    url: addresses[0] ?? "",
    ...(instances.length === 0 ? {} : { instances }),
    headers: headers.filled,
    era: entry.era ?? "auto",
    redactor,
    abilities: CLIENT_CAPABILITIES,
    connectMs: (entry.connect_timeout ?? MCP_CONNECT_TIMEOUT_S) * 1_000,
    callMs: (entry.timeout ?? MCP_CALL_TIMEOUT_S) * 1_000,
  };
  return { target };
}

/** Returns a text that is equal as long as URLs and headers of a target are, without revealing them. Sessions are stored under it. */
export function fingerprintOfTarget({ settings }: Context, target: UpstreamTarget): Promise<string> {
  const known = [target.type, target.url, target.era, Object.entries(target.headers).sort()];
  return fingerprint(
    settings,
    JSON.stringify(target.instances === undefined ? known : [...known, target.instances.map(({ url }) => url)]),
  );
}

/** Returns where a URL leads for all values of its variables, or why nothing can be sent there. */
function aimOf(template: string, origins: readonly string[]): { url: URL } | { problem: string } {
  const found = templateProblem(template, "url");
  if (found !== null) return { problem: found.problem };
  const named = URL.parse(markedUrl(template) ?? "");
  if (named !== null && origins.includes(named.origin)) return { url: named };
  const verdict = judgeUrl(markedUrl(template) ?? "", __DEVELOPMENT__);
  return verdict.problem === undefined ? verdict : { problem: `its URL is not allowed: ${verdict.problem}` };
}

/** Returns why a secret cannot be sent to the URL; empty if it can. */
function astrayOf(secret: string, hosts: readonly string[], aim: URL): string[] {
  const problem = bindingProblem(hosts, aim, __DEVELOPMENT__);
  return problem === null ? [] : [`the secret '${secret}' ${problem}`];
}

/** Returns a URL with its values, or the reason for a failure. */
function fillAddress(template: string, aim: URL, values: ReadonlyMap<string, string>) {
  const url = fillUrl(template, values);
  if ("problem" in url) return url;
  // Not known to be possible. If an encoding ever allowed it, only the checked origin is reached.
  if (URL.parse(url.text)?.origin !== aim.origin)
    return { problem: "values of variables would change the host of its URL" };
  return url;
}

/** Returns the headers with their values, or the reason for a failure. */
function fillHeaders(
  { headers: templates = {} }: ServerEntry,
  values: ReadonlyMap<string, string>,
): { filled: UpstreamTarget["headers"] } | { problem: string } {
  const headers: Record<string, string> = {};
  for (const [header, text] of Object.entries(templates)) {
    const value = fillHeader(text, values);
    if ("problem" in value) return value;
    headers[header] = value.text;
  }
  return { filled: headers };
}

/** The owner of the secret, if not the caller. */
function ownerOf({ shared = null }: ServerUse): string {
  if (shared === null) return "";
  const group = groupOfScope(shared);
  if (group !== null) return ` of the group '${group}'`;
  return kindOfScope(shared) === "user" ? " of yours" : " of the gateway";
}

function valuesOf(context: Context, place: ServerUse, secrets: ReadonlyMap<string, UsableSecret>): Map<string, string> {
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
