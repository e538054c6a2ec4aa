// The chat endpoint is no open proxy: requests go only to the address set by the model's owner, and use no other features of the owner's
// account.

import { afterEach, describe, expect, it, vi } from "vitest";
import { call, keyFor } from "../support/call";
import { publishOwn } from "../support/chat-turns";
import { calling, ENTRY, HOST, type Reply, saying, scriptModel } from "../support/scripted-model";

const CHAT = "/openai/v1/chat/completions";
const MESSAGES = "/anthropic/v1/messages";
const PLANTED = "sk-planted-vendor-key-91bd";

let users = 0;
afterEach(() => vi.restoreAllMocks());

async function user(entry: object = ENTRY): Promise<string> {
  const key = await keyFor(`abusing-user-${users++}`);
  await call("PUT", "/api/v1/secrets/VENDOR_KEY", { key, json: { value: PLANTED, hosts: [HOST] } });
  const json = { ...entry, key: "$" + "{{secrets.VENDOR_KEY}}" };
  await call("PUT", "/api/v1/models/m", { key, json });
  await call("PUT", "/api/v1/models/claude", { key, json: { ...json, api: ["anthropic"] } });
  return key;
}

const messages = [{ role: "user", content: "Hi." }];
const send = (key: string, body: string, path = CHAT, headers: Record<string, string> = {}) =>
  call("POST", path, { key, body, headers: { "content-type": "application/json", ...headers } });
const asked = (more: object, model = "m") => JSON.stringify({ model, messages, max_tokens: 10, ...more });
const content = (part: string) => `{"model":"m","messages":[{"role":"user","content":[${part}]}]}`;

describe("is refused before anything is sent", () => {
  const FIELDS: object[] = [
    ...["container", "previous_response_id", "conversation", "prompt"].map((field) => ({ [field]: "x_1" })),
    ...[{ background: true }, { store: true }, { mcp_servers: [{ url: "https://x.example" }] }, { n: 5 }],
    ...["web_search", "web_search_preview", "code_interpreter", "file_search", "mcp", "computer_use_preview"].map(
      (type) => ({ tools: [{ type }] }),
    ),
    ...[{ web_search_options: {} }, { service_tier: "priority" }, { service_tier: "flex" }, { speed: "fast" }],
  ];

  it.each(FIELDS.map((field): [string, object] => [JSON.stringify(field), field]))("%s", async (_, field) => {
    const key = await user();
    const sent = scriptModel();
    for (const model of ["m", "m:plain"]) {
      const refused = await send(key, asked(field, model));
      expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: "not_allowed" } }]);
    }
    const refused = await send(key, asked(field, "claude"), MESSAGES);
    expect([refused.status, await refused.json()]).toMatchObject([400, { type: "error" }]);
    expect(sent).toEqual([]);
  });

  it.each([
    '{"type":"file","file":{"file_id":"f_1"}}',
    '{"type":"file","file":{"file_id" : "f_1"}}',
    '{"type":"file","file":{"\\u0066ile_id":"f_1"}}',
    '{"type":"image","source":{"type":"file","file\\u005fid"\n:\t"f_1"}}',
    '{"type":"document","source":{"nested":[{"deep":{"file_ids":["f_1"]}}]}}',
    '{"type":"container_upload","container_id":"c_1"}',
    '{"type":"text","text":"x","vector_store_\\u0069ds":["v_1"]}',
  ])("a file of the account's, spelled %s", async (part) => {
    const key = await user();
    const sent = scriptModel();
    for (const body of [content(part), content(part).replace('"m"', '"m:plain"')])
      expect((await send(key, body)).status).toBe(400);
    expect((await send(key, content(part).replace('"m"', '"claude"'), MESSAGES)).status).toBe(400);
    expect(sent).toEqual([]);
  });

  it.each([
    ...["embeddings", "files", "files/f_1", "images/generations", "audio/speech", "batches", "fine_tuning/jobs"],
    ...[
      "vector_stores",
      "assistants",
      "threads",
      "chat/completions/x",
      "chat/completions/../files",
      "organization/users",
    ],
  ])("the vendor's path %s", async (path) => {
    const key = await user();
    const sent = scriptModel();
    for (const [base, type] of [
      ["/openai/v1", "invalid_request_error"],
      ["/anthropic/v1", "not_found_error"],
    ]) {
      const refused = await send(key, asked({}), `${base}/${path}`);
      expect([refused.status, await refused.json()]).toMatchObject([404, { error: { type } }]);
    }
    expect(sent).toEqual([]);
  });

  it("names of these fields in texts and in the caller's own tools are no files", async () => {
    const key = await user();
    const sent = scriptModel(saying("a", "Fine."));
    const parameters = { type: "object", properties: { file_id: { type: "string" }, store: { type: "string" } } };
    const tools = [{ type: "function", function: { name: "read", parameters } }];
    const text = 'What is {"file_id":"f_1"}?';
    expect((await send(key, asked({ tools, messages: [{ role: "user", content: text }] }))).status).toBe(200);
    expect(sent).toHaveLength(1);
  });
});

