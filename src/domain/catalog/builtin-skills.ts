// The skills that the gateway brings: the folders of `skills/`, which `npm start` publishes. A test holds the two together.

export const BUILTIN_SKILLS: readonly string[] = [
  "csv-report",
  "json-table",
  "markdown-style",
  "mermaid-diagram",
  "skill-creator",
  "wiki-submit",
];

/** Whom their frontmatter names. */
export const BUILTIN_AUTHOR = "Skill Gateway";
