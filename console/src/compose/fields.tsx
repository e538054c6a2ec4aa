// Contains the fields of a ghost, each with its description and its error.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import type { GhostPreview, Issue } from "../../../sdk/src/generated/operations";
import { modelNames } from "../gateway/models";
import { useMe } from "../gateway/session";
import { t } from "../text/text";
import type { Draft } from "./draft";
import { Explained } from "./field";
import { mayDefine } from "./ghosts";
import type { Place } from "./problems";
import { ServersField } from "./servers-field";
import { SkillsField } from "./skills-field";
import { Suggestions } from "./suggestions";

const PREDICT = [
  ["", t("default (shadow)")],
  ["off", t("off")],
  ["shadow", t("compare only (shadow)")],
  ["on", t("append instructions (on)")],
] as const;
const WHOSE: Readonly<Record<string, string>> = { default: t("me"), public: t("everyone (public)") };

export function Fields({
  draft,
  isNew,
  onChange,
  preview,
  problems,
}: {
  draft: Draft;
  /** An existing ghost does not change its owner. */
  isNew: boolean;
  onChange: (draft: Draft) => void;
  preview: GhostPreview | undefined;
  problems: ReadonlyMap<Place | null, readonly Issue[]>;
}): ReactNode {
  const me = useMe();
  const models = useId();
  const { data: names = [] } = useQuery(modelNames);
  const places = me.rights.namespaces
    .filter(({ namespace }) => namespace === draft.namespace || mayDefine(me, namespace))
    .map(({ namespace }): [string, string] => [namespace, WHOSE[namespace] ?? t("group {name}", { name: namespace })]);

  return (
    <>
      <fieldset>
        <legend>{t("Agent")}</legend>
        <Explained
          label={t("Name")}
          text={t(
            "Conversations select the agent by this name, and the chat endpoint by the model `ghost/<name>`. Letters, digits, spaces, `.`, `_` and `-`.",
          )}
          issues={problems.get("name")}
        >
          {(control) => (
            <input
              {...control}
              required
              maxLength={100}
              value={draft.name}
              onChange={({ target }) => onChange({ ...draft, name: target.value })}
            />
          )}
        </Explained>
        {isNew && places.length > 1 && (
          <Explained
            label={t("Owner")}
            text={t(
              "Your own agents are private. Members of a group can use its agents, and all users can use public ones. The owner cannot be changed later.",
            )}
            issues={problems.get("namespace")}
          >
            {(control) => (
              <select
                {...control}
                value={draft.namespace}
                onChange={({ target }) => onChange({ ...draft, namespace: target.value })}
              >
                {places.map(([namespace, text]) => (
                  <option key={namespace} value={namespace}>
                    {text}
                  </option>
                ))}
              </select>
            )}
          </Explained>
        )}
        <Explained label={t("Prompt")} of="systemPrompt" issues={problems.get("systemPrompt")}>
          {(control) => (
            <textarea
              {...control}
              rows={8}
              dir="auto"
              value={draft.systemPrompt}
              onChange={({ target }) => onChange({ ...draft, systemPrompt: target.value })}
            />
          )}
        </Explained>
      </fieldset>
      <SkillsField draft={draft} onChange={onChange} preview={preview} problems={problems} />
      <Suggestions draft={draft} preview={preview} onChange={onChange} />
      <ServersField
        servers={draft.servers}
        onChange={(servers) => onChange({ ...draft, servers })}
        issues={problems.get("mcpServers")}
      />
      <fieldset>
        <legend>{t("Model and retention")}</legend>
        <div className="row top">
          <Explained label={t("Model")} of="model" issues={problems.get("model")}>
            {(control) => (
              <input
                {...control}
                list={models}
                value={draft.model}
                onChange={({ target }) => onChange({ ...draft, model: target.value })}
              />
            )}
          </Explained>
          <datalist id={models}>
            {names.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <Explained label={t("Retention (turns)")} of="retentionTurns" issues={problems.get("retentionTurns")}>
            {(control) => (
              <input
                {...control}
                placeholder={t("default of the gateway")}
                value={draft.retention}
                onChange={({ target }) => onChange({ ...draft, retention: target.value })}
              />
            )}
          </Explained>
        </div>
        <Explained label={t("Predictive loading")} of="predict" issues={problems.get("predict")}>
          {(control) => (
            <select
              {...control}
              value={draft.predict}
              onChange={({ target }) => onChange({ ...draft, predict: target.value })}
            >
              {PREDICT.map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          )}
        </Explained>
      </fieldset>
    </>
  );
}
