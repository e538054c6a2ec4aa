// Shows the recorded test results of a submission, and which cases passed with the version before.

import type { ReactNode } from "react";
import type { ReviewInFull } from "../../../sdk/src/generated/operations";
import { FailingCases } from "../library/failing-cases";
import { Card } from "../parts/card";
import { Coded, figure, Plain, visible, When } from "../parts/text";
import { share } from "../parts/use-columns";
import { t } from "../text/text";

type Results = NonNullable<ReviewInFull["test_results"]>;

export function TestResults({ of: results }: { of: Results | null }): ReactNode {
  return (
    <Card title={t("Test results")}>
      {results === null ? (
        <p className="soft">
          <Coded>{t("No results are recorded for these files. Run `skillgate test --record` in their folder.")}</Coded>
        </p>
      ) : (
        <Recorded of={results} />
      )}
    </Card>
  );
}

function Recorded({ of: results }: { of: Results }): ReactNode {
  const { passed, failed, failing, regressions, runner, model, recorded_by, recorded_at } = results;
  return (
    <>
      <RegressionNote of={results} />
      <p>
        {t("{passed} of {count} cases passed ({rate}).", {
          passed: figure(passed),
          count: figure(passed + failed),
          rate: share(passed, passed + failed),
        })}
      </p>
      {failing.length > 0 && <FailingCases of={failing} passedBefore={regressions?.cases ?? []} />}
      <p className="soft">
        <Plain>{[recorded_by, runner, model].filter((one) => one !== null).join(", ")}</Plain>,{" "}
        <When at={recorded_at} />
      </p>
    </>
  );
}

/** Names the version before if cases that it passes fail now. */
export function RegressionNote({ of: results }: { of: Results | null }): ReactNode {
  const found = results?.regressions ?? null;
  if (found === null) return null;
  const count = found.cases.length;
  const version = visible(found.version ?? found.version_id);
  return (
    <p className="note warn">
      {t(
        count === 1
          ? "{count} case that passes with version {version} fails now."
          : "{count} cases that pass with version {version} fail now.",
        { count: figure(count), version },
      )}
    </p>
  );
}
