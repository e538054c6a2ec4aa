// Properties of tools and results that hosts receive in addition to the model's text: output schemas, titles, icons and annotations.

import { beforeEach, describe, expect, it } from "vitest";
import { UPSTREAM_LIMITS } from "../../src/domain/limits";
import { answering } from "../support/listing";
import { type Era, host } from "../support/mcp-client";
import { gatewayServers } from "../support/servers";
import { scripted } from "../support/upstream";

const PATIENT = { timeout: 60, connect_timeout: 60 };
const outputSchema = { type: "object", properties: { degrees: { type: "number" } }, required: ["degrees"] };
const FULL = {
  name: "weather",
  title: "Weather",
  description: "Tells the weather.",
  inputSchema: { type: "object" },
  outputSchema,
  icons: [{ src: "https://weather.example/icon.png", mimeType: "image/png" }],
  _meta: { ui: { resourceUri: "ui://weather/view" }, "example.com/kept": 1 },
};

/** Adds a server to the gateway with this tool and this result. */
async function serving(tool: object, result: object = { content: [] }): Promise<string> {
  return scripted("marks", { "tools/list": answering({ tools: [tool] }), "tools/call": answering(result) });
}

/** A host of a conversation that has the server's tool. */
async function connected(user: string, era: Era, entry: object) {
  await gatewayServers({ marks: { ...PATIENT, prefix: "never", ...entry } });
  const client = await host(`/mcp/${user}`, user, era);
  const listed = async () => (await client.listTools()).tools.find(({ name }) => name === "weather");
  await expect.poll(listed, { timeout: 20_000 }).toBeDefined();
  return { client, tool: await listed() };
}

beforeEach(() => gatewayServers({}));

describe.each<Era>(["legacy", "modern"])("a tool of a server, %s era", (era) => {
  it("is passed on with all its fields, its page under the server's alias", async () => {
    const { tool } = await connected(`marks-${era}`, era, { url: await serving(FULL) });
    expect(tool).toMatchObject({
      ...FULL,
      annotations: { title: "Weather" },
      _meta: { ui: { resourceUri: "ui://via/marks/ui://weather/view" }, "example.com/kept": 1 },
    });
  });

  it("returns structured content and `_meta`, which clients validate against its schema", async () => {
    const structuredContent = { degrees: 21 };
    const url = await serving(FULL, { content: [], structuredContent, _meta: { "example.com/unit": "C" } });
    const { client } = await connected(`structured-${era}`, era, { url });
    const result = await client.callTool({ name: "weather", arguments: {} });
    expect(result).toMatchObject({ structuredContent, _meta: { "example.com/unit": "C" } });
  });

  it("answers with an error that clients take where its structured content is too long", async () => {
    const structuredContent = { degrees: 21, log: "x".repeat(UPSTREAM_LIMITS.textChars) };
    const { client } = await connected(`long-${era}`, era, {
      url: await serving(FULL, { content: [], structuredContent }),
    });
    const result = await client.callTool({ name: "weather", arguments: {} });
    expect(result).toMatchObject({
      isError: true,
      content: [
        { text: expect.stringContaining("left out: structured") },
        { text: expect.stringContaining("result:fil_") },
      ],
    });
  });
});

describe("a server that means harm", () => {
  it("gets no picture fetched but over https, no mark of the protocol's passed on, and costs no list", async () => {
    const icons = ["http://10.0.0.1/x", "javascript:alert(1)", "https://a b", "https://ok.example/i.png"];
    const url = await serving({
      ...FULL,
      outputSchema: { type: "array" },
      icons: [...icons.map((src) => ({ src })), "no picture"],
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "liar" }, ui: "no page" },
    });
    const { tool } = await connected("harm", "legacy", { url });
    expect(tool).toMatchObject({ icons: [{ src: "https://ok.example/i.png" }], _meta: { ui: "no page" } });
    expect(tool).not.toHaveProperty("outputSchema");
    expect(tool?._meta).not.toHaveProperty("io.modelcontextprotocol/serverInfo");
  });

  it("shows only allowed fields", async () => {
    const description = "x".repeat(UPSTREAM_LIMITS.schemaChars);
    const url = await serving({ ...FULL, outputSchema: { type: "object", description }, _meta: { description } });
    const { tool } = await connected("more", "modern", { url });
    expect(Object.keys(tool ?? {})).not.toEqual(expect.arrayContaining(["outputSchema"]));
    expect(tool).not.toHaveProperty("_meta");
  });
});
