// Every duration of the gateway, by name, in milliseconds unless the name says otherwise.

/** Grouped by what they bound; the comment above a name says what ends then. */
export const DURATIONS = {
  /** A tool of a skill, unless its `config.timeout` says otherwise, and at most. */
  tool: 30_000,
  toolMost: 300_000,
  /** Code waits for a free isolate, and then for the isolate to be ready; its own time begins after that. */
  queue: 10_000,
  start: 5_000,
  /** Describing all tools of a skill. */
  describe: 5_000,
  /** Compiling the code of a package. */
  compile: 10_000,
  /** What code has emitted and logged is waited for so long before its answer goes out. */
  heard: 1_000,
  /** An isolate whose call was ended says so within this, or is not asked again. */
  lastWord: 500,
  /** A request to the browser ends so long before its tool, which can still say what happened. */
  requestMargin: 1_000,
  /** D1 and R2 answer within this or the request is 503. */
  storage: 2_000,
  /** How long what /health found is told to the next callers. */
  health: 1_000,
  /** No publish commits later than this after it began, so the sweep below can never race one. */
  publish: 60 * 60_000,
  /** Packages without a row are removed when older than this. */
  orphanGrace: 24 * 60 * 60_000,
  idempotency: 24 * 60 * 60_000,
  /** How long an isolate keeps secrets it has decrypted; a change acts at once all the same. */
  secretCache: 60_000,
  /** A secret's last use is written down at most this often. */
  secretUse: 60 * 60_000,
  /** How long a conversation takes what one caller told it of its user for newer than what others come with. */
  newest: 10 * 60_000,
  /** How long an isolate may go on with a principal it has seen while D1 is down. */
  principalCache: 60_000,
  /** A turn without a bookmark asks a replica for something newer than what was read so long ago. */
  identityRecent: 1_000,
  /** A request to the browser: how long it waits for an answer, by default and at most, and how long its end is kept. */
  request: 30_000,
  requestMost: 24 * 60 * 60_000,
  requestKept: 24 * 60 * 60_000,
  /** What an MCP server asks in the middle of a call: the call's own time stands still meanwhile. */
  elicitation: 10 * 60_000,
  /** How long a caller waits for it in one go. */
  wait: 25_000,
  waitMost: 60_000,
  ticket: 60_000,
  resume: 12 * 60 * 60_000,
  /** A refused client finishes what it sends within this, or its connection breaks. */
  hearOut: 30_000,
  /** A socket says hello within this. */
  hello: 10_000,
  /** A socket that was asked whether it reads gives a sign of life within this. */
  unread: 60_000,
  /** The key behind a socket is checked again after this, and after the shorter while when storage did not answer. */
  keyCheck: 10 * 60_000,
  keyCheckAgain: 60_000,
  /** Between two notes of when a key was last used. */
  keyUse: 10 * 60_000,
  /** How long a rotated key goes on beside its successor, by default and at most. */
  keyOverlap: 24 * 60 * 60_000,
  keyOverlapMost: 30 * 24 * 60 * 60_000,
  /** A code of a sign-in, and how long a used one is known, so that a second use ends its grant. */
  code: 60_000,
  codeKnown: 60 * 60_000,
  /** An access token of a grant, and how long one that has ended is known by name. */
  accessToken: 60 * 60_000,
  accessTokenKnown: 24 * 60 * 60_000,
  /** How long a grant that has ended is kept. */
  grantKept: 7 * 24 * 60 * 60_000,
  /** How far an issuer's clock may be off. */
  clockLeeway: 30_000,
  /** An issuer's keys: how long a request waits for them, when they are read again, and how long they outlive an outage. */
  keySetFetch: 3_000,
  keySetFresh: 10 * 60_000,
  keySetKept: 24 * 60 * 60_000,
  /** Between two looks for a key that is not among them, and after a look that failed. */
  keySetLook: 60_000,
  keySetRetry: 10_000,
  /** How long what an isolate has counted waits for more to go with it; and in an object, which a waiting timer keeps awake. */
  counts: 10_000,
  countsOfObject: 500,
  /** How often an isolate notes at most that a server answers which was not known to fail. */
  serverUp: 300_000,
  /** How long a turn, and the loading of a skill, wait for servers to connect; what comes later is offered with a later step. */
  patience: 2_000,
  /**
   * How long a list for an MCP host waits for them, from when they began to connect. Codex gives a server a second for everything from its
   * greeting to its list of tools, and goes on without any tool of one that takes longer.
   */
  patienceList: 700,
  /** How long they wait for one that failed the last time: enough for one that is well again. */
  patienceFailed: 250,
  /** How long loading waits where the list of tools is fixed: then only the answer of `load_skill` can tell what it brought. */
  patienceFixed: 10_000,
  /** A call of an MCP tool that goes on saying how far it is may take so long. */
  callMost: 30 * 60_000,
  /** A call waits so long for the stream on which its server may ask; where that takes longer it comes beside the call. */
  standing: 250,
  /** How long a server may take to hear that a session is over. */
  goodbye: 2_000,
  /** A server that no turn had for so long is forgotten. */
  upstreamKept: 7 * 24 * 60 * 60_000,
  /** How long it is believed which protocol era a server speaks, and how long a list of tools without a `ttlMs` of its own. */
  era: 24 * 60 * 60_000,
  toolList: 60_000,
  toolListMost: 60 * 60_000,
  /** How long an isolate goes on with a gateway's server as it has read it, while nobody has changed one. */
  serverCache: 10_000,
  /** A host that listens for changes is to ask again after this. */
  listen: 60 * 60_000,
  /** A stream that is passed on says something at least so often. */
  keepAlive: 15_000,
  /** The same while tool calls run, so that they end soon after nobody waits for them any more. */
  stepAlive: 5_000,
  /** What is still on its way to a server, such as a cancellation, gets this long before the connection is closed. */
  farewell: 1_000,
  /** When to try again to delete an idle conversation. */
  endAgain: 60 * 60_000,
  /** How long a conversation keeps what it counts of skills before it is added to everybody's, and tries again. */
  useKept: 60 * 60_000,
  /** A batch of counts is sent again for so long; its id is known for longer, so that it is never added twice. */
  useSent: 2 * 24 * 60 * 60_000,
  useSentKnown: 4 * 24 * 60 * 60_000,
  /** How often a conversation tells the list of its user's conversations of its last turn, and how long after one at the least. */
  listTold: 10 * 60_000,
  listLater: 60_000,
  /** How long counts of skills are kept, and what of them makes the shared order of lists. */
  useHistory: 400 * 24 * 60 * 60_000,
  useRecent: 14 * 24 * 60 * 60_000,
} as const;
