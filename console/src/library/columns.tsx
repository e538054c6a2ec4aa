// Shows two texts side by side, line by line.

import { diffLines } from "diff";
import type { ReactNode } from "react";
import { visible } from "../parts/text";
import { t } from "../text/text";

/** A row of the comparison: the old and the new line with their numbers. */
interface Line {
  before: readonly [number: number, text: string] | null;
  after: readonly [number: number, text: string] | null;
  same: boolean;
}

/** Number of unchanged lines around a change. */
const AROUND = 3;
/** Maximum number of lines that are shown. */
const DRAWN = 2_000;

export function Columns({ name, before, after }: { name: string; before: string; after: string }): ReactNode {
  const lines = near(aligned(before, after));
  // A new or a removed file has one side.
  const [hasBefore, hasAfter] = [before !== "" || after === "", after !== ""];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard
    <section className="scrolls" aria-label={t("Changes of {name}", { name: visible(name) })} tabIndex={0}>
      <table className="columns">
        <thead>
          <tr>
            {hasBefore && (
              <>
                <th scope="col">{t("Line")}</th>
                <th scope="col">{t("Before")}</th>
              </>
            )}
            {hasAfter && (
              <>
                <th scope="col">{t("Line")}</th>
                <th scope="col">{t("After")}</th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {lines.slice(0, DRAWN).map((line) => (
            <tr key={`${line.before?.[0] ?? ""} ${line.after?.[0] ?? ""}`} className={line.same ? "same" : ""}>
              {hasBefore && <Side of={line.before} change={line.same ? "" : "removed"} />}
              {hasAfter && <Side of={line.after} change={line.same ? "" : "added"} />}
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length > DRAWN && (
        <p className="soft">{t("{count} more lines are not shown.", { count: lines.length - DRAWN })}</p>
      )}
    </section>
  );
}

function Side({ of, change }: { of: Line["before"]; change: "removed" | "added" | "" }): ReactNode {
  return (
    <>
      <td className={of === null ? "soft none" : "soft"}>{of?.[0]}</td>
      <td className={of === null ? "none" : change}>
        {of !== null && change !== "" && <span className="unseen">{t(change)}: </span>}
        <code>{of === null ? "" : visible(of[1])}</code>
      </td>
    </>
  );
}

/** Returns pairs of lines: a removed line next to the line that replaces it. */
function aligned(before: string, after: string): Line[] {
  const lines: Line[] = [];
  let [old, young] = [1, 1];
  let gone: string[] = [];
  const flush = (come: readonly string[]) => {
    for (let n = 0; n < Math.max(gone.length, come.length); n++) {
      const [was, is] = [gone[n], come[n]];
      lines.push({
        before: was === undefined ? null : [old++, was],
        after: is === undefined ? null : [young++, is],
        same: false,
      });
    }
    gone = [];
  };
  for (const { value, added, removed } of diffLines(before, after)) {
    const texts = value.replace(/\n$/, "").split("\n");
    if (removed) gone = texts;
    else if (added) flush(texts);
    else {
      flush([]);
      for (const text of texts) lines.push({ before: [old++, text], after: [young++, text], same: true });
    }
  }
  flush([]);
  return lines;
}

function near(lines: readonly Line[]): Line[] {
  const shown = new Set<number>();
  for (const [n, { same }] of lines.entries()) if (!same) for (let m = n - AROUND; m <= n + AROUND; m++) shown.add(m);
  return lines.filter((_, n) => shown.has(n));
}
