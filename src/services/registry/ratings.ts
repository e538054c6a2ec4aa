// Ratings of skills: by users who loaded a skill, with answers of its authors, hidden by admins.

import * as z from "zod";
import { groupOfScope, isAdmin, may, PUBLIC_SCOPE } from "../../domain/access/access";
import { ABOUT } from "../../domain/access/audit";
import { NO_RATINGS, type RatingSummary, ratingSummary } from "../../domain/catalog/rating";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { GatewayError } from "../../domain/errors";
import { RATING_LIMITS, REQUEST_LIMITS } from "../../domain/limits";
import {
  answerRating,
  deleteRating,
  hideRating,
  putRating,
  type RatingBar,
  type RatingRow,
  readRating,
  readRatings,
} from "../../storage/d1/registry/ratings";
import { requireAdmin } from "../admin";
import { audited } from "../audit";
import type { Context } from "../context";
import { findSkillHead, requireRight } from "./skills";

const positionSchema = z.lazy(() => z.object({ updatedAt: z.number(), id: z.string() }));

/** A rating as the caller sees it. */
export interface Rating extends RatingRow {
  isOwn: boolean;
}

export interface SkillRatings {
  summary: RatingSummary;
  own: Rating | null;
  /** Why the caller cannot rate the skill; `null`: the caller can. `private`: nobody else uses the skill. */
  bar: RatingBar | "private";
  canAnswer: boolean;
  page: Rating[];
  nextCursor: string | null;
}

/** Returns a page of the ratings of a skill, newest first. Hidden ones are for admins and the user who wrote them. */
export async function readSkillRatings(
  context: Context,
  skillId: string,
  { limit = REQUEST_LIMITS.listLimit, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): Promise<SkillRatings> {
  const { principal } = context.caller;
  const skill = await findSkillHead(context, skillId);
  const found = await readRatings(context.db, skillId, principal.userId, {
    limit: limit + 1,
    after: decodeCursor(cursor, positionSchema),
    withHidden: isAdmin(principal),
  });
  const seen = (row: RatingRow): Rating => ({ ...row, isOwn: row.userId === principal.userId });
  const { page, nextCursor } = pageOf(found.page, limit, ({ updatedAt, id }) => ({ updatedAt, id }));
  return {
    summary: ratingSummary(found.sum ?? NO_RATINGS),
    own: found.own === null ? null : seen(found.own),
    bar: isShared(skill.scope) ? found.bar : "private",
    canAnswer: may(principal, "change", skill.scope),
    page: page.map(seen),
    nextCursor,
  };
}

/** Stores or replaces the caller's rating of a skill. */
export async function rateSkill(
  context: Context,
  skillId: string,
  { stars, comment }: { stars: number; comment: string | null },
): Promise<Rating> {
  const { userId } = context.caller.principal;
  await findSkillHead(context, skillId);
  const rating = { id: context.newId("rtg"), skillId, userId, stars, comment };
  const isStored = await putRating(context.db, rating, RATING_LIMITS.perUser);
  const { own, bar } = await readSkillRatings(context, skillId, { limit: 1 });
  if (isStored && own !== null) return own;
  if (bar !== null) throw ratingBarred(bar);
  throw new GatewayError(
    "conflict",
    "TOO_MANY_RATINGS",
    `You have too many ratings (limit ${RATING_LIMITS.perUser}). Delete a rating first.`,
    { limit: RATING_LIMITS.perUser },
  );
}

function ratingBarred(bar: NonNullable<SkillRatings["bar"]>): GatewayError {
  if (bar === "not_used")
    return new GatewayError(
      "forbidden",
      "SKILL_NOT_USED",
      "You have not used this skill. Load it in a conversation, and try again an hour later.",
    );
  const message =
    bar === "private"
      ? "Your own skills cannot be rated. Publish the skill to a group or to everybody first."
      : "You published this skill. Other users can rate it.";
  return new GatewayError("conflict", "OWN_SKILL", message);
}

/** Deletes the caller's rating of a skill. */
export async function withdrawRating(context: Context, skillId: string): Promise<void> {
  await findSkillHead(context, skillId);
  if (!(await deleteRating(context.db, skillId, context.caller.principal.userId))) throw ratingNotFound();
}

/** Sets or removes the answer to a rating. For users who can publish versions of the skill. */
export async function answerSkillRating(
  context: Context,
  skillId: string,
  id: string,
  text: string | null,
): Promise<Rating> {
  const { principal } = context.caller;
  const skill = await findSkillHead(context, skillId);
  requireRight(principal, "change", skill.scope);
  await findRating(context, skillId, id);
  await answerRating(context.db, skillId, id, text === null ? null : { text, by: principal.userId });
  return findRating(context, skillId, id);
}

/** Hides a rating or shows it again. Admins only. */
export async function setRatingHidden(
  context: Context,
  skillId: string,
  id: string,
  { hidden, reason }: { hidden: boolean; reason: string | null },
): Promise<Rating> {
  const { principal } = context.caller;
  requireAdmin(principal);
  await findSkillHead(context, skillId);
  const { userId, hiddenAt } = await findRating(context, skillId, id);
  if (hidden !== (hiddenAt !== null)) {
    const change = { about: userId, after: { skill_id: skillId, user_id: ABOUT, reason }, when: "is" } as const;
    const recorded = audited(context, hidden ? "rating.hide" : "rating.show", id, change);
    await hideRating(recorded, id, hidden ? { by: principal.userId, reason } : null);
  }
  return findRating(context, skillId, id);
}

/** Returns a rating that the caller can see. */
export async function findRating(context: Context, skillId: string, id: string): Promise<Rating> {
  const { principal } = context.caller;
  const found = await readRating(context.db, skillId, id);
  const isOwn = found?.userId === principal.userId;
  if (found === null || (found.hiddenAt !== null && !isOwn && !isAdmin(principal))) throw ratingNotFound();
  return { ...found, isOwn };
}

/** Whether other users can use a skill of this scope. */
export function isShared(scope: string): boolean {
  return scope === PUBLIC_SCOPE || groupOfScope(scope) !== null;
}

function ratingNotFound(): GatewayError {
  return new GatewayError("not_found", "RATING_NOT_FOUND", "Rating not found. Check the id.");
}
