// All durations of the gateway by name, in milliseconds unless the name says otherwise.

/** Grouped by subject. The comment above a name says what ends after this time. */
export const DURATIONS = {
  /** Timeout of a skill's tool: default and maximum, see `config.timeout`. */
  tool: 30_000,
  toolMost: 300_000,
  /** Code waits for a free isolate and then until the isolate is ready. Its own time starts afterwards. */
  queue: 10_000,
  start: 5_000,
  /** Time to describe all tools of a skill. */
  describe: 5_000,
  /** Time to compile the code of a package. */
  compile: 10_000,
  /** Maximum wait for events and logs of code before its result is returned. */
  heard: 1_000,
  /** Time in which a terminated isolate must confirm its end, or it is not used again. */
  lastWord: 500,
  /** A request to the browser ends this long before its tool, so that the tool can still report it. */
  requestMargin: 1_000,
  /** Maximum response time of D1 and R2; afterwards the request fails with 503. */
  storage: 2_000,
  /** Cache lifetime of the /health result. */
  health: 1_000,
  /** A publish commits at most this long after it began, so the sweep below cannot delete its package. */
  publish: 60 * 60_000,
  /** Age after which packages without a row are deleted. */
  orphanGrace: 24 * 60 * 60_000,
  idempotency: 24 * 60 * 60_000,
  /** Cache lifetime of decrypted secrets in an isolate. Changes apply immediately nevertheless. */
  secretCache: 60_000,
  /** Minimum interval between two records of a secret's last use. */
  secretUse: 60 * 60_000,
  /** Time for which the newest identity of one caller overrides older ones of other callers. */
  newest: 10 * 60_000,
  /** Time for which an isolate can use a cached principal while D1 is down. */
  principalCache: 60_000,
  /** A turn without a bookmark asks a replica for a newer identity if the cached one is older than this. */
  identityRecent: 1_000,
  /** A request to the browser: timeout (default and maximum), and time for which its result is stored. */
  request: 30_000,
  requestMost: 24 * 60 * 60_000,
  requestKept: 24 * 60 * 60_000,
  /** Timeout of an MCP server's question during a call. The call's own timeout is paused meanwhile. */
  elicitation: 10 * 60_000,
  /** Maximum wait of one polling request. */
  wait: 25_000,
  waitMost: 60_000,
  ticket: 60_000,
  resume: 12 * 60 * 60_000,
  /** Time for a rejected client to finish sending; afterwards its connection is closed. */
  hearOut: 30_000,
  /** Time in which a socket must send hello. */
  hello: 10_000,
  /** Time in which a socket must acknowledge that it reads. */
  unread: 60_000,
  /** Interval between checks of the key of a socket, and the shorter interval after storage did not respond. */
  keyCheck: 10 * 60_000,
  keyCheckAgain: 60_000,
  /** Minimum interval between two records of a key's use. */
  keyUse: 10 * 60_000,
  /** Time for which a rotated key stays valid: default and maximum. */
  keyOverlap: 24 * 60 * 60_000,
  keyOverlapMost: 30 * 24 * 60 * 60_000,
  /** Lifetime of an authorization code, and time for which a used one is stored, so that a second use ends its grant. */
  code: 60_000,
  codeKnown: 60 * 60_000,
  /** Lifetime of an access token, and time for which an expired one is stored. */
  accessToken: 60 * 60_000,
  accessTokenKnown: 24 * 60 * 60_000,
  /** Time for which an ended grant is stored. */
  grantKept: 7 * 24 * 60 * 60_000,
  /** Tolerated difference of an issuer's clock. */
  clockLeeway: 30_000,
  /** Maximum age of a CI job's token, and minimum interval between two recorded refusals of a publisher. */
  publisherToken: 60 * 60_000,
  publisherRefusal: 60_000,
  /** Keys of an issuer: how long a request waits for them, when they are read again, and how long they stay valid during an outage. */
  keySetFetch: 3_000,
  keySetFresh: 10 * 60_000,
  keySetKept: 24 * 60 * 60_000,
  /** Minimum interval between two searches for an unknown key, and after a failed search. */
  keySetLook: 60_000,
  keySetRetry: 10_000,
  /** Maximum delay of an isolate's counts, and of an object's, which a waiting timer keeps awake. */
  counts: 10_000,
  countsOfObject: 500,
  /** Maximum delay of an object's spans. */
  spansOfObject: 500,
  /** Minimum interval between two records by an isolate that a server answers. */
  serverUp: 300_000,
  /** A scheduled check of one address of a server. */
  serverCheck: 5_000,
  /** Minimum interval between checks of a server that is down: shorter than the interval of the schedule, so that each run checks it. */
  serverCheckAgain: 4 * 60_000,
  /** Time for which results of checks are stored. */
  serverChecksKept: 7 * 24 * 60 * 60_000,
  /** Time for which closed reviews are stored. That a version was reviewed is stored with the version. */
  reviewsKept: 365 * 24 * 60 * 60_000,
  /** Time for which ended deliveries of webhooks are stored. */
  webhookDeliveriesKept: 30 * 24 * 60 * 60_000,
  /** Time for which events of the registry are stored. */
  eventsKept: 7 * 24 * 60 * 60_000,
  /** Interval between checks of the skills approved from a server, and until one that was not offered is checked again. */
  serverSkills: 6 * 60 * 60_000,
  serverSkillsAgain: 30 * 60_000,
  /** Skills of a server that fails for this time are withdrawn. */
  serverGone: 7 * 24 * 60 * 60_000,
  /** Maximum wait of a turn or load for servers to connect. Slower ones are offered with a later step. */
  patience: 2_000,
  /**
   * Maximum wait of a tool list for an MCP host, from the start of connecting. Codex gives a server one second from its greeting to its
   * tool list, and continues without the tools of a slower one.
   */
  patienceList: 700,
  /** Maximum wait for a server that failed last: enough for one that has recovered. */
  patienceFailed: 250,
  /** Maximum wait of a load if the tool list is fixed, because then only the result of `load_skill` describes the tools. */
  patienceFixed: 10_000,
  /** Maximum duration of an MCP tool call that keeps reporting progress. */
  callMost: 30 * 60_000,
  /** Maximum wait of a call for the stream on which its server can ask questions. If it takes longer, it opens in parallel. */
  standing: 250,
  /** Timeout for ending a session with a server. */
  goodbye: 2_000,
  /** Servers that no turn has used for this time are removed. */
  upstreamKept: 7 * 24 * 60 * 60_000,
  /** Cache lifetime of a server's protocol era, and of a tool list without `ttlMs`. */
  era: 24 * 60 * 60_000,
  toolList: 60_000,
  toolListMost: 60 * 60_000,
  /** Cache lifetime of a gateway's server in an isolate, as long as none has changed. */
  serverCache: 10_000,
  /** A host that listens for changes must reconnect after this time. */
  listen: 60 * 60_000,
  /** Maximum silence of a relayed stream. */
  keepAlive: 15_000,
  /** The same while tool calls run, so that they end soon after the caller is gone. */
  stepAlive: 5_000,
  /** Time for pending messages to a server, such as a cancellation, before the connection is closed. */
  sessionEnd: 1_000,
  /** Time until the deletion of an idle conversation is tried again. */
  endAgain: 60 * 60_000,
  /** Interval at which a conversation adds its skill usage to the shared counts, and retries. */
  useKept: 60 * 60_000,
  /** Time for which a batch of counts is sent again. Its id is stored for longer, so that it is never added twice. */
  useSent: 2 * 24 * 60 * 60_000,
  useSentKnown: 4 * 24 * 60 * 60_000,
  /** Minimum interval at which a conversation reports its last turn to the list. */
  listTold: 10 * 60_000,
  listLater: 60_000,
  /** Time for which usage counts are stored. */
  useHistory: 400 * 24 * 60 * 60_000,
  /** The last days of usage, which determine the shared order. */
  useRecent: 14 * 24 * 60 * 60_000,
  /** Time after the last load for which a user can rate a skill, and for which decided reports are stored. */
  skillUsersKept: 180 * 24 * 60 * 60_000,
  reportsKept: 365 * 24 * 60 * 60_000,
} as const;
