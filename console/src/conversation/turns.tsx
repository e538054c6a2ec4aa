// Selects a turn of a conversation with a slider or step by step, or returns to the current one.

import type { ReactNode } from "react";
import type { TurnFigures } from "../../../sdk/src/generated/operations";
import { Button } from "../parts/controls";
import { When } from "../parts/text";

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
    <section className="turns" aria-label="Turns">
      <div className="row tight">
        <Button isDisabled={shown === 0} onPress={() => go(shown - 1)}>
          Previous turn
        </Button>
        <input
          type="range"
          min={0}
          max={last}
          value={shown}
          aria-label="Turn"
          aria-valuetext={`${nameOf(point)}, ${shown + 1} of ${turns.length}`}
          onChange={({ target }) => go(Number(target.value))}
        />
        <Button isDisabled={shown === last} onPress={() => go(shown + 1)}>
          Next turn
        </Button>
        <Button isDisabled={at === null} onPress={() => onAt(null)}>
          Latest
        </Button>
      </div>
      <p role="status">
        {at === null ? "Latest:" : "Showing"} {nameOf(point)}, started <When at={point.at} />
      </p>
    </section>
  );
}

/** Returns the display name of a turn. */
const nameOf = ({ turn, restored }: TurnFigures): string => (restored ? `turn ${turn}, restored` : `turn ${turn}`);

/** Returns the name of each turn in a list. A repeated turn occurs more than once. */
export function namesOf(turns: readonly TurnFigures[]): string[] {
  const seen = new Map<string, number>();
  return turns.map((point) => {
    const name = nameOf(point);
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name}, time ${times}`;
  });
}
