// Contains the input of a chat: examples, the message, the model, and the stop button.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { agentNames, named, skillNames } from "../gateway/names";
import { Button, Choice } from "../parts/controls";
import { visible } from "../parts/text";
import { t } from "../text/text";
import { EXAMPLES, openingFor, openingForTool, wordsOf } from "./examples";
import type { Talk } from "./talk";

export function Composer({
  talk,
  model,
  models,
  skill,
  tool,
  choose,
  onChoose,
}: {
  talk: Talk;
  model: string;
  models: readonly string[];
  skill: string | undefined;
  tool: string | undefined;
  choose: (model: string) => void;
  /** Selects the agent of the chat, and the skill that the first message asks for. */
  onChoose: (words: { ghost?: string; skill?: string }) => void;
}): ReactNode {
  const isBusy = talk.coming !== null;
  const isFirst = talk.said.length === 0;
  const opening = isFirst ? firstMessage(skill, tool) : "";
  // The initial text for trying a skill stays until the user types.
  const [isTouched, setTouched] = useState(false);
  const text = talk.draft === "" && !isTouched ? opening : talk.draft;
  const send = () => {
    if (isBusy || text.trim() === "") return;
    setTouched(true);
    talk.say(text.trim(), model);
  };
  return (
    <>
      {isFirst && opening === "" && (
        <section className="row tight examples" aria-label={t("Examples")}>
          {EXAMPLES.map((example) => (
            <Button key={example.label} isDisabled={isBusy} onPress={() => talk.say(wordsOf(example, model), model)}>
              {example.label.split(/[:：\n]/, 1)[0]}
            </Button>
          ))}
        </section>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <label className="field">
          <span>{t("Message")}</span>
          <textarea
            rows={3}
            value={text}
            onChange={({ target }) => {
              setTouched(true);
              talk.setDraft(target.value);
            }}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
              event.preventDefault();
              send();
            }}
          />
        </label>
        <div className="row tight">
          {isFirst && <First ghost={talk.ghost} skill={skill} onChoose={onChoose} />}
          <Choice
            label={t("Model")}
            value={model}
            options={models.map((name) => [name, visible(name)] as const)}
            onChange={(name) => {
              talk.setModel(name);
              choose(name);
            }}
          />
          {isBusy ? (
            <Button kind="danger" onPress={talk.stop}>
              {t("Stop")}
            </Button>
          ) : (
            <Button kind="main" type="submit">
              {t("Send")}
            </Button>
          )}
        </div>
      </form>
    </>
  );
}

/** The text for trying a skill or a tool, if the address names one. */
function firstMessage(skill: string | undefined, tool: string | undefined): string {
  if (skill !== undefined) return openingFor(skill);
  return tool === undefined ? "" : openingForTool(tool);
}

/** What can be chosen before the first message. */
function First({
  ghost,
  skill,
  onChoose,
}: {
  ghost: string | undefined;
  skill: string | undefined;
  onChoose: (words: { ghost?: string; skill?: string }) => void;
}): ReactNode {
  const agents = useQuery(agentNames);
  const skills = useQuery(skillNames);
  const chosen = { ...(ghost === undefined ? {} : { ghost }), ...(skill === undefined ? {} : { skill }) };
  const change = (field: "ghost" | "skill", value: string) => {
    const { [field]: _, ...others } = chosen;
    onChoose(value === "" ? others : { ...others, [field]: value });
  };
  return (
    <>
      <Choice
        label={t("Agent")}
        value={ghost ?? ""}
        options={[["", t("none")], ...named(agents.data ?? [], ghost)]}
        onChange={(name) => change("ghost", name)}
      />
      <Choice
        label={t("Skill")}
        value={skill ?? ""}
        options={[["", t("The model decides")], ...named(skills.data ?? [], skill)]}
        onChange={(name) => change("skill", name)}
      />
    </>
  );
}
