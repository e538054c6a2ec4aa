// Records the examples of skills, versions, drafts, agents (ghosts), links and imports.

import { releaseNotes, weatherReport, withoutDescription } from "./packages.mjs";

const FIRST_RULE = "End with the steps that an upgrade needs.";
/** More skills than a conversation preloads, so that the model loads them. */
const SKILLS = ["release-notes", "csv-report", "mermaid-diagram", "skill-creator", "wiki-submit"];
const SPEC = { systemPrompt: "You write for the product team.", skills: SKILLS, retentionTurns: 3 };

/**
 * Publishes skills as alice and as the admin.
 * @param {import("./recorder.mjs").Recorder} on
 */
export async function recordSkills(on) {
  await on.record("skills.validate", { form: { file: releaseNotes("1.0.0", FIRST_RULE) } });
  const own = await on.record("skills.publish", {
    form: { file: releaseNotes("1.0.0", FIRST_RULE), namespace: "default" },
  });
  const { id } = own.metadata.labels;
  await on.recordAs("errors.package", "skills.publish", { form: { file: withoutDescription }, status: 422 });
  await on.record("skills.publishVersion", {
    path: { id },
    form: { file: releaseNotes("1.1.0", "Name no ticket numbers.") },
  });
  const reports = {
    admin: weatherReport("1.0.0", []),
    second: weatherReport("1.1.0", ["radar"]),
    third: weatherReport("1.2.0", ["alerts"]),
  };
  const open = await on.record("skills.publishPublic", { as: "admin", form: { file: reports.admin } });
  const publicId = open.metadata.labels.id;
  await on.record("skills.publishPublicForm", { as: "admin", form: { file: reports.second, marketplace_tags: "[]" } });
  const latest = await on.record("skills.publishPublicVersion", {
    as: "admin",
    path: { id: publicId },
    form: { file: reports.third },
  });

  await on.record("skills.list", { query: { limit: 10, count: true } });
  await on.recordAs("skills.search", "skills.list", { query: { q: "draw a flow chart", limit: 10 } });
  await on.record("skills.unified", { query: { scope: "all", limit: 10 } });
  await on.record("skills.listPublic", { query: { limit: 10 } });
  await on.record("skills.get", { path: { id } });
  await on.recordAs("errors.notFound", "skills.get", { path: { id: "skl_unknown" }, status: 404 });
  await on.record("skills.invoke", { json: { skill_name: "release-notes" } });
  await on.record("skills.content", { path: { id: publicId } });
  await on.record("skills.files", { path: { id } });
  await on.record("skills.file", { path: { id, path: "references/style.md" } });
  await on.record("skills.download", { path: { id } });
  await on.record("skills.downloadPublic", { path: { id: publicId } });

  const { version_id } = own.status;
  const version = { id, version_id };
  await on.record("versions.list", { path: { id } });
  await on.record("versions.files", { path: version });
  await on.record("versions.file", { path: { ...version, path: "references/style.md" } });
  await on.record("versions.permissions", {
    path: { id: publicId, version_id: latest.status.version_id },
    query: { base: "1.0.0" },
  });
  const tested = await on.record("skills.recordEvals", {
    path: { id },
    json: {
      version_id: own.status.version_id,
      runner: "skillgate test",
      cases: [
        { name: "routing: write the release notes of 1.2", passed: true },
        { name: "check: scripts/notes.js", passed: false, reason: "the exit code is 1, expected 0" },
      ],
    },
  });
  await on.record("skills.evals", { path: { id } });
  await on.record("skills.evalRun", { path: { id, run_id: tested.id } });
  const rolled = { as: "admin", path: { id: publicId } };
  await on.record("skills.setRollout", { ...rolled, json: { candidate: "1.0.0", percent: 10 } });
  await on.record("skills.rollout", rolled);
  await on.record("skills.promoteRollout", rolled);
  await on.send("skills.setRollout", {
    ...rolled,
    json: { candidate: latest.status.version_id, percent: 100 },
  });
  await on.send("skills.promoteRollout", rolled);
  await on.send("skills.setRollout", { ...rolled, json: { candidate: "1.0.0", percent: 1 } });
  await on.record("skills.stopRollout", rolled);
  await on.record("versions.attestation", { path: version });
  await on.record("versions.activate", { path: version });
  await on.record("versions.yank", { path: version });
  await on.record("versions.unyank", { path: version });
  await on.record("versions.verdict", {
    as: "admin",
    path: { id: publicId, version_id: open.status.version_id },
    json: { blocked: true, reason: "It sends the location of the user." },
  });
  await recordNetwork(on, publicId);
  await on.record("skills.share", { path: { id }, json: { group_name: "team" } });
  return { id, publicId };
}

/** The hosts and variables of the public skill. */
async function recordNetwork(on, id) {
  const values = (value) => ({ values: { WEATHER_KEY: value }, hosts: ["api.example.com"] });
  await on.record("skills.network", { path: { id } });
  await on.record("skills.approveNetwork", { as: "admin", path: { id }, json: { hosts: ["api.example.com"] } });
  await on.record("skills.setEnv", { as: "admin", path: { id }, json: values("wk-0123456789abcdef") });
  await on.record("skillEnv.set", { path: { skill: id }, json: values("wk-fedcba9876543210") });
  await on.record("skillEnv.get", { path: { skill: id } });
  await on.record("skillEnv.list", { query: { limit: 20 } });
  await on.record("skillEnv.delete", { path: { skill: id }, query: { name: "WEATHER_KEY" } });
  await on.record("skills.deleteEnv", { as: "admin", path: { id }, query: { name: "WEATHER_KEY" } });
}

