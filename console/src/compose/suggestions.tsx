// Suggests skills for a ghost: those that its skills depend on, and those that its prompt mentions.

import { useQueries } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { GhostPreview } from "../../../sdk/src/generated/operations";
import { slice } from "../gateway/call";
import { Button } from "../parts/controls";
import { Plain, visible } from "../parts/text";
import { t } from "../text/text";
import { type Draft, halves, withSkill } from "./draft";
import { useSettled } from "./settled";
import { useFound } from "./skill-search";

const SHOWN = 5;

interface Suggestion {
  name: string;
  why: string;
}

export function Suggestions({
  draft,
  preview,
  onChange,
}: {
  draft: Draft;
  preview: GhostPreview | undefined;
  onChange: (draft: Draft) => void;
}): ReactNode {
  const listed = new Set(draft.skills.map((entry) => halves(entry)[0]));
  const needed = useNeeded(preview, listed);
  const { data: found = [] } = useFound(useSettled(draft.systemPrompt), draft.namespace);
  const fitting = found.map(({ metadata, spec }): Suggestion => ({ name: metadata.name, why: spec.description }));
  const known = new Set(needed.map(({ name }) => name));
  const all = [...needed, ...fitting.filter(({ name }) => !known.has(name)).slice(0, SHOWN)].filter(
    ({ name }) => !listed.has(name),
  );
  if (all.length === 0 || listed.has("*")) return null;
  return (
    <section aria-label={t("Suggestions")}>
      <h2>{t("Suggestions")}</h2>
      <ul className="plain-list rows">
        {all.map(({ name, why }) => (
          <li key={name}>
            <Button
              aria-label={t("Add {name}", { name: visible(name) })}
              onPress={() => onChange(withSkill(draft, name))}
            >
              {t("Add")}
            </Button>{" "}
            <strong>
              <Plain>{name}</Plain>
            </strong>{" "}
            <span className="soft">
              <Plain>{why}</Plain>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns existing skills that the ghost's skills depend on and that are missing from the ghost. */
function useNeeded(preview: GhostPreview | undefined, listed: ReadonlySet<string>): Suggestion[] {
  const there = new Set(preview?.skills.map(({ name }) => name));
  const missing = new Map<string, string>();
  for (const { name, needs } of preview?.more === 0 ? preview.skills : [])
    for (const need of needs) if (!there.has(need) && !listed.has(need)) missing.set(need, name);
  const wanted = [...missing].slice(0, SHOWN);
  return useQueries({
    queries: wanted.map(([name]) => ({
      queryKey: ["skill-named", name],
      queryFn: ({ signal }: { signal: AbortSignal }) => slice("skills.list", { query: { name, limit: 1 } }, signal),
    })),
    combine: (answers) =>
      wanted.flatMap(([name, by], n) =>
        (answers[n]?.data?.items.length ?? 0) > 0 ? [{ name, why: t("dependency of {by}", { by }) }] : [],
      ),
  });
}
