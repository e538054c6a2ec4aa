// Shows the skills in the prompt with their start and remaining turns, and the other skills that a model can load.

import type { ReactNode } from "react";
import type { ActiveSkill, ListedSkill } from "../../../sdk/src/client/types";
import { Table } from "../parts/table";
import { figure, Plain } from "../parts/text";

const REASONS: Record<ActiveSkill["reason"], string> = {
  loaded: "loaded by the model",
  preloaded: "preloaded",
  selected: "selected",
  dependency: "dependency",
};

export function Active({ active }: { active: readonly ActiveSkill[] }): ReactNode {
  if (active.length === 0) return <p className="soft">No active skills.</p>;
  return (
    <Table name="Active skills" heads={["Skill", "Expires", "Reason", { num: "Tokens" }]}>
      {active.map(({ skill, version, remaining, reason, loaded_in_turn, tokens }) => (
        <tr key={skill}>
          <th scope="row">
            <Plain>{version === null ? skill : `${skill} ${version}`}</Plain>
          </th>
          <td>{leaves(remaining)}</td>
          <td>
            {REASONS[reason]}, in turn {loaded_in_turn}
          </td>
          <td className="num">{figure(tokens)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Returns the number of turns that a skill stays after its own. */
function leaves(remaining: number | null): string {
  if (remaining === null) return "never";
  if (remaining === 0) return "after this turn";
  return remaining === 1 ? "in 1 turn" : `in ${remaining} turns`;
}

/** The highest number of rows shown. */
const ROWS = 100;

export function Listed({ listed, total }: { listed: readonly ListedSkill[]; total: number }): ReactNode {
  return (
    <details>
      <summary>Available skills: {figure(total)}</summary>
      <Table name="Available skills" heads={["Skill", "Description", { num: "Tokens" }]}>
        {listed.slice(0, ROWS).map(({ skill, description, tokens, user_only }) => (
          <tr key={skill}>
            <th scope="row">
              <Plain>{skill}</Plain>
              {user_only && <span className="tag">user only</span>}
            </th>
            <td className="long">
              <Plain>{description}</Plain>
            </td>
            <td className="num">{figure(tokens)}</td>
          </tr>
        ))}
      </Table>
      {total > ROWS && <p className="soft">{figure(total - ROWS)} more skills are found by search.</p>}
    </details>
  );
}
