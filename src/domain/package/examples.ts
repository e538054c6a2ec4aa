// Example prompts of a package: what its author has written down to try the skill with. They are searched, and a routing report says
// which rank each of them reaches.

import type { Issue } from "../errors";
import { isDeeper, isJsonObject } from "../json";
import { REQUEST_LIMITS, SEARCH_LIMITS } from "../limits";
import { shownText } from "../text";
import type { ArchiveEntry } from "./archive";

/** The file in which authors keep what to try, and its siblings, such as the queries that should and should not call for the skill. */
const EVALS_FILE = "evals/evals.json";
const EVALS = /^evals\/[^/]+\.json$/i;
/** More is data to work on. */
const FILE_BYTES = 512 * 1024;

/**
 * The first prompts of `evals/*.json`, `evals.json` first: of entries, in a list or below `evals`, the `prompt` or `query`; not of those
 * that should call for something else (`should_trigger: false`). Other files there are somebody else's. Warning: `EXAMPLES_UNREADABLE`.
 */
export function readExamples(files: readonly ArchiveEntry[]): { examples: string[]; warnings: Issue[] } {
  const found = files.filter(({ path }) => EVALS.test(path));
  const first = (entry: ArchiveEntry) => (entry.path.toLowerCase() === EVALS_FILE ? 0 : 1);
  const examples = new Set<string>();
  const warnings: Issue[] = [];
  for (const entry of found.toSorted((a, b) => first(a) - first(b) || (a.path < b.path ? -1 : 1))) {
    const list = entriesIn(entry);
    if (list === null && first(entry) === 0) {
      const message = `The file is not JSON with a list \`evals\`. Its example prompts are not indexed.`;
      warnings.push({ code: "EXAMPLES_UNREADABLE", message, path: entry.path, severity: "info" });
    }
    for (const example of list ?? []) {
      const text = promptOf(example);
      if (text !== "" && examples.size < SEARCH_LIMITS.routingPrompts) examples.add(text);
    }
  }
  return { examples: [...examples], warnings };
}

function entriesIn({ bytes }: ArchiveEntry): unknown[] | null {
  const text = bytes.length > FILE_BYTES ? null : shownText(bytes);
  if (text === null || isDeeper(text, REQUEST_LIMITS.jsonDepth)) return null;
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return null;
  }
  const list = isJsonObject(read) ? read.evals : read;
  return Array.isArray(list) ? list : null;
}

function promptOf(entry: unknown): string {
  if (!isJsonObject(entry) || entry.should_trigger === false) return "";
  const text = typeof entry.prompt === "string" ? entry.prompt : entry.query;
  return typeof text === "string" ? text.trim().slice(0, SEARCH_LIMITS.exampleChars).toWellFormed() : "";
}
