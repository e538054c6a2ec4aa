// Feedback of the user on turns. It counts for the skills that were active in the turn.

import * as z from "zod";
import { activeSkills } from "../../domain/conversation/activation";
import { addUse, type Uses } from "../../domain/conversation/skill-use";
import type { ServerFrame } from "../../domain/questions/frame";
import type { TurnFeedback } from "../../storage/object/feedback";
import type { Context } from "../context";
import { stateAt } from "../history";
import { requireRoom, type Session } from "../session";
import { changeCounts } from "../skill-use";
import { turnNotFound } from "./status";

export interface FeedbackRequest {
  turn: number;
  score: number;
  comment: string | null;
}

export const feedbackSchema = () =>
  z.object({ turn: z.int(), score: z.int(), comment: z.string().nullable(), at: z.string() }).openapi("TurnFeedback");

export const feedbackListSchema = () => z.object({ items: z.array(feedbackSchema()), next_cursor: z.int().nullable() });

export type FeedbackReply = z.infer<ReturnType<typeof feedbackSchema>>;
export type FeedbackListReply = z.infer<ReturnType<typeof feedbackListSchema>>;

/** Stores feedback on a turn, in place of earlier feedback. Its counts are sent with those of the conversation. */
export function giveFeedback(context: Pick<Context, "now">, session: Session, request: FeedbackRequest): FeedbackReply {
  const { store } = session;
  const { turn, score, comment } = request;
  const pass = store.log.passOf(turn);
  if (pass === null) throw turnNotFound(turn);
  requireRoom(session);
  const before = store.feedback.get(turn);
  const active = activeSkills(stateAt(store, pass.end));
  const skills = active.map(({ skill: { skill_id, version_id } }) => ({ skill_id, version_id }));
  const given: TurnFeedback = { turn, at: context.now(), score, comment, skills };
  store.atomically(() => {
    store.feedback.keep(given);
    changeCounts(context, session, (uses) => counted(counted(uses, given, 1), before, -1));
  });
  session.audience?.show("feedback", () => ({ type: "turn:feedback", items: [{ turn, score }] }));
  return feedbackReply(given);
}

/** Adds the score of feedback to the hour in which it was given, or takes it back. */
function counted(uses: Uses, given: TurnFeedback | null, sign: 1 | -1): Uses {
  if (given === null || given.score === 0) return uses;
  const name = given.score > 0 ? "liked" : "disliked";
  return given.skills.reduce((sum, skill) => addUse(sum, { ...skill, [name]: sign }, given.at), uses);
}

/** Returns feedback on turns after one, in their order. */
export function feedbackOf({ store }: Session, after: number, limit: number): FeedbackListReply {
  const rows = store.feedback.after(after, limit + 1);
  const items = rows.slice(0, limit);
  return { items: items.map(feedbackReply), next_cursor: rows.length > limit ? (items.at(-1)?.turn ?? null) : null };
}

/** Turns whose scores a page receives when it connects. */
const SHOWN_TURNS = 1_000;

/** Returns the scores of the newest turns for a page. */
export function scoresFrame({ store, state }: Session): Extract<ServerFrame, { type: "turn:feedback" }> {
  const rows = store.feedback.after(Math.max(0, state.turn - SHOWN_TURNS), SHOWN_TURNS);
  return { type: "turn:feedback", items: rows.map(({ turn, score }) => ({ turn, score })) };
}

function feedbackReply({ turn, score, comment, at }: TurnFeedback): FeedbackReply {
  return { turn, score, comment, at: new Date(at).toISOString() };
}
