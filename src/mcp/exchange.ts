// Handles one exchange with an MCP client: the SDK implements the protocol, the services the behaviour. Loaded only through `await
// import()`.

import {
  createMcpHandler,
  isCallToolResult,
  isInputRequiredResult,
  ProtocolError,
  Server,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { version } from "../../package.json";
import type { View } from "../domain/catalog/view";
import { DURATIONS } from "../domain/durations";
import { type JsonObject, jsonObject } from "../domain/json";
import { REQUEST_LIMITS } from "../domain/limits";
import { toolHintsSchema } from "../domain/tool";
import { toolsOfCatalog } from "../domain/tools/client-offer";
import type { Context } from "../services/context";
import { unwrap } from "../services/conversation/api";
import { callInCatalog, openingFor, viewOfCatalog } from "../services/conversation/catalog-client";
import type { ClientConversation, ClientEra, ClientPlace } from "./client-scope";
import { callInConversation, cancelInConversation } from "./conversation-call";
import { hostOf, replyIn, responseOf, sessionFor } from "./host";
import { ObjectBus } from "./listening";
import { asProtocolError, refusedOpening, retryRefusedOnPrimary } from "./refusal";
import { type HostExchange, hostExchangeOn } from "./rounds";
import { ServerResources, serveLogging, servePrompts } from "./server-features";
import { serveSkills } from "./skills";

/** Messages whose response contains the server instructions. */
const openingSchema = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.enum(["initialize", "server/discover"]),
});

const listenSchema = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.literal("subscriptions/listen"),
});

/** Requests that can take long and ask the host something. */
const callSchema = z.object({ method: z.enum(["tools/call", "prompts/get"]) });

/**
 * Handles a client's request.
 *
 * @param message the body, read and parsed; `undefined` for methods that have none
 */
export async function answerClient(
  context: Context,
  request: Request,
  from: ClientPlace,
  message: unknown,
): Promise<Response> {
  const place = withHost(from, request, message);
  const reply = place.conversation === null ? null : replyIn(message);
  if (reply !== null && place.conversation !== null) {
    const { api, target } = place.conversation;
    unwrap(await api.answerHost(target, reply.id, responseOf(reply)));
    return new Response(null, { status: 202 });
  }
  const opening = openingSchema.safeParse(message);
  let instructions: string | undefined;
  if (opening.success) {
    try {
      instructions = await retryRefusedOnPrimary(context, () => openingAt(context, place));
    } catch (error) {
      return refusedOpening(opening.data.id, error);
    }
  }
  const listens = listenSchema.safeParse(message);
  let bus: ObjectBus | null = null;
  if (listens.success && place.conversation !== null) {
    try {
      const { conversation } = place;
      bus = await retryRefusedOnPrimary(context, () => busOf(conversation, () => void handler.close()));
    } catch (error) {
      return refusedOpening(listens.data.id, error);
    }
  }
  const handler = createMcpHandler(({ era }) => serverFor(context, place, era, instructions), {
    maxRequestBodySize: REQUEST_LIMITS.jsonBytes,
    // A call can take long: on a stream it is kept alive and ends with its client.
    responseMode: callSchema.safeParse(message).success ? "sse" : "auto",
    keepAliveMs: bus === null ? DURATIONS.stepAlive : DURATIONS.keepAlive,
    ...(bus === null ? {} : { bus }),
  });
  const answer = await handler.fetch(request, message === undefined ? {} : { parsedBody: message });
  bus?.closeUnheard();
  const session = place.conversation === null ? null : sessionFor(request, message);
  if (session !== null) answer.headers.set("mcp-session-id", session);
  return answer;
}

/** Adds what the host can be asked. */
function withHost(place: ClientPlace, request: Request, message: unknown): ClientPlace {
  const { conversation } = place;
  if (conversation === null) return place;
  const client = { ...conversation.client, host: hostOf(request, message) };
  return { ...place, conversation: { ...conversation, client } };
}

