// Shows the skills in the prompt with their start and remaining turns, and the other skills that a model can load.

import type { ReactNode } from "react";
import type { ActiveSkill, ListedSkill } from "../../../sdk/src/client/types";
import { Table } from "../parts/table";
import { figure, Plain } from "../parts/text";

const REASONS: Record<ActiveSkill["reason"], string> = {
  loaded: "the model loaded it",
  preloaded: "preloaded",
  selected: "selected",
  dependency: "another one needs it",
};

export function Active({ active }: { active: readonly ActiveSkill[] }): ReactNode {
  if (active.length === 0) return <p className="soft">No skill is in the prompt.</p>;
  return (
    <Table name="Skills in the prompt" heads={["Skill", "Leaves", "Why", "Tokens"]}>
      {active.map(({ skill, version, remaining, reason, loaded_in_turn, tokens }) => (
        <tr key={skill}>
          <th scope="row">
            <Plain>{version === null ? skill : `${skill} ${version}`}</Plain>
          </th>
          <td>{leaves(remaining)}</td>
          <td>
            {REASONS[reason]}, in turn {loaded_in_turn}
          </td>
          <td>{figure(tokens)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** Returns the number of turns that a skill stays after its own. */
function leaves(remaining: number | null): string {
  if (remaining === null) return "stays";
  if (remaining === 0) return "with this turn";
  return remaining === 1 ? "in 1 turn" : `in ${remaining} turns`;
}

/** The highest number of rows shown. */
const ROWS = 100;

export function Listed({ listed, total }: { listed: readonly ListedSkill[]; total: number }): ReactNode {
  return (
    <details>
      <summary>All that it may use: {figure(total)}</summary>
      <Table name="Skills that it may use" heads={["Skill", "What for", "Tokens"]}>
        {listed.slice(0, ROWS).map(({ skill, description, tokens, user_only }) => (
          <tr key={skill}>
            <th scope="row">
              <Plain>{skill}</Plain>
              {user_only && <span className="tag">chosen by the user only</span>}
            </th>
            <td className="long">
              <Plain>{description}</Plain>
            </td>
            <td>{figure(tokens)}</td>
          </tr>
        ))}
      </Table>
      {total > ROWS && <p className="soft">and {figure(total - ROWS)} more, which a model finds by searching</p>}
    </details>
  );
}
