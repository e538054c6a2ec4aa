// Shows one ghost, editable if the user can change it, and a new one, empty or copied from another.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import type { Ghost } from "../../../sdk/src/generated/operations";
import { useMe } from "../gateway/session";
import { Owner } from "../library/owner";
import { Card } from "../parts/card";
import { Facts } from "../parts/facts";
import { type Crumb, Page } from "../parts/page";
import { Answer, Empty, Issues } from "../parts/state";
import { Plain, visible } from "../parts/text";
import { t } from "../text/text";
import { draftOf, EMPTY, pretty } from "./draft";
import { Editor } from "./editor";
import { ghostAt, mayChange, mayDefine } from "./ghosts";
import { Predictions } from "./predictions";

const CRUMBS: readonly Crumb[] = [{ name: t("Agents"), to: "/ghosts" }];
const known = getRouteApi("/ghosts/$id");
const fresh = getRouteApi("/ghosts/new");

export function GhostPage(): ReactNode {
  const { id: which } = known.useParams();
  const answer = useQuery(ghostAt(which));
  return (
    <Answer of={answer} what={t("the agent")}>
      {({ answer: ghost, tag }) => <Known key={ghost.metadata.labels.id} ghost={ghost} tag={tag} />}
    </Answer>
  );
}

function Known({ ghost, tag }: { ghost: Ghost; tag: string }): ReactNode {
  const me = useMe();
  const { metadata, status } = ghost;
  const { id, scope } = metadata.labels;
  return (
    <Page
      title={metadata.name}
      crumbs={CRUMBS}
      lead={<Owner namespace={scope === "user" ? "default" : metadata.namespace} isPublic={scope === "public"} />}
      actions={
        <>
          <Link className="button plain" to="/ghosts/new" search={{ from: id }}>
            {t("Duplicate")}
          </Link>
          <Link className="button main" to="/try" search={{ ghost: metadata.name }}>
            {t("Try it")}
          </Link>
        </>
      }
    >
      {mayChange(me, ghost) ? (
        <>
          <Editor id={id} saved={draftOf(ghost)} tag={tag} />
          <Predictions id={id} />
        </>
      ) : (
        <>
          <Issues issues={status.warnings} />
          <Read ghost={ghost} />
        </>
      )}
    </Page>
  );
}

/** The view for users who can use the ghost but not change it. */
function Read({ ghost: { spec } }: { ghost: Ghost }): ReactNode {
  const { systemPrompt = "", skills = [], preload_skills = [], mcpServers = {}, model, retentionTurns } = spec;
  const facts: [string, string][] = [
    [t("Skills"), skills.length === 0 ? t("none") : skills.join(", ")],
    [t("Preloaded skills"), preload_skills.length === 0 ? t("none") : preload_skills.join(", ")],
    [t("Model"), model ?? t("model of the conversation")],
    [t("Retention (turns)"), retentionTurns === undefined ? t("default of the gateway") : String(retentionTurns)],
  ];
  return (
    <>
      <p className="soft">{t("You can use this agent but not change it. Duplicate it to make your own.")}</p>
      <Facts of={facts.map(([name, value]) => [name, <Plain key={name}>{value}</Plain>])} />
      <Card title={t("Prompt")}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
        <pre tabIndex={0} className="prompt">
          {visible(systemPrompt)}
        </pre>
      </Card>
      {Object.keys(mcpServers).length > 0 && (
        <Card title={t("MCP servers")}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
          <pre tabIndex={0}>{visible(pretty(mcpServers))}</pre>
        </Card>
      )}
    </>
  );
}

export function NewGhost(): ReactNode {
  const me = useMe();
  const { from } = fresh.useSearch();
  const answer = useQuery({ ...ghostAt(from ?? ""), enabled: from !== undefined });
  if (!me.rights.namespaces.some(({ define }) => define))
    return (
      <Page title={t("New agent")} crumbs={CRUMBS}>
        <Empty icon={Lock} title={t("You cannot create agents")}>
          <p>{t("Your API key needs the scope ghosts.")}</p>
        </Empty>
      </Page>
    );
  return (
    <Page
      title={t("New agent")}
      crumbs={CRUMBS}
      lead={t("An agent definition (ghost) has a prompt, the skills that its model can load, and MCP servers.")}
    >
      {from === undefined ? (
        <Editor key="new" id={null} saved={EMPTY} tag={null} />
      ) : (
        <Answer of={answer} what={t("the agent")}>
          {({ answer: ghost }) => {
            const draft = draftOf(ghost);
            const namespace = mayDefine(me, draft.namespace) ? draft.namespace : "default";
            const name = `${draft.name.slice(0, 95)} copy`;
            return <Editor key={from} id={null} saved={{ ...draft, name, namespace }} tag={null} />;
          }}
        </Answer>
      )}
    </Page>
  );
}
