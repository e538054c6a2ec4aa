// The columns of uses, in tables of skills and of versions.

import type { ReactNode } from "react";
import { t } from "../text/text";
import { figure } from "./text";

/** Returns a part as a percentage; a dash if there is nothing it could be a part of. */
export const share = (part: number, all: number): string => (all === 0 ? "–" : `${((part / all) * 100).toFixed(1)} %`);

export const USE_HEADS = [
  { num: t("Loads") },
  { num: t("Tool calls") },
  { num: t("Failed") },
  { num: t("Feedback") },
  { num: t("Tokens") },
];

interface Use {
  loads: number;
  calls: number;
  failures: number;
  liked: number;
  disliked: number;
  tokens: number;
}

export function UseCells({ of: { loads, calls, failures, liked, disliked, tokens } }: { of: Use }): ReactNode {
  return (
    <>
      <td className="num">{figure(loads)}</td>
      <td className="num">{figure(calls)}</td>
      <td className="num">{share(failures, calls)}</td>
      <td className="num">{share(liked, liked + disliked)}</td>
      <td className="num">{figure(tokens)}</td>
    </>
  );
}
