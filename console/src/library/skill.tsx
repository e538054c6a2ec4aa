// Page of one skill with its views. The address contains the view and the version.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useState } from "react";
import type { Skill } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { useMe } from "../gateway/session";
import { Card } from "../parts/card";
import { Button } from "../parts/controls";
import { Facts } from "../parts/facts";
import { Loading } from "../parts/loading";
import { Page } from "../parts/page";
import { StarsOfSkill } from "../parts/stars";
import { Answer, Issues, Later } from "../parts/state";
import { Tabs } from "../parts/tabs";
import { bytes, figure, Plain, When } from "../parts/text";
import { t } from "../text/text";
import { VIEWS, type View } from "../views";
import { Files } from "./files";
import { Build, Stated } from "./origin";
import { Owner } from "./owner";
import { Permissions } from "./permissions";
import { useRights } from "./rights";
import { Share, useShareTargets } from "./share";
import { Signature } from "./signature";
import { Versions } from "./versions";

const Instructions = lazy(() => import("./instructions"));
const Compare = lazy(() => import("./compare"));
const Dependencies = lazy(() => import("./dependencies"));
const Ratings = lazy(() => import("./ratings"));
const Use = lazy(() => import("./use"));
const route = getRouteApi("/skills/$id");

const NAMES: Record<View, string> = {
  instructions: t("Instructions"),
  files: t("Files"),
  versions: t("Versions"),
  compare: t("Compare"),
  permissions: t("Permissions"),
  dependencies: t("Dependencies"),
  ratings: t("Ratings"),
  use: t("Usage"),
};

export function SkillPage(): ReactNode {
  const { id } = route.useParams();
  const answer = useQuery({
    queryKey: ["skill", id],
    queryFn: ({ signal }) => call("skills.get", { path: { id } }, signal),
  });
  return (
    <Answer of={answer} what={t("the skill")}>
      {(skill) => <Shown skill={skill} />}
    </Answer>
  );
}

function Shown({ skill }: { skill: Skill }): ReactNode {
  const { view = "instructions" } = route.useSearch();
  const rights = useRights(skill);
  const shareTargets = useShareTargets(skill);
  const [isSharing, share] = useState(false);
  const views = VIEWS.filter((name) => name !== "use" || rights?.measure === true);
  return (
    <Page
      title={skill.metadata.name}
      crumbs={[{ name: t("Skills"), to: "/skills" }]}
      lead={<Plain>{skill.spec.description}</Plain>}
      actions={
        <>
          {shareTargets.length > 0 && <Button onPress={() => share(true)}>{t("Share")}</Button>}
          {rights?.publish === true && (
            <Link className="button plain" to="/skills/$id/edit" params={{ id: skill.metadata.labels.id }}>
              {t("Edit")}
            </Link>
          )}
          <Try skill={skill.metadata.name} />
        </>
      }
    >
      {skill.status.state === "yanked" && (
        <p className="note warn">
          {t(
            "This version is yanked, so no name or range selects it. Roll back or activate another version under Versions.",
          )}
        </p>
      )}
      <div className="with-facts">
        <div className="section">
          <Tabs name={t("Views of the skill")} current={view}>
            {views.map((name) => (
              <Link
                key={name}
                from="/skills/$id"
                to="/skills/$id"
                search={({ version, base }) => ({
                  view: name,
                  ...(version === undefined ? {} : { version }),
                  ...(base === undefined ? {} : { base }),
                })}
                {...(name === view ? { "aria-current": "page" as const } : {})}
                activeProps={{}}
              >
                {NAMES[name]}
              </Link>
            ))}
          </Tabs>
          <Suspense fallback={<Loading what={t("the view")} />}>
            {view === "instructions" && <Instructions skill={skill} />}
            {view === "files" && <Files skill={skill} />}
            {view === "versions" && <Versions skill={skill} mayActivate={rights?.activate === true} />}
            {view === "compare" && <Compare skill={skill} />}
            {view === "permissions" && <Permissions skill={skill} mayApprove={rights?.activate === true} />}
            {view === "dependencies" && <Dependencies skill={skill} />}
            {view === "ratings" && <Ratings skill={skill} />}
            {view === "use" && (
              <Use id={skill.metadata.labels.id} name={skill.metadata.name} mayActivate={rights?.activate === true} />
            )}
          </Suspense>
        </div>
        <Summary skill={skill} />
      </div>
      {isSharing && <Share skill={skill} groups={shareTargets} onClose={() => share(false)} />}
    </Page>
  );
}

