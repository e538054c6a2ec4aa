// Compares the versions of a skill.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../gateway/call";
import { Card } from "../parts/card";
import { Answer } from "../parts/state";
import { Table } from "../parts/table";
import { Plain } from "../parts/text";
import { USE_HEADS, UseCells } from "../parts/use-columns";
import { t } from "../text/text";

/** Versions that are compared. */
const VERSIONS = 10;

export function VersionFigures({ id }: { id: string }): ReactNode {
  const answer = useQuery({
    queryKey: ["skill", id, "figures"],
    queryFn: ({ signal }) => call("insights.versions", { query: { skill_id: id, limit: VERSIONS } }, signal),
  });
  return (
    <Card title={t("Versions, last 30 days")} isFlush>
      <Answer of={answer} what={t("the versions")}>
        {({ items }) => (
          <Table name={t("Versions, last 30 days")} heads={[t("Version"), ...USE_HEADS]}>
            {items.map((row) => (
              <tr key={row.version_id}>
                <td className="name">
                  <Plain>{row.version ?? row.version_id}</Plain>{" "}
                  {row.is_current && <span className="tag good">{t("current")}</span>}
                  {row.is_yanked && <span className="tag warn">{t("yanked")}</span>}
                </td>
                <UseCells of={row} />
              </tr>
            ))}
          </Table>
        )}
      </Answer>
    </Card>
  );
}
