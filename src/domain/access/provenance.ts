// Reads from the claims of a CI job's token where a version comes from.

import * as z from "zod";
import type { Claims } from "./claims";

/** Maximum length of each text. Longer claims are cut. */
const CHARS = 500;

const text = () => z.string().max(CHARS);

/** Where a version comes from, as the issuer of the CI job's token states it. */
export const provenanceSchema = z.lazy(() =>
  z.strictObject({
    /** Name of the publisher. */
    publisher: text(),
    issuer: text(),
    subject: text(),
    repository: text().optional(),
    workflow: text().optional(),
    ref: text().optional(),
    commit: text().optional(),
    run_url: text().optional(),
  }),
);
export type Provenance = z.infer<typeof provenanceSchema>;

/** Claims of GitHub Actions and GitLab CI by the member they fill. The first claim that is a text counts. */
const CLAIMS = {
  repository: ["repository", "project_path"],
  workflow: ["workflow_ref", "ci_config_ref_uri", "job_workflow_ref"],
  ref: ["ref_path", "ref"],
  commit: ["sha"],
} as const;

/** Returns the provenance that the verified claims of a token state. */
export function provenanceOf(publisher: string, issuer: string, claims: Claims): Provenance {
  const found = Object.entries(CLAIMS).flatMap(([member, names]) => {
    const value = names.map((name) => textOf(claims[name])).find((claim) => claim !== null);
    return value === undefined ? [] : [[member, value] as const];
  });
  const runUrl = runUrlOf(issuer, claims);
  return provenanceSchema.parse({
    ...{ publisher, issuer: issuer.slice(0, CHARS), subject: textOf(claims.sub) ?? "" },
    ...Object.fromEntries(found),
    ...(runUrl === null ? {} : { run_url: runUrl }),
  });
}

const PROJECT = /^[\w.-]+(\/[\w.-]+)+$/;
const NUMBER = /^\d{1,30}$/;
/** Issuers of GitHub Actions: github.com, and servers of GitHub Enterprise. */
const GITHUB = /^https:\/\/token\.actions\.githubusercontent\.com$/;
const GITHUB_SERVER = /^(https?:\/\/[^/]+)\/_services\/token$/;

/** Returns the page of the CI run, or `null` if the claims do not name one. */
function runUrlOf(issuer: string, claims: Claims): string | null {
  const { repository, run_id, project_path, job_id } = claims;
  const github = GITHUB.test(issuer) ? "https://github.com" : GITHUB_SERVER.exec(issuer)?.[1];
  if (github !== undefined && isLike(PROJECT, repository) && isLike(NUMBER, run_id))
    return `${github}/${repository}/actions/runs/${run_id}`.slice(0, CHARS);
  if (github === undefined && isLike(PROJECT, project_path) && isLike(NUMBER, job_id))
    return `${issuer}/${project_path}/-/jobs/${job_id}`.slice(0, CHARS);
  return null;
}

function isLike(form: RegExp, claim: unknown): claim is string {
  return typeof claim === "string" && form.test(claim);
}

/** Returns a claim without control and direction characters, cut to the limit; `null` if it is not a text. */
function textOf(claim: unknown): string | null {
  return typeof claim === "string" && claim !== "" ? claim.replace(/[\p{Cc}\p{Cf}]/gu, "").slice(0, CHARS) : null;
}
