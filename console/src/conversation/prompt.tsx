// Shows the tokens that a turn sent to the model, and the current prompt as text.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { TurnFigures } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { Button } from "../parts/controls";
import { Facts } from "../parts/facts";
import { Answer } from "../parts/state";
import { figure, visible } from "../parts/text";
import { t } from "../text/text";

/** `point` is the selected turn; `undefined` before the first turn. */
export function Prompt({
  id,
  point,
  isNow,
}: {
  id: string;
  point: TurnFigures | undefined;
  isNow: boolean;
}): ReactNode {
  return (
    <>
      {point !== undefined && <Sent point={point} />}
      {isNow && <Text id={id} />}
    </>
  );
}

function Sent({ point: { requests, sent, usage } }: { point: TurnFigures }): ReactNode {
  const facts: [string, string][] = [
    [t("Model requests"), figure(requests)],
    ...(sent === null
      ? []
      : ([
          [t("Last request"), t("{count} tokens", { count: figure(sent.actual) })],
          [t("Without the gateway"), t("{count} tokens", { count: figure(sent.paste) })],
        ] satisfies [string, string][])),
    [
      t("Provider's cache"),
      usage === null
        ? t("not reported")
        : t("{read} read, {written} written, {fresh} new", {
            read: figure(usage.cache_read),
            written: figure(usage.cache_write),
            fresh: figure(usage.fresh),
          }),
    ],
  ];
  return <Facts of={facts} />;
}

/** Requested only when the user opens the text. */
function Text({ id }: { id: string }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const answer = useQuery({
    queryKey: ["conversation", id, "prompt"],
    queryFn: async ({ signal }) => {
      const format = { path: { id }, query: { format: "openai" as const } };
      const [prompt, tools] = await Promise.all([
        call("conversations.prompt", format, signal),
        call("conversations.tools", format, signal),
      ]);
      return { system: prompt.system, tools: tools.tools };
    },
    enabled: isOpen,
  });
  if (!isOpen)
    return (
      <div>
        <Button onPress={() => setOpen(true)}>{t("Show the prompt")}</Button>
      </div>
    );
  return (
    <Answer of={answer} what={t("the prompt")}>
      {({ system, tools }) => (
        <>
          <p className="soft">{t("System")}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
          <pre className="long-text" tabIndex={0}>
            {visible(system)}
          </pre>
          <p className="soft">{t("{count} tools", { count: figure(tools.length) })}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
          <pre className="long-text" tabIndex={0}>
            {visible(JSON.stringify(tools, null, 2))}
          </pre>
        </>
      )}
    </Answer>
  );
}
