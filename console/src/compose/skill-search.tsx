// Finding a skill for a ghost, as a model's search finds it.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from "react-aria-components";
import type { Skill } from "../../../sdk/src/generated/operations";
import { slice } from "../gateway/call";
import { Plain, visible } from "../parts/text";
import { useSettled } from "./settled";

const FOUND = 10;

/** What a search finds that a ghost of this namespace may have: its users see no other. */
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
  /** Names that are there already. */
  without: readonly string[];
  onAdd: (name: string) => void;
}): ReactNode {
  const [words, setWords] = useState("");
  const { data = [], error } = useFound(useSettled(words), namespace);
  const items = data.filter(({ metadata: { name } }) => !without.includes(name)).map((skill) => ({ skill }));
  return (
    <>
      <ComboBox
        className="field"
        items={words.trim() === "" ? [] : items}
        inputValue={words}
        onInputChange={setWords}
        selectedKey={null}
        onSelectionChange={(name) => {
          if (name === null) return;
          onAdd(String(name));
          setWords("");
        }}
        allowsEmptyCollection
      >
        <Label>Add a skill</Label>
        <Input placeholder="What should it help with?" />
        <Popover className="choices">
          <ListBox<{ skill: Skill }>
            renderEmptyState={() => (
              <p className="soft">{words.trim() === "" ? "Type what it should help with." : "Nothing is found."}</p>
            )}
          >
            {({ skill: { metadata, spec } }) => (
              <ListBoxItem id={metadata.name} textValue={visible(metadata.name)} className="choice">
                <strong>
                  <Plain>{metadata.name}</Plain>
                </strong>{" "}
                <Plain>{spec.description}</Plain>
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </ComboBox>
      {error !== null && <Plain>{error.message}</Plain>}
    </>
  );
}
