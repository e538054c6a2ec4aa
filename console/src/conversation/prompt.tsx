// Shows the tokens that a turn sent to the model, and the current prompt as text.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { TurnFigures } from "../../../sdk/src/generated/operations";
import type { AnswerOf } from "../gateway/call";
import { call } from "../gateway/call";
import { Button } from "../parts/controls";
import { Facts } from "../parts/facts";
import { Answer } from "../parts/state";
import { figure, visible } from "../parts/text";

type Billed = AnswerOf<"conversations.get">["tokens"]["billed"];

/** `point` is the selected turn; `undefined` before the first turn. */
export function Prompt({
  id,
  point,
  billed,
  isNow,
}: {
  id: string;
  point: TurnFigures | undefined;
  billed: Billed | undefined;
  isNow: boolean;
}): ReactNode {
  return (
    <>
      {point !== undefined && <Sent point={point} />}
      {billed !== undefined && (
        <p>
          {figure(billed.actual)} billed tokens so far{billed.estimated && " (estimate)"}. Pasting every skill would
          have cost {figure(billed.paste)}. Saved: {billed.saved_percent} %. Prices: {visible(billed.price)}.
        </p>
      )}
      {isNow && <Text id={id} />}
    </>
  );
}

function Sent({ point: { requests, sent, usage } }: { point: TurnFigures }): ReactNode {
  const facts: [string, string][] = [
    ["Model requests", figure(requests)],
    ...(sent === null
      ? []
      : ([
          ["Last request", `${figure(sent.actual)} tokens`],
          ["Without the gateway", `${figure(sent.paste)} tokens`],
        ] satisfies [string, string][])),
    [
      "Provider's cache",
      usage === null
        ? "not reported"
        : `${figure(usage.cache_read)} read, ${figure(usage.cache_write)} written, ${figure(usage.fresh)} new`,
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
        <Button onPress={() => setOpen(true)}>Show the prompt</Button>
      </div>
    );
  return (
    <Answer of={answer} what="the prompt">
      {({ system, tools }) => (
        <>
          <p className="soft">System</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
          <pre className="long-text" tabIndex={0}>
            {visible(system)}
          </pre>
          <p className="soft">{figure(tools.length)} tools</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
          <pre className="long-text" tabIndex={0}>
            {visible(JSON.stringify(tools, null, 2))}
          </pre>
        </>
      )}
    </Answer>
  );
}
