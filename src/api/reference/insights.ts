// Insights: figures of skills, versions, MCP servers and models.

import type { OperationTexts } from "./operation";

export const INSIGHT_TEXTS: OperationTexts = {
  "GET /api/v1/insights/overview": {
    id: "insights.overview",
    about:
      "Returns how often skills were used, by day or hour, and the sums of the same time before. Counts your own skills, those of groups in which you are a Maintainer, and, for admins, all. The figures do not identify users. They arrive within an hour.",
    query: { format: "json", from: "2026-01-01", to: "2026-01-31" },
  },
  "GET /api/v1/insights/skills": {
    id: "insights.skills",
    about: "Lists the figures of the skills that were used in a period, most used first, as JSON or CSV.",
    query: { format: "json", sort: "failures" },
  },
  "GET /api/v1/insights/unused": {
    id: "insights.unused",
    about: "Lists skills that no conversation has used for some days, oldest first, as JSON or CSV.",
    query: { format: "json", days: 30 },
  },
  "GET /api/v1/insights/versions": {
    id: "insights.versions",
    about:
      "Lists the versions of a skill with their figures, newest first, as JSON or CSV. Only for its owner, Maintainers of its group, and admins.",
    query: { format: "json", skill_id: "skl_81f0c2" },
  },
  "GET /api/v1/insights/services": {
    id: "insights.services",
    about:
      "Lists stored MCP servers or models that were called in a period, the most failures first, as JSON or CSV. Servers of skills count as calls of the skill.",
    query: { format: "json", kind: "server" },
  },
  "GET /api/v1/insights/searches": {
    id: "insights.searches",
    about:
      "Lists searches of models that found no skill, the most frequent first, as JSON or CSV. Needs `INSIGHT_QUERIES=on`. Admins only.",
    query: { format: "json", from: "2026-01-01", to: "2026-01-31" },
  },
  "GET /api/v1/kinds/skills/{id}/evals": {
    id: "skills.evals",
    about:
      "Lists the recorded runs of a skill's test cases, newest first, without the cases. A run belongs to a content: the version that has it is in `version_id`. For users who can see the usage of the skill. At most 100 runs of a skill are stored.",
  },
  "POST /api/v1/kinds/skills/{id}/evals": {
    id: "skills.recordEvals",
    about:
      "Records a run of a skill's test cases, as `skillgate test --record` does, and compares it with the version before. For users who can publish the skill. The run counts as an upload in the daily limit. The last five runs of a content are stored.",
    body: {
      version_id: "ver_81f0c2",
      runner: "skillgate test",
      cases: [
        { name: "routing: write release notes", passed: true },
        { name: "check: scripts/notes.js", passed: false, reason: "the exit code is 1, expected 0" },
      ],
    },
  },
  "GET /api/v1/kinds/skills/{id}/evals/{run_id}": {
    id: "skills.evalRun",
    about: "Returns a recorded run with its cases. For users who can see the usage of the skill.",
  },
  "GET /api/v1/kinds/skills/{id}/rollout": {
    id: "skills.rollout",
    about:
      "Returns the rollout of a skill with the uses and failures of both versions since it began. For users who can see the figures of the skill.",
  },
  "PUT /api/v1/kinds/skills/{id}/rollout": {
    id: "skills.setRollout",
    about:
      "Starts the rollout of a version to a share of the conversations, or changes the share. A conversation keeps its version while the share rises. Another candidate starts a new rollout.",
    body: { candidate: "1.1.0", percent: 10 },
    retry: "idempotent",
  },
  "POST /api/v1/kinds/skills/{id}/rollout/promote": {
    id: "skills.promoteRollout",
    about: "Makes the candidate of a rollout the current version, which ends the rollout.",
    body: { candidate: "1.1.0" },
  },
  "DELETE /api/v1/kinds/skills/{id}/rollout": {
    id: "skills.stopRollout",
    about: "Ends a rollout. All conversations use the current version from their next turn on.",
  },
};
