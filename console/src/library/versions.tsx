// Lists the versions with their findings, marks the current one, and rolls back to an older one.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Skill, SkillVersion } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { Confirm } from "../parts/confirm";
import { Button } from "../parts/controls";
import { Pages } from "../parts/pages";
import { Answer, Issues } from "../parts/state";
import { Table } from "../parts/table";
import { bytes, Plain, When } from "../parts/text";
import { t } from "../text/text";
import { nameOf, versionsOf } from "./versions-of";

const route = getRouteApi("/skills/$id");
type Act = "activate" | "yank" | "unyank";

const ACTS: Record<Act, { button: string; done: string; title: (name: string) => string; text: string }> = {
  activate: {
    button: t("Make current"),
    done: t("Version is current."),
    title: (name) => t("Make {name} the current version?", { name }),
    text: t("Conversations switch to it in their next turn. You can make the present version current again."),
  },
  yank: {
    button: t("Yank"),
    done: t("Version yanked."),
    title: (name) => t("Yank {name}?", { name }),
    text: t("Names and ranges no longer select it. You can undo this."),
  },
  unyank: {
    button: t("Unyank"),
    done: t("Version unyanked."),
    title: (name) => t("Unyank {name}?", { name }),
    text: t("Names and ranges can select it again."),
  },
};

export function Versions({ skill, mayActivate }: { skill: Skill; mayActivate: boolean }): ReactNode {
  const { id } = route.useParams();
  const { cursor } = route.useSearch();
  const answer = useQuery(versionsOf(id, cursor));
  const [asked, ask] = useState<{ act: Act; version: SkillVersion } | null>(null);
  return (
    <Answer of={answer} what={t("the versions")}>
      {({ items, next }) => (
        <>
          <Table name={t("Versions")} heads={[t("Version"), t("Published"), t("By"), t("Size"), t("Findings"), ""]}>
            {items.map((version) => (
              <Row
                key={version.version_id}
                version={version}
                current={skill.status.version_id}
                mayActivate={mayActivate}
                ask={ask}
              />
            ))}
          </Table>
          <Pages cursor={cursor} next={next} older={t("Older versions")} />
          {asked !== null && (
            <Confirm
              title={ACTS[asked.act].title(nameOf(asked.version))}
              button={ACTS[asked.act].button}
              done={ACTS[asked.act].done}
              kind={asked.act === "yank" ? "danger" : "main"}
              act={() => call(`versions.${asked.act}`, { path: { id, version_id: asked.version.version_id } })}
              onClose={() => ask(null)}
            >
              {ACTS[asked.act].text}
            </Confirm>
          )}
        </>
      )}
    </Answer>
  );
}

function Row({
  version,
  current,
  mayActivate,
  ask,
}: {
  version: SkillVersion;
  current: string;
  mayActivate: boolean;
  ask: (asked: { act: Act; version: SkillVersion }) => void;
}): ReactNode {
  const acts: Act[] = version.yanked_at !== null ? ["unyank"] : version.is_current ? ["yank"] : ["activate", "yank"];
  return (
    <tr>
      <td>
        <Plain>{nameOf(version)}</Plain>
        {version.yanked_at !== null && <span className="tag bad">{t("yanked")}</span>}
        {version.blocked_for !== null && <span className="tag bad">{t("blocked")}</span>}
      </td>
      <td>
        <When at={version.created_at} />
      </td>
      <td>
        <Plain>{version.created_by}</Plain>
      </td>
      <td>{bytes(version.fileSize)}</td>
      <td>
        {version.warnings.length === 0 ? (
          t("none")
        ) : (
          <details>
            <summary>{version.warnings.length}</summary>
            <Issues issues={version.warnings} />
          </details>
        )}
      </td>
      <td>
        <div className="row tight">
          {!version.is_current && (
            <Link
              className="button plain"
              from="/skills/$id"
              to="/skills/$id"
              search={{ view: "compare", base: version.version_id, version: current }}
            >
              {t("Compare")}
            </Link>
          )}
          {mayActivate &&
            acts.map((act) => (
              <Button key={act} kind={act === "yank" ? "danger" : "plain"} onPress={() => ask({ act, version })}>
                {ACTS[act].button}
              </Button>
            ))}
        </div>
      </td>
    </tr>
  );
}
