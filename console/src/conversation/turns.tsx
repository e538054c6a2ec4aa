// Selects a turn of a conversation with a slider or step by step, or returns to the current one.

import type { ReactNode } from "react";
import type { TurnFigures } from "../../../sdk/src/generated/operations";
import { Button } from "../parts/controls";
import { When } from "../parts/text";
import { rich, t } from "../text/text";

/** `at`: the index in the list; `null` for the current turn, which is updated. */
export function Turns({
  turns,
  at,
  onAt,
}: {
  turns: readonly TurnFigures[];
  at: number | null;
  onAt: (at: number | null) => void;
}): ReactNode {
  const last = turns.length - 1;
  const shown = at ?? last;
  const point = turns[shown];
  if (point === undefined) return null;
  const go = (to: number) => onAt(to >= last ? null : Math.max(0, to));
  return (
    <section className="turns" aria-label={t("Turns")}>
      <div className="row tight">
        <Button isDisabled={shown === 0} onPress={() => go(shown - 1)}>
          {t("Previous turn")}
        </Button>
        <input
          type="range"
          min={0}
          max={last}
          value={shown}
          aria-label={t("Turn")}
          aria-valuetext={t("{turn}, {number} of {count}", {
            turn: nameOf(point),
            number: shown + 1,
            count: turns.length,
          })}
          onChange={({ target }) => go(Number(target.value))}
        />
        <Button isDisabled={shown === last} onPress={() => go(shown + 1)}>
          {t("Next turn")}
        </Button>
        <Button isDisabled={at === null} onPress={() => onAt(null)}>
          {t("Latest")}
        </Button>
      </div>
      <p role="status">
        {rich(at === null ? "Latest: {turn}, started {time}" : "Showing {turn}, started {time}", {
          turn: nameOf(point),
          time: <When at={point.at} />,
        })}
      </p>
    </section>
  );
}

/** Returns the display name of a turn. */
const nameOf = ({ turn, restored }: TurnFigures): string =>
  restored ? t("turn {turn}, restored", { turn }) : t("turn {turn}", { turn });

/** Returns the name of each turn in a list. A repeated turn occurs more than once. */
export function namesOf(turns: readonly TurnFigures[]): string[] {
  const seen = new Map<string, number>();
  return turns.map((point) => {
    const name = nameOf(point);
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : t("{name}, time {times}", { name, times });
  });
}
