// The slots of a user's running chats, in the memory of an object that stores nothing. After an eviction, a slot is registered again when
// its lease is renewed. Until then the limit can be exceeded.

import { ChatLeases } from "../domain/chat/leases";
import { CHAT_LIMITS } from "../domain/chat/limits";
import type { ChatSlots } from "../services/chat/slots";

export class UserChatSlots implements ChatSlots {
  readonly #places = new ChatLeases();

  async holdPlace(id: string, most: number): Promise<boolean> {
    return this.#places.hold(id, most, Date.now(), CHAT_LIMITS.placeMs);
  }

  async releasePlace(id: string): Promise<void> {
    this.#places.release(id);
  }
}
