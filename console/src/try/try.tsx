// A chat with a model of the gateway, next to the state of its conversation.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate, useRouterState } from "@tanstack/react-router";
import { Cpu, MessageSquare, MessageSquareOff } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { drawn } from "../conversation/drawing";
import { statusOf, useLive } from "../conversation/live";
import { View } from "../conversation/view";
import { modelNames } from "../gateway/models";
import { Refusal } from "../gateway/refusal";
import { useMe } from "../gateway/session";
import { Button } from "../parts/controls";
import { Page } from "../parts/page";
import { Answer, Empty, Trouble } from "../parts/state";
import { Plain } from "../parts/text";
import { rich, t } from "../text/text";
import { Composer } from "./composer";
import { openingFor } from "./examples";
import { recall } from "./kept";
import { Log } from "./log";
import { type Talk, useTalk } from "./talk";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** Sends the opening message of a skill at once. */
    send?: boolean;
  }
}

const route = getRouteApi("/try");
/** The time a message waits for the page's socket. Without the socket a skill cannot send questions. */
const PATIENCE_MS = 5_000;
const freshId = () => `try-${crypto.randomUUID()}`;

export function TryIt(): ReactNode {
  const { c } = route.useSearch();
  const navigate = useNavigate({ from: "/try" });
  const [fresh, setFresh] = useState(freshId);
  // A new chat uses the model of the previous one.
  const [chosen, choose] = useState<string | null>(null);
  const { tries } = useMe();
  const answer = useQuery({ ...modelNames, staleTime: 0, enabled: tries });
  const id = c ?? fresh;
  if (!tries)
    return (
      <Page title={t("Playground")}>
        <Empty icon={MessageSquareOff} title={t("The playground is turned off")}>
          <p>{t("This gateway has the setting DEMO=off. Skills work in every chat that uses the gateway.")}</p>
        </Empty>
      </Page>
    );
  return (
    <Page
      title={t("Playground")}
      lead={t("Chat with a model and see which skills it loads, which tools it calls, and what that costs.")}
      actions={
        c !== undefined && (
          <>
            <Link className="button plain" to="/conversations/$id" params={{ id }} target="_blank">
              {t("Open conversation")}
            </Link>
            <Button
              onPress={() => {
                setFresh(freshId());
                void navigate({ search: {} });
              }}
            >
              {t("New chat")}
            </Button>
          </>
        )
      }
    >
      <Answer of={answer} what={t("the models")}>
        {(models) => (models.length === 0 ? <NoModel /> : <Room key={id} {...{ id, models, chosen, choose }} />)}
      </Answer>
    </Page>
  );
}

function NoModel(): ReactNode {
  return (
    <Empty icon={Cpu} title={t("No models yet")}>
      <p>
        {rich("Add a model, or set {setting} to use the scripted model {model}.", {
          setting: <code>DEMO_MODEL=on</code>,
          model: <code>demo</code>,
        })}
      </p>
      <Link className="button main" to="/models" search={{ new: "1" }}>
        {t("Add model")}
      </Link>
    </Empty>
  );
}

function Room({
  id,
  models,
  chosen,
  choose,
}: {
  id: string;
  models: readonly string[];
  chosen: string | null;
  choose: (model: string) => void;
}): ReactNode {
  const { user_id } = useMe();
  const { c, skill, tool, ghost, at } = route.useSearch();
  const navigate = useNavigate({ from: "/try" });
  const [isBegun, setBegun] = useState(() => (recall(user_id, id)?.said.length ?? 0) > 0);
  // For a bookmarked URL the conversation can exist although this tab has none of its messages.
  const found = useQuery({ ...statusOf(id, true), enabled: c !== undefined && !isBegun, retry: false });
  const isThere = isBegun || found.data !== undefined;
  const show = useRef<Talk["show"]>(() => undefined);
  const live = useLive(isThere ? id : null, {
    render_mermaid: async (payload: unknown) => {
      const { drawing, type } = await drawn(payload);
      show.current(drawing);
      return { type, width: drawing.width, height: drawing.height };
    },
  });
  const status = useRef(live.status);
  status.current = live.status;
  const ready = useCallback(async () => {
    const until = Date.now() + PATIENCE_MS;
    while (status.current !== "open" && status.current !== "closed" && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 50));
  }, []);
  const begun = () => {
    setBegun(true);
    if (c !== id) void navigate({ search: (words) => ({ ...words, c: id }), replace: true });
  };
  const talk = useTalk({ user: user_id, id, ghost, begun, ready });
  useEffect(() => {
    show.current = talk.show;
  });
  const model = models.find((name) => name === (talk.model ?? chosen)) ?? likely(models);
  // Only a link of the console has this state. An address from elsewhere sends nothing.
  const sends = useRouterState({ select: ({ location }) => location.state.send === true });
  const isSent = useRef(false);
  useEffect(() => {
    if (!sends || skill === undefined || c !== undefined || isSent.current) return;
    isSent.current = true;
    talk.say(openingFor(skill), model);
  });
  return (
    <div className="try">
      <section className="talking" aria-label={t("Chat")}>
        {talk.ghost !== undefined && talk.said.length > 0 && (
          <p>{rich("Agent: {ghost}", { ghost: <Plain>{talk.ghost}</Plain> })}</p>
        )}
        <Log talk={talk} />
        {found.data !== undefined && talk.said.length === 0 && (
          <p className="soft">
            {t(
              "The gateway does not store messages, and this tab has none of this conversation. New messages continue it.",
            )}
          </p>
        )}
        {talk.error !== null && (
          <Trouble error={talk.error} {...(talk.isOpen ? { again: () => talk.again(model) } : {})} />
        )}
        {talk.error === null && talk.isOpen && (
          <p className="note warn">
            {t("The last message has no answer.")}{" "}
            <Button onPress={() => talk.again(model)}>{t("Request answer")}</Button>
          </p>
        )}
        {talk.error instanceof Refusal && talk.error.code.startsWith("model") && (
          <p className="soft">{t("Try another model below.")}</p>
        )}
        <Composer
          {...{ talk, model, models, skill, tool, choose }}
          onChoose={(words) =>
            void navigate({ search: ({ ghost: _, skill: __, ...others }) => ({ ...others, ...words }) })
          }
        />
      </section>
      <section aria-label={t("Conversation state")} className="stack">
        {isThere ? (
          <View
            id={id}
            live={live}
            at={at === undefined ? null : Number(at)}
            onAt={(seq) =>
              void navigate({
                search: ({ at: _, ...words }) => (seq === null ? words : { ...words, at: `${seq}` }),
                replace: true,
              })
            }
            answered={["render_mermaid"]}
          />
        ) : (
          <Empty icon={MessageSquare} title={t("Nothing to show yet")}>
            <p>{t("Skills, tool calls and cost appear here after the first message.")}</p>
          </Empty>
        )}
      </section>
    </div>
  );
}

/** Prefers a stored model, then the scripted one. Selects a model without skills only if there is no other. */
function likely(models: readonly string[]): string {
  const plain = models.filter((name) => !/[:/]/.test(name));
  return plain.find((name) => name !== "demo") ?? plain[0] ?? models[0] ?? "";
}
