// Contains the input of a chat: examples, the message, the model, and the stop button.

import { type ReactNode, useState } from "react";
import { Button, Choice } from "../parts/controls";
import { visible } from "../parts/text";
import { t } from "../text/text";
import { EXAMPLES, openingFor, wordsOf } from "./examples";
import type { Talk } from "./talk";

export function Composer({
  talk,
  model,
  models,
  skill,
  choose,
}: {
  talk: Talk;
  model: string;
  models: readonly string[];
  skill: string | undefined;
  choose: (model: string) => void;
}): ReactNode {
  const isBusy = talk.coming !== null;
  const isFirst = talk.said.length === 0;
  const opening = isFirst && skill !== undefined ? openingFor(skill) : "";
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
