// Shows the skills in the prompt with their start and remaining turns, and the other skills that a model can load.

import type { ReactNode } from "react";
import type { ActiveSkill, ListedSkill } from "../../../sdk/src/client/types";
import { Table } from "../parts/table";
import { figure, Plain } from "../parts/text";
import { t } from "../text/text";

const REASONS: Record<ActiveSkill["reason"], string> = {
  loaded: t("loaded by the model"),
  preloaded: t("preloaded"),
  selected: t("selected"),
  predicted: t("predicted"),
  dependency: t("dependency"),
};

export function Active({ active }: { active: readonly ActiveSkill[] }): ReactNode {
  if (active.length === 0) return <p className="soft">{t("No active skills.")}</p>;
  return (
    <Table name={t("Active skills")} heads={[t("Skill"), t("Expires"), t("Reason"), { num: t("Tokens") }]}>
      {active.map(({ skill, version, remaining, reason, loaded_in_turn, tokens, candidate }) => (
        <tr key={skill}>
          <th scope="row">
            <Plain>{version === null ? skill : `${skill} ${version}`}</Plain>
            {candidate === true && <span className="tag">{t("candidate")}</span>}
          </th>
          <td>{leaves(remaining)}</td>
          <td>{t("{reason}, in turn {turn}", { reason: REASONS[reason], turn: loaded_in_turn })}</td>
          <td className="num">{figure(tokens)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Returns the number of turns that a skill stays after its own. */
function leaves(remaining: number | null): string {
  if (remaining === null) return t("never");
  if (remaining === 0) return t("after this turn");
  return remaining === 1 ? t("in 1 turn") : t("in {remaining} turns", { remaining });
}

/** The highest number of rows shown. */
const ROWS = 100;

export function Listed({ listed, total }: { listed: readonly ListedSkill[]; total: number }): ReactNode {
  return (
    <details className="note">
      <summary>{t("Available skills: {total}", { total: figure(total) })}</summary>
      <Table name={t("Available skills")} heads={[t("Skill"), t("Description"), { num: t("Tokens") }]}>
        {listed.slice(0, ROWS).map(({ skill, description, tokens, user_only }) => (
          <tr key={skill}>
            <th scope="row">
              <Plain>{skill}</Plain>
              {user_only && <span className="tag">{t("user only")}</span>}
            </th>
            <td className="long">
              <Plain>{description}</Plain>
            </td>
            <td className="num">{figure(tokens)}</td>
          </tr>
        ))}
      </Table>
      {total > ROWS && (
        <p className="soft">{t("{count} more skills are found by search.", { count: figure(total - ROWS) })}</p>
      )}
    </details>
  );
}
