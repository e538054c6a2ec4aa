// The limits of the chat endpoint.

const KiB = 1024;
const MiB = 1024 * KiB;

/** Limits for one request of the chat endpoint. */
export const CHAT_LIMITS = {
  bodyBytes: 32 * MiB,
  /** Model steps in one request. */
  steps: 16,
  /** Messages in one request. */
  messages: 20_000,
  /** Calls of one step that the gateway runs. */
  callsPerStep: 64,
  /**
   * Limits in UTF-16 units: hidden messages of one branch, the steps of one answer, and one message of a model. Above the first limit the
   * oldest messages are omitted, above the second results are omitted, and above the third the request fails. All of it is sent between
   * Worker and Durable Object in one reply, which can have at most 32 MiB.
   */
  branchChars: 8 * MiB,
  turnChars: 4 * MiB,
  messageChars: 2 * MiB,
  /** Lease of a request between two steps, in milliseconds. */
  leaseMs: 120_000,
  /** In milliseconds: until the answer starts, between two pieces, and for the whole answer. */
  firstByteMs: 120_000,
  idleMs: 120_000,
  totalMs: 900_000,
  /** Interval of keep-alive messages while the gateway runs tools, in milliseconds. */
  keepAliveMs: 5_000,
  /** Limits for the stream of one step, and for one event in it. Some vendors send about 250 bytes per token. */
  streamBytes: 64 * MiB,
  eventChars: 4 * MiB,
  /** Limit for one answer while it is collected, over all steps: its characters, and a fixed cost per piece. */
  answerChars: 24 * MiB,
  /** In milliseconds: how long a streamed answer waits for a sign-in, and how long one request to the Durable Object waits. */
  signInMs: 180_000,
  signInSliceMs: 20_000,
  /** Attempts of such a request, and the pause between two of them, in milliseconds. */
  signInAttempts: 3,
  signInPauseMs: 250,
  /** Lease of a user's slot, in milliseconds, and the seconds after which to retry if all slots are in use. */
  placeMs: 90_000,
  placeWaitS: 2,
  /** Longest stopped answer that is stored to recognize it later. */
  stoppedChars: MiB,
  /** The part of a model's error that is read. */
  errorBytes: 64 * KiB,
  exportPage: 50,
  /** Ghosts in the list of models. */
  listedGhosts: 256,
} as const;

/** Limits for models: the number per user, per group and of the gateway, and the size of one as JSON. */
export const MODEL_LIMITS = { perScope: 100, entryBytes: 32 * KiB } as const;
