// How much the doors for clients that people already have take and show.

export const DOOR_LIMITS = {
  /** On the open list. */
  openSkills: 1_000,
} as const;
