// Edits the skills of a ghost: names, version ranges and preloading.

import { type ReactNode, useState } from "react";
import type { GhostPreview, Issue } from "../../../sdk/src/generated/operations";
import { Button } from "../parts/controls";
import { Issues } from "../parts/state";
import { figure, Plain, visible } from "../parts/text";
import { t } from "../text/text";
import { type Draft, halves, joined, withSkill } from "./draft";
import { Explained } from "./field";
import type { Place } from "./problems";
import { SkillSearch } from "./skill-search";

type Previewed = GhostPreview["skills"][number];
/** The number of entries that are shown at once. */
const SHOWN = 50;

interface Parts {
  draft: Draft;
  onChange: (draft: Draft) => void;
  preview: GhostPreview | undefined;
  problems: ReadonlyMap<Place | null, readonly Issue[]>;
}

export function SkillsField({ draft, onChange, preview, problems }: Parts): ReactNode {
  const [before, setBefore] = useState(0);
  const { skills, preload } = draft;
  const isAll = skills.includes("*");
  const listed = skills.filter((entry) => entry !== "*");
  const names = new Set(listed.map((entry) => halves(entry)[0]));
  // With `*`, or by mistake, a preloaded skill can be missing from the list.
  const entries = [...listed, ...preload.filter((name) => !names.has(name))];
  const known = new Map((preview?.skills ?? []).map((skill) => [skill.name, skill]));
  return (
    <fieldset>
      <legend>{t("Skills")}</legend>
      <Explained
        label={t("All skills of its scope")}
        of="skills"
        issues={[...(problems.get("skills") ?? []), ...(problems.get("preload_skills") ?? [])]}
      >
        {(control) => (
          <input
            {...control}
            type="checkbox"
            checked={isAll}
            onChange={({ target }) => onChange({ ...draft, skills: target.checked ? ["*", ...listed] : listed })}
          />
        )}
      </Explained>
      {entries.length === 0 && !isAll && (
        <p className="soft">{t("No skills. The model has only the prompt and the tools of servers.")}</p>
      )}
      <ul className="plain-list rows" aria-label={t("Skills of the agent")}>
        {entries.slice(before, before + SHOWN).map((entry, n) => (
          <Line
            // biome-ignore lint/suspicious/noArrayIndexKey: a name may stand there twice, until the gateway has said so
            key={`${halves(entry)[0]} ${before + n}`}
            entry={entry}
            draft={draft}
            onChange={onChange}
            found={known.get(halves(entry)[0])}
            issues={problems.get(`skill ${halves(entry)[0]}`) ?? []}
          />
        ))}
      </ul>
      {entries.length > SHOWN && (
        <div className="row">
          <Button isDisabled={before === 0} onPress={() => setBefore(before - SHOWN)}>
            {t("Previous skills")}
          </Button>
          <Button isDisabled={before + SHOWN >= entries.length} onPress={() => setBefore(before + SHOWN)}>
            {t("Next skills")}
          </Button>
        </div>
      )}
      <SkillSearch
        namespace={draft.namespace}
        without={[...names]}
        onAdd={(name) => onChange(withSkill(draft, name))}
      />
    </fieldset>
  );
}

function Line({
  entry,
  draft,
  onChange,
  found,
  issues,
}: {
  entry: string;
  draft: Draft;
  onChange: (draft: Draft) => void;
  found: Previewed | undefined;
  issues: readonly Issue[];
}): ReactNode {
  const [name, range] = halves(entry);
  const shown = visible(name);
  const isPreloaded = draft.preload.includes(name);
  const replaced = (text: string) => draft.skills.map((other) => (other === entry ? text : other));
  const preload = draft.preload.filter((other) => other !== name);
  const version = found?.version ?? null;
  return (
    <li>
      <strong>
        <Plain>{name}</Plain>
      </strong>
      {found !== undefined && (
        <span className="soft">
          {version !== null && ` ${visible(version)},`} {t("{count} tokens", { count: figure(found.tokens) })},{" "}
          {found.scope}
        </span>
      )}
      <div className="row tight">
        {draft.skills.includes(entry) && (
          <input
            className="range"
            aria-label={t("Versions of {shown}", { shown })}
            placeholder={t("any version")}
            value={range}
            onChange={({ target }) => onChange({ ...draft, skills: replaced(joined(name, target.value)) })}
          />
        )}
        {version !== null && range !== version && draft.skills.includes(entry) && (
          <Button
            aria-label={t("Pin {shown} to {version}", { shown, version: visible(version) })}
            onPress={() => onChange({ ...draft, skills: replaced(joined(name, version)) })}
          >
            {t("Pin")}
          </Button>
        )}
        <label>
          <input
            type="checkbox"
            aria-label={t("Preload {shown}", { shown })}
            checked={isPreloaded}
            onChange={({ target }) =>
              onChange({ ...draft, preload: target.checked ? [...draft.preload, name] : preload })
            }
          />{" "}
          {t("Preload")}
        </label>
        <Button
          kind="danger"
          aria-label={t("Remove {shown}", { shown })}
          onPress={() => onChange({ ...draft, preload, skills: draft.skills.filter((other) => other !== entry) })}
        >
          {t("Remove")}
        </Button>
      </div>
      <div role="status">
        <Issues issues={issues} />
      </div>
    </li>
  );
}
