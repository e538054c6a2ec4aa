// Shows the recorded results of a skill's test cases by version, and on request the cases that failed.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { EvalRun } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { Card } from "../parts/card";
import { Button, Window } from "../parts/controls";
import { Answer } from "../parts/state";
import { Table } from "../parts/table";
import { Coded, figure, Plain, visible, When } from "../parts/text";
import { share } from "../parts/use-columns";
import { t } from "../text/text";
import { FailingCases } from "./failing-cases";

export function Evals({ id }: { id: string }): ReactNode {
  const [shown, show] = useState<EvalRun | null>(null);
  const answer = useQuery({
    queryKey: ["skill", id, "evals"],
    queryFn: ({ signal }) => call("skills.evals", { path: { id } }, signal),
  });
  return (
    <Card title={t("Test results")} isFlush>
      <Answer of={answer} what={t("the test results")}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="body soft">
              <Coded>{t("No results are recorded. Run `skillgate test --record` in the folder of the skill.")}</Coded>
            </p>
          ) : (
            <Table
              name={t("Test results")}
              heads={[t("Version"), { num: t("Pass rate") }, { num: t("Passed") }, t("Recorded"), ""]}
            >
              {items
                .filter(({ is_newest }) => is_newest)
                .map((run) => (
                  <tr key={run.id}>
                    <td className="name">
                      <Content of={run} /> {run.is_current && <span className="tag good">{t("current")}</span>}
                    </td>
                    <td className="num">{share(run.passed, run.passed + run.failed)}</td>
                    <td className="num">{`${figure(run.passed)} / ${figure(run.passed + run.failed)}`}</td>
                    <td>
                      <When at={run.recorded_at} />
                    </td>
                    <td>
                      {run.failed > 0 && (
                        <Button
                          aria-label={t("Failing cases of {version}", { version: nameOf(run) })}
                          onPress={() => show(run)}
                        >
                          {t("Failing cases")}
                        </Button>
                      )}
                    </td>
                  </tr>
                ))}
            </Table>
          )
        }
      </Answer>
      {shown !== null && <Failing id={id} run={shown} onClose={() => show(null)} />}
    </Card>
  );
}

/** Content without a version is named by its digest. */
const nameOf = ({ version, version_id, digest }: EvalRun): string =>
  visible(version ?? version_id ?? digest.slice(0, 12));

function Content({ of: run }: { of: EvalRun }): ReactNode {
  if (run.version_id !== null) return <Plain>{run.version ?? run.version_id}</Plain>;
  return (
    <>
      <code>{run.digest.slice(0, 12)}</code> <span className="tag">{t("not published")}</span>
    </>
  );
}

function Failing({ id, run, onClose }: { id: string; run: EvalRun; onClose: () => void }): ReactNode {
  const answer = useQuery({
    queryKey: ["skill", id, "evals", run.id],
    queryFn: ({ signal }) => call("skills.evalRun", { path: { id, run_id: run.id } }, signal),
  });
  return (
    <Window title={t("Failing cases of {version}", { version: nameOf(run) })} onClose={onClose} isWide>
      <Answer of={answer} what={t("the test results")}>
        {({ cases, model, runner }) => (
          <>
            <FailingCases of={cases.filter(({ passed }) => !passed)} />
            {(runner !== null || model !== null) && (
              <p className="soft">
                <Plain>{[runner, model].filter((one) => one !== null).join(", ")}</Plain>
              </p>
            )}
          </>
        )}
      </Answer>
      <div className="buttons">
        <Button onPress={onClose}>{t("Close")}</Button>
      </div>
    </Window>
  );
}
