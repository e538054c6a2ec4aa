// Implements `read_skill` and `find_skill`. They never activate a skill.

import type { CatalogEntry } from "../../domain/catalog/catalog";
import { renderFound } from "../../domain/catalog/render-results";
import type { View } from "../../domain/catalog/view";
import { isScript } from "../../domain/code/language";
import { CONVERSATION_LIMITS, SEARCH_LIMITS } from "../../domain/limits";
import { mediaTypeOf } from "../../domain/media-type";
import { findFile, plainPath } from "../../domain/package/path";
import { type PackageFile, SKILL_FILE } from "../../domain/package/skill";
import { escapeSkillTags } from "../../domain/tags";
import { shownText } from "../../domain/text";
import { failed, type ToolResult } from "../../domain/tool";
import type { VersionContent } from "../../storage/d1/catalog";
import { isIndexMissing } from "../../storage/d1/database";
import { readPackageRange } from "../../storage/r2/packages";
import { codeBarOf } from "../catalog/can-run";
import { findForModel, searchInView } from "../catalog/catalog";
import { contentsOf } from "../catalog/contents";
import { notAvailable } from "../catalog/not-available";
import { restrictionReason } from "../catalog/restricted-files";
import type { Context } from "../context";
import { isActiveIn, loadedVersion, recordUse, type Session } from "../session";
import { countSearch } from "../skill-use";

/** Loaded lazily, because few gateways store queries. */
let redaction: typeof import("../../domain/insights/query") | null = null;

interface Page {
  offset?: number | null | undefined;
  limit?: number | null | undefined;
}

/** Number of search hits considered, because the catalog can hide some. */
const HITS = 50;

/**
 * Returns a skill's instructions and file list, or one of its files, one page of lines at a time. In a conversation, of the active version.
 */
export async function runReadSkill(
  context: Context,
  session: Session | null,
  view: View,
  name: string,
  filePath: string | null,
  page: Page,
): Promise<ToolResult> {
  const entry = await findForModel(context, view, name, isActiveIn(session, name));
  if (entry === null) return notAvailable(context, view, name, "read_skill");
  const { version_id } = loadedVersion(session, entry);
  const version = (await contentsOf(context, [version_id])).get(version_id);
  if (version === undefined) return failed(`Error: Skill '${name}' is being changed. Try again.`);
  if (filePath === null || filePath === "") {
    const runs = (await codeBarOf(context, view, entry)) === null;
    return instructions(name, version, page, runs);
  }
  const file = findFile(version.files, filePath) ?? instructionsFile(version.files, filePath);
  if (file === undefined) {
    const paths = version.files.map((candidate) => candidate.path).join(", ");
    return failed(`Error: Skill '${name}' has no file '${filePath}'. Call read_skill with one of its files: ${paths}`);
  }
  const restricted = restrictionReason(context, entry.scope, version.servers);
  if (restricted !== null) return failed(`Error: ${restricted}`);
  const result = await readFile(context, { name, version_id }, file, page);
  if (session !== null) recordUse(session, context, name);
  return result;
}

/**
 * Searches the whole catalog, including skills that the list leaves out.
 *
 * @param loadTool the tool that loads a skill in this conversation
 */
export async function runFindSkill(
  context: Context,
  session: Session | null,
  view: View,
  query: string,
  loadTool: string,
): Promise<ToolResult> {
  let visible: CatalogEntry[];
  try {
    visible = await searchInView(context, view, query, { shown: SEARCH_LIMITS.shown, most: HITS });
  } catch (error) {
    if (!isIndexMissing(error)) throw error;
    return failed("Error: Search is not available. Use load_skill if you know the name of the skill.");
  }
  const entries = visible.slice(0, SEARCH_LIMITS.shown);
  if (session !== null) countSearch(context, session, entries, await queryToStore(context, entries, query));
  const answer = renderFound(entries, query, loadTool);
  return {
    content: [{ type: "text", text: answer }],
    structuredContent: {
      skills: entries.map(({ name, description }) => ({ name, description: escapeSkillTags(description) })),
    },
  };
}

