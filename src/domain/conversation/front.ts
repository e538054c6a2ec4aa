// What stands before the history under `auto`: the ghost's prompt, the list of skills, what is preloaded, and the tools. It is kept as
// it was first sent: a provider bills a prompt by its beginning, so every change of it costs the whole conversation once.

import * as z from "zod";
import type { Catalog } from "../catalog/catalog";
import { listed } from "../catalog/catalog";
import { renderList } from "../catalog/list";
import type { View } from "../catalog/view";
import { jsonObject } from "../json";
import { constantTools } from "../tools/constant";
import { type Format, renderTool } from "../tools/formats";
import { type RenderedPrompt, renderLoaded, renderPrompt } from "./prompt";

const toolSchema = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: jsonObject,
  annotations: jsonObject.optional(),
});

export const frontSchema = z.object({
  /** What it was made for: another ghost or other settings make another one. */
  basis: z.string(),
  /** The turn in which it changed last. */
  since: z.number(),
  system: z.string(),
  lines: z.array(z.object({ name: z.string(), description: z.string() })),
  more: z.number(),
  preloaded: z.array(z.object({ name: z.string(), version_id: z.string(), text: z.string() })),
  /** Tools of servers that no skill brings. */
  tools: z.array(z.object({ server: z.string(), definition: toolSchema })),
  /** Servers that were still connecting when it was made. */
  waiting: z.array(z.string()),
});

export type Front = z.infer<typeof frontSchema>;

/** A whole catalog of no more instructions than this is preloaded: below it, loading costs more than it saves. */
const WHOLE_TOKENS = 2_000;

/** The skills that stand in the front with their instructions. */
export function preloadOf({ catalog, preload }: View): readonly string[] {
  const isWhole = catalog.entries.length === catalog.total && catalog.static_tokens <= WHOLE_TOKENS;
  if (!isWhole) return preload;
  const open = catalog.entries.filter((entry) => !entry.user_only);
  return [...new Set([...preload, ...open.map(({ name }) => name)])];
}

/** The lines of the list: those of skills whose instructions do not stand beside it. */
export function linesOf(catalog: Catalog, preloaded: readonly string[]): Pick<Front, "lines" | "more"> {
  const { shown, more } = listed(catalog, []);
  const lines = shown.filter(({ name }) => !preloaded.includes(name));
  return { lines: lines.map(({ name, description }) => ({ name, description })), more };
}

/** The names of all skills that it shows. */
export function namesIn({ lines, preloaded }: Pick<Front, "lines" | "preloaded">): string[] {
  return [...preloaded, ...lines].map(({ name }) => name);
}

/** The front without skills and servers that are gone. What it gained meanwhile waits. */
export function withoutGone(
  front: Front,
  isGone: (skill: string) => boolean,
  hasServer: (name: string) => boolean,
): Front {
  return {
    ...front,
    lines: front.lines.filter(({ name }) => !isGone(name)),
    preloaded: front.preloaded.filter(({ name }) => !isGone(name)),
    tools: front.tools.filter(({ server }) => hasServer(server)),
  };
}

/** The prompt and the tools as a caller's API takes them. */
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
  const own = isEmpty && loaded.length === 0 ? [] : constantTools();
  const tools = [...own, ...front.tools.map(({ definition }) => definition)];
  return { prompt, tools: tools.map((tool) => renderTool(tool, format)) };
}
