// Reviews of drafts.

import type { OperationTexts } from "./operation";

const R = "/api/v1/reviews";
const ZIP = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

export const REVIEW_TEXTS: OperationTexts = {
  [`GET ${R}`]: {
    id: "reviews.list",
    about:
      "Lists submissions, newest first: your own, and those that you can decide as a Maintainer of their group or, for public, as an admin.",
    query: { state: "open", scope: "public", mine: "false", limit: 20 },
  },
  [`POST ${R}`]: {
    id: "reviews.submit",
    about:
      "Submits one of your drafts to a group or to public. The submission follows the draft: when you push other content, it is `pending` again. Developers can submit to their group, and every user to public.",
    retry: "idempotent",
    body: { draft: "mermaid-diagram", namespace: "team", comment: "Please review." },
  },
  [`GET ${R}/{id}`]: {
    id: "reviews.get",
    about:
      "Returns a submission with the files and permissions that differ from the current version, findings, ranks of the example prompts, and its history.",
  },
  [`GET ${R}/{id}/download`]: {
    id: "reviews.download",
    about: "Returns the ZIP of a submission. Its SHA-256 is `zip_sha256`.",
  },
  [`POST ${R}/{id}/comments`]: {
    id: "reviews.comment",
    about: "Adds a comment to an open submission, also about a file or a line.",
    body: { comment: "Which version is meant here?", path: "SKILL.md", line: 12 },
  },
  [`POST ${R}/{id}/decision`]: {
    id: "reviews.decide",
    about:
      "Decides an open submission: `approve` publishes exactly the content with this digest and makes it current. Send `zip_sha256` and, to approve, the id of the compared version (`null` for a new skill), as you read them: if one has changed, the response is 409. Nobody decides their own submission. In an emergency, an admin can approve their own with `bypass`, which the audit log and the signed statement record.",
    body: { decision: "approve", zip_sha256: ZIP, base_version_id: null, comment: "Looks good." },
  },
  [`POST ${R}/{id}/withdraw`]: {
    id: "reviews.withdraw",
    about: "Withdraws an open submission. Only its author can.",
  },
};
