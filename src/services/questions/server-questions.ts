// Handles questions of MCP servers during a call: the MCP host is asked if possible, otherwise a page, whose questions are stored. The
// gateway adds who asks, and limits how often a server can ask.

import * as z from "zod";
import { DURATIONS } from "../../domain/durations";
import type { JsonObject } from "../../domain/json";
import { plainText, readElicitAnswer, readElicitation } from "../../domain/questions/elicitation";
import { ELICITATION_LIMITS } from "../../domain/questions/limits";
import { type AskingServer, outcomeOf, questionIdAt, type ServerAction } from "../../domain/questions/question";
import type { ClientCapabilities } from "../../domain/servers/memory";
import { ROUND_LIMITS, type ServerQuestion } from "../../domain/servers/round";
import type {
  CallQuestionHandler,
  CallWithQuestions,
  HostLink,
  QuestionOutcome,
} from "../../upstream/server-questions";
import type { Session } from "../session";
import { type Asking, ask, cancel, readQuestion, waitForEnd } from "./ask";

const HOUR = 60 * 60_000;
/** Pages only answer elicitations, and a host is asked only what it declared. */
const NO_HOST: QuestionOutcome = {
  error: {
    code: -32601,
    message: "The MCP host of this call does not declare the required capability.",
  },
};
const answered = (action: "decline" | "cancel"): QuestionOutcome => ({ result: { action } });

/**
 * Creates the question handler of one call. Ids are derived from the call and the order of its questions, so a continued call finds its
 * questions again.
 */
export function openQuestionHandler(
  asking: Asking,
  session: Session,
  call: CallWithQuestions,
  server: AskingServer,
): CallQuestionHandler {
  const { rounds } = session.store;
  const { host, signal: cancelled, ...key } = call;
  const over = new AbortController();
  const signal = AbortSignal.any([cancelled, over.signal]);
  const begun = rounds.get(key);
  const remarks: string[] = [];
  // The questions of a continued call were asked before, and their recipient may return.
  const can = (action: ServerAction) => begun !== null || asking.clients.answers(action);
  // A continued call starts with its last round and must not use answers of earlier rounds.
  let next = begun?.era === "modern" ? firstOf(begun) : 0;
  let dies = false;

  const elicit = async (question: ServerQuestion): Promise<QuestionOutcome> => {
    const ordinal = next++;
    const site = { userId: session.userId, conversation: session.id, turn: call.turn, pass: session.store.passes() };
    const id = await questionIdAt({ ...site, callId: call.id, ordinal });
    if (session.ended) return answered("cancel");
    const read = readElicitation(question.params, __DEVELOPMENT__);
    const known = readQuestion(asking, id);
    const refusal = read.refusal ?? (known === null && !mayAsk(session, server, asking.now()) ? TOO_OFTEN : undefined);
    if (read.refusal !== undefined || refusal !== undefined) {
      remarks.push(`A request of MCP server '${server.name}' was declined: ${refusal}.`);
      return answered("decline");
    }
    if (canAsk(host, question)) {
      const message = `${server.name} (${server.host}): ${plainText(String(question.params.message))}`;
      const [response] = await host.ask([{ ...question, params: { ...question.params, message } }]);
      return response ?? answered("cancel");
    }
    const { action, payload, answerSchema } = read;
    if (known === null && !asking.clients.answers(action)) {
      remarks.push(
        `MCP server '${server.name}' asked the user a question, but no connected page or host answers '${action}'. Connect one and try again.`,
      );
      return answered("cancel");
    }
    signal.throwIfAborted();
    const timeout_ms = DURATIONS.elicitation;
    ask(asking, id, { skill_name: null, action, payload, timeout_ms, answer_schema: answerSchema, from: server });
    if (dies) rounds.keep(key, { era: "legacy", question: id });
    const stop = () => {
      if (readQuestion(asking, id)?.state === "pending") cancel(asking, id, "call_cancelled");
    };
    signal.addEventListener("abort", stop, { once: true });
    try {
      const outcome = outcomeOf(await waitForEnd(asking, id, timeout_ms));
      const given = outcome?.success === true ? readElicitAnswer(outcome.result) : null;
      if (given === null) return answered("cancel");
      const content = given.action === "accept" && action === "form" ? given.content : undefined;
      return { result: { action: given.action, ...(content === undefined ? {} : { content }) } };
    } finally {
      signal.removeEventListener("abort", stop);
    }
  };

  return {
    abilities: { ...pageAbilities(can), ...host?.abilities },
    begun,
    remarks,
    close: () => over.abort(),
    note(round) {
      dies = round.era === "legacy";
      if (round.era === "modern") next = firstOf(round);
      // Questions of MCP 2025 servers have unique ids that no later round repeats.
      host?.begin(round.era === "modern" ? round.count : 0);
      if (!session.ended) rounds.keep(key, round);
    },
    answer: (questions) =>
      Promise.all(
        questions.map(async (question) => {
          if (question.method === "elicitation/create") return elicit(question);
          const [response] = canAsk(host, question) ? await host.ask([question]) : [];
          if (response !== undefined) return response;
          const ability = DECLARED.get(question.method);
          if (ability !== undefined)
            remarks.push(
              `MCP server '${server.name}' asked for ${ability}, which pages cannot answer. Use an MCP host that declares '${ability}'.`,
            );
          return NO_HOST;
        }),
      ),
  };
}

