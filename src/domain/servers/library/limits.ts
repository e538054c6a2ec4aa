// How much of what servers have beside tools is taken, and shown.

export const LIBRARY_LIMITS = {
  /** Pictures of a thing, each as a URL; and `_meta`, as JSON. */
  icons: 8,
  iconChars: 16_384,
  marksChars: 16_384,
  /** Resources, templates of addresses and prompts: of one server each, and of a whole conversation. */
  things: 500,
  thingsShown: 1_000,
  bytes: 400_000,
  uriChars: 2_048,
  /** Of a long result that is read in ranges: one, where nothing is said of it, and at most. */
  rangeBytes: 65_536,
  rangeBytesMost: 1_048_576,
  /** What long results may take in a conversation, beside the room that its user has for files. */
  resultsBytes: 64 * 1_048_576,
} as const;
