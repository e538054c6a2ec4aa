// Compares the files of a submission with those of the current version.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ReviewInFull } from "../../../sdk/src/generated/operations";
import { call } from "../gateway/call";
import { Columns } from "../library/columns";
import { type Files, unpacked } from "../library/package";
import { contentOf } from "../library/versions-of";
import { Card } from "../parts/card";
import { Loading } from "../parts/loading";
import { Answer, Trouble } from "../parts/state";
import { Plain } from "../parts/text";
import { t } from "../text/text";

const route = getRouteApi("/review/$id");

/** The number of differing files that are listed. */
const SHOWN = 100;

type Change = ReviewInFull["files"][number];

export function ReviewFiles({ review }: { review: ReviewInFull }): ReactNode {
  const { id, zip_sha256, files } = review;
  const { file } = route.useSearch();
  const answer = useQuery({
    queryKey: ["review", id, "package", zip_sha256],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const zip = await call("reviews.download", { path: { id } }, signal);
      return unpacked(await zip.arrayBuffer()).files;
    },
  });
  const chosen = files.find(({ path }) => path === file) ?? files[0];
  return (
    <section aria-label={t("Changed files")}>
      <Card title={t("Changed files")}>
        {chosen === undefined && <p className="soft">{t("No difference.")}</p>}
        <ul className="plain-list">
          {files.slice(0, SHOWN).map(({ path, change }) => (
            <li key={path}>
              <Link
                from="/review/$id"
                to="/review/$id"
                search={(words) => ({ ...words, file: path })}
                activeProps={{}}
                {...(path === chosen?.path ? { "aria-current": "true" as const } : {})}
              >
                <Plain>{path}</Plain>
              </Link>{" "}
              <span className="tag">{t(change)}</span>
            </li>
          ))}
        </ul>
        {files.length > SHOWN && <p className="soft">{t("and {count} more", { count: files.length - SHOWN })}</p>}
        {chosen !== undefined && (
          <Answer of={answer} what={t("the files")}>
            {(all) => <FileChange key={chosen.path} base={review.base} change={chosen} files={all} />}
          </Answer>
        )}
      </Card>
    </section>
  );
}

function FileChange({
  base,
  change: { path, change },
  files,
}: {
  base: ReviewInFull["base"];
  change: Change;
  files: Files;
}): ReactNode {
  const before = useQuery({
    ...contentOf(base?.skill_id ?? "", base?.version_id ?? "", path),
    enabled: base !== null && change !== "added",
  });
  if (before.error !== null) return <Trouble error={before.error} />;
  if (change !== "added" && before.data === undefined) return <Loading what={t("the file")} />;
  const old = change === "added" ? "" : before.data?.kind === "text" ? before.data.text : null;
  const young = change === "removed" ? "" : (files.get(path)?.text ?? null);
  if (old === null || young === null)
    return <p className="soft">{t("This file is binary or too long to compare. Download the package to see it.")}</p>;
  if (old === young) return <p className="soft">{t("Only the file mode differs.")}</p>;
  return <Columns name={path} before={old} after={young} />;
}
