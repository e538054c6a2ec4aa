// What an object stores for its conversation: its rows, its session in memory, its pages and its alarm.

import { CLOSE, CLOSE_REASONS } from "../domain/questions/frame";
import type { Context } from "../services/context";
import { type Put, putConversation } from "../services/conversation/lifecycle";
import { endOrphans } from "../services/questions/server-questions";
import { rejectWaiters } from "../services/questions/waiters";
import { conversationNotFound, openSession, type Session } from "../services/session";
import { ConversationStore } from "../storage/object/conversation";
import { announce } from "./socket-protocol";
import { type Tabs, tabsOf } from "./tabs";

export class StoredConversation {
  readonly store: ConversationStore;
  readonly tabs: Tabs;
  readonly #storage: DurableObjectStorage;
  #session: Session | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    this.#storage = ctx.storage;
    this.store = new ConversationStore(ctx.storage);
    this.tabs = tabsOf(ctx, env, this.store, () => this.open());
  }

  /** The session in memory, read from the rows at its first use; `null`: the conversation does not exist. */
  open(): Session | null {
    if (this.#session !== null) return this.#session;
    this.#session = openSession(this.store);
    if (this.#session !== null) {
      announce(this.tabs, this.#session);
      endOrphans(this.tabs.asking, this.#session);
    }
    return this.#session;
  }

  /** The session, if it was opened. */
  get session(): Session | null {
    return this.#session;
  }

  async put(context: Context, id: string, what: Put) {
    try {
      return await putConversation(context, { id, store: this.store, open: () => this.open() }, what);
    } finally {
      await this.tabs.alarm.ensure();
    }
  }

  /** Ends running work and deletes everything. */
  async empty(): Promise<null> {
    if (this.#session !== null) this.#session.ended = true;
    this.#session = null;
    this.tabs.sockets.dropAll(CLOSE.noConversation, CLOSE_REASONS.noConversation);
    rejectWaiters(this.tabs.asking.waiters, conversationNotFound());
    await this.tabs.alarm.clear();
    await this.#storage.deleteAll();
    return null;
  }
}
