// Reads the example prompts of a package, which authors write to test the skill. They are part of the search index, and a routing report
// returns the rank that each of them reaches.

import type { Issue } from "../errors";
import { isDeeper, isJsonObject } from "../json";
import { REQUEST_LIMITS, SEARCH_LIMITS } from "../limits";
import { shownText } from "../text";
import type { ArchiveEntry } from "./archive";

/** The main file for test prompts. Its siblings are read too, for example the queries that should and should not trigger the skill. */
const EVALS_FILE = "evals/evals.json";
const EVALS = /^evals\/[^/]+\.json$/i;
/** Size limit in bytes. Larger files are data, not prompts. */
const FILE_BYTES = 512 * 1024;

/**
 * Returns the first prompts of `evals/*.json`, `evals.json` first. Reads the `prompt` or `query` of entries in a list or below `evals`,
 * except entries with `should_trigger: false`. Other files in the folder are ignored. Warning: `EXAMPLES_UNREADABLE`.
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
