// Parts of the MCP SDK that the build removes: a client and a server from one bundle still work with each other.

import { expect, it } from "vitest";
import { bundle, WORKERD } from "../../scripts/build/bundle.mjs";
import { mcpSdkOnce } from "../../scripts/build/mcp-sdk.mjs";

const TALK = `
  import { Client, InMemoryTransport, isSpecType } from "@modelcontextprotocol/client";
  import { McpServer } from "@modelcontextprotocol/server";

  export async function talk() {
    const server = new McpServer({ name: "server", version: "1" });
    server.registerTool("greet", {}, async () => ({ content: [{ type: "text", text: "Hello." }] }));
    const client = new Client({ name: "client", version: "1" });
    const [one, other] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(one), client.connect(other)]);
    const { tools } = await client.listTools();
    const { content } = await client.callTool({ name: "greet" });
    return { tools: tools.map(({ name }) => name), content, specs: isSpecType.Tool({ name: "x", inputSchema: { type: "object" } }) };
  }
`;

const build = async (plugins: object[]) => {
  const { outputFiles } = await bundle({
    ...WORKERD,
    stdin: { contents: TALK, resolveDir: import.meta.dirname },
    plugins,
    minify: true,
  });
  return String(outputFiles?.[0]?.text);
};

it("the parts that both packages of the SDK have are in a bundle once, and both work", async () => {
  const [twice, once] = await Promise.all([build([]), build([mcpSdkOnce])]);
  expect(twice.length - once.length).toBeGreaterThan(50_000);
  const { talk } = await import(`data:text/javascript;base64,${Buffer.from(once).toString("base64")}`);
  expect(await talk()).toEqual({ tools: ["greet"], content: [{ type: "text", text: "Hello." }], specs: true });
});
