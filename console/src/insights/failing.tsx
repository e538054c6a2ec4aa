// Lists versions that fail significantly more often than the version before.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { FailingVersion } from "../../../sdk/src/generated/operations";
import { Card } from "../parts/card";
import { Table } from "../parts/table";
import { figure, Plain } from "../parts/text";
import { t } from "../text/text";

const rate = ({ uses, failures }: { uses: number; failures: number }): string =>
  t("{percent} % of {uses}", { percent: ((failures / Math.max(1, uses)) * 100).toFixed(1), uses: figure(uses) });

export function Failing({ versions }: { versions: readonly FailingVersion[] }): ReactNode {
  return (
    <Card title={t("Failing versions")} isFlush>
      <Table
        name={t("Failing versions")}
        heads={[t("Skill"), t("Version"), { num: t("Failed") }, { num: t("Before") }, t("Rollout")]}
      >
        {versions.map((row) => (
          <tr key={row.skill_id}>
            <td className="name">
              <Link to="/skills/$id" params={{ id: row.skill_id }} search={{ view: "use" }}>
                <Plain>{row.skill_name}</Plain>
              </Link>
            </td>
            <td>
              <Plain>{row.version ?? row.version_id}</Plain>
            </td>
            <td className="num">{rate(row)}</td>
            <td className="num">{rate(row.former)}</td>
            <td>{row.percent === null ? t("current version") : `${row.percent} %`}</td>
          </tr>
        ))}
      </Table>
    </Card>
  );
}
