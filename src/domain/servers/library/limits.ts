// Limits of resources, prompts and long results.

export const LIBRARY_LIMITS = {
  /** Icons per item, each a URL; and `_meta`, as JSON. */
  icons: 8,
  iconChars: 16_384,
  marksChars: 16_384,
  /** Numbers of resources, URI templates and prompts: per server, and per conversation. */
  things: 500,
  thingsShown: 1_000,
  bytes: 400_000,
  uriChars: 2_048,
  /** Size of a range of a long result: default and maximum. */
  rangeBytes: 65_536,
  rangeBytesMost: 1_048_576,
  /** Size of all long results of a conversation, in addition to the user's limit for files. */
  resultsBytes: 64 * 1_048_576,
} as const;
