// Shows the versions of a skill as a timeline: compares them with the current one, rolls back, activates and yanks.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Skill, SkillVersion } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { Pages } from "../parts/pages";
import { Answer, Issues } from "../parts/state";
import { bytes, Plain, visible, When } from "../parts/text";
import { rich, t } from "../text/text";
import { Build, builderOf } from "./origin";
import { withWarning } from "./regressed";
import { nameOf, versionsOf } from "./versions-of";

const route = getRouteApi("/skills/$id");
type Act = "rollBack" | "activate" | "yank" | "unyank";

interface Wording {
  button: string;
  done: string;
  operation: "versions.activate" | "versions.yank" | "versions.unyank";
  title: (version: string) => string;
  text: (current: string) => string;
}

const ACTS: Record<Act, Wording> = {
  rollBack: {
    button: t("Roll back"),
    done: t("Rolled back."),
    operation: "versions.activate",
    title: (version) => t("Roll back to {version}?", { version }),
    text: (current) =>
      t("Conversations switch to it in their next turn. {current} is kept, and you can activate it again.", {
        current,
      }),
  },
  activate: {
    button: t("Activate"),
    done: t("Version activated."),
    operation: "versions.activate",
    title: (version) => t("Activate {version}?", { version }),
    text: (current) =>
      t("Conversations switch to it in their next turn. {current} is kept, and you can roll back to it.", { current }),
  },
  yank: {
    button: t("Yank"),
    done: t("Version yanked."),
    operation: "versions.yank",
    title: (version) => t("Yank {version}?", { version }),
    text: () => t("No name or range selects it any more. Its files are kept, and you can undo this."),
  },
  unyank: {
    button: t("Undo yank"),
    done: t("Version can be selected again."),
    operation: "versions.unyank",
    title: (version) => t("Undo the yank of {version}?", { version }),
    text: () => t("Names and ranges can select it again."),
  },
};

export function Versions({ skill, mayActivate }: { skill: Skill; mayActivate: boolean }): ReactNode {
  const { id } = route.useParams();
  const { cursor } = route.useSearch();
  const answer = useQuery(versionsOf(id, cursor));
  const [asked, ask] = useState<{ act: Act; version: SkillVersion } | null>(null);
  const current = skill.spec.version ?? `#${skill.status.version_number}`;
  return (
    <Answer of={answer} what={t("the versions")}>
      {({ items, next }) => (
        <>
          <ol className="timeline card" aria-label={t("Versions")}>
            {items.map((version) => (
              <Entry
                key={version.version_id}
                version={version}
                current={skill.status}
                mayActivate={mayActivate}
                ask={(act) => ask({ act, version })}
              />
            ))}
          </ol>
          <Pages cursor={cursor} next={next} older={t("Older versions")} />
          {asked !== null && (
            <Confirm
              title={ACTS[asked.act].title(labelOf(asked.version))}
              button={ACTS[asked.act].button}
              done={ACTS[asked.act].done}
              kind={asked.act === "yank" ? "danger" : "main"}
              act={async () =>
                withWarning(
                  await call(ACTS[asked.act].operation, { path: { id, version_id: asked.version.version_id } }),
                )
              }
              onClose={() => ask(null)}
            >
              {ACTS[asked.act].text(visible(current))}
            </Confirm>
          )}
        </>
      )}
    </Answer>
  );
}

const labelOf = (version: SkillVersion): string => visible(nameOf({ ...version, is_current: false }));

/** What can be done with a version: the newest one is activated, older ones are rolled back to. */
function actsOf(version: SkillVersion, current: number): Act[] {
  if (version.yanked_at !== null) return ["unyank"];
  if (version.is_current) return ["yank"];
  return [version.number < current ? "rollBack" : "activate", "yank"];
}

function Entry({
  version,
  current,
  mayActivate,
  ask,
}: {
  version: SkillVersion;
  current: Skill["status"];
  mayActivate: boolean;
  ask: (act: Act) => void;
}): ReactNode {
  const state = version.yanked_at !== null ? "yanked" : version.is_current ? "current" : "";
  return (
    <li className={state}>
      <div>
        <p>
          <strong>
            <Plain>{labelOf(version)}</Plain>
          </strong>
          {version.is_current && <span className="tag good">{t("current")}</span>}
          {version.yanked_at !== null && <span className="tag bad">{t("yanked")}</span>}
          {version.blocked_for !== null && <span className="tag bad">{t("blocked")}</span>}
        </p>
        <p className="soft">
          {rich("{time} by {author}, {size}", {
            time: <When at={version.created_at} />,
            author: <Plain>{version.created_by}</Plain>,
            size: bytes(version.fileSize),
          })}
        </p>
        {version.provenance !== undefined && (
          <details>
            <summary>{t("Built by {repository}", { repository: visible(builderOf(version.provenance)) })}</summary>
            <Build of={version.provenance} />
          </details>
        )}
        {version.warnings.length > 0 && (
          <details>
            <summary>
              {t(version.warnings.length === 1 ? "{count} finding" : "{count} findings", {
                count: version.warnings.length,
              })}
            </summary>
            <Issues issues={version.warnings} />
          </details>
        )}
      </div>
      <div className="row tight">
        {!version.is_current && (
          <Link
            className="button plain"
            from="/skills/$id"
            to="/skills/$id"
            search={
              version.number < current.version_number
                ? { view: "compare", base: version.version_id, version: current.version_id }
                : { view: "compare", base: current.version_id, version: version.version_id }
            }
          >
            {t("Compare")}
          </Link>
        )}
        {mayActivate &&
          actsOf(version, current.version_number).map((act) => (
            <Button key={act} kind={act === "yank" ? "danger" : "plain"} onPress={() => ask(act)}>
              {ACTS[act].button}
            </Button>
          ))}
      </div>
    </li>
  );
}
