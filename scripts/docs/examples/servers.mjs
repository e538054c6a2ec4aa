// The other hosts of the recorded examples: an MCP server with weather tools, and a site with an index of skills.

import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { summary } from "./packages.mjs";

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const TOOLS = [
  { name: "forecast", description: "Returns the weather of the next three days.", inputSchema: city },
  { name: "radar", description: "Waits for the next radar image.", inputSchema: city },
];
const TIDES = "skill://tides/SKILL.md";
const TIDES_TEXT = "---\nname: tides\ndescription: Reads tide tables.\n---\n\nAsk for the port first.\n";
/** The results by method. A method without a result is unknown. */
const RESULTS = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } },
    serverInfo: { name: "weather", version: "1.0.0" },
  },
  ping: {},
  "tools/list": { tools: TOOLS },
  "skills/list": {
    skills: [
      {
        uri: TIDES,
        frontmatter: { name: "tides", description: "Reads tide tables." },
        resources: [{ uri: TIDES, digest: sha256(TIDES_TEXT), size: Buffer.byteLength(TIDES_TEXT) }],
      },
    ],
  },
  "resources/read": { contents: [{ uri: TIDES, mimeType: "text/markdown", text: TIDES_TEXT }] },
  "tools/call": {
    content: [{ type: "text", text: "Today: sunny, 21 °C. Tomorrow: rain, 16 °C. Then: cloudy, 18 °C." }],
  },
};

/** Starts an MCP server. It offers the skill `tides`. Its tool `radar` never returns. */
export function startWeatherServer() {
  return listen((message, response) => {
    if (message.method === "tools/call" && message.params.name === "radar") return;
    if (message.id === undefined) return response.writeHead(202).end();
    const result = RESULTS[message.method];
    const outcome = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...outcome }));
  }, "/mcp");
}

/** Starts a site with an index of two skills, of which one is missing. */
export function startSkillSite() {
  const digest = sha256(summary);
  const entry = (name, description) => ({ name, type: "archive", description, url: `${name}.zip`, digest });
  const index = {
    $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
    skills: [entry("summary", "Summarizes a text."), entry("translation", "Translates a text.")],
  };
  return listen((_, response, path) => {
    if (path.endsWith("/index.json")) response.end(JSON.stringify(index));
    else if (path.endsWith("/summary.zip")) response.end(summary);
    else response.writeHead(404).end();
  });
}

function sha256(content) {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

/**
 * @param {(message: any, response: import("node:http").ServerResponse, path: string) => void} answer receives the parsed body, or `{}`
 * @param {string} [path] the path of the address
 * @returns {Promise<{ url: string, close(): void }>}
 */
async function listen(answer, path = "") {
  const server = createServer(async (request, response) => {
    if (request.method !== "POST" && request.method !== "GET") return response.writeHead(405).end();
    if (request.method === "GET" && path !== "") return response.writeHead(405).end();
    const text = Buffer.concat(await request.toArray()).toString();
    answer(text === "" ? {} : JSON.parse(text), response, request.url ?? "/");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}${path}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
