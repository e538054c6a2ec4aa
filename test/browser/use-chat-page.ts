// A React page with `useChat` and the hooks of the package, as an application would use them, for use-chat.test.ts. Its server stores the
// messages.

import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, isToolUIPart, type UIMessage } from "ai";
import { createElement as h, useState } from "react";
import { createRoot } from "react-dom/client";
import { toolNameOf } from "../../sdk/src/ai-sdk";
import { useSkillGateway, useSkills, useToolCalls } from "../../sdk/src/client/react";

const transport = new DefaultChatTransport({ api: "/chat" });

function Chat({ kept }: { kept: UIMessage[] }) {
  const [text, setText] = useState("");
  const { messages, sendMessage } = useChat({ id: "boats", messages: kept, transport });
  const gateway = useSkillGateway("boats", {
    ticket: async () => (await fetch("/ticket", { method: "POST" })).json(),
    hears: ["skills", "calls"],
  });
  const { skills, picked, pick, clear } = useSkills(gateway);
  const { calls, of } = useToolCalls(gateway);
  const send = () => {
    sendMessage({ text }, { body: { picked } });
    setText("");
    clear();
  };
  return h(
    "main",
    {},
    h("p", { role: "status" }, gateway.status),
    ...skills.map(({ skill, state }) =>
      h(
        "label",
        { key: skill },
        h("input", {
          type: "checkbox",
          checked: picked.includes(skill),
          onChange: ({ target }: { target: HTMLInputElement }) => pick(skill, target.checked),
        }),
        `${skill}: ${state}`,
      ),
    ),
    h(
      "ol",
      { "aria-label": "Chat" },
      ...messages.map(({ id, role, parts }) =>
        h(
          "li",
          { key: id },
          `${role}: `,
          ...parts.map((part) => {
            if (part.type === "text") return part.text;
            return isToolUIPart(part) ? `[${toolNameOf(part)} ${of(part.toolCallId)?.state}] ` : "";
          }),
        ),
      ),
    ),
    h(
      "ul",
      { "aria-label": "Calls" },
      ...calls.map(({ call_id, name, skill, state, output }) =>
        h("li", { key: call_id }, [name, skill, state, output].filter((word) => word !== undefined).join(" ")),
      ),
    ),
    ...gateway.pending.map(({ request_id, payload }) =>
      h(
        "button",
        {
          key: request_id,
          type: "button",
          onClick: () => gateway.answer(request_id, { success: true, result: { confirmed: true } }),
        },
        `Yes, ${payload}`,
      ),
    ),
    h("input", {
      "aria-label": "Message",
      value: text,
      onChange: ({ target }: { target: HTMLInputElement }) => setText(target.value),
    }),
    h("button", { type: "button", onClick: send }, "Send"),
  );
}

const kept: UIMessage[] = await (await fetch("/chat")).json();
createRoot(document.body).render(h(Chat, { kept }));
