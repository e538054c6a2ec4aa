// The page: a chat of `@assistant-ui/react`, built as its documentation describes, with our own back end. It stores its threads in the
// browser. `?tool` adds a tool that runs in the page.

import {
  ActionBarPrimitive,
  type AssistantRuntime,
  AssistantRuntimeProvider,
  BranchPickerPrimitive,
  ComposerPrimitive,
  MessagePrimitive,
  type RemoteThreadListAdapter,
  type ThreadHistoryAdapter,
  ThreadListItemPrimitive,
  ThreadListPrimitive,
  ThreadPrimitive,
  useAssistantTool,
  useRemoteThreadListRuntime,
} from "@assistant-ui/react";
import { AssistantChatTransport, useChatRuntime } from "@assistant-ui/react-ai-sdk";
import { lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import { createAssistantStream } from "assistant-stream";
import { createElement as h } from "react";
import { createRoot } from "react-dom/client";

const stored = <T>(name: string): T[] => JSON.parse(localStorage.getItem(name) ?? "[]");
const store = (name: string, rows: unknown[]) => localStorage.setItem(name, JSON.stringify(rows));

/** Set by the button. By default, the library requests a title while the first answer is still running. */
let isTitled = false;

const threads: RemoteThreadListAdapter = {
  list: async () => ({ threads: stored<string>("threads").map((remoteId) => ({ remoteId, status: "regular" })) }),
  async initialize(remoteId) {
    store("threads", [...new Set([...stored<string>("threads"), remoteId])]);
    return { remoteId };
  },
  fetch: async (remoteId) => ({ remoteId, status: "regular" }),
  async generateTitle(_, messages) {
    const text = messages.flatMap(({ content }) => content.flatMap((part) => (part.type === "text" ? part.text : [])));
    const titled = isTitled ? await fetch("/api/title", { method: "POST", body: text.join("\n") }) : null;
    const title = (await titled?.text()) ?? "";
    return createAssistantStream((stream) => stream.appendText(title));
  },
  ...{ rename: async () => {}, archive: async () => {}, unarchive: async () => {}, delete: async () => {} },
};

const history: ThreadHistoryAdapter = {
  load: async () => ({ messages: [] }),
  append: async () => {},
  withFormat: ({ format, encode, decode, getId }) => ({
    load: async () => ({ messages: stored<Parameters<typeof decode>[0]>("messages").map((row) => decode(row)) }),
    async append(item) {
      const id = getId(item.message);
      const row = { id, parent_id: item.parentId, format, content: encode(item) };
      store("messages", [...stored<{ id: string }>("messages").filter((other) => other.id !== id), row]);
    },
  }),
};

const transport = new AssistantChatTransport({ api: "/api/chat" });
const useThread = () =>
  useChatRuntime({
    ...{ transport, adapters: { history } },
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
  });

/** Counted in a place that the test can read. */
Object.assign(globalThis, { times: 0 });
declare let times: number;

function OwnTool() {
  useAssistantTool({
    ...{ toolName: "get_time", description: "The time now." },
    parameters: { type: "object", properties: {}, additionalProperties: false },
    execute: async () => {
      times++;
      return "noon";
    },
  });
  return null;
}

const composer = (name: string, ...more: ReturnType<typeof h>[]) =>
  h(
    ComposerPrimitive.Root,
    {},
    h(ComposerPrimitive.Input, { "aria-label": name }),
    h(ComposerPrimitive.Send, {}, `${name}: send`),
    ...more,
  );

const parts = h(MessagePrimitive.Parts);
const UserMessage = () =>
  h(MessagePrimitive.Root, { className: "user" }, parts, h(ActionBarPrimitive.Edit, {}, "Edit"));
const EditComposer = () => h(MessagePrimitive.Root, {}, composer("Edited"));
const AssistantMessage = () =>
  h(
    MessagePrimitive.Root,
    { className: "assistant" },
    h("div", { className: "said" }, parts),
    h(ActionBarPrimitive.Reload, {}, "Regenerate"),
    h(BranchPickerPrimitive.Previous, {}, "Previous"),
  );

const Attachment = () => h("li", { className: "attachment" });

function title({ threads: { mainItem } }: AssistantRuntime) {
  isTitled = true;
  void mainItem.generateTitle();
}

function App() {
  const threadId = stored<string>("threads").at(-1);
  const runtime = useRemoteThreadListRuntime({
    ...{ runtimeHook: useThread, adapter: threads },
    ...(threadId === undefined ? {} : { initialThreadId: threadId }),
  });
  return h(
    AssistantRuntimeProvider,
    { runtime },
    location.search === "?tool" ? h(OwnTool) : null,
    h("button", { type: "button", onClick: () => title(runtime) }, "Title"),
    h(
      ThreadListPrimitive.Root,
      {},
      h(ThreadListPrimitive.Items, {
        components: { ThreadListItem: () => h("h1", {}, h(ThreadListItemPrimitive.Title)) },
      }),
    ),
    h(
      ThreadPrimitive.Root,
      {},
      h(ThreadPrimitive.Messages, { components: { UserMessage, EditComposer, AssistantMessage } }),
      h(ThreadPrimitive.If, { running: false }, h("output", {}, "idle")),
      composer(
        "Message",
        h(ComposerPrimitive.Attachments, { components: { Attachment } }),
        h(ComposerPrimitive.AddAttachment, {}, "Attach"),
        h(ComposerPrimitive.Cancel, {}, "Stop"),
      ),
    ),
  );
}

createRoot(document.body).render(h(App));