/** @param {import("./recorder.mjs").Recorder} on */
export async function recordDrafts(on) {
  const draft = releaseNotes("1.2.0", "Link each feature to its page.");
  await on.record("drafts.push", { path: { name: "release-notes" }, form: { file: draft, users: "bob" } });
  await on.record("drafts.list");
  await on.record("drafts.promote", { path: { name: "release-notes" } });
  await recordReviews(on);
  await on.record("drafts.delete", { path: { name: "release-notes" } });
}

/** A submission to the group, which another Maintainer approves, and one that its author withdraws. */
async function recordReviews(on) {
  const to = { draft: "release-notes", namespace: "team" };
  await on.send("drafts.push", { path: { name: "release-notes" }, form: { file: releaseNotes("1.3.0", "One page.") } });
  const made = await on.record("reviews.submit", { json: { ...to, comment: "Please review." } });
  const path = { id: made.id };
  await on.record("reviews.list", { as: "admin", query: { state: "open", limit: 20 } });
  const { zip_sha256, base } = await on.record("reviews.get", { as: "admin", path });
  await on.record("reviews.download", { as: "admin", path });
  await on.record("reviews.comment", {
    as: "admin",
    path,
    json: { comment: "Which page is meant?", path: "SKILL.md", line: 8 },
  });
  const json = { decision: "approve", zip_sha256, base_version_id: base?.version_id ?? null, comment: "Looks good." };
  await on.record("reviews.decide", { as: "admin", path, json });
  const again = await on.send("reviews.submit", { json: to });
  await on.record("reviews.withdraw", { path: { id: again.id } });
}

/** @param {import("./recorder.mjs").Recorder} on */
export async function recordAgents(on, { id }) {
  await on.record("ghosts.preview", {
    json: { spec: { ...SPEC, skills: SKILLS.slice(0, 2), preload_skills: ["release-notes"] } },
  });
  const made = await on.record("ghosts.create", { json: { metadata: { name: "editor" }, spec: SPEC } });
  const path = { id: made.metadata.labels.id };
  await on.record("ghosts.list", { query: { limit: 10 } });
  await on.record("ghosts.get", { path });
  await on.record("ghosts.predictions", { path, query: { days: 7 } });
  await on.record("ghosts.replace", {
    path,
    json: { metadata: { name: "editor" }, spec: { ...SPEC, retentionTurns: 5 } },
  });
  await on.record("ghosts.setByName", {
    path: { namespace: "default", name: "writer" },
    json: { spec: { ...SPEC, skills: SKILLS.slice(0, 2) } },
  });
  await on.record("skills.references", { path: { id } });
  await on.recordAs("errors.conflict", "skills.delete", { path: { id }, status: 409 });
  return path;
}

/** @param {import("./recorder.mjs").Recorder} on */
export async function recordReports(on, { publicId }) {
  const path = { id: publicId };
  await on.record("ratings.list", { path, query: { limit: 10 } });
  const json = { reason: "malicious", message: "It sends the location of the user." };
  const report = await on.record("reports.create", { path, json });
  await on.record("reports.list", { as: "admin", query: { state: "open", limit: 10 } });
  const decision = { decision: "resolved", note: "The version is blocked." };
  await on.record("reports.decide", { as: "admin", path: report, json: decision });
}

/** Deletes everything that the other functions created. */
export async function recordDeletions(on, { id, publicId }, ghost) {
  await on.record("skills.usageOfAll", { query: { days: 7 } });
  await on.record("skills.usage", { path: { id }, query: { days: 7 } });
  await on.record("insights.overview");
  await on.record("insights.skills");
  await on.record("insights.unused");
  await on.record("insights.versions", { query: { skill_id: id } });
  await on.record("insights.searches", { as: "admin" });
  await on.record("insights.services", { query: { kind: "server" } });
  await on.record("skills.removeReference", { path: { id, ghost_id: ghost.id } });
  await on.record("skills.removeReferences", { path: { id } });
  await on.record("ghosts.delete", { path: ghost });
  await on.record("skills.delete", { path: { id } });
  await on.record("skills.deletePublic", { as: "admin", path: { id: publicId } });
}

/** @param {import("./recorder.mjs").Recorder} on */
export async function recordSharing(on, { publicId }) {
  const link = await on.record("links.create", { json: { name: "laptops of the team" } });
  await on.record("links.list");
  await on.record("links.revoke", { path: { id: link.id } });
  await on.record("openSkills.add", { as: "admin", path: { id: publicId } });
  await on.record("openSkills.list", { as: "admin" });
  await on.record("openSkills.remove", { as: "admin", path: { id: publicId } });
}

/**
 * @param {import("./recorder.mjs").Recorder} on
 * @param {{ url: string }} site a site with an index of skills
 */
export async function recordImports(on, site) {
  const source = { type: "index", url: site.url };
  const mirror = { as: "admin", json: { source, namespace: "public", mirror: true } };
  const { id } = await on.record("imports.start", mirror);
  const path = { id };
  await on.send("imports.get", { as: "admin", path, repeatWhile: ({ body }) => body.state === "running" });
  await on.record("imports.list", { as: "admin" });
  await on.record("imports.get", { as: "admin", path, query: { state: "failed", limit: 20 } });
  await on.record("imports.cancel", { as: "admin", path });
  await on.record("imports.delete", { as: "admin", path });
}
