// The tools, prompts, resources and completions of the fixture server, as the official suite expects them.

import { setTimeout as pause } from "node:timers/promises";
import { completable, fromJsonSchema, McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import * as z from "zod";
import { addAskingTools, requestState } from "./asking.mjs";
import allKeywords from "./schema-2020-12.json" with { type: "json" };

/** One red pixel, and a hundredth of a second of silence. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==";

const text = (value) => ({ content: [{ type: "text", text: value }] });
const message = (content) => ({ role: "user", content });

/** @param notify tells the open subscriptions of the modern era what changed; `null` in a session of the 2025 era */
export function buildServer(notify) {
  const changes = { listChanged: true };
  const server = new McpServer(
    { name: "conformance-fixture", version: "1.0.0" },
    {
      capabilities: {
        tools: changes,
        prompts: changes,
        resources: { ...changes, subscribe: true },
        logging: {},
        completions: {},
      },
      requestState: { verify: requestState.verify },
    },
  );
  addPlainTools(server);
  addTalkingTools(server, notify);
  addSchemaTools(server);
  addAskingTools(server);
  addPrompts(server);
  addResources(server);
  return server;
}

function addPlainTools(server) {
  const results = {
    test_simple_text: text("This is a simple text response for testing."),
    test_image_content: { content: [{ type: "image", data: PNG, mimeType: "image/png" }] },
    test_audio_content: { content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] },
    test_embedded_resource: {
      content: [
        resource("test://embedded-resource", { mimeType: "text/plain", text: "This is an embedded resource content." }),
      ],
    },
    test_multiple_content_types: {
      content: [
        { type: "text", text: "Multiple content types test:" },
        { type: "image", data: PNG, mimeType: "image/png" },
        resource("test://mixed-content-resource", {
          mimeType: "application/json",
          text: JSON.stringify({ test: "data", value: 123 }),
        }),
      ],
    },
    test_error_handling: { ...text("This tool intentionally returns an error for testing"), isError: true },
  };
  for (const [name, result] of Object.entries(results)) {
    server.registerTool(name, { description: `Answers what ${name} is to answer.` }, () => result);
  }
}

/** Tools that send messages before, with or instead of their result. */
function addTalkingTools(server, notify) {
  const tool = (name, description, call) => server.registerTool(name, { description }, call);

  tool("test_tool_with_logging", "Logs three lines while it runs.", async (context) => {
    const { log } = context.mcpReq;
    await log("info", "Tool execution started");
    await pause(50);
    await log("info", "Tool processing data");
    await pause(50);
    await log("info", "Tool execution completed");
    return text("Logged three lines.");
  });
  tool("test_logging_tool", "Logs one line, if the request asked for logs.", async (context) => {
    await context.mcpReq.log("info", "One line");
    return text("Done.");
  });
  tool("test_tool_with_progress", "Reports progress three times while it runs.", async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await pause(50);
      if (progressToken === undefined) continue;
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
    }
    return text("Reported progress.");
  });
  tool("test_reconnection", "Closes its own stream; the result is for whoever comes back.", async (context) => {
    context.http?.closeSSE?.();
    await pause(300);
    return text("Reconnected.");
  });
  tool("test_trigger_tool_change", "Says that the list of tools has changed.", () => {
    if (notify === null) server.sendToolListChanged();
    else notify.toolsChanged();
    return text("Told.");
  });
  tool("test_trigger_prompt_change", "Says that the list of prompts has changed.", () => {
    if (notify === null) server.sendPromptListChanged();
    else notify.promptsChanged();
    return text("Told.");
  });
}

function addSchemaTools(server) {
  const inputSchema = fromJsonSchema(allKeywords);
  server.registerTool(
    "json_schema_2020_12_tool",
    { description: "Tool with JSON Schema 2020-12 features", inputSchema },
    (args) => text(JSON.stringify(args)),
  );
  const withHeader = fromJsonSchema({
    type: "object",
    properties: { region: { type: "string", "x-mcp-header": "Region" } },
    required: ["region"],
  });
  server.registerTool(
    "test_header_parameter",
    { description: "Has a parameter that also stands in a header.", inputSchema: withHeader },
    ({ region }) => text(`region=${region}`),
  );
}

function addPrompts(server) {
  server.registerPrompt("test_simple_prompt", { description: "A prompt without arguments." }, () => ({
    messages: [message({ type: "text", text: "This is a simple prompt for testing." })],
  }));
  const words = ["paris", "park", "party"];
  server.registerPrompt(
    "test_prompt_with_arguments",
    {
      description: "A prompt with two arguments.",
      argsSchema: z.object({
        arg1: completable(z.string().describe("First test argument"), (begun) =>
          words.filter((word) => word.startsWith(begun)),
        ),
        arg2: z.string().describe("Second test argument"),
      }),
    },
    ({ arg1, arg2 }) => ({
      messages: [message({ type: "text", text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` })],
    }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    {
      description: "A prompt with a resource in it.",
      argsSchema: z.object({ resourceUri: z.string().describe("URI of the resource to embed") }),
    },
    ({ resourceUri }) => ({
      messages: [
        message(resource(resourceUri, { mimeType: "text/plain", text: "Embedded resource content for testing." })),
        message({ type: "text", text: "Please process the embedded resource above." }),
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "A prompt with an image in it." }, () => ({
    messages: [
      message({ type: "image", data: PNG, mimeType: "image/png" }),
      message({ type: "text", text: "Please analyze the image above." }),
    ],
  }));
}

function addResources(server) {
  const fixed = [
    ["static-text", "text/plain", { text: "This is the content of the static text resource." }],
    ["static-binary", "image/png", { blob: PNG }],
    ["watched-resource", "text/plain", { text: "Watch me." }],
  ];
  for (const [name, mimeType, content] of fixed) {
    const config = { title: name, description: `The resource ${name}.`, mimeType };
    server.registerResource(name, `test://${name}`, config, (uri) => ({
      contents: [{ uri: uri.href, mimeType, ...content }],
    }));
  }
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { title: "template", description: "Data of an id.", mimeType: "application/json" },
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  );
  // Sessions of the 2025 era only: clients can subscribe, but nothing changes here.
  server.server.setRequestHandler("resources/subscribe", () => ({}));
  server.server.setRequestHandler("resources/unsubscribe", () => ({}));
}

function resource(uri, content) {
  return { type: "resource", resource: { uri, ...content } };
}
