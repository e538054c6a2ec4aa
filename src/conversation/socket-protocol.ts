// The WebSocket protocol between the object and a page: hello and welcome, answers and acknowledgements, and closing.

import { DURATIONS } from "../domain/durations";
import { GatewayError, refusalIn } from "../domain/errors";
import { utf8Bytes } from "../domain/json";
import {
  CLOSE,
  CLOSE_REASONS,
  type FeedbackFrame,
  type HelloFrame,
  type ResponseFrame,
  readFrame,
  TOPICS,
} from "../domain/questions/frame";
import { ANSWER_TOO_LARGE, QUESTION_LIMITS } from "../domain/questions/limits";
import { answerSchema, SERVER_ACTIONS } from "../domain/questions/question";
import { logUnexpected } from "../edge/unexpected";
import { refusal } from "../services/conversation/api";
import { activeFrame, announceChanges } from "../services/conversation/changes";
import { giveFeedback, scoresFrame } from "../services/conversation/feedback";
import { callsFrame, startRecordingCalls } from "../services/conversation/pages/calls";
import { listFrame } from "../services/conversation/pages/skills";
import {
  ADMISSION_HEADER,
  type Admission,
  admissionSchema,
  grantFor,
  LISTEN_HEADER,
} from "../services/questions/admission";
import { answerProblems, pendingFrames, readQuestion, respond } from "../services/questions/ask";
import { draftTicket, issueTicket } from "../services/questions/tickets";
import { conversationNotFound, type Session } from "../services/session";
import { type Holder, resumeGrant } from "./socket-state";
import type { Tabs } from "./tabs";

const NOT_LIVE = "The key expired or was revoked. Use another key.";
const TOO_FAST = `Too many frames (limit ${QUESTION_LIMITS.framesPerSecond} per second). Send fewer.`;
const NO_HELLO = `No \`hello\` frame was received (limit ${DURATIONS.hello / 1_000} s). Send it when the socket opens.`;

/**
 * Accepts the upgrade of a page with its admission, or of the Worker that listens for an MCP host; otherwise returns the error as a reply.
 */
export async function answerUpgrade(tabs: Tabs, request: Request): Promise<Response> {
  try {
    if (request.headers.has(LISTEN_HEADER)) return listen(tabs);
    const admission = admissionSchema.parse(JSON.parse(request.headers.get(ADMISSION_HEADER) ?? "null"));
    return await enter(tabs, admission);
  } catch (error) {
    return Response.json(refusal(error));
  }
}

/** The host's list may be outdated when it starts to listen. */
function listen({ session, listeners }: Tabs): Response {
  const open = session();
  if (open === null) throw conversationNotFound();
  const { listed, forClient } = open.memory;
  const response = listeners.accept(listed ?? forClient?.digest ?? "");
  if (forClient !== null) listeners.tell(forClient.digest);
  return response;
}

/** Notifies connected pages and hosts of changes of a conversation from now on. */
export function announce({ sockets, listeners, alarm }: Tabs, session: Session): void {
  session.scheduled = (due) => alarm.advance(due);
  announceChanges(session, sockets, listeners, (error) => {
    if (refusalIn(error) === null) logUnexpected(error, { where: "listen" });
  });
}

/** Accepts a page, or throws the error. */
async function enter(tabs: Tabs, admission: Admission): Promise<Response> {
  const { sockets, asking, session } = tabs;
  const open = session();
  const { follows, ...grant } = await grantFor(open, admission, asking.now(), tabs.isLive);
  const resume = open === null ? null : await draftTicket(tabs.settings, open);
  if (open === null || session() !== open) throw conversationNotFound();
  // Otherwise one ticket could open any number of sockets, each with the ticket for the next.
  if (follows !== undefined) sockets.end(follows, "Another connection used this resume ticket. Use that one.");
  if (sockets.full()) {
    const message = `Socket limit of the conversation reached (${QUESTION_LIMITS.sockets}, closing ones included). Close another connection first.`;
    throw new GatewayError("rate_limited", "TOO_MANY_SOCKETS", message);
  }
  const now = asking.now();
  const id = crypto.randomUUID();
  const response = sockets.accept({
    id,
    grant,
    origin: admission.origin,
    resume,
    hears: [],
    answers: [],
    accepted: now,
    checked: now,
    unread: 0,
    mark: null,
  });
  asking.rearm();
  return response;
}

