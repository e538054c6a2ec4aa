// Compares two versions side by side: new permissions, and the files that differ.

import { useQueries, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Skill, SkillFile } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { Loading } from "../parts/loading";
import { Answer, Trouble } from "../parts/state";
import { Plain } from "../parts/text";
import { t } from "../text/text";
import { Columns } from "./columns";
import { PermissionChanges } from "./permission-change";
import { VersionChoice } from "./version-choice";
import { contentOf, filesOf, useVersions } from "./versions-of";

const route = getRouteApi("/skills/$id");

export default function Compare({ skill }: { skill: Skill }): ReactNode {
  const { id } = route.useParams();
  const { version = skill.status.version_id, base: asked } = route.useSearch();
  const navigate = useNavigate({ from: "/skills/$id" });
  return (
    <Answer of={useVersions(id)} what={t("the versions")}>
      {({ items }) => {
        const base = asked ?? items.find(({ version_id }) => version_id !== version)?.version_id;
        if (base === undefined) return <p className="soft">{t("This skill has only one version.")}</p>;
        return (
          <>
            <div className="row">
              <VersionChoice
                id={id}
                label={t("From")}
                value={base}
                onChange={(chosen) => void navigate({ search: (words) => ({ ...words, base: chosen }) })}
              />
              <VersionChoice
                id={id}
                label={t("To")}
                value={version}
                onChange={(chosen) => void navigate({ search: (words) => ({ ...words, version: chosen }) })}
              />
            </div>
            <ChangedPermissions id={id} base={base} version={version} />
            <FileChanges id={id} base={base} version={version} />
          </>
        );
      }}
    </Answer>
  );
}

interface Pair {
  id: string;
  base: string;
  version: string;
}

function ChangedPermissions({ id, base, version }: Pair): ReactNode {
  const answer = useQuery({
    queryKey: ["skill", id, "permissions", version, base],
    queryFn: ({ signal }) =>
      call("versions.permissions", { path: { id, version_id: version }, query: { base } }, signal),
  });
  return (
    <section aria-label={t("Changed permissions")}>
      <h2>{t("Permissions")}</h2>
      <Answer of={answer} what={t("the permissions")}>
        {({ changes }) =>
          changes === null ? <p className="soft">{t("No difference.")}</p> : <PermissionChanges {...changes} />
        }
      </Answer>
    </section>
  );
}

type Change = "added" | "removed" | "changed";

function changes(before: readonly SkillFile[], after: readonly SkillFile[]): [path: string, change: Change][] {
  const old = new Map(before.map(({ path, sha256 }) => [path, sha256]));
  const young = new Map(after.map(({ path, sha256 }) => [path, sha256]));
  return [...new Set([...old.keys(), ...young.keys()])].sort().flatMap((path): [string, Change][] => {
    if (!old.has(path)) return [[path, "added"]];
    if (!young.has(path)) return [[path, "removed"]];
    return old.get(path) === young.get(path) ? [] : [[path, "changed"]];
  });
}

/** The number of differing files that are listed. */
const SHOWN = 100;

function FileChanges({ id, base, version }: Pair): ReactNode {
  const { file } = route.useSearch();
  const [before, after] = useQueries({ queries: [filesOf(id, base), filesOf(id, version)] });
  const error = before.error ?? after.error;
  if (error !== null) return <Trouble error={error} />;
  if (before.data === undefined || after.data === undefined) return <Loading what={t("the files")} />;
  const all = changes(before.data, after.data);
  const chosen = all.find(([path]) => path === file) ?? all[0];
  return (
    <section aria-label={t("Changed files")}>
      <h2>{t("Files")}</h2>
      {chosen === undefined && <p className="soft">{t("No difference.")}</p>}
      <ul className="plain-list">
        {all.slice(0, SHOWN).map(([path, change]) => (
          <li key={path}>
            <Link
              from="/skills/$id"
              to="/skills/$id"
              search={(words) => ({ ...words, file: path })}
              activeProps={{}}
              {...(path === chosen?.[0] ? { "aria-current": "true" as const } : {})}
            >
              <Plain>{path}</Plain>
            </Link>{" "}
            <span className="tag">{change}</span>
          </li>
        ))}
      </ul>
      {all.length > SHOWN && <p className="soft">{t("and {count} more", { count: all.length - SHOWN })}</p>}
      {chosen !== undefined && (
        <FileChange key={chosen[0]} id={id} base={base} version={version} path={chosen[0]} change={chosen[1]} />
      )}
    </section>
  );
}

function FileChange({ id, base, version, path, change }: Pair & { path: string; change: Change }): ReactNode {
  const [before, after] = useQueries({
    queries: [
      { ...contentOf(id, base, path), enabled: change !== "added" },
      { ...contentOf(id, version, path), enabled: change !== "removed" },
    ],
  });
  const error = before.error ?? after.error;
  if (error !== null) return <Trouble error={error} />;
  const nothing = { kind: "text", text: "" } as const;
  const old = change === "added" ? nothing : before.data;
  const young = change === "removed" ? nothing : after.data;
  if (old === undefined || young === undefined) return <Loading what={t("the file")} />;
  if (old.kind !== "text" || young.kind !== "text")
    return <p className="soft">{t("This file is binary or too long to compare. Open it under Files.")}</p>;
  return <Columns name={path} before={old.text} after={young.text} />;
}
