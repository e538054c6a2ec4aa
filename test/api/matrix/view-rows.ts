// Rows of the isolation matrix for read-only routes: older versions, and data that pages show to users.

import { conversation } from "./actors";
import { everybody, ghostly, open, own, type Row, skilled } from "./table";

const V = "/api/v1/kinds/skills/{id}/versions/{version_id}";

export const LOOKING_ROWS: Row[] = [
  ...skilled(`GET ${V}/files`, "read", 200),
  ...skilled(`GET ${V}/files/{path}`, "read", 200),
  ...skilled(`GET ${V}/permissions`, "read", 200),
  ...skilled(`GET ${V}/attestation`, "read", 200),
  open("POST /api/v1/kinds/ghosts/preview", "ghosts", everybody(200), () => ({ json: { spec: {} } })),
  // As with the usage of skills, only for users who manage the agent.
  ...ghostly("GET /api/v1/kinds/ghosts/{id}/predictions", "define", 200).map((row) => ({ ...row, spent: false })),
  open("GET /api/v1/users", "admin", { ...everybody(403), admin: 200 }),
  own("GET /api/v1/conversations/{id}/series", "conversations", conversation, 200),
];
