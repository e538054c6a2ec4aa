// What a model step works with. It is handed on from the beginning of the step to the call of a tool.

import type { View } from "../../domain/catalog/view";
import type { Offered } from "../../domain/conversation/offered";
import type { Context } from "../context";
import type { Session } from "../session";

/** A conversation as one request sees it. */
export interface ConversationView {
  context: Context;
  session: Session;
  view: View;
  /** Somebody only looks: nothing is stored. */
  looks?: true;
}

/** The same, with what is offered. Loading and unloading change what is offered: after them a new step is made. */
export interface Step extends ConversationView {
  /** Worked out once, when it is first asked for: a step whose prompt is known and that calls no offered tool does not ask. */
  offered(): Promise<Offered>;
}
