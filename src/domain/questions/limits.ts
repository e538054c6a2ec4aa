// Limits of questions to the browser, apart since `domain/limits.ts` is long, and the words of those that are told in two places.

const KiB = 1024;
const MiB = 1024 * KiB;

/** Questions to the browser, and the sockets they travel on. */
export const QUESTION_LIMITS = {
  payloadBytes: 256 * KiB,
  answerBytes: 256 * KiB,
  /** A frame: an answer and its envelope. */
  frameBytes: 260 * KiB,
  nameChars: 200,
  /** Actions that a page may say it answers. */
  answered: 256,
  /** Of the schema of an answer. */
  schemaBytes: 16 * KiB,
  /** Of one conversation, at once; all of it is sent to every page that comes. */
  pending: 128,
  pendingBytes: 1 * MiB,
  /** What one page may have been sent and not said it has read: more than a hello brings, so that whoever never says so still gets that. */
  unreadBytes: 2 * MiB,
  /** So much is sent before a page is asked whether it reads. */
  markBytes: 256 * KiB,
  /** Pages times devices; one that never reads holds memory until its other side goes. */
  sockets: 64,
  /** MCP hosts that listen for changes of the list of tools. */
  listeners: 8,
  tickets: 4_096,
  /** Frames a socket may send at once, and then every second. All pending questions can be answered in one burst. */
  framesAtOnce: 256,
  framesPerSecond: 32,
} as const;

/** What MCP servers ask people in the middle of a call. */
export const ELICITATION_LIMITS = {
  /** Of the message, in characters; the rest is cut off. */
  messageChars: 2_000,
  urlChars: 2_048,
  /** Of a form: fields, the characters of a field's name, of its other texts, and the choices it has. */
  fields: 32,
  nameChars: 100,
  textChars: 500,
  options: 100,
  /** Questions of a server in an hour and a conversation; what it asks beyond them is declined. */
  perHour: 20,
} as const;

/** What pages are shown of a conversation. All of it that a hello brings stays, with what is pending, below `ASKING_LIMITS.unreadBytes`. */
export const SHOWN_LIMITS = {
  nameChars: 200,
  /** Of a call, as JSON: longer ones are left out. */
  argumentBytes: 2 * KiB,
  /** Of what a call has answered; the rest is counted and not shown. */
  outputChars: 4 * KiB,
  /** Calls that a page is told of when it comes: the newest of the turn. */
  calls: 128,
  /** Of what these have answered, together, newest first. */
  callsChars: 48 * KiB,
  /** Skills that a page is told of. */
  skills: 256,
  /** How far a call is, is told no oftener. */
  progressMs: 250,
} as const;

/** What is said of a payload that is too large. */
export const PAYLOAD_TOO_LARGE = `Payload too large (limit ${QUESTION_LIMITS.payloadBytes / KiB} KiB as JSON). Send less data.`;

/** The same of an answer, over HTTP and over a socket. */
export const ANSWER_TOO_LARGE = `Answer too large (limit ${QUESTION_LIMITS.answerBytes / KiB} KiB as JSON). Send less data.`;
