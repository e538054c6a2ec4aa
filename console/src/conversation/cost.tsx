// Shows tokens and money by turn, next to the cost of pasting all skills.

import { memo, type ReactNode } from "react";
import type { TurnFigures } from "../../../sdk/src/generated/operations";
import { Lines } from "../parts/lines";
import { t } from "../text/text";
import { namesOf } from "./turns";

/** Rendered only when the turns change, and not with each selected one. */
export const Cost = memo(function Cost({ turns }: { turns: readonly TurnFigures[] }): ReactNode {
  if (turns.length === 0) return <p className="soft">{t("No requests yet.")}</p>;
  const names = namesOf(turns);
  const sums = [0, 0, 0];
  const billed = turns.map(({ billed: { actual, paste, append_only } }) => {
    for (const [way, tokens] of [actual, paste, append_only].entries()) sums[way] = (sums[way] ?? 0) + tokens;
    return [...sums];
  });
  return (
    <>
      <Lines
        name={t("Tokens of the last request in each turn")}
        step={t("Turn")}
        series={[
          [t("with the gateway"), "main"],
          [t("all skills pasted"), "bad"],
        ]}
        points={turns.map(({ sent, tokens }, at) => [
          names[at] ?? "",
          // Logs of earlier gateways do not contain the sent tokens.
          [sent?.actual ?? tokens.actual, sent?.paste ?? tokens.static],
        ])}
        file="tokens-by-turn.csv"
      />
      <Lines
        name={t("Total billed tokens")}
        step={t("Turn")}
        series={[
          [t("with the gateway"), "main"],
          [t("all skills pasted"), "bad"],
          [t("loaded and never removed"), "soft"],
        ]}
        points={turns.map((_, at) => [names[at] ?? "", billed[at] ?? []])}
        file="billed-by-turn.csv"
      />
    </>
  );
});
