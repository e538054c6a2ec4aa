// Rows for trusted publishers.

import { fresh, PUBLISHER } from "./actors";
import { everybody, json, open, owned, type Row } from "./table";

export const PUBLISHER_ROWS: Row[] = [
  open("GET /api/v1/publishers", "keys", everybody(200)),
  ...owned("publishers", "GET", 200),
  ...owned("publishers", "PUT", 200),
  open(
    "PUT /api/v1/publishers/{name}",
    "keys",
    everybody(201),
    json(() => PUBLISHER),
    async () => ({ name: fresh("own-publisher") }),
  ),
  ...owned("publishers", "DELETE", 204),
];
