// Limits for unauthenticated clients of the sign-in page, and lifetimes.

const KiB = 1024;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Grants of MCP hosts. */
export const GRANT_LIMITS = {
  /** Grants per user: one per host and machine. Above it, the least recently refreshed one ends. */
  perUser: 100,
  /** Access tokens per grant, each valid for one hour. Above it, the oldest is deleted. */
  tokens: 100,
  /** Body size at the token endpoint. */
  formBytes: 32 * KiB,
} as const;

export const SIGN_IN_LIMITS = {
  /** Characters of one text of a client's metadata, and of all together. */
  metadataChars: 4_096,
  metadataBytes: 32 * KiB,
  redirectUris: 32,
  /** Number of pre-registered clients. */
  knownClients: 100,
  /** Maximum length of a client's displayed name. */
  nameChars: 64,
  stateChars: 4_096,
  /** Size of a client document. Those of known hosts have less than 2 KiB. */
  documentBytes: 8 * KiB,
  documentAddressChars: 2_048,
  /** Size of a form of the sign-in page. */
  formBytes: 16 * KiB,
  /** Keys that can be tried on one page. */
  tries: 5,
  /** Unused sign-in links per user. */
  linksOfUser: 10,
  /** New clients and document fetches: per address and hour, and in total per day. */
  strangersOfAddress: 60,
  strangersOfDay: 2_000,
  /** Pending sign-ins per address and hour. Hosted clients sign in many users from one address. */
  pagesOfAddress: 3_000,
} as const;

export const SIGN_IN_TIMES = {
  /** Lifetime of an open page and of a sign-in link. */
  page: 10 * MINUTE,
  link: 10 * MINUTE,
  document: 5 * SECOND,
  /** Bounds for the validity of a document. One that could not be read is fetched again after the upper bound. */
  documentLeast: 5 * MINUTE,
  documentMost: DAY,
  documentFailed: MINUTE,
  /** A self-registered client without an approval within this time is deleted. */
  clientUnused: DAY,
  clientKept: 180 * DAY,
  strangersWindow: HOUR,
} as const;
