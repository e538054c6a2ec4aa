// The part of the prompt before the history under `auto`: the ghost's prompt, the skill list, preloaded skills, and the tools. It stays as
// first sent: providers bill a prompt by its prefix, so each change costs the whole conversation once.

import * as z from "zod";
import type { Catalog } from "../catalog/catalog";
import { lineTokens, listed } from "../catalog/catalog";
import { LIST_FRAME_TOKENS, renderList } from "../catalog/list";
import type { View } from "../catalog/view";
import { jsonObject } from "../json";
import { constantFindingTools, constantTools } from "../tools/constant";
import { type Format, renderTool } from "../tools/formats";
import { type RenderedPrompt, renderLoaded, renderPrompt } from "./prompt";

const toolSchema = z.lazy(() =>
  z.object({
    name: z.string(),
    description: z.string(),
    inputSchema: jsonObject,
    annotations: jsonObject.optional(),
  }),
);

/** Fronts of earlier gateways have none and are created anew with the next turn. */
const skillId = z.string().default("");

export const frontSchema = z.lazy(() =>
  z.object({
    /** Digest of the ghost and settings it was created for. Others create another front. */
    basis: z.string(),
    /** Turn of the last change. */
    since: z.number(),
    system: z.string(),
    lines: z.array(
      z.object({ name: z.string(), skill_id: skillId, description: z.string(), tokens: z.number().default(0) }),
    ),
    more: z.number(),
    preloaded: z.array(z.object({ name: z.string(), skill_id: skillId, version_id: z.string(), text: z.string() })),
    /** Tools of servers that no skill brings. */
    tools: z.array(z.object({ server: z.string(), definition: toolSchema })),
    /** Servers that were still connecting when it was created. */
    waiting: z.array(z.string()),
    /** Servers whose tools are searched and not in `tools`; `null`: they are listed, as earlier gateways did. */
    finds: z.array(z.string()).nullable().default(null),
  }),
);

export type Front = z.infer<typeof frontSchema>;

/** A catalog with at most this many tokens is preloaded completely: below it, loading costs more than it saves. */
const WHOLE_TOKENS = 2_000;
/** Tokens per preloaded skill in addition to its instructions. */
const HEADING_TOKENS = 8;

/** Returns the skills whose instructions are in the front. */
export function preloadOf({ catalog, preload }: View): readonly string[] {
  const tokens = catalog.static_tokens + catalog.total * HEADING_TOKENS;
  const isWhole = catalog.entries.length === catalog.total && tokens <= WHOLE_TOKENS;
  if (!isWhole) return preload;
  const open = catalog.entries.filter((entry) => !entry.user_only);
  return [...new Set([...preload, ...open.map(({ name }) => name)])];
}

/** Returns the lines of the list, without skills whose instructions are in the front. */
export function linesOf(catalog: Catalog, preloaded: readonly string[]): Pick<Front, "lines" | "more"> {
  const { shown, more } = listed(catalog, []);
  const lines = shown.filter(({ name }) => !preloaded.includes(name));
  return {
    lines: lines.map((entry) => {
      const { name, skill_id, description } = entry;
      return { name, skill_id, description, tokens: lineTokens(entry) };
    }),
    more,
  };
}

/** Returns the maximum tokens of the list. */
export function listTokens({ lines, more }: Pick<Front, "lines" | "more">): number {
  if (lines.length === 0 && more === 0) return 0;
  return lines.reduce((sum, line) => sum + line.tokens, LIST_FRAME_TOKENS);
}

/** Returns the names of all skills in the front. */
export function namesIn({ lines, preloaded }: Pick<Front, "lines" | "preloaded">): string[] {
  return [...preloaded, ...lines].map(({ name }) => name);
}

/** What can still be shown. */
export interface AvailableNow {
  /** Ids of skills by name. A different skill with the same name is not the one in the front. */
  skills: ReadonlyMap<string, string>;
  /** Ids of the preloaded versions among them. */
  versions: ReadonlySet<string>;
  /** Names of servers. */
  servers: ReadonlySet<string>;
  /** Number of skills that a list could show now. */
  listable: number;
}

/** Returns the front without what is no longer available. Additions wait. */
export function withoutUnavailable(front: Front, { skills, versions, servers, listable }: AvailableNow): Front {
  const isThere = ({ name, skill_id }: { name: string; skill_id: string }) => skills.get(name) === skill_id;
  const lines = front.lines.filter(isThere);
  return {
    ...front,
    lines,
    more: Math.max(0, Math.min(front.more, listable - lines.length)),
    preloaded: front.preloaded.filter((skill) => isThere(skill) && versions.has(skill.version_id)),
    tools: front.tools.filter(({ server }) => servers.has(server)),
    finds: front.finds?.filter((server) => servers.has(server)) ?? null,
  };
}

/** Renders prompt and tools in the format of the caller's API. */
export function renderFront(
  front: Front,
  format: Format,
): { prompt: RenderedPrompt; tools: ReturnType<typeof renderTool>[] } {
  const isEmpty = front.lines.length === 0 && front.more === 0;
  const loaded = front.preloaded.map(({ name, text }) => ({ name, instructions: text }));
  const prompt = renderPrompt(
    {
      system: front.system,
      list: isEmpty ? null : renderList(front.lines, front.more),
      loaded: loaded.length === 0 ? null : renderLoaded(loaded, []),
      separate: false,
    },
    format,
  );
  const hasSkills = !isEmpty || loaded.length > 0;
  const own = front.finds !== null ? constantFindingTools(front.finds, hasSkills) : hasSkills ? constantTools() : [];
  const tools = [...own, ...front.tools.map(({ definition }) => definition)];
  return { prompt, tools: tools.map((tool) => renderTool(tool, format)) };
}
