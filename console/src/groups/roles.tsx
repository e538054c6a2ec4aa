// Describes the permissions of each role in a group.

import type { ReactNode } from "react";
import type { Member } from "../../../sdk/src/generated/operations";
import { Table } from "../parts/table";

export type Role = Member["role"];

/** Lowest role first. Each role includes the permissions of those before it. */
const MAY: readonly (readonly [Role, string])[] = [
  ["Reporter", "use the group's skills, ghosts, servers and models"],
  ["Developer", "publish skills, and change them"],
  [
    "Maintainer",
    "make a version current, delete, see how skills are used; ghosts, servers, models and secrets; add Developers and Reporters",
  ],
  ["Owner", "give every role, rename the group, delete it"],
];

export function RoleTable(): ReactNode {
  return (
    <Table name="Roles" heads={["Role", "May, beside what stands above"]}>
      {MAY.map(([role, text]) => (
        <tr key={role}>
          <th scope="row">{role}</th>
          <td className="long">{text}</td>
        </tr>
      ))}
    </Table>
  );
}
