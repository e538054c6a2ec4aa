// Shows the permissions of a version once it is loaded.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Skill, SkillPermissions } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { Answer } from "../parts/state";
import { Table } from "../parts/table";
import { Plain } from "../parts/text";
import { t } from "../text/text";
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
        label={t("Version")}
        value={version}
        onChange={(chosen) => void navigate({ search: (words) => ({ ...words, version: chosen }) })}
      />
      <Answer of={answer} what={t("the permissions")}>
        {({ permissions }) => (
          <Table name={t("Permissions")} heads={[t("Permission"), t("Value")]}>
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
  const list = (names: readonly string[]) => (names.length === 0 ? t("none") : names.join(", "));
  return [
    [t("Runs code"), may.runs_code ? t("yes") : t("no")],
    [t("Scripts"), list(may.scripts.map(({ path, runs }) => (runs === null ? path : `${path} (${runs})`)))],
    [t("Own tools"), list(may.tools)],
    [t("Allowed tools of the host"), list(may.allowed_tools)],
    [t("MCP servers"), list(may.servers.map(({ name, host, command }) => `${name} (${host ?? command ?? "?"})`))],
    [t("Hosts called by code"), list(may.network)],
    [t("Variables for hosts"), list(may.env)],
    [t("Hosts of servers"), list(may.hosts)],
    [t("Secrets"), list(may.secrets)],
    [t("Variables"), list(may.variables)],
    [t("Commands"), list(may.commands)],
    [t("Asks the user"), may.asks_pages ? t("yes") : t("no")],
    [t("Model can load it"), may.model_invocation ? t("yes") : t("no")],
    [t("Preloaded"), may.preload ? t("yes") : t("no")],
    [t("Dependencies"), list(may.dependencies)],
  ];
}
