// The views of a skill, by their names in the address.

export const VIEWS = [
  "instructions",
  "files",
  "versions",
  "compare",
  "permissions",
  "dependencies",
  "ratings",
  "use",
] as const;
export type View = (typeof VIEWS)[number];
