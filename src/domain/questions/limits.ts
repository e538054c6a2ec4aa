// Limits of questions to the browser, and the messages for exceeding them.

const KiB = 1024;
const MiB = 1024 * KiB;

/** Limits of questions to the browser and of their sockets. */
export const QUESTION_LIMITS = {
  payloadBytes: 256 * KiB,
  answerBytes: 256 * KiB,
  /** A frame with an answer. */
  frameBytes: 260 * KiB,
  nameChars: 200,
  /** Number of actions that a page can declare. */
  answered: 256,
  /** Size of an answer's schema. */
  schemaBytes: 16 * KiB,
  /** Pending questions per conversation. All of them are sent to every page that connects. */
  pending: 128,
  pendingBytes: 1 * MiB,
  /** Unacknowledged bytes per page: more than a hello requires, so that pages without acknowledgements still receive it. */
  unreadBytes: 2 * MiB,
  /** After this many bytes, a page is asked for an acknowledgement. */
  markBytes: 256 * KiB,
  /** Pages times devices. A socket that never reads holds memory until it is closed. */
  sockets: 64,
  /** MCP hosts that listen for changes of the list of tools. */
  listeners: 8,
  tickets: 4_096,
  /** Frames that a socket can send at once, and then per second. All pending questions can be answered in one burst. */
  framesAtOnce: 256,
  framesPerSecond: 32,
} as const;

/** Limits of questions that MCP servers ask during a call. */
export const ELICITATION_LIMITS = {
  /** Characters of the message; the rest is cut. */
  messageChars: 2_000,
  urlChars: 2_048,
  /** Of a form: number of fields, characters of a field's name and other texts, and number of choices. */
  fields: 32,
  nameChars: 100,
  textChars: 500,
  options: 100,
  /** Questions of a server per hour and conversation; further ones are declined. */
  perHour: 20,
} as const;

/**
 * Limits of what pages see of a conversation. Everything sent after a hello, with pending questions, stays below
 * `QUESTION_LIMITS.unreadBytes`.
 */
export const SHOWN_LIMITS = {
  nameChars: 200,
  /** Arguments of a call as JSON; longer ones are left out. */
  argumentBytes: 2 * KiB,
  /** Characters of a call's result; the rest is only counted. */
  outputChars: 4 * KiB,
  /** Calls sent to a page when it connects: the newest of the turn. */
  calls: 128,
  /** Characters of their results together, newest first. */
  callsChars: 48 * KiB,
  /** Skills sent to a page. */
  skills: 256,
  /** Minimum interval between progress reports. */
  progressMs: 250,
} as const;

/** The message for a payload above the limit. */
export const PAYLOAD_TOO_LARGE = `Payload too large (limit ${QUESTION_LIMITS.payloadBytes / KiB} KiB as JSON). Send less data.`;

/** The message for an answer above the limit, over HTTP and over a socket. */
export const ANSWER_TOO_LARGE = `Answer too large (limit ${QUESTION_LIMITS.answerBytes / KiB} KiB as JSON). Send less data.`;
