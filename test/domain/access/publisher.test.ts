// Rules of trusted publishers: which are accepted, which claims they match, and what of the claims becomes provenance.

import { describe, expect, it } from "vitest";
import { provenanceOf } from "../../../src/domain/access/provenance";
import { publisherEntrySchema, unmatchedClaim } from "../../../src/domain/access/publisher";

const entry = (more: object) => ({
  issuer: "https://token.actions.githubusercontent.com",
  claims: { repository: "acme/skills" },
  skills: ["poem"],
  ...more,
});
const isValid = (more: object) => publisherEntrySchema.safeParse(entry(more)).success;

describe("a publisher", () => {
  it.each([
    ["an exact repository", { repository: "acme/skills" }],
    ["all repositories of an owner", { repository: "acme/*" }],
    ["a prefix of a repository's name", { repository: "acme/skills-*" }],
    ["a project of GitLab", { project_path: "acme/tools/*" }],
    ["an exact subject", { sub: "system:serviceaccount:ci:publisher" }],
    ["a subject's prefix with its owner", { sub: "repo:acme/skills:environment:*" }],
    ["tags", { repository: "acme/skills", ref: "refs/tags/v*" }],
    ["an id", { repository_id: "711" }],
  ])("can require %s", (_, claims) => {
    expect(isValid({ claims })).toBe(true);
  });

  it.each([
    ["any repository", { repository: "*" }],
    ["repositories of owners that begin alike", { repository: "acme*" }],
    ["repositories without an owner", { repository: "/*" }],
    ["an empty part of an owner", { repository: "acme//*" }],
    ["any project", { project_path: "*" }],
    ["any subject", { sub: "*" }],
    ["any subject of a kind", { sub: "repo:*" }],
    ["ids that begin alike", { repository_id: "7*" }],
    ["any value of another claim", { repository: "acme/skills", ref: "*" }],
    ["a pattern in the middle", { repository: "acme/*/skills" }],
    ["two patterns", { repository: "acme/**" }],
    ["no project", { ref: "refs/heads/main" }],
    ["nothing", {}],
    ["an empty value", { repository: "" }],
    ["a list", { repository: ["acme/skills"] }],
    ["hidden characters", { repository: "acme/ski\u200blls" }],
  ])("cannot require %s", (_, claims) => {
    expect(isValid({ claims })).toBe(false);
  });

  it.each([
    "http://token.actions.githubusercontent.com",
    "https://Token.Actions.GithubUserContent.com",
    "https://user:secret@ci.acme.dev",
    "https://ci.acme.dev?tenant=a",
    "https://ci.acme.dev/#a",
    "https://ci.acme.dev/a/../b",
    "https://ci.acme.dev:443",
    "ci.acme.dev",
  ])("cannot have the issuer %s", (issuer) => {
    expect(isValid({ issuer })).toBe(false);
  });

  it("has skills, and keys of at most an hour", () => {
    expect(publisherEntrySchema.parse(entry({})).key_minutes).toBe(15);
    for (const more of [{ skills: [] }, { key_minutes: 0 }, { key_minutes: 61 }, { other: 1 }])
      expect(isValid(more)).toBe(false);
  });
});

describe("a rule", () => {
  it.each([
    ["acme/skills", "acme/skills", true],
    ["acme/skills", "acme/Skills", false],
    ["acme/skills", "acme/skills-evil", false],
    ["acme/skills", "evil/skills", false],
    ["acme/*", "acme/skills", true],
    ["acme/*", "acme-evil/skills", false],
    ["acme/*", "acme/skills/more", false],
    ["acme/*", "acme/", false],
    ["refs/tags/v*", "refs/tags/v1.4.0", true],
    ["refs/tags/v*", "refs/tags/v1/evil", false],
    ["refs/tags/v*", "refs/heads/v1", false],
    ["repo:acme/skills:environment:*", "repo:acme/skills:environment:release", true],
    ["repo:acme/skills:environment:*", "repo:acme/skills:environment:a:b", false],
  ])("%s with the claim %s: %s", (rule, claim, matches) => {
    expect(unmatchedClaim({ repository: rule }, { repository: claim })).toBe(matches ? null : "repository");
  });

  it.each([[undefined], [null], [["acme/skills"]], [711], [true], [{ toString: "acme/skills" }]])(
    "matches no claim that is %j",
    (claim) => {
      expect(unmatchedClaim({ repository: "acme/skills" }, { repository: claim })).toBe("repository");
    },
  );

  it("matches no inherited member", () => {
    const claims = Object.create({ repository: "acme/skills" });
    expect(unmatchedClaim({ repository: "acme/skills" }, claims)).toBe("repository");
  });
});

describe("provenance", () => {
  it("has texts only, without hidden characters, and of limited length", () => {
    const claims = { sub: "a".repeat(2_000), repository: "acme/\u202eskills", sha: ["0123"], ref: 5, run_id: "1" };
    const found = provenanceOf("releases", "https://token.actions.githubusercontent.com", claims);
    expect(found).toEqual({
      publisher: "releases",
      issuer: "https://token.actions.githubusercontent.com",
      subject: "a".repeat(500),
      repository: "acme/skills",
    });
  });

  it.each([
    [
      "https://token.actions.githubusercontent.com",
      { repository: "acme/skills", run_id: "7" },
      "https://github.com/acme/skills/actions/runs/7",
    ],
    [
      "https://github.acme.dev/_services/token",
      { repository: "acme/skills", run_id: "7" },
      "https://github.acme.dev/acme/skills/actions/runs/7",
    ],
    ["https://gitlab.com", { project_path: "acme/a/b", job_id: "7" }, "https://gitlab.com/acme/a/b/-/jobs/7"],
    ["https://gitlab.com", { project_path: "acme/a?b", job_id: "7" }, undefined],
    ["https://gitlab.com", { project_path: "acme/a", job_id: "7/../x" }, undefined],
    ["https://ci.acme.dev", { repository: "acme/skills", run_id: "7" }, undefined],
  ])("names the run of %s", (issuer, claims, url) => {
    expect(provenanceOf("releases", issuer, { sub: "s", ...claims }).run_url).toBe(url);
  });
});
