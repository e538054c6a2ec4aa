// Rows of the isolation matrix for OAuth clients that admins register, which sign users in with a client secret.

import { call } from "../../support/call";
import { fresh, type Thing } from "./actors";
import { json, nothing, open, type Row, type Sent, without } from "./table";

const CLIENT = { display_name: "A host", redirect_uris: ["https://host.example/callback"] };

async function storedClient(): Promise<Thing> {
  const name = fresh("client");
  const answer = await call("PUT", `/api/v1/oauth-clients/${name}`, { json: CLIENT });
  if (answer.status !== 201) throw new Error(await answer.text());
  return { name };
}

function client(route: string, status: number, spent: boolean, send: Sent): Row {
  const may = without({ admin: status }, 403);
  return { route, of: "public", scope: "admin", best: "admin", may, thing: storedClient, spent, send };
}

export const SIGN_IN_ROWS: Row[] = [
  open("GET /api/v1/oauth-clients", "admin", without({ admin: 200 }, 403)),
  client(
    "PUT /api/v1/oauth-clients/{name}",
    200,
    false,
    json(() => CLIENT),
  ),
  client("DELETE /api/v1/oauth-clients/{name}", 204, true, nothing),
];
