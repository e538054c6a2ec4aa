// Queries names for selections: of agents and of skills.

import { queryOptions } from "@tanstack/react-query";
import { visible } from "../parts/text";
import { slice } from "./call";

/** The number of names that can be selected. An address can contain any other. */
const MOST = 100;
const FRESH_MS = 60_000;

export const agentNames = queryOptions({
  queryKey: ["ghosts", "names"],
  staleTime: FRESH_MS,
  queryFn: async ({ signal }) => {
    const { items } = await slice("ghosts.list", { query: { limit: MOST } }, signal);
    return sorted(items.map(({ metadata }) => metadata.name));
  },
});

/** Of all skills that the user can use, also public ones. */
export const skillNames = queryOptions({
  queryKey: ["skills", "names"],
  staleTime: FRESH_MS,
  queryFn: async ({ signal }) => {
    const { items } = await slice("skills.unified", { query: { limit: MOST } }, signal);
    return sorted(items.map(({ name }) => name));
  },
});

const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort();

/** The options of the names. The chosen one is among them, even if it was deleted. */
export const named = (names: readonly string[], chosen: string | undefined): [value: string, text: string][] =>
  [...new Set([...(chosen === undefined ? [] : [chosen]), ...names])].map((name) => [name, visible(name)]);