/** Returns what is stored of a query: only if the operator wants it and nothing was found. */
async function queryToStore({ settings }: Context, found: readonly CatalogEntry[], query: string) {
  if (settings.INSIGHT_QUERIES === "off" || found.length > 0) return null;
  redaction ??= await import("../../domain/insights/query");
  return redaction.storedQuery(query);
}

/** @param runs whether the skill's scripts run, so that they are marked */
function instructions(name: string, version: VersionContent, page: Page, runs: boolean): ToolResult {
  const body = version.instructions.trim();
  const { shown, note } = paged(body, page);
  const files = version.files.map((file) => file.path);
  const others = version.files.filter((file) => file !== instructionsFile(version.files, SKILL_FILE));
  const mark = (path: string) => (runs && isScript(path) ? " (script)" : "");
  const list = others.map(({ path }) => `- ${path}${mark(path)}`).join("\n");
  return {
    content: [
      {
        type: "text",
        text: `# Skill: ${name}\n\n${version.description}\n\n${shown}${note}${list === "" ? "" : `\n\n## Files\n\n${list}`}`,
      },
    ],
    structuredContent: {
      skill_name: name,
      description: version.description,
      instructions: shown,
      instructions_length: characters(body),
      files,
    },
  };
}

async function readFile(
  context: Context,
  skill: { name: string; version_id: string },
  file: PackageFile,
  page: Page,
): Promise<ToolResult> {
  const bytes = await readPackageRange(context.packages, context.timings, skill.version_id, file.offset, file.size);
  if (bytes === null) return failed(`Error: Skill '${skill.name}' is being changed. Try again.`);
  const content = shownText(bytes);
  const facts = { skill_name: skill.name, file_path: file.path };
  if (content === null) {
    return {
      content: [
        {
          type: "text",
          text: `${file.path} is a binary file (${mediaTypeOf(file.path)}, ${file.size} bytes); its content is not shown.`,
        },
      ],
      structuredContent: { ...facts, type: mediaTypeOf(file.path), size: file.size },
    };
  }
  const { shown, note } = paged(content, page);
  return {
    content: [{ type: "text", text: `${shown}${note}` }],
    structuredContent: { ...facts, content: shown, content_length: characters(content) },
  };
}

/** Returns the requested lines, and a note if there are more. Lengths are in characters, as in Wegent. */
function paged(body: string, page: Page): { shown: string; note: string } {
  const offset = page.offset ?? 0;
  const limit = Math.min(page.limit ?? CONVERSATION_LIMITS.readLines, CONVERSATION_LIMITS.readLines);
  const { lines, count } = linesFrom(body, offset, limit);
  let end = offset + lines.length;
  let shown = lines.join("\n");
  while (shown.length > CONVERSATION_LIMITS.readChars && end > offset + 1) {
    end = offset + Math.max(1, Math.floor(((end - offset) * CONVERSATION_LIMITS.readChars) / shown.length));
    shown = lines.slice(0, end - offset).join("\n");
  }
  if (shown.length > CONVERSATION_LIMITS.readChars) {
    return {
      shown: shown.slice(0, CONVERSATION_LIMITS.readChars),
      note: `\n\n(line ${offset} is truncated because it is too long)`,
    };
  }
  if (offset >= count && offset > 0) return { shown: "", note: `(the text has ${count} lines)` };
  return {
    shown,
    note:
      end < count ? `\n\n(lines ${offset}-${end - 1} of ${count}; call read_skill with offset ${end} to continue)` : "",
  };
}

/** Returns some lines of a text and the number of all. A list of all lines of a large file would exceed the memory limit. */
function linesFrom(body: string, offset: number, limit: number): { lines: string[]; count: number } {
  const lines: string[] = [];
  let count = 0;
  for (let at = 0; at <= body.length; count++) {
    const next = body.indexOf("\n", at);
    const end = next < 0 ? body.length : next;
    if (count >= offset && lines.length < limit) lines.push(body.slice(at, end));
    at = end + 1;
  }
  return { lines, count };
}

function instructionsFile(files: readonly PackageFile[], asked: string): PackageFile | undefined {
  return plainPath(asked) === SKILL_FILE
    ? files.find((file) => file.path.toLowerCase() === SKILL_FILE.toLowerCase())
    : undefined;
}

function characters(value: string): number {
  let count = 0;
  for (const _ of value) count++;
  return count;
}
