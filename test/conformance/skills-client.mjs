// The gateway as a client of servers that offer skills (SEP-2640): an admin stores the scenario's server and lists its skills. In the
// scenarios with files that differ from the list, the admin also approves each skill. The suite appends the server's address.

import { randomUUID } from "node:crypto";
import { callGateway } from "./stage.mjs";

const gateway = { url: process.env.GATEWAY_URL, key: process.env.GATEWAY_KEY };
const path = `/api/v1/mcp-servers/s${randomUUID().slice(0, 8)}`;

await callGateway(gateway, "PUT", path, { url: process.argv.at(-1), timeout: 20, connect_timeout: 20 });
try {
  const { items } = await callGateway(gateway, "GET", `${path}/skills`);
  console.log(JSON.stringify(items));
  if (process.env.MCP_CONFORMANCE_SCENARIO !== "sep-2640-client-no-prefetch")
    // A skill that differs is rejected. Whether the gateway read on is what the scenario judges.
    for (const { uri, digest } of items)
      console.log(await callGateway(gateway, "POST", `${path}/skills`, { uri, digest }).catch(String));
} finally {
  await callGateway(gateway, "DELETE", path);
}
