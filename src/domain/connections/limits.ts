// Limits and lifetimes of connections to MCP servers.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export const CONNECTION_LIMITS = {
  /** Connections of one user, one per server. */
  perUser: 100,
  /** Sign-ins in progress of one user. */
  requestsOfUser: 20,
  /** A metadata document, a registration or a token response. */
  documentBytes: 64 * 1024,
  /** An encrypted token. */
  tokenChars: 16 * 1024,
  returnToChars: 2_048,
} as const;

export const CONNECTION_TIMES = {
  /** Lifetime of a link. */
  request: 10 * MINUTE,
  /** A link is offered again if it is valid for at least this long. */
  reusable: 2 * MINUTE,
  /** Time in which a page must prove its user. */
  proof: 10 * MINUTE,
  /** Timeout of one request to an issuer. */
  issuer: 10 * SECOND,
  /** Timeout of a revocation. */
  revocation: 5 * SECOND,
  /** Cache lifetime of a user's connections in an isolate. Changes apply immediately nevertheless, because they raise a counter. */
  cache: MINUTE,
  /** An access token is refreshed this long before its end. */
  early: MINUTE,
  /** One attempt refreshes a token within this time. Others wait for it, asking at these intervals. */
  lease: 30 * SECOND,
  leaseWait: 10 * SECOND,
  leasePoll: 250,
  leasePollMost: 2 * SECOND,
  /** A call that waits for a sign-in looks for it at these intervals, if no notice arrives. */
  askPoll: 2 * SECOND,
  askPollMost: 10 * SECOND,
  /** A failure to get a token for a machine account is repeated to callers for this long. */
  machineFailure: 10 * SECOND,
  /** If the server rejects a token that was refreshed this recently, the connection ends. */
  rejectedAgain: MINUTE,
} as const;