/** Handles one message of a socket. An unexpected error closes this socket only. */
export async function hear(tabs: Tabs, socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
  try {
    await understand(tabs, socket, data);
  } catch (error) {
    logUnexpected(error, { where: "socket" });
    tabs.sockets.drop(socket, CLOSE.failed, "Internal error. Connect again.");
  }
}

async function understand(tabs: Tabs, socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
  const { sockets, asking } = tabs;
  // The frame was sent before the gateway closed the socket.
  if (socket.readyState !== WebSocket.OPEN) return;
  const holder = sockets.holder(socket);
  if (!sockets.mayTalk(holder, asking.now())) return sockets.drop(socket, CLOSE.tooFast, TOO_FAST);
  const read = readFrame(data);
  if ("close" in read) return sockets.drop(socket, read.close, read.reason);
  const session = tabs.session();
  if (session === null) return sockets.drop(socket, CLOSE.noConversation, CLOSE_REASONS.noConversation);
  const { frame } = read;
  if (frame.type === "hello") return greet(tabs, session, socket, holder, frame);
  if (holder.resume !== null)
    return sockets.drop(socket, CLOSE.badFrame, "The first frame is not `hello`. Send `hello` first.");
  if (frame.type === "mark") return sockets.marked(socket, frame.mark);
  sockets.heard(socket);
  if (frame.type === "answers")
    return sockets.keep(socket, { ...sockets.holder(socket), answers: serverActionsIn(frame.answers) });
  if (frame.type === "feedback") return rate(tabs, session, socket, holder, frame);
  return take(tabs, session, socket, holder, frame);
}

/** Closes sockets without hello, without acknowledgements, and with an invalid key. */
export async function closeSilent({ sockets, asking, isLive }: Tabs): Promise<void> {
  const { silent, deaf, unchecked } = sockets.due(asking.now());
  for (const socket of silent) sockets.drop(socket, CLOSE.timeout, NO_HELLO);
  for (const socket of deaf) sockets.drop(socket, CLOSE.timeout, CLOSE_REASONS.backpressure);
  const verdicts = new Map<string, boolean | null>();
  for (const { socket, holder } of unchecked) {
    const { credential } = holder.grant;
    const live = verdicts.has(credential) ? verdicts.get(credential) : await ifAnswered(isLive(holder.grant));
    verdicts.set(credential, live ?? null);
    if (live === false) sockets.drop(socket, CLOSE.unauthenticated, NOT_LIVE);
    const early = live === null ? DURATIONS.keyCheck - DURATIONS.keyCheckAgain : 0;
    sockets.keep(socket, { ...sockets.holder(socket), checked: asking.now() - early });
  }
}

/** Welcomes a page. Nothing is awaited, so no question can be missed between the welcome and the pending questions. */
function greet(
  { sockets, asking }: Tabs,
  session: Session,
  socket: WebSocket,
  holder: Holder,
  hello: HelloFrame,
): void {
  const { resume } = holder;
  const lastSeq = hello.last_seq ?? null;
  const { questions } = session.store;
  const seq = questions.seq();
  if (resume === null || (lastSeq !== null && lastSeq > seq)) {
    const reason =
      resume === null
        ? "A `hello` frame was already received. Send it only once."
        : "`last_seq` is greater than the newest sequence number. Connect again without it.";
    sockets.drop(socket, CLOSE.badFrame, reason);
    return;
  }
  const now = asking.now();
  issueTicket(session, resume.hash, resumeGrant(holder), now + DURATIONS.resume, now);
  const topics = TOPICS.filter((topic) => hello.hears?.includes(topic));
  sockets.keep(socket, { ...holder, resume: null, hears: topics, answers: serverActionsIn(hello.answers) });
  const pending = pendingFrames(asking);
  const { turn, active } = activeFrame(session.state);
  // A number from an earlier conversation with this id is ignored.
  const resumed = lastSeq !== null && lastSeq >= questions.firstSeq();
  const conversation = session.id;
  const waiting = pending.map((frame) => frame.request_id);
  const welcome = { conversation, turn, active, resumed, resume: resume.ticket, pending: waiting };
  sockets.send(socket, { type: "welcome", seq, ...welcome });
  for (const frame of pending) sockets.send(socket, frame);
  const list = topics.includes("skills") ? listFrame(session) : null;
  if (list !== null) sockets.send(socket, list);
  if (topics.includes("calls")) {
    startRecordingCalls(session);
    sockets.send(socket, callsFrame(session, holder.grant.output));
  }
  if (topics.includes("feedback")) sockets.send(socket, scoresFrame(session));
  asking.rearm();
}

