// Describes the permissions of each role in a group.

import type { ReactNode } from "react";
import type { Member } from "../../../sdk/src/generated/operations";
import { Table } from "../parts/table";
import { t } from "../text/text";

export type Role = Member["role"];

/** Lowest role first. Each role includes the permissions of those before it. */
const MAY: readonly (readonly [Role, string])[] = [
  ["Reporter", t("Use the group's skills, agents, servers and models")],
  ["Developer", t("Publish and change skills")],
  [
    "Maintainer",
    t(
      "Roll back and delete skills, see usage, manage agents, servers, models and secrets, add Developers and Reporters",
    ),
  ],
  ["Owner", t("Assign every role, rename and delete the group")],
];

export function RoleTable(): ReactNode {
  return (
    <Table name={t("Roles")} heads={[t("Role"), t("Permissions")]}>
      {MAY.map(([role, text]) => (
        <tr key={role}>
          <th scope="row">{t(role)}</th>
          <td className="long">{text}</td>
        </tr>
      ))}
    </Table>
  );
}
