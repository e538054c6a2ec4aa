// Computes the tool list of MCP hosts, its digest, and notifies listeners of changes.

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

/** Listeners for changes of the list. */
export interface ToolListeners {
  any(): boolean;
  /** Notifies listeners whose host has a list with another digest. */
  tell(digest: string): void;
  /** Notifies all listeners that resources and prompts changed. */
  tellThings(): void;
}

/** Returns the list, computed once per offer and view. */
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

/** Whether servers have announced a change of resources or prompts. Returns it once. */
export function haveFeaturesChanged({ memory }: Session): boolean {
  const { otherThings } = memory;
  memory.otherThings = false;
  return otherThings;
}

/** Notifies listeners if the list changed. Without listeners, computes nothing. */
export async function reportTools(context: Context, session: Session, listeners: ToolListeners): Promise<void> {
  if (!listeners.any()) return;
  const { view, state } = await standingView(context, session);
  const offer = await renderOffer(stepOf({ context, session, view }), "mcp", state);
  const { digest } = await clientToolsOf(session, offer, view);
  if (!session.ended) listeners.tell(digest);
}
