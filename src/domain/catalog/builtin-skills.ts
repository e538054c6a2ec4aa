// The built-in skills: the folders of `skills/`, which `npm start` publishes. A test compares both.

export const BUILTIN_SKILLS: readonly string[] = [
  "csv-report",
  "json-table",
  "markdown-style",
  "mermaid-diagram",
  "skill-creator",
  "wiki-submit",
];

/** The author in their frontmatter. */
export const BUILTIN_AUTHOR = "Skill Gateway";
