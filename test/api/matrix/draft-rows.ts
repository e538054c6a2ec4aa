// Rows of the isolation matrix for drafts and their reviews. Only the author can use these routes; conversation tests cover the users that a draft is shared
// with.

import { draft, fresh } from "./actors";
import { REVIEW_ROWS } from "./review-rows";
import { everybody, open, own, type Row, zip } from "./table";

const D = "/api/v1/kinds/skills/drafts";
const named = zip(
  () => ({}),
  ({ name = "" }) => name,
);

/** Returns an unused name and a package with that name. */
async function newDraft() {
  const name = fresh("draft");
  return { name, skill: name };
}

export const DRAFT_ROWS: Row[] = [
  open(`GET ${D}`, "skills:read", everybody(200)),
  // Draft names belong to the caller, so there is no draft of another user to overwrite.
  open(`PUT ${D}/{name}`, "skills:write", everybody(201), named, newDraft),
  own(`DELETE ${D}/{name}`, "skills:write", draft, 204, { spent: true }),
  own(`POST ${D}/{name}/promote`, "skills:write", draft, 201, { spent: true }),
  ...REVIEW_ROWS,
];
