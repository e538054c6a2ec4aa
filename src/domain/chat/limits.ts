// The limits of the chat endpoint.

const KiB = 1024;
const MiB = 1024 * KiB;

/** What one request of the chat endpoint may be and do. */
export const CHAT_LIMITS = {
  bodyBytes: 32 * MiB,
  /** Model steps in one request. */
  steps: 16,
  /** Messages that a request may show. */
  messages: 20_000,
  /** Calls of one step that are run. */
  callsPerStep: 64,
  /**
   * What lies hidden behind the answers of one branch, what the steps of one answer may take, and one message of a model, in UTF-16 units.
   * Beyond the first the oldest is left out, beyond the second results are, and the third is refused. All of it passes between a Worker
   * and the object in one reply, which may have 32 MiB.
   */
  branchChars: 8 * MiB,
  turnChars: 4 * MiB,
  messageChars: 2 * MiB,
  /** How long a request keeps its place without a step, in milliseconds. */
  leaseMs: 120_000,
  /** Milliseconds: until an answer begins, between two pieces of it, and for all of it. */
  firstByteMs: 120_000,
  idleMs: 120_000,
  totalMs: 900_000,
  /** How often a caller who waits for tools hears that the gateway is there. */
  keepAliveMs: 5_000,
  /** Of the stream of one step, and of one event in it. A token's event is some 250 bytes with some vendors. */
  streamBytes: 64 * MiB,
  eventChars: 4 * MiB,
  /** What an answer may take while it is put together, all steps together: its characters, and some for each piece. */
  answerChars: 24 * MiB,
  /** How long a place of a user's is kept without a word, and when to ask for one again. */
  placeMs: 90_000,
  placeWaitS: 2,
  /** Of an answer that was stopped, to be found again. */
  stoppedChars: MiB,
  /** Of a model's own error. */
  errorBytes: 64 * KiB,
  exportPage: 50,
  /** Ghosts in a list of models. */
  listedGhosts: 256,
} as const;

/** Models of the chat endpoint: how many a user, a group, the gateway may have, and one as JSON. */
export const MODEL_LIMITS = { perScope: 100, entryBytes: 32 * KiB } as const;
