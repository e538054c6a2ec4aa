// A server fails: the page reports it soon after the first failed test, and soon after the first failed call of a conversation.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import { answerModern } from "../../../support/upstream-server/modern";
import type { Visit } from "./visit";

/** Maximum time until the page shows the failure. */
const SOON = { timeout: 10_000 };

interface Used {
  results: { isError?: boolean }[];
}

export async function deadServer(visit: Visit): Promise<void> {
  const { page } = visit;
  const [tested, called] = [visit.named("tested"), visit.named("called")];
  const key = await visit.keyFor("watcher");
  const as = { authorization: `Bearer ${key}` };
  const servers = await Promise.all([begin(), begin()]);
  try {
    for (const [name, server] of Object.entries({ [tested]: servers[0], [called]: servers[1] })) {
      const { port } = server.address() as AddressInfo;
      const put = await visit.gateway.call("PUT", `/servers/${name}`, { url: `http://127.0.0.1:${port}/modern` }, as);
      expect(put.status).toBe(201);
    }
    const chat = `/conversations/${visit.named("chat")}`;
    const begun = await visit.gateway.call("POST", `${chat}/turns`, { conversation: {} }, as);
    expect(begun.status, JSON.stringify(begun.body)).toBeLessThan(300);
    const fails = async () => {
      const call = { id: crypto.randomUUID(), name: `${called}__echo`, arguments: {} };
      const used = await visit.gateway.call<Used>("POST", `${chat}/tool-calls`, { calls: [call] }, as);
      expect(used.status, JSON.stringify(used.body)).toBe(200);
      return used.body.results[0]?.isError === true;
    };
    expect(await fails()).toBe(false);

    await visit.enter(key, "/console/servers");
    await visit.press("button", `Test ${tested}`);
    await visit.row(tested).getByText("up", { exact: true }).waitFor();
    await visit.look("a server that answers");
    for (const server of servers) await end(server);
    await visit.press("button", `Test ${tested}`);
    await visit.row(tested).getByText("down", { exact: true }).waitFor(SOON);
    // The page shows the failed call without interaction.
    expect(await fails()).toBe(true);
    await visit.row(called).getByText("down", { exact: true }).waitFor(SOON);
    await visit.look("servers that are down");
    expect(new URL(page.url()).pathname).toBe("/console/servers");
  } finally {
    await Promise.all(servers.map(end));
  }
}

async function begin(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    if (text === "") return void response.writeHead(405).end();
    await answerModern("modern", JSON.parse(text), request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

async function end(server: Server): Promise<void> {
  if (!server.listening) return;
  const gone = once(server, "close");
  server.close();
  server.closeAllConnections();
  await gone;
}
