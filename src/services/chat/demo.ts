// The scripted model `demo`, for trying the gateway without a vendor.

import { DEMO_SCOPE, demoMove } from "../../domain/chat/demo";
import { CHAT_APIS } from "../../domain/chat/model-entry";
import type { Protocol } from "../../domain/chat/protocol";
import { ChatRefusal } from "../../domain/chat/refusal";
import type { JsonObject } from "../../domain/json";
import type { Context } from "../context";
import type { FoundModel, ModelCall } from "./upstream";

const DEMO = "demo";

/** Returns the scripted model if the name asks for it and it is enabled. A stored model with this name takes precedence. */
export function demoModel({ settings }: Context, name: string): FoundModel | null {
  if (name !== DEMO || !hasDemo(settings)) return null;
  return { scope: DEMO_SCOPE, name, entry: { api: [...CHAT_APIS], base_url: "", model: DEMO } };
}

export const hasDemo = ({ DEMO_MODEL }: Pick<Context["settings"], "DEMO_MODEL">) =>
  __DEVELOPMENT__ || DEMO_MODEL === "on";

export const isDemo = ({ scope }: FoundModel) => scope === DEMO_SCOPE;

/** Returns a call of the scripted model. */
export function demoCall(context: Context, protocol: Protocol, isCounted = false): ModelCall {
  const send = async (body: JsonObject) => {
    const { counting } = protocol;
    if (isCounted && counting !== undefined) return Response.json(counting.demo(body));
    const move = demoMove(body);
    if ("problem" in move) throw new ChatRefusal(400, "invalid_request", move.problem);
    const type = body.stream === true ? "text/event-stream" : "application/json";
    const id = context.newId("demo").slice(5);
    return new Response(protocol.demo(body, move, id), { headers: { "content-type": type } });
  };
  return { send, untold: { text: (text) => text, json: (value) => value, isIdle: true } };
}
