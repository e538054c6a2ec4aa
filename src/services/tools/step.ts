// The data of a model step, passed from the start of the step to the call of a tool.

import type { View } from "../../domain/catalog/view";
import type { Offered } from "../../domain/conversation/offered";
import type { Context } from "../context";
import type { Session } from "../session";

/** A conversation as one request sees it. */
export interface ConversationView {
  context: Context;
  session: Session;
  view: View;
  /** The request only reads: nothing is stored. */
  looks?: true;
}

/** A view with what is offered. Loading and unloading change it, so a new step is created afterwards. */
export interface Step extends ConversationView {
  /** Computed once, on first use: a step that needs no offered tools does not compute it. */
  offered(): Promise<Offered>;
}
