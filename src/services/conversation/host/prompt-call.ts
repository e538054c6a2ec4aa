// Gets a prompt of a server for an MCP host. The server can ask questions first, as in a tool call: the host repeats the request with the
// answers, or is asked in its stream.

import * as z from "zod";
import { offeredBy } from "../../../domain/conversation/servers";
import { sha256Hex } from "../../../domain/digest";
import { GatewayError } from "../../../domain/errors";
import { type JsonObject, jsonObject } from "../../../domain/json";
import { UPSTREAM_LIMITS } from "../../../domain/limits";
import { serverProviderOf, withGatewayAddresses } from "../../../domain/servers/library/addresses";
import { marksSchema } from "../../../domain/servers/library/marks";
import type { Context } from "../../context";
import type { HostRound } from "../../host-questions";
import { type RunningCall, runOnce } from "../../questions/running-call";
import { libraryAddresses } from "../../servers/libraries";
import { askingServer, serverTarget } from "../../servers/target";
import type { Session } from "../../session";
import type { PromptRequest } from "../api";
import type { Listener, RunningCalls } from "../running";
import { beginForHost } from "../step";
import { askServer, currentLibraries, jsonList } from "./ask";
import { namePrompts, type ServerPrompt } from "./prompts";

const promptResultSchema = z.object({
  description: z.string().max(UPSTREAM_LIMITS.descriptionChars).optional().catch(undefined),
  messages: z
    .array(z.looseObject({ role: z.enum(["user", "assistant"]), content: z.unknown() }))
    .transform((list) => jsonList(list)),
  _meta: marksSchema,
});

/**
 * Gets a prompt, or continues a request that asked its host. Returns `null`, without contacting a server, if the name is not found.
 *
 * @throws GatewayError also if the server asked something that was not passed on, because only the host can read why
 */
export async function getPrompt(
  context: Context,
  session: Session,
  running: RunningCalls,
  { id, name, arguments: args, client, answers }: PromptRequest,
  listener: Pick<Listener, "onAsked" | "signal">,
): Promise<JsonObject | null> {
  await beginForHost(context, session, client.preload);
  const shelves = await currentLibraries(context, session);
  const place = (await namePrompts(shelves)).get(name);
  if (place === undefined) return null;
  const { ref } = place.shelf;
  // Digest of everything that identifies the server, so that its state is never used for another server or a tool of the same name.
  const request = await sha256Hex(
    JSON.stringify(["prompts/get", name, args, serverProviderOf(ref), offeredBy(ref), ref.entry]),
  );
  const onRound = (asked: HostRound) => listener.onAsked?.(asked);
  const asks = context.host === undefined ? null : { abilities: context.host, answers, tell: onRound };
  const holding = { session, running, asks, goesOn: answers !== undefined };
  const got = await runOnce(holding, { id, request }, jsonObject, listener.signal, (held) =>
    get(context, session, place, args, { ...held, id, request }),
  );
  const addresses = libraryAddresses(shelves);
  return withGatewayAddresses(got, (uri) => addresses.shownUri(serverProviderOf(ref), uri));
}

async function get(
  context: Context,
  session: Session,
  place: ServerPrompt,
  args: Record<string, string>,
  { host, signal, ...key }: RunningCall & { id: string; request: string },
): Promise<JsonObject> {
  const { ref } = place.shelf;
  const aim = await serverTarget(context, session, ref);
  const call = { ...key, turn: session.state.turn, signal, host };
  const inquiry = aim.problem === undefined ? context.inquire?.(call, askingServer(ref, aim)) : undefined;
  const remarks = inquiry?.remarks ?? [];
  try {
    if (inquiry?.begun?.era === "legacy") throw new GatewayError("unavailable", "MCP_SERVER_UNAVAILABLE", INTERRUPTED);
    const params = { name: place.prompt.name, arguments: args };
    const got = await askServer(context, session, place, "prompts/get", params, promptResultSchema, {
      signal,
      inquiry,
    });
    if (remarks.length === 0) return got;
  } catch (error) {
    if (!(error instanceof GatewayError) || remarks.length === 0) throw error;
  } finally {
    inquiry?.close();
    session.store.rounds.drop(key.id);
  }
  // In a tool result the model would read these remarks. A prompt has no field for them.
  throw new GatewayError("unprocessable", "MCP_SERVER_REFUSED", remarks.join(" "));
}

const INTERRUPTED =
  "The prompt was interrupted while it waited for an answer. Repeat the request without `requestState`.";
