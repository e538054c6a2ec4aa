// Compares the versions of a skill, and shows and changes the rollout of one.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type AnswerOf, call } from "../gateway/call";
import { Refusal } from "../gateway/refusal";
import { Card } from "../parts/card";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { Answer } from "../parts/state";
import { Table } from "../parts/table";
import { figure, Plain } from "../parts/text";
import { share, USE_HEADS, UseCells } from "../parts/use-columns";
import { t } from "../text/text";
import { withWarning } from "./regressed";

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

/** Returns the rollout; `null` if there is none. */
async function rolloutOf(id: string, signal: AbortSignal): Promise<AnswerOf<"skills.rollout"> | null> {
  try {
    return await call("skills.rollout", { path: { id } }, signal);
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null;
    throw error;
  }
}

/** Nothing if the skill has no rollout. */
export function Rollout({ id }: { id: string }): ReactNode {
  const [asked, setAsked] = useState<"promote" | "stop" | null>(null);
  const answer = useQuery({
    queryKey: ["skill", id, "rollout"],
    queryFn: ({ signal }) => rolloutOf(id, signal),
  });
  if (answer.data === null || answer.data === undefined) return null;
  const { candidate, current, percent, failing } = answer.data;
  const label = candidate.version ?? candidate.version_id;
  return (
    <Card title={t("Rollout")} aside={t("{percent} % of conversations", { percent })}>
      {failing && <p className="tag bad">{t("The candidate fails significantly more often.")}</p>}
      <Table name={t("Rollout")} heads={[t("Version"), { num: t("Uses") }, { num: t("Failed") }]} stacks={false}>
        {[
          { ...candidate, role: t("candidate") },
          { ...current, role: t("current") },
        ].map((arm) => (
          <tr key={arm.version_id}>
            <td className="name">
              <Plain>{arm.version ?? arm.version_id}</Plain> <span className="tag">{arm.role}</span>
            </td>
            <td className="num">{figure(arm.uses)}</td>
            <td className="num">{share(arm.failures, arm.uses)}</td>
          </tr>
        ))}
      </Table>
      <div className="row">
        <Button onPress={() => setAsked("promote")}>{t("Promote")}</Button>
        <Button onPress={() => setAsked("stop")}>{t("Stop rollout")}</Button>
      </div>
      {asked === "promote" && (
        <Confirm
          kind="main"
          button={t("Promote")}
          title={t("Promote {version}?", { version: label })}
          done={t("The version is current.")}
          act={async () => withWarning(await call("skills.promoteRollout", { path: { id } }))}
          onClose={() => setAsked(null)}
        >
          {t("It becomes the current version for everybody.")}
        </Confirm>
      )}
      {asked === "stop" && (
        <Confirm
          button={t("Stop rollout")}
          title={t("Stop the rollout of {version}?", { version: label })}
          done={t("The rollout has ended.")}
          act={() => call("skills.stopRollout", { path: { id } })}
          onClose={() => setAsked(null)}
        >
          {t("All conversations use the current version from their next turn on.")}
        </Confirm>
      )}
    </Card>
  );
}
