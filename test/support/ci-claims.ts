// The claims of jobs of GitHub Actions and GitLab CI, for tests.

export const GATEWAY = "https://gateway.test";

const times = () => {
  const now = Math.floor(Date.now() / 1_000);
  return { iat: now, nbf: now - 5, exp: now + 300 };
};

/** The claims of a job of GitHub Actions, with these changes. */
export function githubClaims(iss: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ...{ iss, aud: GATEWAY, jti: crypto.randomUUID(), ...times() },
    sub: "repo:acme/skills:environment:release",
    repository: "acme/skills",
    repository_id: "711",
    repository_owner: "acme",
    repository_owner_id: "42",
    repository_visibility: "private",
    environment: "release",
    event_name: "push",
    ref: "refs/tags/v1.4.0",
    ref_type: "tag",
    ref_protected: "true",
    sha: "0123456789abcdef0123456789abcdef01234567",
    workflow: "publish",
    workflow_ref: "acme/skills/.github/workflows/publish.yml@refs/tags/v1.4.0",
    job_workflow_ref: "acme/skills/.github/workflows/publish.yml@refs/tags/v1.4.0",
    run_id: "9001",
    run_attempt: "1",
    actor: "jo",
    ...more,
  };
}

/** The claims of a job of GitLab CI, with these changes. */
export function gitlabClaims(iss: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ...{ iss, aud: GATEWAY, jti: crypto.randomUUID(), ...times() },
    sub: "project_path:acme/tools/skills:ref_type:tag:ref:v1.4.0",
    project_path: "acme/tools/skills",
    project_id: "711",
    namespace_path: "acme/tools",
    namespace_id: "42",
    ref: "v1.4.0",
    ref_type: "tag",
    ref_path: "refs/tags/v1.4.0",
    ref_protected: "true",
    sha: "0123456789abcdef0123456789abcdef01234567",
    pipeline_id: "80",
    pipeline_source: "push",
    job_id: "9001",
    ci_config_ref_uri: "gitlab.acme.dev/acme/tools/skills//.gitlab-ci.yml@refs/tags/v1.4.0",
    user_login: "jo",
    ...more,
  };
}
