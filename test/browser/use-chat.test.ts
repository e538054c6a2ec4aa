// `useChat` of the AI SDK with skills, in Chromium: the list of skills, calls by tool name, and the same after a reload.

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { convertToModelMessages, createGateway, streamText, type UIMessage } from "ai";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { aiSdk } from "../../sdk/src/ai-sdk";
import { SkillGateway } from "../../sdk/src/index";
import { providerSkill } from "../support/provider";
import { type AiVendor, startAiVendor } from "../support/sdk/ai-vendor";
import { skillZip } from "../support/skill";
import { complaints, openBrowser } from "./chromium";
import { Gateway } from "./gateway";

let gateway: Gateway;
let browser: Browser;
let vendor: AiVendor;
let server: Server;
let url: string;
/** The messages stored by the back end. */
let messages: UIMessage[] = [];

beforeAll(async () => {
  const bundling = build({
    entryPoints: [path.join(import.meta.dirname, "use-chat-page.ts")],
    ...{ bundle: true, write: false, format: "esm", platform: "browser", logLevel: "error" },
    define: { "process.env.NODE_ENV": '"development"' },
  });
  [gateway, browser, vendor] = await Promise.all([Gateway.start(), openBrowser(), startAiVendor()]);
  const script = (await bundling).outputFiles[0]!.text;
  const client = new SkillGateway({ url: gateway.url, key: gateway.key });
  const tools = {
    count_boats:
      "const { result } = await context.request('confirm', 'count'); return result.confirmed ? '12 boats' : 'none';",
  };
  const file = new File([skillZip(providerSkill("harbour", tools))], "harbour.zip");
  await client.call("skills.publishPublic", { body: { file } });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const send = (type: string, body: string) => response.writeHead(200, { "content-type": type }).end(body);
    switch (`${request.method} ${request.url}`) {
      case "GET /":
        return send(
          "text/html; charset=utf-8",
          '<!doctype html><title>Chat</title><script type="module" src="/page.js"></script>',
        );
      case "GET /page.js":
        return send("text/javascript; charset=utf-8", script);
      case "GET /chat":
        return send("application/json", JSON.stringify(messages));
      case "POST /ticket": {
        const made = await client.as("alice").call("tickets.create", {
          path: { id: "boats" },
          body: { origin: url, conversation: { delivery: "auto" }, output: true },
        });
        return send("application/json", JSON.stringify(made));
      }
      case "POST /chat": {
        const { messages: given, picked } = JSON.parse(Buffer.concat(chunks).toString());
        messages = given;
        const result = streamText({
          model: createGateway({ baseURL: vendor.url, apiKey: "none" })("openai/gpt-6-sol"),
          ...(await aiSdk(client.chat("boats", { user: "alice", selectedSkills: picked }), {
            messages: await convertToModelMessages(given),
          })),
        });
        return result.pipeUIMessageStreamToResponse(response, {
          originalMessages: given,
          onEnd: (end) => {
            messages = end.messages;
          },
        });
      }
      default:
        return response.writeHead(404).end();
    }
  };
  server = createServer((request, response) => {
    // While the gateway is down, the page's back end fails.
    answer(request, response).catch(() => request.socket.resetAndDestroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await Promise.all([browser?.close(), gateway?.stop(), vendor?.close()]);
  server?.closeAllConnections();
  server?.close();
});

const shows = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();
const listed = (page: Page, name: string) => page.getByRole("list", { name }).getByRole("listitem").allInnerTexts();

it("useChat shows skills and calls by their own names while they run, and all of it again after a reload", async () => {
  const context = await browser.newContext();
  const heard = complaints(context);
  const page = await context.newPage();
  await page.goto(url);
  await shows(page, "open");
  // Before the first message: requesting the ticket created the conversation.
  await shows(page, "harbour: available");
  expect(await listed(page, "Calls")).toEqual([]);

  const count = { name: "call_skill_tool", input: { name: "count_boats", arguments: { pier: 3 } } };
  vendor.plan.push([{ name: "load_skill", input: { skill_name: "harbour" } }], [count], []);
  await page.getByLabel("Message").fill("How many boats?");
  await page.getByRole("button", { name: "Send" }).click();
  await shows(page, "harbour: loaded");
  await shows(page, "count_boats harbour running");
  expect(await listed(page, "Calls")).toEqual(["load_skill harbour done", "count_boats harbour running"]);
  const other = await context.newPage();
  await other.goto(url);
  await shows(other, "count_boats harbour running");
  await page.getByRole("button", { name: "Yes, count" }).click();
  await shows(page, "assistant: [load_skill done] [count_boats done] Said in step 3.");
  const calls = ["load_skill harbour done", "count_boats harbour done 12 boats"];
  expect(await listed(page, "Calls")).toEqual(calls);
  await shows(other, "count_boats harbour done 12 boats");

  await page.reload();
  await shows(page, "assistant: [load_skill done] [count_boats done] Said in step 3.");
  await shows(page, "harbour: loaded");
  expect(await listed(page, "Calls")).toEqual(calls);

  // After a restart of the gateway, the page reconnects and still has its state.
  await gateway.kill();
  await page.getByRole("status").getByText("waiting").waitFor();
  await gateway.start();
  await shows(page, "open");
  await page.reload();
  await shows(page, "count_boats harbour done 12 boats");

  // The next turn starts without calls and includes the user's selection.
  await page.getByLabel("harbour: loaded").check();
  await page.getByLabel("Message").fill("And now?");
  await page.getByRole("button", { name: "Send" }).click();
  await shows(page, "assistant: Said in step 4.");
  expect(await listed(page, "Calls")).toEqual([]);
  await shows(page, "user: And now?");
  expect(heard).toEqual([]);
});
