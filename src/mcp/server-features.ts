// Resources, templates, prompts and completions of a conversation's servers, on the gateway's MCP server.

import { isSpecType, ProtocolError, ResourceNotFoundError, type Server } from "@modelcontextprotocol/server";
import * as z from "zod";
import { type JsonObject, jsonObject } from "../domain/json";
import type { Context } from "../services/context";
import { type HostAsk, type PromptRequest, unwrap } from "../services/conversation/api";
import type { ClientConversation, ClientEra } from "./client-scope";
import { asProtocolError } from "./refusal";
import { cancelWithRequest, clientCallOf, forwardCallEvents, type HostExchange, hostExchangeOn } from "./rounds";

/** Resources of a conversation's servers, in addition to the gateway's own. */
export class ServerResources {
  readonly #ask: (ask: HostAsk) => Promise<JsonObject | null>;

  constructor(conversation: ClientConversation) {
    this.#ask = (ask) => asked(conversation, ask);
  }

  async list() {
    return of(isSpecType.ListResourcesResult, await this.#ask({ method: "resources/list" })).resources;
  }

  async templates() {
    const listed: unknown = await this.#ask({ method: "resources/templates/list" });
    return of(isSpecType.ListResourceTemplatesResult, listed).resourceTemplates;
  }

  /** @throws ResourceNotFoundError */
  async read(uri: string) {
    const read = await this.#ask({ method: "resources/read", uri });
    if (read === null) throw new ResourceNotFoundError(uri);
    return of(isSpecType.ReadResourceResult, read);
  }
}

/** Serves the prompts of a conversation's servers, and completions of their arguments, on a server that is not connected yet. */
export function servePrompts(server: Server, context: Context, conversation: ClientConversation, era: ClientEra): void {
  server.registerCapabilities({ prompts: { listChanged: true }, completions: {} });
  const answer = <T>(ask: HostAsk, is: (value: unknown) => value is T, missing: string) =>
    asProtocolError(context, async () => {
      const said = await asked(conversation, ask);
      if (said === null) throw new ProtocolError(-32602, missing);
      return of(is, said);
    });

  server.setRequestHandler("prompts/list", () =>
    answer({ method: "prompts/list" }, isSpecType.ListPromptsResult, "This server has no prompts."),
  );

  server.setRequestHandler("prompts/get", ({ params: { name, arguments: args } }, ctx) =>
    asProtocolError(context, async () => {
      const outcome = await promptIn(
        context,
        conversation,
        { name, arguments: args ?? {} },
        hostExchangeOn(server, ctx, era),
      );
      if ("required" in outcome) return outcome.required;
      if (outcome.done.prompt === null) throw new ProtocolError(-32602, `Unknown prompt: ${name}`);
      return of(isSpecType.GetPromptResult, outcome.done.prompt);
    }),
  );

  server.setRequestHandler("completion/complete", ({ params: { ref, argument, context: given } }) =>
    answer(
      { method: "completion/complete", ref, argument, context: given },
      isSpecType.CompleteResult,
      "Nothing with this name can be completed.",
    ),
  );
}

/** Accepts the minimum log level from hosts of 2025; those of 2026 send it with each call. */
export function serveLogging(server: Server, context: Context, conversation: ClientConversation, era: ClientEra): void {
  server.registerCapabilities({ logging: {} });
  if (era === "legacy")
    server.setRequestHandler("logging/setLevel", ({ params: { level } }) =>
      asProtocolError(context, async () => {
        await asked(conversation, { method: "logging/setLevel", level });
        return {};
      }),
    );
}

const promptSchema = z.object({ prompt: jsonObject.nullable() });

/** Gets a prompt, or continues a request that asked its host. */
function promptIn(
  context: Context,
  conversation: ClientConversation,
  named: Pick<PromptRequest, "name" | "arguments">,
  exchange: HostExchange,
) {
  const { api, target, client } = conversation;
  const made = clientCallOf(context, exchange.ctx);
  return cancelWithRequest(conversation, exchange.ctx, made, async () =>
    forwardCallEvents(
      unwrap(await api.streamCalls(target, { ...made, ...named, client })),
      made,
      exchange,
      promptSchema,
    ),
  );
}

async function asked({ api, target, client }: ClientConversation, ask: HostAsk): Promise<JsonObject | null> {
  return unwrap(await api.clientAsk(target, client, ask));
}

/** Returns a server's value if it is valid, because a host rejects a whole response otherwise. */
function of<T>(is: (value: unknown) => value is T, value: unknown): T {
  if (is(value)) return value;
  throw new ProtocolError(
    -32603,
    "The answer of the MCP server does not follow the MCP schema. Its owner must fix it.",
  );
}
