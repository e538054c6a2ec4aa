// Contains the state of a chat: the messages, the answer that is being received, and errors. try.tsx shows it.

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Drawing } from "../conversation/drawing";
import { call } from "../gateway/call";
import { Refusal } from "../gateway/refusal";
import { lookAgain } from "../gateway/session";
import { answerTo, type Message } from "./chat";
import { type Kept, recall, remember, type Said } from "./kept";

/** Skills expire after this number of turns without use, so that the user can see it happen. A ghost sets its own number. */
const RETENTION = 3;
const TITLE = 80;

export interface Talk {
  said: readonly Said[];
  /** The received part of the answer; `null` if no answer is being received. */
  coming: { text: string; loaded: readonly string[] } | null;
  error: Error | null;
  draft: string;
  model: string | null;
  ghost: string | undefined;
  /** The last message has no answer, and no answer is being streamed. */
  isOpen: boolean;
  setDraft(text: string): void;
  setModel(name: string): void;
  say(text: string, model: string): void;
  /** Requests the answer to the last message again. */
  again(model: string): void;
  stop(): void;
  show(drawing: Drawing): void;
}

const NOTHING: Kept = { said: [], draft: "", model: null, ghost: null };

/** `ready`: resolves when skills can send questions to the page. A component belongs to one chat: set its `key`. */
export function useTalk({
  user,
  id,
  ghost: asked,
  begun,
  ready,
}: {
  user: string;
  id: string;
  ghost: string | undefined;
  /** Called before an answer is requested. The conversation exists by then. */
  begun: () => void;
  ready: () => Promise<void>;
}): Talk {
  const client = useQueryClient();
  const [kept, setKept] = useState<Kept>(() => recall(user, id) ?? NOTHING);
  const [coming, setComing] = useState<Talk["coming"]>(null);
  const [error, setError] = useState<Error | null>(null);
  const running = useRef<AbortController | null>(null);
  const latest = useRef(kept);
  const change = useCallback(
    (next: Partial<Kept>) => {
      latest.current = { ...latest.current, ...next };
      setKept(latest.current);
      remember(user, id, latest.current);
    },
    [user, id],
  );
  const add = useCallback((...more: Said[]) => change({ said: [...latest.current.said, ...more] }), [change]);
  // Leaving the page cancels the answer.
  useEffect(() => () => running.current?.abort(), []);

  const ghost = kept.ghost ?? asked;
  const run = async (model: string) => {
    const ending = new AbortController();
    running.current = ending;
    let [text, loaded]: [string, string[]] = ["", []];
    setError(null);
    setComing({ text, loaded });
    try {
      const messages = messagesOf(latest.current.said);
      if (messages.length === 1) await create(id, messages[0]?.content ?? "", ghost);
      begun();
      await ready();
      for await (const piece of answerTo({ conversation: id, model, ghost, messages, signal: ending.signal })) {
        if (piece.kind === "text") text += piece.text;
        else loaded = [...new Set([...loaded, ...piece.skills])];
        setComing({ text, loaded });
      }
      add({ kind: "assistant", text, loaded, stopped: false });
    } catch (reason) {
      if (ending.signal.aborted) {
        if (text !== "") add({ kind: "assistant", text, loaded, stopped: true });
      } else {
        setError(reason instanceof Error ? reason : new Error(String(reason)));
        if (reason instanceof Refusal && reason.status === 401) void lookAgain(client);
      }
    } finally {
      running.current = null;
      setComing(null);
      void client.invalidateQueries({ queryKey: ["conversation", id] });
    }
  };

  const last = kept.said.findLast(({ kind }) => kind !== "figure");
  return {
    ...{ said: kept.said, coming, error, draft: kept.draft, model: kept.model, ghost },
    isOpen: coming === null && last?.kind === "user",
    setDraft: (draft) => change({ draft }),
    setModel: (model) => change({ model }),
    say(text, model) {
      change({ draft: "", ghost: ghost ?? null });
      add({ kind: "user", text });
      void run(model);
    },
    again: (model) => void run(model),
    stop: () => running.current?.abort(),
    show: (drawing) => add({ kind: "figure", drawing }),
  };
}

/** Created before the first message, so that the page is connected when a skill sends a question. */
async function create(id: string, text: string, ghost: string | undefined): Promise<void> {
  const settings = ghost === undefined ? { retention_turns: RETENTION } : { ghost };
  const title = text.replace(/\s+/g, " ").slice(0, TITLE);
  await call("conversations.set", { path: { id }, body: { format: "openai", delivery: "auto", title, ...settings } });
}

/** Returns the messages for the model. Two consecutive messages of the user are merged: the first was never answered. */
function messagesOf(said: readonly Said[]): Message[] {
  const messages: Message[] = [];
  for (const one of said) {
    if (one.kind === "figure") continue;
    const before = messages.at(-1);
    if (before?.role === one.kind) before.content += `\n\n${one.text}`;
    else messages.push({ role: one.kind, content: one.text });
  }
  return messages;
}
