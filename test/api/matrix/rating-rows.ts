// Rows of the isolation matrix for ratings and reports.

import { env } from "cloudflare:workers";
import { skill, type Thing, USERS, userOf } from "./actors";
import { everybody, json, members, open, type Row, skilled, without } from "./table";

const S = "/api/v1/kinds/skills/{id}";
const R = "/api/v1/reports";

/** A skill that every user has loaded, with a rating of a user who is no actor. */
async function ratedSkill(of: "self" | "group" | "public"): Promise<Thing> {
  const thing = await skill(of);
  const used = "INSERT INTO skill_users (user_id, skill_id, day) VALUES (?, ?, 0)";
  const rating_id = `rtg_${thing.id}`;
  const rated = "INSERT INTO skill_ratings (skill_id, user_id, id, stars, version_id) VALUES (?, ?, ?, 4, ?)";
  const own = USERS.map((user) =>
    env.DB.prepare(rated).bind(thing.id, userOf(user), `rtg_${user}_${thing.id}`, thing.version_id),
  );
  await env.DB.batch([
    ...USERS.map((user) => env.DB.prepare(used).bind(userOf(user), thing.id)),
    env.DB.prepare(rated).bind(thing.id, "matrix-rater", rating_id, thing.version_id),
    ...own,
  ]);
  return { ...thing, rating_id };
}

async function report(): Promise<Thing> {
  const thing = await skill("public");
  const id = `rpt_${thing.id}`;
  await env.DB.prepare(
    "INSERT INTO skill_reports (id, skill_id, rating_id, user_id, reason) VALUES (?, ?, '', 'matrix-rater', 'spam')",
  )
    .bind(id, thing.id)
    .run();
  return { ...thing, id };
}

/** Rows for a route on a rated skill of a group and of the public scope. */
function rated(route: string, scope: string, inGroup: Row["may"], publicly: Row["may"], send?: Row["send"]): Row[] {
  const row = (of: "group" | "public", best: Row["best"], may: Row["may"]): Row => ({
    ...{ route, of, scope, best, may, spent: true },
    thing: () => ratedSkill(of),
    send: send ?? (() => ({})),
  });
  const bestOf = (may: Row["may"]) => (may.admin !== undefined && may.admin < 300 ? "admin" : "Maintainer");
  return [row("group", bestOf(inGroup), inGroup), row("public", publicly.self === 403 ? "admin" : "self", publicly)];
}

const stars = json(() => ({ stars: 5, comment: null }));
const forAdmins = (status: number) => without({ admin: status }, 403);
/** Who published the skill cannot rate it. */
const ratingIn = (published: "Owner" | "admin", may: Row["may"], status: number) => ({ ...may, [published]: status });

export const RATING_ROWS: Row[] = [
  ...skilled(`GET ${S}/ratings`, "read", 200),
  ...rated(
    `PUT ${S}/ratings/own`,
    "skills:write",
    ratingIn("Owner", members("Reporter", 200), 409),
    ratingIn("admin", everybody(200), 409),
    stars,
  ),
  ...rated(`DELETE ${S}/ratings/own`, "skills:write", members("Reporter", 204), everybody(204)),
  ...rated(
    `PUT ${S}/ratings/{rating_id}/answer`,
    "skills:write",
    members("Developer", 200),
    forAdmins(200),
    json(() => ({ text: "Thanks." })),
  ),
  ...rated(
    `PUT ${S}/ratings/{rating_id}/hidden`,
    "admin",
    members("Reporter", 403),
    forAdmins(200),
    json(() => ({ hidden: true, reason: null })),
  ).filter(({ of }) => of === "public"),
  ...skilled(`POST ${S}/reports`, "read", 201, { send: json(() => ({ reason: "spam" })), scope: "skills:write" }).map(
    (row) => ({ ...row, spent: true }),
  ),
  open(`GET ${R}`, "admin", forAdmins(200)),
  open(
    `PUT ${R}/{id}/decision`,
    "admin",
    forAdmins(200),
    json(() => ({ decision: "resolved" })),
    report,
  ),
];