/** Starts a chat that uses the skill. */
function Try({ skill }: { skill: string }): ReactNode {
  const { tries } = useMe();
  return tries ? (
    <Link className="button main" to="/try" search={{ skill }} state={{ send: true }}>
      {t("Try it")}
    </Link>
  ) : null;
}

function Summary({ skill: { metadata, spec, status } }: { skill: Skill }): ReactNode {
  const { id, user_id } = metadata.labels;
  const references = useQuery({
    queryKey: ["skill", id, "references"],
    queryFn: ({ signal }) => call("skills.references", { path: { id } }, signal),
  });
  const ratings = useQuery({
    queryKey: ["skill", id, "rating"],
    queryFn: ({ signal }) => call("ratings.list", { path: { id }, query: { limit: 1 } }, signal),
  });
  const facts: [string, ReactNode][] = [
    [t("Owner"), <Owner key="owner" namespace={metadata.namespace} isPublic={user_id === "0"} />],
    [
      t("Version"),
      spec.version === undefined ? `${status.version_number}` : <Plain key="version">{spec.version}</Plain>,
    ],
    [t("Updated"), <When key="updated" at={status.updated_at} />],
    [
      t("Tokens"),
      t("{line} listed, {instructions} loaded", {
        line: figure(status.tokens.line),
        instructions: figure(status.tokens.instructions),
      }),
    ],
    [t("Size"), bytes(status.fileSize)],
    ...(spec.tags.length === 0 ? [] : [fact(t("Tags"), <Plain>{spec.tags.join(", ")}</Plain>)]),
    [
      t("Dependencies"),
      spec.dependencies.length === 0 ? t("none") : <Plain key="needs">{spec.dependencies.join(", ")}</Plain>,
    ],
    ...(status.provenance === undefined ? [] : [fact(t("Built by"), <Build of={status.provenance} />)]),
    ...(status.source === undefined ? [] : [fact(t("Stated source"), <Stated source={status.source} />)]),
    [
      t("Rating"),
      <Later key="rating" of={ratings}>
        {({ summary }) => <StarsOfSkill {...summary} />}
      </Later>,
    ],
    [t("Signed"), <Signature key="signed" id={id} version={status.version_id} />],
    [
      t("Used by"),
      <Later key="used" of={references}>
        {({ referenced_ghosts, hidden_count }) =>
          ghosts(
            referenced_ghosts.map(({ name }) => name),
            hidden_count,
          )
        }
      </Later>,
    ],
  ];
  return (
    <aside className="section" aria-label={t("Facts")}>
      <Card title={t("Facts")}>
        <Facts of={facts} />
      </Card>
      {status.warnings.length > 0 && (
        <details className="note warn">
          <summary>
            {t(status.warnings.length === 1 ? "{count} finding" : "{count} findings", {
              count: status.warnings.length,
            })}
          </summary>
          <Issues issues={status.warnings} />
        </details>
      )}
    </aside>
  );
}

const fact = (name: string, value: ReactNode): [string, ReactNode] => [name, value];

function ghosts(names: readonly string[], hidden: number): ReactNode {
  if (names.length === 0 && hidden === 0) return t("no agent");
  const others = hidden === 0 ? [] : [t("{count} that you cannot see", { count: hidden })];
  return <Plain>{[...names, ...others].join(", ")}</Plain>;
}
