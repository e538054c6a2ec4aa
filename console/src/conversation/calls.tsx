// Shows the tool calls of a turn with their arguments and results as text.

import type { ReactNode } from "react";
import type { ToolCall } from "../../../sdk/src/client/types";
import { Plain, visible } from "../parts/text";
import { t } from "../text/text";

const STATES: Record<ToolCall["state"], { text: string; look: string }> = {
  running: { text: t("running"), look: "" },
  done: { text: t("done"), look: "good" },
  failed: { text: t("failed"), look: "bad" },
  cancelled: { text: t("cancelled"), look: "bad" },
};

export function Calls({ calls, none }: { calls: readonly ToolCall[]; none: string }): ReactNode {
  if (calls.length === 0) return <p className="soft">{none}</p>;
  return (
    <ol className="calls">
      {calls.map((made) => (
        <li key={`${made.turn} ${made.call_id}`}>
          <details>
            <summary>
              <code>
                <Plain>{made.name}</Plain>
              </code>
              {made.skill !== null && (
                <>
                  {" "}
                  <Plain>{made.skill}</Plain>
                </>
              )}
              <span className={`tag ${STATES[made.state].look}`}>{STATES[made.state].text}</span>{" "}
              <span className="soft">{took(made)}</span>
            </summary>
            <Told
              what={t("Arguments")}
              text={made.arguments === undefined ? null : JSON.stringify(made.arguments, null, 2)}
            />
            <Told what={t("Result")} text={made.output ?? null} />
          </details>
          {made.state === "running" && made.progress?.message !== undefined && (
            <p className="soft">
              <Plain>{made.progress.message}</Plain>
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}

function Told({ what, text }: { what: string; text: string | null }): ReactNode {
  return (
    <>
      <p className="soft">{what}</p>
      {text === null ? (
        <p className="soft">{t("Not shown, because the text is long or contains the instructions of a skill.")}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard
        <pre tabIndex={0}>{visible(text)}</pre>
      )}
    </>
  );
}

function took({ started_at, ended_at }: ToolCall): string {
  if (ended_at === null) return "";
  const ms = Date.parse(ended_at) - Date.parse(started_at);
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
