// What strangers may bring to the sign-in page, and how long its things live.

const KiB = 1024;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Grants of MCP hosts. */
export const GRANT_LIMITS = {
  /** Of one user: one for each host on each machine. Beyond it the one that was refreshed longest ago ends. */
  perUser: 100,
  /** Access tokens of one grant, each good for an hour. Beyond it the oldest is forgotten. */
  tokens: 100,
  /** What a host may post to get a token. */
  formBytes: 32 * KiB,
} as const;

export const SIGN_IN_LIMITS = {
  /** One text of what a program says of itself, and all of it. */
  metadataChars: 4_096,
  metadataBytes: 32 * KiB,
  redirectUris: 32,
  /** Programs that admins make known. */
  knownClients: 100,
  /** A program's name as it is shown. */
  nameChars: 64,
  stateChars: 4_096,
  /** A document about a client: those of real hosts have less than 2 KiB. */
  documentBytes: 8 * KiB,
  documentAddressChars: 2_048,
  /** A form of the sign-in page. */
  formBytes: 16 * KiB,
  /** Keys that one may try on one page. */
  tries: 5,
  /** Links of one user that wait to be used. */
  linksOfUser: 10,
  /** New programs, and documents that are asked for: of one address in an hour, and of everybody in a day. */
  strangersOfAddress: 60,
  strangersOfDay: 2_000,
  /** Sign-ins that wait for their user, of one address in an hour: hosted programs sign many users in from one. */
  pagesOfAddress: 3_000,
} as const;

export const SIGN_IN_TIMES = {
  /** From opening the page to the answer, and how long a link may be used. */
  page: 10 * MINUTE,
  link: 10 * MINUTE,
  document: 5 * SECOND,
  /** How long a document counts: what its own answer says, within these. One that could not be read is asked for again after the last. */
  documentLeast: 5 * MINUTE,
  documentMost: DAY,
  documentFailed: MINUTE,
  /** A program that registered itself and was never approved, or not for so long, is forgotten. */
  clientUnused: DAY,
  clientKept: 180 * DAY,
  strangersWindow: HOUR,
} as const;
