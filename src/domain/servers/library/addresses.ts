// URIs of servers' resources in a conversation: their own if unique, otherwise one that names the server. An ambiguous URI is never read.

import { isJsonObject, type JsonObject, type JsonValue } from "../../json";
import { hasPieces } from "../tool-filter";
import type { Library } from "./library";

/** Identifies a server in a conversation. Two skills can bring servers of one name. */
export type ServerProvider = string;

export function serverProviderOf({ name, skill }: { name: string; skill: { name: string } | null }): ServerProvider {
  const part = (text: string) => encodeURIComponent(text.toWellFormed());
  return skill === null ? part(name) : `${part(name)}@${part(skill.name)}`;
}

/** What one server of a conversation offers. */
export interface ServerFeatures {
  owner: ServerProvider;
  library: Pick<Library, "resources" | "templates">;
}

/** A server's own URI. */
export interface OwnAddress {
  owner: ServerProvider;
  uri: string;
}

/** URIs with these schemes always get an alias with the server's name: the gateway's own schemes, and pages (`ui:`). */
const RESERVED = /^(?:skill|via|result|ui):/i;
const PAGE = "ui://via/";
const ANY = "via:";

/**
 * Returns the URI that names its server, followed by the unchanged URI: a template stays a template. A page keeps the scheme `ui:`, by
 * which hosts recognize it.
 */
export function aliasOf(owner: ServerProvider, uri: string): string {
  return `${uri.startsWith("ui:") ? PAGE : ANY}${owner}/${uri}`;
}

/** Returns the server and its URI for an alias; `null` for any other URI. */
function readAlias(shown: string): OwnAddress | null {
  const start = [PAGE, ANY].find((one) => shown.startsWith(one));
  if (start === undefined) return null;
  const slash = shown.indexOf("/", start.length);
  if (slash < 0) return null;
  const named = { owner: shown.slice(start.length, slash), uri: shown.slice(slash + 1) };
  return named.uri !== "" && aliasOf(named.owner, named.uri) === shown ? named : null;
}

/** The aliases of all resources of a conversation's servers. */
export class Addresses {
  readonly #holdings: readonly { owner: ServerProvider; uris: ReadonlySet<string>; templates: readonly string[][] }[];

  constructor(holdings: readonly ServerFeatures[]) {
    this.#holdings = holdings.map(({ owner, library }) => ({
      owner,
      uris: new Set(library.resources.map(({ uri }) => uri)),
      templates: library.templates.map(({ uriTemplate }) => literals(uriTemplate)),
    }));
  }

  /** Returns what a URI refers to; `null` if unknown or ambiguous. */
  find(shown: string): OwnAddress | null {
    const named = readAlias(shown);
    if (named !== null) return this.#holdings.some(({ owner }) => owner === named.owner) ? named : null;
    const [owner, ...others] = RESERVED.test(shown) ? [] : this.#claimants(shown);
    return owner === undefined || others.length > 0 ? null : { owner, uri: shown };
  }

  /** Returns the alias of a server's own URI. */
  shownUri(owner: ServerProvider, uri: string): string {
    if (RESERVED.test(uri)) return aliasOf(owner, uri);
    const claimants = this.#claimants(uri);
    return claimants.length === 1 && claimants[0] === owner ? uri : aliasOf(owner, uri);
  }

  /** Returns the alias of a server's template. The template is unchanged if no URI of another server can begin like it. */
  shownTemplate(owner: ServerProvider, uriTemplate: string): string {
    if (RESERVED.test(uriTemplate)) return aliasOf(owner, uriTemplate);
    const mine = literals(uriTemplate);
    const isShared = this.#holdings.some(
      (other) =>
        other.owner !== owner &&
        (other.templates.some((template) => mayMeet(template[0] ?? "", mine[0] ?? "")) ||
          [...other.uris].some((uri) => hasPieces(mine, uri))),
    );
    // A template without a literal scheme could expand to any URI, including the gateway's own.
    return isShared || !/^[a-z][a-z0-9+.-]*:/i.test(mine[0] ?? "") ? aliasOf(owner, uriTemplate) : uriTemplate;
  }

  #claimants(uri: string): ServerProvider[] {
    return this.#holdings
      .filter(({ uris, templates }) => uris.has(uri) || templates.some((template) => hasPieces(template, uri)))
      .map(({ owner }) => owner);
  }
}

/** Returns the literal parts of a template. Expressions match any text; the server rejects unknown URIs itself. */
function literals(uriTemplate: string): string[] {
  return uriTemplate.split(/\{[^{}]*\}/);
}

function mayMeet(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a);
}

/** Replaces URIs in what a server sent: of links, embedded resources, and pages in `_meta`. */
export function withGatewayAddresses(sent: JsonObject, shown: (uri: string) => string): JsonObject {
  const { content, contents, messages } = sent;
  const blocks = (list: readonly JsonValue[]) => list.map((block) => blockAt(block, shown));
  return {
    ...markedAt(sent, shown),
    ...(Array.isArray(content) ? { content: blocks(content) } : {}),
    ...(Array.isArray(contents) ? { contents: contents.map((one) => contentsAt(one, shown)) } : {}),
    ...(Array.isArray(messages)
      ? {
          messages: messages.map((message) => {
            if (!isJsonObject(message)) return message;
            const said = message.content ?? null;
            return { ...message, content: Array.isArray(said) ? blocks(said) : blockAt(said, shown) };
          }),
        }
      : {}),
  };
}

function blockAt(block: JsonValue, shown: (uri: string) => string): JsonValue {
  if (!isJsonObject(block)) return block;
  if (block.type === "resource_link") return contentsAt(block, shown);
  const marked = markedAt(block, shown);
  return block.type === "resource" ? { ...marked, resource: contentsAt(block.resource ?? null, shown) } : marked;
}

function contentsAt(contents: JsonValue, shown: (uri: string) => string): JsonValue {
  if (!isJsonObject(contents)) return contents;
  const { uri } = contents;
  return { ...markedAt(contents, shown), ...(typeof uri === "string" ? { uri: shown(uri) } : {}) };
}

function markedAt(thing: JsonObject, shown: (uri: string) => string): JsonObject {
  return isJsonObject(thing._meta) ? { ...thing, _meta: markedPage(thing._meta, shown) } : thing;
}

/** Returns `_meta` with the alias of the page to show, in both formats in which hosts read it. */
export function markedPage(meta: JsonObject, shown: (uri: string) => string): JsonObject {
  const { ui, "ui/resourceUri": older } = meta;
  return {
    ...meta,
    ...(isJsonObject(ui) && typeof ui.resourceUri === "string"
      ? { ui: { ...ui, resourceUri: shown(ui.resourceUri) } }
      : {}),
    ...(typeof older === "string" ? { "ui/resourceUri": shown(older) } : {}),
  };
}