describe("a model's address", () => {
  it.each([
    ...["https://10.0.0.1/v1", "https://192.168.1.1/v1", "https://169.254.169.254/latest", "https://[fd00::1]/v1"],
    ...["https://metadata.google.internal/v1", "https://0x0a000001/v1", "https://167772161/v1", "https://10.1/v1"],
    ...["ftp://vendor.example.com/v1", "https://user:pass@vendor.example.com/v1", "https://vendor.example.com/v1?x=1"],
    ...["file:///etc/passwd", "https://${" + "{secrets.VENDOR_KEY}}.example.com/v1"],
  ])("cannot be %s", async (base_url) => {
    const key = await user();
    const answer = await call("PUT", "/api/v1/models/evil", { key, json: { ...ENTRY, base_url } });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("MODEL_URL_REFUSED")]);
  });

  it.each(["Host", "content-length", "Transfer-Encoding", "Connection", "cookie", "proxy-authorization", "bad name"])(
    "rejects the header %s",
    async (name) => {
      const key = await user();
      const answer = await call("PUT", "/api/v1/models/evil", { key, json: { ...ENTRY, headers: { [name]: "x" } } });
      expect(answer.status).toBe(400);
    },
  );

  it.each(["https://169.254.169.254/", "https://elsewhere.example.com/v1/chat/completions", `http://${HOST}/v1`])(
    "that redirects to %s is not followed, and what it says shows no key",
    async (location) => {
      const key = await user();
      const away: Reply = () => new Response(`your key ${PLANTED}`, { status: 307, headers: { location } });
      const sent = scriptModel(away, away);
      for (const model of ["m", "m:plain"]) {
        const answer = await send(key, asked({}, model));
        const text = await answer.text();
        expect([answer.status, text]).toEqual([502, expect.not.stringContaining(PLANTED)]);
      }
      expect(sent.map(({ url }) => URL.parse(url)?.hostname)).toEqual([HOST, HOST]);
    },
  );
});

it("no header of the caller's reaches a vendor, but for its version and allowed betas", async () => {
  const key = await user({ ...ENTRY, allow: { betas: ["good-1"] } });
  const sent = scriptModel(saying("a", "Fine."), saying("b", "Fine."));
  const headers = {
    ...{ "x-forwarded-host": "evil.example.com", forwarded: "host=evil", "x-forwarded-for": "10.0.0.1", cookie: "a=b" },
    ...{ allow: "everything", "openai-organization": "org-1", "openai-project": "p-1", "x-api-key": "sk-mine" },
    ...{
      "anthropic-beta": "good-1, files-api-2025-04-14",
      "anthropic-version": "2023-06-01",
      "x-stainless-lang": "js",
    },
  };
  for (const model of ["m", "m:plain"]) expect((await send(key, asked({}, model), CHAT, headers)).status).toBe(200);
  for (const one of sent)
    expect(Object.fromEntries(one.headers)).toEqual({
      ...{ "content-type": "application/json", authorization: `Bearer ${PLANTED}` },
      ...{ "anthropic-beta": "good-1", "anthropic-version": "2023-06-01" },
    });
});

it("a conversation's id belongs to its user: other users with the id never get its history, skills or steps", async () => {
  const named = { "x-conversation-id": "shared-id" };
  const [ada, bob] = [await user(), await user()];
  const body = "Secret of Ada: xyzzy-planted.";
  await publishOwn(ada, {
    name: "hidden",
    description: "Ada's own.",
    body: `${body}\n\n${"More of it. ".repeat(900)}`,
  });
  await publishOwn(bob, { name: "other", description: "Bob's own." });
  const sent = scriptModel(
    ...[calling("a", [["c_1", "load_skill", { skill_name: "hidden" }]], "Loading."), saying("b", "Done.")],
    ...[calling("c", [["c_1", "load_skill", { skill_name: "hidden" }]]), saying("d", "No.")],
  );
  expect((await send(ada, asked({}), CHAT, named)).status).toBe(200);
  expect(sent[1]!.text).toContain("xyzzy-planted");
  const history = [
    ...messages,
    { role: "assistant", content: "Loading.\n\nDone." },
    { role: "user", content: "Go on." },
  ];
  expect((await send(bob, asked({ messages: history }), CHAT, named)).status).toBe(200);
  const toBob = sent
    .slice(2)
    .map(({ text }) => text)
    .join();
  expect(toBob).toContain("Go on.");
  for (const word of ["xyzzy-planted", "Ada's own"]) expect(toBob).not.toContain(word);
});
