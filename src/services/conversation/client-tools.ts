// The list of tools as MCP hosts have it: what names it, and who hears that it is another one.

import type { View } from "../../domain/catalog/view";
import { sha256Hex } from "../../domain/digest";
import type { JsonObject } from "../../domain/json";
import { toolsForClient } from "../../domain/tools/client-offer";
import { standingView } from "../catalog/view";
import type { Context } from "../context";
import type { Session } from "../session";
import type { RenderedOffer } from "../session-memory";
import { stepOf } from "../tools/offered";
import { renderOffer } from "./prompt";

/** Those who hear that the list changed. */
export interface ToolListeners {
  any(): boolean;
  /** Tells those whose host has another list than the one of this digest. */
  tell(digest: string): void;
  /** Tells all of them that resources and prompts are others. */
  tellThings(): void;
}

/** The list, worked out once for an offer and a view. */
export async function clientToolsOf(
  session: Session,
  offer: RenderedOffer,
  view: View,
): Promise<{ tools: JsonObject[]; digest: string }> {
  const known = session.memory.forClient;
  if (known?.offer === offer && known.view === view) return known;
  const tools = toolsForClient(offer.tools, view);
  const made = { offer, view, tools, digest: await sha256Hex(JSON.stringify(tools)) };
  session.memory.forClient = made;
  return made;
}

/** Whether servers have said that they have other resources or prompts. Says it once. */
export function haveFeaturesChanged({ memory }: Session): boolean {
  const { otherThings } = memory;
  memory.otherThings = false;
  return otherThings;
}

/** Tells the listeners if the list is another one now. Where nobody listens nothing is worked out. */
export async function reportTools(context: Context, session: Session, listeners: ToolListeners): Promise<void> {
  if (!listeners.any()) return;
  const { view, state } = await standingView(context, session);
  const offer = await renderOffer(stepOf({ context, session, view }), "mcp", state);
  const { digest } = await clientToolsOf(session, offer, view);
  if (!session.ended) listeners.tell(digest);
}
