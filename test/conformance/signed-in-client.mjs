// The gateway as an OAuth client under test: a user of its own stores the scenario's server, connects it in a browser, and calls its tools
// in a conversation. If a call asks for more scopes, the user signs in again. The suite appends the server's address.

import { randomUUID } from "node:crypto";
import { followConnectLink } from "../support/connect-browser.mjs";
import { callsOf } from "./calls.mjs";
import { callGateway } from "./stage.mjs";

const gateway = { url: process.env.GATEWAY_URL, key: process.env.GATEWAY_KEY };
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
/** Whether the client itself is the account, so that no user signs in. */
const isMachine = (process.env.MCP_CONFORMANCE_SCENARIO ?? "").startsWith("auth/client-credentials");
const name = `s${randomUUID().slice(0, 8)}`;
/** Sign-ins after the first: a server that always asks for more must not be asked for ever. */
const MOST_STEP_UPS = 3;

const made = await callGateway(gateway, "POST", "/api/v1/keys", { user_id: name });
const user = { url: gateway.url, key: made.key };
const call = (method, route, body) => callGateway(user, method, route, body);
const chat = `/api/v1/conversations/${name}`;

try {
  const url = process.argv.at(-1);
  await call("PUT", `/api/v1/servers/${name}`, { url, timeout: 20, connect_timeout: 20, ...(await registered()) });
  if (!isMachine) {
    const { url: link } = await call("POST", `/api/v1/mcp-servers/${name}/connect`, {});
    console.log(await followConnectLink(link, user.key));
  }
  let turn = await call("POST", `${chat}/turns`, { conversation: {} });
  while (turn.warnings.some(({ code }) => code === "MCP_SERVER_CONNECTING"))
    turn = await call("POST", `${chat}/turns`, {});
  const prefix = `${name}__`;
  const offered = turn.tools
    .filter((tool) => tool.name.startsWith(prefix))
    .map((tool) => ({ ...tool, name: tool.name.slice(prefix.length) }));
  console.log(JSON.stringify({ warnings: turn.warnings, offered: offered.map((tool) => tool.name) }));
  for (const one of callsOf(offered)) {
    for (let stepUps = 0; ; stepUps++) {
      const calls = [{ id: randomUUID(), ...one, name: prefix + one.name }];
      const text = JSON.stringify(await call("POST", `${chat}/tool-calls`, { calls }));
      console.log(text);
      const [again] = /https?:\/\/[^\s"\\]+\/oauth\/connect\/\w+/.exec(text) ?? [];
      if (again === undefined || stepUps === MOST_STEP_UPS) break;
      console.log(await followConnectLink(again, user.key));
    }
  }
} catch (error) {
  // Scenarios with a wrong issuer end here: what the gateway has sent is what they judge.
  console.log(String(error));
} finally {
  await callGateway(gateway, "DELETE", `/api/v1/users/${name}`);
}

/** The client that the scenario has registered, if it has. */
async function registered() {
  const { client_id, client_secret } = context;
  if (client_id === undefined) return {};
  const hosts = ["localhost", "127.0.0.1"];
  await call("PUT", "/api/v1/secrets/CLIENT", { value: client_secret, hosts });
  const grant = isMachine ? { grant: "client_credentials" } : {};
  return { oauth: { client_id, client_secret: `\${{secrets.CLIENT}}`, ...grant } };
}
