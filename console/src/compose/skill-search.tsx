// Searches skills for a ghost, ranked like `find_skill`.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import type { Skill } from "../../../sdk/src/generated/operations";
import { slice } from "../gateway/call";
import { Button } from "../parts/controls";
import { Plain, visible } from "../parts/text";
import { t } from "../text/text";
import { useSettled } from "./settled";

const FOUND = 10;

/** Searches the skills that a ghost of this namespace can contain. Its users can see no others. */
export function useFound(words: string, namespace: string) {
  const q = words.trim();
  return useQuery({
    queryKey: ["found", q],
    enabled: q !== "",
    queryFn: ({ signal }) => slice("skills.list", { query: { q, limit: FOUND } }, signal),
    placeholderData: keepPreviousData,
    select: ({ items }) => items.filter((skill) => isFor(skill, namespace)),
  });
}

function isFor({ metadata }: Skill, namespace: string): boolean {
  return namespace === "default" || metadata.labels.user_id === "0" || metadata.namespace === namespace;
}

export function SkillSearch({
  namespace,
  without,
  onAdd,
}: {
  namespace: string;
  /** Names that are already in the ghost. */
  without: readonly string[];
  onAdd: (name: string) => void;
}): ReactNode {
  const id = useId();
  const [words, setWords] = useState("");
  const asked = useSettled(words.trim());
  const { data = [], error, isFetching } = useFound(asked, namespace);
  const found = asked === "" ? [] : data.filter(({ metadata: { name } }) => !without.includes(name));
  const isBehind = isFetching || asked !== words.trim();
  const add = (name: string) => {
    onAdd(name);
    setWords("");
  };
  return (
    <search>
      <div className="field">
        <label htmlFor={id}>{t("Add a skill")}</label>
        <input
          id={id}
          type="search"
          placeholder={t("What should it help with?")}
          aria-describedby={`${id}-said`}
          value={words}
          onChange={({ target }) => setWords(target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            // Prevents submitting the surrounding form.
            event.preventDefault();
            const [first] = found;
            if (first !== undefined && !isBehind) add(first.metadata.name);
          }}
        />
      </div>
      <p id={`${id}-said`} role="status" className="soft">
        {error !== null
          ? visible(error.message)
          : words.trim() === ""
            ? ""
            : isBehind
              ? t("Searching…")
              : told(found.length)}
      </p>
      <ul className="plain-list rows" aria-label={t("Found skills")}>
        {found.map(({ metadata: { name, labels }, spec: { description } }) => (
          <li key={labels.id}>
            <Button aria-label={t("Add {name}", { name: visible(name) })} onPress={() => add(name)}>
              {t("Add")}
            </Button>{" "}
            <strong>
              <Plain>{name}</Plain>
            </strong>{" "}
            <span className="soft">
              <Plain>{description}</Plain>
            </span>
          </li>
        ))}
      </ul>
    </search>
  );
}

const told = (count: number) =>
  count === 0 ? t("No further skills found.") : t("{count} found. Press Enter to add the first.", { count });
