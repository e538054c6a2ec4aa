// A React page that uses the hook, for hook.test.ts. The test acts as the back end and provides `ticket`.

import { createElement as h, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { Thumbs, useSkillGateway } from "../../sdk/src/client/react";

declare function ticket(conversation: string): Promise<{ ticket: string; url: string } | null>;

function Chat() {
  const [conversation, setConversation] = useState<string | null>(null);
  const [factor, setFactor] = useState(2);
  const gateway = useSkillGateway(conversation, {
    ticket,
    hears: ["feedback"],
    handlers: { multiply: ({ n }: { n: number }) => n * factor },
  });
  const { status, turn, active, pending, closed, answer } = gateway;
  const goTo = (id: string | null) =>
    h("button", { type: "button", key: id, onClick: () => setConversation(id) }, `go to ${id}`);
  return h(
    "main",
    {},
    h("output", {}, JSON.stringify({ conversation, status, turn, active: active.map(({ skill }) => skill), closed })),
    ...["one", "two", null].map(goTo),
    h("button", { type: "button", onClick: () => setFactor(factor + 1) }, `times ${factor}`),
    h(Thumbs, { gateway, turn: 1 }),
    ...pending.map(({ request_id, payload }) =>
      h(
        "button",
        { type: "button", key: request_id, onClick: () => answer(request_id, { success: true, result: "picked" }) },
        `pick ${payload}`,
      ),
    ),
  );
}

const root = createRoot(document.body);
root.render(h(StrictMode, {}, h(Chat)));
Object.assign(globalThis, { unmount: () => root.unmount() });
