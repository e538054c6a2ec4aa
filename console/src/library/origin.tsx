// Shows where a version comes from: the CI job that published it, or the place that its publisher stated.

import type { ReactNode } from "react";
import type { SkillVersion } from "../../../sdk/src/generated/operations";
import { Away } from "../parts/away";
import { Plain } from "../parts/text";
import { t } from "../text/text";

type Provenance = NonNullable<SkillVersion["provenance"]>;
type Source = NonNullable<SkillVersion["source"]>;

/** The number of letters of a commit that are shown. */
const COMMIT = 12;

/** The repository of a job, or what else the issuer calls it. */
export const builderOf = ({ repository, subject }: Provenance): string => repository ?? subject;

/** The job of a trusted publisher. Its issuer has signed these values. */
export function Build({ of: provenance }: { of: Provenance }): ReactNode {
  const { publisher, issuer, workflow, ref, commit, run_url: run } = provenance;
  return (
    <>
      <Plain>{builderOf(provenance)}</Plain>
      <Line parts={[workflow, ref, commit?.slice(0, COMMIT)]} />
      <Line parts={[t("publisher {name}", { name: publisher }), URL.parse(issuer)?.host ?? issuer]} />
      {run !== undefined && (
        <div>
          <Away to={run}>{t("Open the run")}</Away>
        </div>
      )}
    </>
  );
}

/** The gateway has not checked this. */
export function Stated({ source: { url, server, path, ref, commit } }: { source: Source }): ReactNode {
  return (
    <>
      {server !== undefined ? <Plain>{t("server {name}", { name: server })}</Plain> : <Plain>{url}</Plain>}
      <Line parts={[path, ref, commit?.slice(0, COMMIT)]} />
    </>
  );
}

function Line({ parts }: { parts: readonly (string | undefined)[] }): ReactNode {
  const known = parts.filter((part) => part !== undefined && part !== "");
  return known.length === 0 ? null : (
    <div className="soft">
      <Plain>{known.join(" · ")}</Plain>
    </div>
  );
}
