// Ratings of skills: the score that orders them, and the reasons and decisions of reports.

/** A score starts with this number of ratings of this mean, so that a single rating does not decide it. */
export const RATING_PRIOR = { ratings: 5, mean: 3.5 } as const;

/** The visible ratings of a skill. */
export interface RatingSum {
  ratings: number;
  stars: number;
}

/** The rating of a skill as responses contain it. */
export interface RatingSummary {
  count: number;
  /** Mean of the stars; `null` without ratings. */
  average: number | null;
  /** The Bayesian average: `(5 × 3.5 + sum of stars) / (5 + number of ratings)`. */
  score: number;
}

export const NO_RATINGS: RatingSum = { ratings: 0, stars: 0 };

/** Returns average and score, rounded to two digits. */
export function ratingSummary({ ratings, stars }: RatingSum): RatingSummary {
  const score = (RATING_PRIOR.ratings * RATING_PRIOR.mean + stars) / (RATING_PRIOR.ratings + ratings);
  return { count: ratings, average: ratings === 0 ? null : rounded(stars / ratings), score: rounded(score) };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** What a user can report. */
export const REPORT_REASONS = ["malicious", "spam", "illegal", "personal_data", "other"] as const;
export type ReportReason = (typeof REPORT_REASONS)[number];

/** What an admin can decide: nothing is wrong, the reported rating is hidden, or something else was done. */
export const REPORT_DECISIONS = ["dismissed", "rating_hidden", "resolved"] as const;
export type ReportDecision = (typeof REPORT_DECISIONS)[number];
