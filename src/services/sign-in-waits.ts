// Gives the links of calls that need a sign-in to callers that show them to the user, and ends their waiting.

/** A link with which the user signs in to a server. */
export interface SignInLink {
  server: string;
  url: string;
  expires_at: string;
}

/** The caller of a tool call that shows links to the user. */
export interface SignInListener {
  onLink(link: SignInLink): void;
  /** Called when the call stops waiting. */
  onGoOn?(): void;
  /** If absent, the call does not wait. If it resolves, the call fails with the link. If it rejects, the call fails without a result. */
  ended?: Promise<void> | undefined;
}

/** Rejects a call that waits for a sign-in and is repeated later. Nothing was sent to the server. */
export class SignInDeferred extends Error {
  constructor() {
    super("The call waits for a sign-in. Repeat it.");
  }
}

/** The calls of a conversation whose callers show links, by call id. */
export class SignInWaits {
  readonly #listeners = new Map<string, Set<SignInListener>>();
  /** Of calls that wait now. */
  readonly #links = new Map<string, SignInLink>();

  /** Subscribes to the link of a call, also if the call waits already. Returns a function that ends the subscription. */
  listen(callId: string, listener: SignInListener): () => void {
    const listeners = this.#listeners.get(callId) ?? new Set();
    this.#listeners.set(callId, listeners.add(listener));
    const link = this.#links.get(callId);
    if (link !== undefined) listener.onLink(link);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(callId) === listeners) this.#listeners.delete(callId);
    };
  }

  /**
   * Gives a link to the callers of a call, and waits for the sign-in if one of them does.
   *
   * @param signedIn resolves to `false` when the time is over
   * @returns whether the user has signed in
   */
  async wait(callId: string, link: SignInLink, signedIn: Promise<boolean>): Promise<boolean> {
    const listeners = [...(this.#listeners.get(callId) ?? [])];
    for (const listener of listeners) listener.onLink(link);
    const ends = listeners.flatMap(({ ended }) => (ended === undefined ? [] : ended.then(() => false)));
    if (ends.length === 0) return false;
    this.#links.set(callId, link);
    try {
      return await Promise.race([signedIn, ...ends]);
    } finally {
      this.#links.delete(callId);
      for (const listener of this.#listeners.get(callId) ?? []) listener.onGoOn?.();
    }
  }
}