/** Starts listening. Later lists are compared with the one the host last received. */
async function busOf({ api, target, client, listen }: ClientConversation, ended: () => void): Promise<ObjectBus> {
  unwrap(await api.clientTools(target, client, false));
  return new ObjectBus(await listen(), ended);
}

async function openingAt(context: Context, place: ClientPlace): Promise<string> {
  const { conversation, preload } = place;
  if (conversation === null) return openingFor(context, await viewOf(context, place), preload);
  return unwrap(await conversation.api.clientOpening(conversation.target, conversation.client));
}

async function toolsAt(context: Context, place: ClientPlace): Promise<JsonObject[]> {
  const { conversation } = place;
  if (conversation === null) return toolsOfCatalog(await viewOf(context, place));
  return unwrap(await conversation.api.clientTools(conversation.target, conversation.client, true));
}

function serverFor(context: Context, place: ClientPlace, era: ClientEra, instructions: string | undefined): Server {
  const server = new Server(
    { name: "skill-gateway", title: "Skill Gateway", version },
    {
      // Legacy clients are notified in the streams of calls, modern ones if they listen. See docs/mcp.md.
      capabilities: {
        tools: place.conversation === null ? {} : { listChanged: true },
        resources: place.conversation === null ? {} : { listChanged: true },
      },
      ...(instructions === undefined ? {} : { instructions }),
    },
  );
  server.setRequestHandler("tools/list", () =>
    asProtocolError(context, async () => {
      const tools = await toolsAt(context, place);
      return { tools: tools.map((tool) => toolSchema.parse(tool)) };
    }),
  );
  server.setRequestHandler("tools/call", ({ params }, ctx) =>
    asProtocolError(context, async () => {
      const args = jsonObject.parse(params.arguments ?? {});
      const result = await call(context, place, params.name, args, hostExchangeOn(server, ctx, era));
      if (result === null) throw new ProtocolError(-32602, `Unknown tool: ${params.name}`);
      if (isInputRequiredResult(result)) return result;
      if (!isCallToolResult(result))
        throw new ProtocolError(-32603, `The tool '${params.name}' returned no tool result. Its owner must fix it.`);
      return result;
    }),
  );
  const { conversation } = place;
  // Clients of the modern era close the call's stream instead.
  if (conversation !== null && era === "legacy")
    server.setNotificationHandler("notifications/cancelled", ({ params: { requestId } }) => {
      if (requestId !== undefined) cancelInConversation(conversation, requestId);
    });
  const others = conversation === null ? null : new ServerResources(conversation);
  serveSkills(server, context, { view: () => viewOf(context, place), era, others });
  if (conversation !== null) {
    servePrompts(server, context, conversation, era);
    serveLogging(server, context, conversation, era);
  }
  return server;
}

const toolSchema = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: z.looseObject({ type: z.literal("object") }),
  annotations: toolHintsSchema.optional(),
  title: z.string().optional(),
  outputSchema: z.looseObject({ type: z.literal("object") }).optional(),
  icons: z.array(z.looseObject({ src: z.string() })).optional(),
  _meta: jsonObject.optional(),
});

/** Returns the view of the scope; for a conversation, according to its settings. */
async function viewOf(context: Context, { ghost, conversation }: ClientPlace): Promise<View> {
  if (conversation === null) return viewOfCatalog(context, ghost === undefined ? {} : { ghost });
  const { api, target, client } = conversation;
  unwrap(await api.clientOpening(target, client));
  return viewOfCatalog(context, unwrap(await api.status(target)).settings);
}

async function call(
  context: Context,
  { ghost, conversation }: ClientPlace,
  name: string,
  args: JsonObject,
  exchange: HostExchange,
): ReturnType<typeof callInConversation> {
  if (conversation !== null) return callInConversation(context, conversation, name, args, exchange);
  const named = typeof args.skill_name === "string" ? [args.skill_name] : null;
  const view = await viewOfCatalog(context, ghost === undefined ? {} : { ghost }, named);
  return callInCatalog(context, view, name, args, exchange.ctx.mcpReq.signal);
}
