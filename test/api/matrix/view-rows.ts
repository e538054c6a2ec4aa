// Rows of the isolation matrix for read-only routes: older versions, and data that pages show to users.

import { conversation, skill } from "./actors";
import { everybody, ghostly, open, own, type Row, skilled } from "./table";

const V = "/api/v1/kinds/skills/{id}/versions/{version_id}";

const I = "/api/v1/insights";

/** Figures of the versions of a skill. A skill that the caller cannot measure looks like a missing one. */
function measured(of: "self" | "group" | "public", may: Row["may"]): Row {
  const best = of === "self" ? "self" : of === "group" ? "Owner" : "admin";
  return {
    ...{ route: `GET ${I}/versions`, of, scope: "skills:read", best, may: { ...may, admin: 200 }, spent: false },
    ...{ thing: () => skill(of), send: () => ({}), query: ({ id = "" }) => `?skill_id=${id}` },
  };
}

export const LOOKING_ROWS: Row[] = [
  ...skilled(`GET ${V}/files`, "read", 200),
  ...skilled(`GET ${V}/files/{path}`, "read", 200),
  ...skilled(`GET ${V}/permissions`, "read", 200),
  ...skilled(`GET ${V}/attestation`, "read", 200),
  open("POST /api/v1/kinds/ghosts/preview", "ghosts", everybody(200), () => ({ json: { spec: {} } })),
  // As with the usage of skills, only for users who manage the agent.
  ...ghostly("GET /api/v1/kinds/ghosts/{id}/predictions", "define", 200).map((row) => ({ ...row, spent: false })),
  ...["overview", "skills", "unused"].map((path) => open(`GET ${I}/${path}`, "skills:read", everybody(200))),
  { ...open(`GET ${I}/services`, "skills:read", everybody(200)), query: () => "?kind=server" },
  measured("self", { self: 200 }),
  measured("group", { Owner: 200, Maintainer: 200 }),
  measured("public", {}),
  ...skilled("GET /api/v1/kinds/skills/{id}/evals", "manage", 200, { scope: "skills:read", spent: false }),
  ...skilled("GET /api/v1/kinds/skills/{id}/evals/{run_id}", "manage", 404, { scope: "skills:read", spent: false }),
  ...skilled("POST /api/v1/kinds/skills/{id}/evals", "change", 201, {
    send: () => ({ json: { digest: "9f".repeat(32), cases: [{ name: "one", passed: true }] } }),
    spent: false,
  }),
  // No skill of the matrix has a rollout: those who can manage a skill are told so.
  ...skilled("GET /api/v1/kinds/skills/{id}/rollout", "manage", 404, { scope: "skills:read", spent: false }),
  ...skilled("PUT /api/v1/kinds/skills/{id}/rollout", "manage", 404, {
    send: () => ({ json: { candidate: "ver_none", percent: 10 } }),
  }),
  ...skilled("POST /api/v1/kinds/skills/{id}/rollout/promote", "manage", 404),
  ...skilled("DELETE /api/v1/kinds/skills/{id}/rollout", "manage", 404),
  open(`GET ${I}/searches`, "skills:read", { ...everybody(403), admin: 200 }),
  open("GET /api/v1/users", "admin", { ...everybody(403), admin: 200 }),
  own("GET /api/v1/conversations/{id}/series", "conversations", conversation, 200),
  own("GET /api/v1/conversations/{id}/feedback", "conversations", conversation, 200),
  own("POST /api/v1/conversations/{id}/feedback", "conversations", conversation, 200, {
    send: () => ({ json: { turn: 1, score: 1 } }),
  }),
];