/** Returns the server actions among a page's declared ones. */
function serverActionsIn(answers: readonly string[] = []) {
  return SERVER_ACTIONS.filter((action) => answers.includes(action));
}

/** Accepts an answer: the socket's key must be valid, and the first answer wins. */
async function take(
  tabs: Tabs,
  session: Session,
  socket: WebSocket,
  holder: Holder,
  frame: ResponseFrame,
): Promise<void> {
  const { sockets, asking } = tabs;
  const { request_id } = frame;
  const answer = answerSchema.parse(frame);
  if (utf8Bytes(JSON.stringify(answer)) > QUESTION_LIMITS.answerBytes) {
    return sockets.drop(socket, CLOSE.tooLarge, ANSWER_TOO_LARGE);
  }
  const request = readQuestion(asking, request_id);
  const differs = (given: string | null | undefined, known: string | null) => given != null && given !== known;
  if (request === null || differs(frame.skill_name, request.skill_name) || differs(frame.action, request.action)) {
    return sockets.send(socket, { type: "ack", request_id, success: false, error: "unknown_request" });
  }
  if (!(await mayWrite(tabs, session, socket, holder, { request_id, what: "answer" }))) return;
  const verdict = respond(asking, request_id, answer, holder.grant.user_id, holder.id);
  if (verdict === "accepted") return sockets.send(socket, { type: "ack", request_id, success: true });
  const problems = verdict === "invalid_answer" ? { problems: answerProblems(request, answer) } : {};
  sockets.send(socket, { type: "ack", request_id, success: false, error: verdict, ...problems });
}

/** The error of an ack by the code of the refusal. */
const NOT_RATED: Record<string, "unknown_turn" | "conversation_full"> = {
  TURN_NOT_FOUND: "unknown_turn",
  QUOTA_EXCEEDED: "conversation_full",
};

/** Stores feedback: the socket's key must be valid. */
async function rate(
  tabs: Tabs,
  session: Session,
  socket: WebSocket,
  holder: Holder,
  { request_id, turn, score, comment = null }: FeedbackFrame,
): Promise<void> {
  if (!(await mayWrite(tabs, session, socket, holder, { request_id, what: "feedback" }))) return;
  const ack = { type: "ack", request_id } as const;
  try {
    giveFeedback(tabs.asking, session, { turn, score, comment });
  } catch (thrown) {
    const error = NOT_RATED[refusalIn(thrown)?.reason ?? ""];
    if (error === undefined) throw thrown;
    return tabs.sockets.send(socket, { ...ack, success: false, error });
  }
  tabs.sockets.send(socket, { ...ack, success: true });
}

/** Whether the key behind a socket is valid and its conversation still exists. Otherwise the page receives the reason. */
async function mayWrite(
  { sockets, asking, session: current, isLive }: Tabs,
  session: Session,
  socket: WebSocket,
  holder: Holder,
  { request_id, what }: { request_id: string; what: string },
): Promise<boolean> {
  const live = await ifAnswered(isLive(holder.grant));
  if (live === null) {
    const message = `The ${what} was not stored because storage did not respond. Send it again in a moment.`;
    sockets.send(socket, { type: "error", code: "UNAVAILABLE", message, request_id });
    return false;
  }
  if (!live) sockets.drop(socket, CLOSE.unauthenticated, NOT_LIVE);
  if (!live || current() !== session) return false;
  sockets.keep(socket, { ...sockets.holder(socket), checked: asking.now() });
  return true;
}

/** Returns the value, or `null` if storage did not respond. */
async function ifAnswered<T>(value: Promise<T>): Promise<T | null> {
  try {
    return await value;
  } catch (error) {
    if (refusalIn(error)?.code === "unavailable") return null;
    throw error;
  }
}
