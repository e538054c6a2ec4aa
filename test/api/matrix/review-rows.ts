// Rows of the isolation matrix for reviews: a submission of the group's Developer, which its Maintainers and Owners decide.

import { call } from "../../support/call";
import { form, skillZip } from "../../support/skill";
import { draft, fresh, group, keyOfUser, type Thing } from "./actors";
import { everybody, json, open, own, type Row } from "./table";

const R = "/api/v1/reviews";
const D = "/api/v1/kinds/skills/drafts";

/** A submission of the Developer. */
async function submission(): Promise<Thing> {
  const { group: namespace = "" } = await group();
  const name = fresh("reviewed");
  const key = await keyOfUser("Developer");
  const pushed = await call("PUT", `${D}/${name}`, { key, body: form(skillZip({ name })) });
  if (!pushed.ok) throw new Error(await pushed.text());
  const made = await call("POST", R, { key, json: { draft: name, namespace } });
  if (!made.ok) throw new Error(await made.text());
  const { id, zip_sha256 } = await made.json<{ id: string; zip_sha256: string }>();
  return { group: namespace, id, zip_sha256, path: "SKILL.md" };
}

/** Returns a row for a route on a submission. */
function reviewed(route: string, scope: string, best: Row["best"], may: Row["may"], more: Partial<Row> = {}): Row {
  return { route, of: "group", scope, best, may, thing: submission, spent: false, send: () => ({}), ...more };
}

const SEES = { Developer: 200, Maintainer: 200, Owner: 200 };
const ADDS = { Developer: 201, Maintainer: 201, Owner: 201 };
const spent = true;

export const REVIEW_ROWS: Row[] = [
  open(`GET ${R}`, "skills:read", everybody(200)),
  // Drafts belong to the caller, so there is no draft of another user to submit.
  own(`POST ${R}`, "skills:write", draft, 201, { send: json(({ name }) => ({ draft: name, public: true })), spent }),
  reviewed(`GET ${R}/{id}`, "skills:read", "Owner", SEES),
  reviewed(`GET ${R}/{id}/download`, "skills:read", "Owner", SEES),
  reviewed(`POST ${R}/{id}/comments`, "skills:write", "Owner", ADDS, { send: json(() => ({ comment: "Why?" })) }),
  reviewed(
    `POST ${R}/{id}/decision`,
    "skills:write",
    "Owner",
    { Developer: 403, Maintainer: 200, Owner: 200 },
    { spent, send: json(({ zip_sha256 }) => ({ decision: "approve", zip_sha256, base_version_id: null })) },
  ),
  reviewed(
    `POST ${R}/{id}/withdraw`,
    "skills:write",
    "Developer",
    { Developer: 200, Maintainer: 403, Owner: 403 },
    { spent },
  ),
];
