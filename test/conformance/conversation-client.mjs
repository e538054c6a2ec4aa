// The gateway as the client under test: the scenario's server becomes a server of a conversation, which calls its tools. The suite appends
// the server's address.

import { randomUUID } from "node:crypto";
import { callsOf } from "./calls.mjs";
import { callGateway } from "./stage.mjs";

const gateway = { url: process.env.GATEWAY_URL, key: process.env.GATEWAY_KEY };
const call = (method, route, body) => callGateway(gateway, method, route, body);
const name = `s${randomUUID().slice(0, 8)}`;
const chat = `/api/v1/conversations/${name}`;

try {
  const server = { url: process.argv.at(-1), timeout: 20, connect_timeout: 20 };
  const conversation = { spec: { systemPrompt: "", skills: [], mcpServers: { [name]: server } } };
  let turn = await call("POST", `${chat}/turns`, { conversation });
  // A busy machine takes longer than a turn waits.
  while (turn.warnings.some(({ code }) => code === "MCP_SERVER_CONNECTING"))
    turn = await call("POST", `${chat}/turns`, {});
  const prefix = `${name}__`;
  const offered = turn.tools
    .filter((tool) => tool.name.startsWith(prefix))
    .map((tool) => ({ ...tool, name: tool.name.slice(prefix.length) }));
  console.log(JSON.stringify({ warnings: turn.warnings, offered: offered.map((tool) => tool.name) }));
  for (const [index, one] of callsOf(offered).entries()) {
    const calls = [{ id: `call-${index}`, ...one, name: prefix + one.name }];
    const { results, unhandled } = await call("POST", `${chat}/tool-calls`, { calls });
    console.log(JSON.stringify({ results, unhandled }));
  }
} finally {
  await call("DELETE", chat);
}
