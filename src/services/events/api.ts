// The RPC interface of the object with all event streams.

/** Implemented by the Durable Object. */
export interface EventsObject {
  /** An event with this number was stored. */
  announce(seq: number): Promise<void>;
}
