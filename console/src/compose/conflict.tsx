// Shows a conflict: another user has saved the ghost meanwhile. Both versions are shown, and the user selects one.

import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense } from "react";
import { Button } from "../parts/controls";
import { Answer, Loading } from "../parts/state";
import { type Draft, draftOf, pretty } from "./draft";
import { ghostAt } from "./ghosts";

const Columns = lazy(async () => ({ default: (await import("../library/columns")).Columns }));

export function Conflict({
  id,
  mine,
  onMine,
  onTheirs,
}: {
  id: string;
  mine: Draft;
  /** Called to overwrite the other user's version, which has this tag. */
  onMine: (tag: string) => void;
  onTheirs: (theirs: Draft, tag: string) => void;
}): ReactNode {
  const answer = useQuery({ ...ghostAt(id), queryKey: ["ghost-meanwhile", id], gcTime: 0 });
  return (
    <section className="note warn" aria-label="Changed meanwhile" role="alert">
      <p>
        <strong>It was changed meanwhile.</strong> Nothing is saved yet, and nothing is lost: what is saved stands at
        the left, yours at the right.
      </p>
      <Answer of={answer} what="what is saved">
        {({ answer: theirs, tag }) => (
          <>
            <Suspense fallback={<Loading what="the comparison" />}>
              <Columns name="the ghost" before={told(draftOf(theirs))} after={told(mine)} />
            </Suspense>
            <div className="row">
              <Button kind="main" onPress={() => onMine(tag)}>
                Save mine over it
              </Button>
              <Button onPress={() => onTheirs(draftOf(theirs), tag)}>Take what is saved</Button>
            </div>
          </>
        )}
      </Answer>
    </section>
  );
}

/** Returns a ghost as lines of text, including its prompt. */
function told({ systemPrompt, servers, ...others }: Draft): string {
  return `${pretty(others)}\n\nServers:\n${servers}\n\nPrompt:\n${systemPrompt}\n`;
}
