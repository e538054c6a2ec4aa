// Shows the messages of a chat and the answer that is being received.

import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import { Figure } from "../conversation/figure";
import { Plain, visible } from "../parts/text";
import { rich, t } from "../text/text";
import type { Said } from "./kept";
import type { Talk } from "./talk";

const Prose = lazy(() => import("../parts/prose"));

export function Log({ talk: { said, coming } }: { talk: Talk }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const size = said.length + (coming?.text.length ?? 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the last word is kept in view while words come
  useEffect(() => {
    place.current?.scrollTo({ top: place.current.scrollHeight });
  }, [size]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard
    <div className="talk" role="log" aria-label={t("Messages")} aria-busy={coming !== null} tabIndex={0} ref={place}>
      <ol>
        {said.map((one, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: what was said stays where it is
          <li key={at}>
            <Shown said={one} />
          </li>
        ))}
        {coming !== null && (
          <li>
            <Loaded skills={coming.loaded} />
            {coming.text === "" ? <p className="soft">…</p> : <p className="coming">{visible(coming.text)}</p>}
          </li>
        )}
        {said.length === 0 && coming === null && <li className="soft">{t("No messages yet.")}</li>}
      </ol>
    </div>
  );
}

function Shown({ said }: { said: Said }): ReactNode {
  if (said.kind === "figure") return <Figure drawing={said.drawing} />;
  if (said.kind === "user")
    return (
      <div className="user">
        <span className="unseen">{t("You:")} </span>
        {visible(said.text)}
      </div>
    );
  return (
    <>
      <span className="unseen">{t("The model:")} </span>
      <Loaded skills={said.loaded} />
      <Suspense fallback={<p>{visible(said.text)}</p>}>
        <Prose text={said.text} />
      </Suspense>
      {said.stopped && <p className="soft">{t("Stopped.")}</p>}
    </>
  );
}

function Loaded({ skills }: { skills: readonly string[] }): ReactNode {
  if (skills.length === 0) return null;
  return <p className="soft">{rich("Loaded {skills}", { skills: <Plain>{skills.join(", ")}</Plain> })}</p>;
}
