// The SDK's event for a call that waits for the user's sign-in to an MCP server, with the issuer and the pages of the gateway.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type SignIn, SkillGateway } from "../../sdk/src/index";
import { followConnectLink } from "../support/connect-browser.mjs";
import { Harness, KEY } from "../support/harness";
import { startFaults } from "../support/upstream-server/faults";

const gateway = new Harness({ SECRETS_KEY: Buffer.alloc(32, 7).toString("base64") });
let upstream: Awaited<ReturnType<typeof startFaults>>;
let client: SkillGateway;
const CONNECTED = "The user is signed in to 'lantern'. Its tools are available now: whoami, leak.";
const CONNECT = { id: "call_1", name: "lantern__connect", arguments: {} };

beforeAll(async () => {
  [upstream] = await Promise.all([startFaults(), gateway.start()]);
  const at = `${upstream.url}/signin/lantern`;
  await fetch(at, { method: "PUT", body: "{}" });
  await gateway.send("PUT", "/api/v1/mcp-servers/lantern", { url: `${at}/mcp` });
  client = new SkillGateway({ url: gateway.url, key: KEY });
});
afterAll(async () => {
  await gateway.close();
  upstream.close();
});

/** Returns the key of a user, and begins a conversation in which the server is known. */
async function begun(user: string): Promise<{ key: string; id: string }> {
  const made = await client.call("keys.create", { body: { user_id: user, name: "browser" } });
  const id = `chat-${user}`;
  await client.as(user).call("turns.prepare", { path: { id }, body: { conversation: {} } });
  await expect
    .poll(async () => JSON.stringify(await client.as(user).call("conversations.tools", { path: { id }, query: {} })))
    .toContain(CONNECT.name);
  return { key: made.key, id };
}

it("calls onSignIn with the link, and the call goes on after the sign-in", async () => {
  const { key, id } = await begun("alice");
  const links: SignIn[] = [];
  const pages: Promise<string>[] = [];
  const chat = client.chat(id, {
    user: "alice",
    onSignIn: (signIn) => {
      links.push(signIn);
      pages.push(followConnectLink(signIn.url, key));
    },
  });
  const done = await chat.run([CONNECT], "mcp");
  expect(links).toEqual([
    {
      ...{ id: "call_1", name: "lantern__connect", server: "lantern" },
      url: expect.stringMatching(`^${gateway.url}/oauth/connect/cnr_`),
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    },
  ]);
  expect(await Promise.all(pages)).toEqual(["200 Connected"]);
  expect(done?.results).toMatchObject([{ id: "call_1", content: [{ text: CONNECTED }] }]);
});

it("does not wait without onSignIn, and returns the link as data", async () => {
  const { id } = await begun("bob");
  const done = await client.chat(id, { user: "bob" }).run([CONNECT], "mcp");
  expect(done?.results).toMatchObject([{ isError: true }]);
  const answer = await client.as("bob").call("toolCalls.run", {
    path: { id },
    body: { calls: [{ ...CONNECT, id: "call_2" }], sign_in: "fail" },
  });
  expect(answer.sign_ins).toEqual([
    expect.objectContaining({ call_id: "call_2", server: "lantern", url: expect.stringContaining("/oauth/connect/") }),
  ]);
});

it("ends the call if the caller stops waiting", async () => {
  const { id } = await begun("carol");
  const stop = new AbortController();
  const chat = client.chat(id, { user: "carol", onSignIn: () => stop.abort() });
  await expect(chat.run([CONNECT], "mcp", stop.signal)).rejects.toThrow("abort");
});