/** Returns the ordinal of a round's first question. */
function firstOf({ count }: { count: number }): number {
  return count * ROUND_LIMITS.questions;
}

/** Returns what pages can be asked, as MCP capabilities. */
function pageAbilities(can: (action: ServerAction) => boolean): ClientCapabilities {
  const elicitation = { ...(can("form") ? { form: {} } : {}), ...(can("open_url") ? { url: {} } : {}) };
  return Object.keys(elicitation).length === 0 ? {} : { elicitation };
}

/** Ends questions of calls that were lost with an earlier instance of the object: their servers can receive no answer any more. */
export function endOrphans(asking: Asking, session: Session): void {
  for (const question of session.store.rounds.orphans())
    if (readQuestion(asking, question)?.state === "pending") cancel(asking, question, "call_cancelled");
}

const TOO_OFTEN = `the server asked too often (limit ${ELICITATION_LIMITS.perHour} per hour)`;

/** Times at which each server asked within the last hour, in milliseconds since the epoch. */
const askedSchema = z.lazy(() => z.array(z.object({ server: z.string(), at: z.number() })));

/** Counts a question of a server. Stored, because a waiting call outlives the object. */
function mayAsk({ store }: Session, { name }: AskingServer, now: number): boolean {
  const recent = (store.get("asked", askedSchema) ?? []).filter(({ at }) => now - at < HOUR);
  if (recent.filter(({ server }) => server === name).length >= ELICITATION_LIMITS.perHour) return false;
  store.set("asked", [...recent, { server: name, at: now }]);
  return true;
}

/** The capability a host must declare for questions that pages cannot answer. */
const DECLARED = new Map<string, "sampling" | "roots">([
  ["sampling/createMessage", "sampling"],
  ["roots/list", "roots"],
]);

/** Whether a host declared that it accepts such a question. A host that names no modes accepts forms. */
function canAsk(host: HostLink | null, { method, params }: ServerQuestion): host is HostLink {
  if (host === null) return false;
  const { elicitation } = host.abilities;
  const ability = DECLARED.get(method);
  if (ability !== undefined) return host.abilities[ability] !== undefined;
  if (method !== "elicitation/create" || elicitation === undefined) return false;
  return isUrl(params)
    ? elicitation.url !== undefined
    : elicitation.form !== undefined || elicitation.url === undefined;
}

function isUrl({ mode }: JsonObject): boolean {
  return mode === "url";
}
