// A chat with a model of the gateway, next to the state of its conversation.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { drawn } from "../conversation/drawing";
import { statusOf, useLive } from "../conversation/live";
import { View } from "../conversation/view";
import { Refusal } from "../gateway/refusal";
import { useMe } from "../gateway/session";
import { Button } from "../parts/controls";
import { Answer, Empty, Trouble } from "../parts/state";
import { Plain } from "../parts/text";
import { Title } from "../parts/title";
import { modelNames } from "./chat";
import { Composer } from "./composer";
import { recall } from "./kept";
import { Log } from "./log";
import { type Talk, useTalk } from "./talk";

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
  const answer = useQuery({ queryKey: ["models"], queryFn: ({ signal }) => modelNames(signal), enabled: tries });
  const id = c ?? fresh;
  if (!tries)
    return (
      <>
        <Title>Try it</Title>
        <Empty title="Trying is turned off here">
          <p>Whoever runs this gateway has set DEMO=off. Its skills work in every chat that uses the gateway.</p>
        </Empty>
      </>
    );
  return (
    <>
      <div className="row">
        <Title>Try it</Title>
        {c !== undefined && (
          <Button
            onPress={() => {
              setFresh(freshId());
              void navigate({ search: {} });
            }}
          >
            New chat
          </Button>
        )}
      </div>
      <Answer of={answer} what="the models">
        {(models) => (models.length === 0 ? <NoModel /> : <Room key={id} {...{ id, models, chosen, choose }} />)}
      </Answer>
    </>
  );
}

function NoModel(): ReactNode {
  return (
    <Empty title="There is no model to try with">
      <p>
        A model is stored with its key as a secret by <code>PUT /api/v1/models/&#123;name&#125;</code>:{" "}
        <a href="/docs/chat-endpoint.md">how</a>. <code>DEMO_MODEL=on</code> brings the scripted model <code>demo</code>
        .
      </p>
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
  const { c, skill, ghost, at } = route.useSearch();
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
  return (
    <div className="try">
      <section className="talking" aria-label="Chat">
        {talk.ghost !== undefined && (
          <p>
            As the ghost <Plain>{talk.ghost}</Plain>.
          </p>
        )}
        <Log talk={talk} />
        {found.data !== undefined && talk.said.length === 0 && (
          <p className="soft">
            The gateway keeps no words of a chat, and this tab has none of this one. What you say goes on in it.
          </p>
        )}
        {talk.error !== null && (
          <Trouble error={talk.error} {...(talk.isOpen ? { again: () => talk.again(model) } : {})} />
        )}
        {talk.error === null && talk.isOpen && (
          <p className="note warn">
            The last message has no answer. <Button onPress={() => talk.again(model)}>Ask for it</Button>
          </p>
        )}
        {talk.error instanceof Refusal && talk.error.code.startsWith("model") && (
          <p className="soft">Another model may answer: choose it below.</p>
        )}
        <Composer {...{ talk, model, models, skill, choose }} />
      </section>
      <section aria-label="What the gateway does">
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
          <Empty title="Nothing has happened yet">
            <p>
              Say something: here you see which skills the model loads and when they leave, which tools it calls, and
              what that costs.
            </p>
          </Empty>
        )}
        {isThere && (
          <p>
            <Link to="/conversations/$id" params={{ id }} target="_blank">
              Watch it in another tab
            </Link>
          </p>
        )}
      </section>
    </div>
  );
}

/** Prefers a stored model, then the scripted one. Selects a ghost or a model without skills only if there is no other. */
function likely(models: readonly string[]): string {
  const plain = models.filter((name) => !/[:/]/.test(name));
  return plain.find((name) => name !== "demo") ?? plain[0] ?? models[0] ?? "";
}
