// Rows of the isolation matrix for the MCP endpoint.

import { skill, type Thing, type User } from "./actors";
import { everybody, members, type Row } from "./table";

/** Returns a row for a method of the MCP endpoint. Resources of others are reported as not found, as on other routes. */
function mcp(
  method: string,
  of: Row["of"],
  params: (thing: Thing) => object,
  path = "/mcp",
  may: Row["may"] = MCP_OF[of][2],
): Row {
  const [best, thing] = MCP_OF[of];
  return {
    route: `POST ${path} ${method}`,
    of,
    scope: "mcp",
    best,
    may,
    thing,
    spent: false,
    send: () => ({}),
    params,
  };
}
const MCP_OF: Record<Row["of"], [User, Row["thing"], Row["may"]]> = {
  nobody: ["admin", async () => ({}), everybody(200)],
  self: ["self", () => skill("self"), { self: 200 }],
  group: ["Owner", () => skill("group"), members("Reporter", 200)],
  public: ["admin", () => skill("public"), everybody(200)],
};
const uri = ({ skill: name }: Thing) => `skill://${name}/SKILL.md`;
const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "matrix", version: "1" },
};

const NOTHING_TO_COMPLETE = { ref: { type: "ref/prompt", name: "nothing" }, argument: { name: "word", value: "" } };

/** Methods of the MCP endpoint, as rows whose route is `POST <path> <method>`. */
export const MCP_ROWS: Row[] = [
  mcp("initialize", "nobody", () => initialize),
  mcp("ping", "nobody", () => ({})),
  mcp("tools/list", "nobody", () => ({})),
  mcp("resources/list", "nobody", () => ({})),
  mcp("resources/templates/list", "nobody", () => ({})),
  mcp("skills/list", "nobody", () => ({})),
  ...(["self", "group", "public"] as const).flatMap((of) => [
    mcp("tools/call", of, (thing) => ({ name: "load_skill", arguments: { skill_name: thing.skill } })),
    mcp("resources/read", of, (thing) => ({ uri: uri(thing) })),
    mcp("skills/get", of, (thing) => ({ uri: uri(thing) })),
    mcp("resources/directory/read", of, (thing) => ({ uri: `skill://${thing.skill}` })),
  ]),
  // A conversation id refers to the caller's own conversation. The same id of another user is a different conversation.
  mcp("initialize", "nobody", () => initialize, "/mcp/{id}"),
  mcp("tools/list", "nobody", () => ({}), "/mcp/{id}"),
  // test/mcp/server-features.test.ts covers which servers are queried. Here no actor has a server, so the answer is the same for all.
  mcp("prompts/list", "nobody", () => ({}), "/mcp/{id}"),
  mcp("logging/setLevel", "nobody", () => ({ level: "info" }), "/mcp/{id}"),
  mcp("prompts/get", "nobody", () => ({ name: "nothing" }), "/mcp/{id}", everybody(404)),
  mcp("completion/complete", "nobody", () => NOTHING_TO_COMPLETE, "/mcp/{id}", everybody(404)),
];
