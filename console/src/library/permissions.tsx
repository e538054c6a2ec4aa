// Shows the permissions of a version once it is loaded.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Skill, SkillPermissions } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { Answer } from "../parts/state";
import { Table } from "../parts/table";
import { Plain } from "../parts/text";
import { Network } from "./network";
import { VersionChoice } from "./version-choice";

const route = getRouteApi("/skills/$id");

export function Permissions({ skill, mayApprove }: { skill: Skill; mayApprove: boolean }): ReactNode {
  const { id } = route.useParams();
  const { version = skill.status.version_id } = route.useSearch();
  const navigate = useNavigate({ from: "/skills/$id" });
  const answer = useQuery({
    queryKey: ["skill", id, "permissions", version],
    queryFn: ({ signal }) => call("versions.permissions", { path: { id, version_id: version } }, signal),
  });
  return (
    <>
      <VersionChoice
        id={id}
        label="Version"
        value={version}
        onChange={(chosen) => void navigate({ search: (words) => ({ ...words, version: chosen }) })}
      />
      <Answer of={answer} what="the permissions">
        {({ permissions }) => (
          <Table name="Permissions" heads={["Permission", "Value"]}>
            {lines(permissions).map(([what, which]) => (
              <tr key={what}>
                <th scope="row">{what}</th>
                <td className="long">
                  <Plain>{which}</Plain>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Answer>
      {/* Approval and values belong to the skill, not to one version. */}
      <Network id={id} mayApprove={mayApprove} />
    </>
  );
}

function lines(may: SkillPermissions): [what: string, which: string][] {
  const list = (names: readonly string[]) => (names.length === 0 ? "none" : names.join(", "));
  return [
    ["Runs code", may.runs_code ? "yes" : "no"],
    ["Scripts", list(may.scripts.map(({ path, runs }) => (runs === null ? path : `${path} (${runs})`)))],
    ["Own tools", list(may.tools)],
    ["Allowed tools of the host", list(may.allowed_tools)],
    ["MCP servers", list(may.servers.map(({ name, host, command }) => `${name} (${host ?? command ?? "?"})`))],
    ["Hosts that its code calls", list(may.network)],
    ["Variables for these hosts", list(may.env)],
    ["Hosts of its servers", list(may.hosts)],
    ["Secrets", list(may.secrets)],
    ["Variables", list(may.variables)],
    ["Commands", list(may.commands)],
    ["Asks the page's user", may.asks_pages ? "yes" : "no"],
    ["A model may load it", may.model_invocation ? "yes" : "no"],
    ["Is there from the start", may.preload ? "yes" : "no"],
    ["Needs", list(may.dependencies)],
  ];
}
