// Answers MCP requests of a host other than tool calls: resources, prompt lists and completions of the conversation's servers. Each request
// checks again which servers are visible, and goes to the one server it names.

import * as z from "zod";
import { DURATIONS } from "../../../domain/durations";
import { GatewayError } from "../../../domain/errors";
import { type JsonObject, jsonObject } from "../../../domain/json";
import {
  type Addresses,
  type ServerProvider,
  serverProviderOf,
  withGatewayAddresses,
} from "../../../domain/servers/library/addresses";
import { LIBRARY_LIMITS } from "../../../domain/servers/library/limits";
import { marksSchema, present } from "../../../domain/servers/library/marks";
import { isResultUri } from "../../../domain/servers/library/ranges";
import { UpstreamFault } from "../../../upstream/fault";
import type { AskOptions } from "../../../upstream/tool-call";
import { currentView } from "../../catalog/view";
import type { Context } from "../../context";
import { loadConnections } from "../../servers/late-connections";
import { libraryAddresses, readLibraries, type ServerLibrary } from "../../servers/libraries";
import type { Session } from "../../session";
import { readFullResult } from "../../tools/full-results";
import { stepOf } from "../../tools/offered";
import { connectSources } from "../../tools/sources";
import type { HostAsk } from "../api";
import { beginForHost } from "../step";
import { setLevel } from "./logs";
import { namePrompts } from "./prompts";

const contentsSchema = z.object({
  contents: z
    .array(z.looseObject({ uri: z.string(), text: z.string().optional(), blob: z.string().optional() }))
    .transform((list) => jsonList(list)),
  _meta: marksSchema,
});
const completionSchema = z.object({
  completion: z.object({
    values: z.array(z.string()).transform((values) => values.slice(0, 100)),
    total: z.number().optional().catch(undefined),
    hasMore: z.boolean().optional().catch(undefined),
  }),
});

export function jsonList(list: readonly object[]): JsonObject[] {
  return list.map((one) => jsonObject.parse(one));
}

/** A server's resource or prompt, and the server. */
interface Place {
  shelf: ServerLibrary;
  owner: ServerProvider;
  own: string;
}

/** Answers a host's request. Returns `null`, without contacting a server, if the name is not found. */
export async function answerAsk(
  context: Context,
  session: Session,
  preload: string[],
  ask: HostAsk,
): Promise<JsonObject | null> {
  await beginForHost(context, session, preload);
  if (ask.method === "logging/setLevel") return setLevel(session, ask.level);
  if (ask.method === "resources/read" && isResultUri(ask.uri)) return readFullResult(context, session, ask.uri);
  const shelves = await currentLibraries(context, session);
  const addresses = libraryAddresses(shelves);
  const at = (owner: ServerProvider, own: string): Place | null => {
    const shelf = shelves.find(({ ref }) => serverProviderOf(ref) === owner);
    return shelf === undefined ? null : { shelf, owner, own };
  };
  switch (ask.method) {
    case "resources/list":
      return { resources: few(shelves.flatMap((shelf) => resourcesOf(shelf, addresses))) };
    case "resources/templates/list":
      return { resourceTemplates: few(shelves.flatMap((shelf) => templatesOf(shelf, addresses))) };
    case "prompts/list":
      return { prompts: few([...(await namePrompts(shelves))].map(([name, { prompt }]) => ({ ...prompt, name }))) };
    case "resources/read": {
      const found = addresses.find(ask.uri);
      const place = found === null ? null : at(found.owner, found.uri);
      if (place === null) return null;
      const read = await askServer(context, session, place, ask.method, { uri: place.own }, contentsSchema);
      // The requested resource keeps the URI it was requested with.
      return withGatewayAddresses(read, (uri) => (uri === place.own ? ask.uri : addresses.shownUri(place.owner, uri)));
    }
    case "completion/complete": {
      const place = await completed(shelves, addresses, ask.ref);
      if (place === null) return null;
      const { argument, context: given } = ask;
      return askServer(
        context,
        session,
        place,
        ask.method,
        { ref: place.ref, argument, ...present({ context: given }) },
        completionSchema,
      );
    }
  }
}

/** Returns what the servers offer that the caller can see now. */
export async function currentLibraries(context: Context, session: Session): Promise<ServerLibrary[]> {
  const { view } = await currentView(context, session);
  const seen = { context, session, view };
  await connectSources(seen, null, DURATIONS.patienceList);
  const { servers } = await stepOf(seen).offered();
  return readLibraries(context, session, servers, DURATIONS.patienceList);
}

function few<T>(things: readonly T[]): T[] {
  return things.slice(0, LIBRARY_LIMITS.thingsShown);
}

function resourcesOf({ ref, library }: ServerLibrary, addresses: Addresses): JsonObject[] {
  const owner = serverProviderOf(ref);
  return library.resources.map((resource) => ({
    ...jsonObject.parse(present(resource)),
    uri: addresses.shownUri(owner, resource.uri),
    name: resource.name || resource.uri,
  }));
}

function templatesOf({ ref, library }: ServerLibrary, addresses: Addresses): JsonObject[] {
  const owner = serverProviderOf(ref);
  return library.templates.map((template) => ({
    ...jsonObject.parse(present(template)),
    uriTemplate: addresses.shownTemplate(owner, template.uriTemplate),
    name: template.name || template.uriTemplate,
  }));
}

/** Returns the server that completes an argument, and its own name for the prompt or resource. */
async function completed(
  shelves: readonly ServerLibrary[],
  addresses: Addresses,
  ref: Extract<HostAsk, { method: "completion/complete" }>["ref"],
): Promise<{ shelf: ServerLibrary; ref: JsonObject } | null> {
  if (ref.type === "ref/prompt") {
    const place = (await namePrompts(shelves)).get(ref.name);
    return place === undefined ? null : { shelf: place.shelf, ref: { type: ref.type, name: place.prompt.name } };
  }
  for (const shelf of shelves) {
    const owner = serverProviderOf(shelf.ref);
    for (const { uriTemplate } of shelf.library.templates)
      if (addresses.shownTemplate(owner, uriTemplate) === ref.uri)
        return { shelf, ref: { type: ref.type, uri: uriTemplate } };
  }
  return null;
}

/** Sends a request to one server. Its errors are passed to the host. */
export async function askServer<T extends object>(
  context: Context,
  session: Session,
  { shelf }: { shelf: ServerLibrary },
  method: HostAsk["method"] | "prompts/get",
  params: JsonObject,
  schema: z.ZodType<T>,
  how: AskOptions = {},
): Promise<JsonObject> {
  const name = `MCP server '${shelf.ref.name}'`;
  try {
    const { withServer } = await loadConnections();
    const answer = await withServer(context, session, shelf.ref, (upstream) => upstream.ask(method, params, how));
    const { data } = schema.safeParse(answer);
    if (data === undefined) throw new UpstreamFault("protocol", "its answer does not match the request");
    return jsonObject.parse(present(data));
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error;
    // Messages of servers often end with a full stop.
    const reason = error.message.replace(/[.!]$/, "");
    if (error.kind === "answer") {
      const message = `${name} rejected the request: ${reason}. Change the request.`;
      throw new GatewayError("unprocessable", "MCP_SERVER_REFUSED", message);
    }
    throw new GatewayError("unavailable", "MCP_SERVER_UNAVAILABLE", `${name} did not respond: ${reason}. Try again.`);
  }
}
