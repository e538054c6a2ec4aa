// Shows a conversation of the user while another client runs it.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Card } from "../parts/card";
import { Page } from "../parts/page";
import { Answer } from "../parts/state";
import { t } from "../text/text";
import { type Drawing, drawn } from "./drawing";
import { Export } from "./export";
import { Figure } from "./figure";
import { statusOf, useLive } from "./live";
import { View } from "./view";

const route = getRouteApi("/conversations/$id");

export function ConversationPage(): ReactNode {
  const { id } = route.useParams();
  // Requested before the ticket, because a ticket would create the conversation.
  const answer = useQuery(statusOf(id, true));
  return (
    <Page
      title={answer.data?.settings.title ?? id}
      crumbs={[{ name: t("Conversations"), to: "/conversations" }]}
      actions={answer.data !== undefined && <Export id={id} />}
    >
      <Answer of={answer} what={t("the conversation")}>
        {() => <Watched key={id} id={id} />}
      </Answer>
    </Page>
  );
}

function Watched({ id }: { id: string }): ReactNode {
  const { at } = route.useSearch();
  const navigate = useNavigate({ from: "/conversations/$id" });
  const [drawings, setDrawings] = useState<readonly Drawing[]>([]);
  const live = useLive(id, {
    render_mermaid: async (payload: unknown) => {
      const { drawing, type } = await drawn(payload);
      setDrawings((before) => [...before, drawing].slice(-20));
      return { type, width: drawing.width, height: drawing.height };
    },
  });
  return (
    <>
      <View
        id={id}
        live={live}
        at={at === undefined ? null : Number(at)}
        onAt={(seq) => void navigate({ search: seq === null ? {} : { at: `${seq}` }, replace: true })}
        answered={["render_mermaid"]}
      />
      {drawings.length > 0 && (
        <Card title={t("Diagrams")}>
          {drawings.map((drawing) => (
            <Figure key={drawing.svg} drawing={drawing} />
          ))}
        </Card>
      )}
    </>
  );
}
