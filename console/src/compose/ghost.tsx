// Shows one ghost, editable if the user can change it, and a new one, empty or copied from another.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Ghost } from "../../../sdk/src/generated/operations";
import { useMe } from "../gateway/session";
import { Owner } from "../library/owner";
import { Answer, Empty, Issues } from "../parts/state";
import { Plain, visible } from "../parts/text";
import { Title } from "../parts/title";
import { draftOf, EMPTY, pretty } from "./draft";
import { Editor } from "./editor";
import { ghostAt, mayChange, mayDefine } from "./ghosts";

const known = getRouteApi("/ghosts/$id");
const fresh = getRouteApi("/ghosts/new");

export function GhostPage(): ReactNode {
  const { id: which } = known.useParams();
  const answer = useQuery(ghostAt(which));
  return (
    <Answer of={answer} what="the ghost">
      {({ answer: ghost, tag }) => <Known key={ghost.metadata.labels.id} ghost={ghost} tag={tag} />}
    </Answer>
  );
}

function Known({ ghost, tag }: { ghost: Ghost; tag: string }): ReactNode {
  const me = useMe();
  const { metadata, status } = ghost;
  const { id, scope } = metadata.labels;
  return (
    <>
      <Title>{metadata.name}</Title>
      <div className="row">
        <Owner namespace={scope === "user" ? "default" : metadata.namespace} isPublic={scope === "public"} />
        <Link className="button plain" to="/try" search={{ ghost: metadata.name }}>
          Try it
        </Link>
        <Link className="button plain" to="/ghosts/new" search={{ from: id }}>
          Duplicate
        </Link>
      </div>
      {mayChange(me, ghost) ? (
        <Editor id={id} saved={draftOf(ghost)} tag={tag} />
      ) : (
        <>
          <Issues issues={status.warnings} />
          <Read ghost={ghost} />
        </>
      )}
    </>
  );
}

/** The view for users who can use the ghost but not change it. */
function Read({ ghost: { spec } }: { ghost: Ghost }): ReactNode {
  const { systemPrompt = "", skills = [], preload_skills = [], mcpServers = {}, model, retentionTurns } = spec;
  const facts: [string, string][] = [
    ["Skills", skills.length === 0 ? "none" : skills.join(", ")],
    ["From the first turn on", preload_skills.length === 0 ? "none" : preload_skills.join(", ")],
    ["Model", model ?? "the conversation's"],
    ["Turns that a skill stays", retentionTurns === undefined ? "as the gateway has it" : String(retentionTurns)],
  ];
  return (
    <>
      <p className="soft">You may use it, and not change it. A duplicate is yours.</p>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Plain>{value}</Plain>
            </dd>
          </div>
        ))}
      </dl>
      <h2>Prompt</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
      <pre tabIndex={0} className="prompt">
        {visible(systemPrompt)}
      </pre>
      {Object.keys(mcpServers).length > 0 && (
        <>
          <h2>MCP servers</h2>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
          <pre tabIndex={0}>{visible(pretty(mcpServers))}</pre>
        </>
      )}
    </>
  );
}

export function NewGhost(): ReactNode {
  const me = useMe();
  const { from } = fresh.useSearch();
  const answer = useQuery({ ...ghostAt(from ?? ""), enabled: from !== undefined });
  if (!me.rights.namespaces.some(({ define }) => define))
    return <Empty title="You may not make ghosts">Your key lacks the scope for it.</Empty>;
  return (
    <>
      <Title>New ghost</Title>
      <p className="lead">
        A ghost is an agent: a prompt, the skills that it may load, the servers that it brings. Nothing is saved until
        you say so.
      </p>
      {from === undefined ? (
        <Editor key="new" id={null} saved={EMPTY} tag={null} />
      ) : (
        <Answer of={answer} what="the other ghost">
          {({ answer: ghost }) => {
            const draft = draftOf(ghost);
            const namespace = mayDefine(me, draft.namespace) ? draft.namespace : "default";
            const name = `${draft.name.slice(0, 95)} copy`;
            return <Editor key={from} id={null} saved={{ ...draft, name, namespace }} tag={null} />;
          }}
        </Answer>
      )}
    </>
  );
}
