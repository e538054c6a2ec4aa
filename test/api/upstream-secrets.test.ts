// Secrets at servers that repeat them: the gateway neither returns nor stores the value or a part of it.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { UPSTREAM_LIMITS } from "../../src/domain/limits";
import { call, keyFor } from "../support/call";
import { publishOwn, talk, textOf } from "../support/chat-turns";
import { hostWith } from "../support/mcp-client";
import { request, send, session } from "../support/proxy";
import { gatewayServers, serverSkill, withServers } from "../support/servers";
import { ENCODERS, tracesOf } from "../support/spellings";
import { stored as storedOf } from "../support/stored";
import { expectNoConnections, faults, forget, scripted, seen } from "../support/upstream";

/** A variable as an entry writes it. */
const variable = (name: string) => `\${{${name}}}`;
const VALUE = "planted/value+7f3a91=&u";
const NAME = "PLANTED";
const logged: string[] = [];

beforeEach(async () => {
  await forget();
  await gatewayServers({});
  logged.length = 0;
  for (const level of ["log", "info", "warn", "error", "debug"] as const)
    vi.spyOn(console, level).mockImplementation((...what) => void logged.push(what.map(String).join(" ")));
});
afterEach(() => vi.restoreAllMocks());

async function plant(key: string | undefined, value = VALUE, hosts = ["localhost"], scope = "user"): Promise<void> {
  const made = await call("PUT", `/api/v1/secrets/${NAME}`, { key, json: { value, hosts, scope } });
  if (!made.ok) throw new Error(await made.text());
}

/** A local server under a name to which a secret can be bound. */
function leaky(fault = "leak", more: object = {}): object {
  const url = `${faults.replace("127.0.0.1", "localhost")}/${fault}/call`;
  return { url, headers: { "x-api-key": `Key ${variable(`secrets.${NAME}`)}` }, ...more };
}

const JSON_TYPE = { "content-type": "application/json" };
const STREAM = { "content-type": "text/event-stream" };
/** Padding that no decoder changes. */
const pad = (length: number) => "p".repeat(Math.max(0, length));

/** Secrets with every kind of character. Those that are not allowed in a header are sent in the URL. */
const SECRETS: [string, string, "header" | "url"][] = [
  ["a token", "sk-aB3/dE6+gH9/jK2lM5nO8pQ1rS4==", "header"],
  ["a password", `wS9"k/\\xE  U7&<v>+/=%2Fq8'zT4-x`, "header"],
  ["a password with umlauts", `wß9"k/\\ä  Ü7&<v>+/=%2Fq8ö'zT4-x`, "url"],
  ["a phrase with emoji", `Zk3😀/"\\ é&<m>+=%41  Jq9🚀w7-Lr5`, "url"],
];

/** Every way to write a secret in a JSON text. */
function spelt(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const base64 = ["", "a", "ab"].map((before) =>
    btoa(`${before}${Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")}:x`),
  );
  return Object.entries(ENCODERS)
    .flatMap(([name, encode]) => {
      const written = encode(secret);
      // JSON escapes can appear unchanged in a JSON text. All other encodings appear as a JSON string.
      return name.startsWith("JSON")
        ? [written, JSON.stringify(written).slice(1, -1)]
        : [JSON.stringify(written).slice(1, -1)];
    })
    .concat(
      base64,
      base64.map((one) => one.replaceAll("/", "\\/")),
    );
}

/** Texts that place a secret across the cut: all but its last character before it, then one less, and so on. */
const over = (cut: number, secret: string) =>
  Array.from({ length: secret.length - 1 }, (_, n) => `${pad(cut - secret.length + 1 + n)}${secret}${pad(20)}`);

/** Returns responses of a server that repeats its secret in every field. */
function repeating(secret: string) {
  const spellings = spelt(secret);
  const raw = JSON.stringify(secret);
  const url = encodeURIComponent(secret);
  const text = spellings.join(" | ");
  const result = (body: string) => ({ headers: JSON_TYPE, body: `{"jsonrpc":"2.0","id":@id,"result":${body}}` });
  const headers = {
    location: `/x?${url}`,
    link: `</x?${url}>; rel="next"`,
    "set-cookie": `k=${url}`,
    "www-authenticate": `Bearer realm="${url}"`,
    "retry-after": url,
    allow: `GET, ${url}`,
    "mcp-protocol-version": url,
    "x-more": url,
  };
  const errors = over(UPSTREAM_LIMITS.reasonChars, secret);
  const cuts = over(UPSTREAM_LIMITS.textChars, secret);
  const described = over(UPSTREAM_LIMITS.descriptionChars, secret).map((description, at) => ({
    name: `d${at}`,
    description,
  }));
  const titled = over(200, secret).map((title, at) => ({ name: `t${at}`, title, description: "short" }));
  const tools = [
    ...[...described, ...titled].map((tool) => ({ ...tool, inputSchema: { type: "object" } })),
    { name: "fails", inputSchema: { type: "object", properties: { [secret]: { description: secret } } } },
    { name: "fails", inputSchema: { type: "object" } },
    { name: secret, inputSchema: { type: "object" } },
    { name: secret, inputSchema: { type: "object" } },
    { name: `n${pad(UPSTREAM_LIMITS.toolNameChars)}${secret}`, inputSchema: { type: "object" } },
    ...[
      ...["says", "streams", "html", "moved", "unknown", "refused", "broken"],
      ...errors.map((_, at) => `e${at}`),
      ...cuts.map((_, at) => `c${at}`),
    ].map((name) => ({ name, inputSchema: { type: "object" } })),
  ];
  const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":@token,"progress":1,"message":${raw}}}`;
  const stream = [
    `: ${secret}\n\nid: ${secret}\nevent: message\nretry: 100\ndata: ${progress}\n\n`,
    `:${secret}\r\revent: ${secret}\rdata: {"jsonrpc":"2.0","method":"notifications/x","params":{"a":${raw}}}\r\n\r`,
    `id: ${url}\ndata: {"jsonrpc":"2.0",\ndata: "id":@id,"result":{"content":[{"type":"text","text":"${text}"}]}}\n\n`,
  ].join("");
  const pieces = stream.match(/[\s\S]{1,300}/g) ?? [];
  const script = {
    initialize: {
      headers: { ...JSON_TYPE, ...headers, "mcp-session-id": `s-${url}` },
      body: `{"jsonrpc":"2.0","id":@id,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"instructions":"${text}","serverInfo":{"name":"${text}","version":${raw}}}}`,
    },
    "tools/list": result(`{"tools":${JSON.stringify(tools)}}`),
    "tools/call says": {
      headers: { ...JSON_TYPE, ...headers },
      body: result(
        `{"content":[{"type":"text","text":"${text}"},{"type":"resource_link","uri":"x:${url}","name":"${text}","_meta":{"${spellings[0]}":"${text}"}}],"structuredContent":{"${spellings[1]}":["${text}"]}}`,
      ).body,
    },
    "tools/call streams": { headers: { ...STREAM, ...headers }, body: pieces },
    "tools/call html": { status: 500, headers: { "content-type": "text/html", ...headers }, body: `<p>${secret}` },
    "tools/call moved": { status: 302, headers, body: secret },
    "tools/call unknown": { status: 404, headers: { ...JSON_TYPE, ...headers }, body: `{"error":"${text}"}` },
    "tools/call refused": { status: 401, headers, body: secret },
    "tools/call broken": { headers: JSON_TYPE, body: `{"jsonrpc":"2.0","result":"${text}` },
    "tools/call number": result(`{"content":[],"n":12345678901234567890,"${spellings[0]}":1.10}`),
    GET: { headers: STREAM, body: stream.replace("@token", "1").replace("@id", "7") },
    ...Object.fromEntries(
      errors.map((message, at) => [
        `tools/call e${at}`,
        {
          headers: JSON_TYPE,
          body: `{"jsonrpc":"2.0","id":@id,"error":{"code":-32000,"message":${JSON.stringify(message)}}}`,
        },
      ]),
    ),
    ...Object.fromEntries(
      cuts.map((one, at) => [`tools/call c${at}`, result(JSON.stringify({ content: [{ type: "text", text: one }] }))]),
    ),
  };
  return { script, errors: errors.length, cuts: cuts.length };
}

describe("a secret that its server repeats everywhere", () => {
  it.each(SECRETS)("is nowhere else, nor a part of it: %s", async (what, secret, where) => {
    const name = what.replaceAll(" ", "-");
    const key = await keyFor(`holder-${name}`);
    const { script, errors, cuts } = repeating(secret);
    const url = (await scripted(name, script)).replace("127.0.0.1", "localhost");
    await plant(undefined, secret, ["localhost"], "gateway");
    const entry =
      where === "url"
        ? { url: `${url}?k=${variable(`secrets.${NAME}`)}` }
        : { url, headers: { "x-api-key": variable(`secrets.${NAME}`) } };
    const stored = await call("PUT", `/api/v1/mcp-servers/${name}`, { json: { ...entry, timeout: 60 } });
    expect(stored.status).toBe(201);
    const places: Record<string, string> = {};
    const told = async (place: string, answer: Response) => {
      places[place] = JSON.stringify([answer.status, [...answer.headers], await answer.text()]);
    };

    await publishOwn(key, serverSkill(`brings-${name}`, { skilled: entry }));

    // Through a conversation: HTTP, streams, MCP, and a repeated Idempotency-Key.
    const chat = await talk({ key }, withServers({ own: { ...entry, timeout: 60 } }));
    await told("turn", await call("POST", `${chat.route}/turns`, { key, json: {} }));
    places.load = JSON.stringify(await chat.load(`brings-${name}`));
    places.skilled = JSON.stringify(await chat.use("skilled__says"));
    const used = async (tools: string[], headers: Record<string, string> = {}) => {
      const calls = tools.map((tool) => ({
        id: `${tool}-${crypto.randomUUID()}`,
        name: `own__${tool}`,
        arguments: {},
      }));
      return call("POST", `${chat.route}/tool-calls`, { key, headers, json: { calls } });
    };
    await told("tools", await call("GET", `${chat.route}/tools`, { key }));
    const range = (letter: string, count: number) => Array.from({ length: count }, (_, at) => `${letter}${at}`);
    await told("results", await used(["says", "streams", "html", "moved", "unknown", "refused", "broken"]));
    await told("errors", await used(range("e", errors)));
    for (let from = 0; from < cuts; from += 8)
      await told(`cuts ${from}`, await used(range("c", cuts).slice(from, from + 8)));
    await told("stream", await used(["says", "streams"], { accept: "text/event-stream" }));
    const again = { calls: [{ id: "again", name: "own__says", arguments: {} }] };
    for (const time of ["first", "second"]) {
      const headers = { "idempotency-key": `again-${name}` };
      await told(`kept ${time}`, await call("POST", `${chat.route}/tool-calls`, { key, headers, json: again }));
    }
    const client = await hostWith(chat.route.replace("/api/v1/conversations", "/mcp"), key);
    for (const tool of ["says", "e0", "c0"])
      places[`MCP ${tool}`] = JSON.stringify(await client.callTool({ name: `own__${tool}`, arguments: {} }));
    places["MCP tools"] = JSON.stringify(await client.listTools());
    await client.close();

    // Routes that report on the calls, and stored data.
    await told("status", await call("GET", chat.route, { key }));
    await told("events", await call("GET", `${chat.route}/events`, { key }));
    await told("prompt", await call("GET", `${chat.route}/prompt`, { key }));
    await told("export", await call("GET", `/api/v1/users/holder-${name}/export`));
    await told("audit", await call("GET", "/api/v1/audit"));
    await told("tried out", await call("POST", `/api/v1/mcp-servers/${name}/test`));
    places.stores = await storedOf(`holder-${name}`, chat.route);

    // Through the transparent proxy.
    const handles = await session(name);
    for (const tool of ["says", "streams", "html", "moved", "unknown", "refused", "broken", "number", "e0", "c0"])
      await told(
        `proxy ${tool}`,
        await send(name, request("tools/call", { name: tool, arguments: {} }), { headers: handles }),
      );
    await told("proxy list", await send(name, request("tools/list"), { headers: handles }));
    await told("proxy opening", await send(name, request("initialize")));
    await told("proxy stream", await send(name, null, { headers: handles }));
    places.logs = logged.join("\n");

    expect(tracesOf(places, secret)).toEqual([]);
    // Proves that the values were there: each of these contains a replacement.
    const named = [
      "turn",
      "skilled",
      "tools",
      "results",
      "errors",
      "cuts 0",
      "stream",
      "kept first",
      "kept second",
      "MCP says",
      "MCP e0",
      "MCP c0",
    ];
    const more = [
      "MCP tools",
      "stores",
      "tried out",
      "proxy says",
      "proxy streams",
      "proxy unknown",
      "proxy number",
      "proxy list",
      "proxy opening",
      "proxy stream",
    ];
    expect([...named, ...more].filter((place) => !places[place]?.includes(`[secret ${NAME}]`))).toEqual([]);
    expect(places["kept second"]).toContain(JSON.stringify(JSON.parse(places["kept first"] ?? "")[2]).slice(1, -1));
    expect(places["proxy number"]).toContain('\\"n\\":12345678901234567890');
    const arrived = JSON.stringify(await seen(`/scripted/${name}`));
    if (where === "header") expect(arrived).toContain("x-api-key");
    await call("DELETE", `/api/v1/mcp-servers/${name}`);
    await call("DELETE", `/api/v1/secrets/${NAME}?scope=gateway`);
  });
});

describe("a secret", () => {
  it("does not go to a host that it is not bound to, which refuses that server and no other", async () => {
    const key = await keyFor("bound");
    await plant(key, VALUE, ["mcp.example.com"]);
    const chat = await talk({ key }, withServers({ astray: leaky(), well: { url: `${faults}/ok/none` } }));
    const { tools, warnings } = await chat.turn();
    expect(warnings.map(({ message }) => message)).toEqual([
      `MCP server 'astray' of the ghost is not available: the secret '${NAME}' is not bound to the host localhost. Check its entry and the server.`,
    ]);
    expect(tools.map((tool) => tool.name)).toContain("well__echo");
    expect(await seen("/leak/call")).toEqual([]);
  });

  it("goes to the port that its host names, and to no other of this machine", async () => {
    const key = await keyFor("ported");
    const { port } = new URL(faults);
    await plant(key, VALUE, ["localhost:9"]);
    const chat = await talk({ key }, withServers({ x: leaky("ok") }));
    const { warnings } = await chat.turn();
    expect(warnings.map(({ message }) => message)).toEqual([
      `MCP server 'x' of the ghost is not available: the secret '${NAME}' is not bound to localhost:${port}. Check its entry and the server.`,
    ]);
    expect(await seen("/ok/call")).toEqual([]);
    await plant(key, VALUE, ["localhost:9", `localhost:${port}`]);
    expect((await chat.turn()).warnings).toEqual([]);
    expect((await seen("/ok/call")).map(({ headers }) => headers["x-api-key"])).toContain(`Key ${VALUE}`);
  });

  it("outside of ASCII goes into no header, which the runtime would log", async () => {
    const key = await keyFor("umlauts");
    await plant(key, "pässwörd-ünïcode-123");
    const chat = await talk({ key }, withServers({ x: leaky() }));
    const { warnings } = await chat.turn();
    expect(warnings.map(({ message }) => message)).toEqual([
      "MCP server 'x' of the ghost is not available: a header with a secret would contain a character outside ASCII; use the secret in the URL instead. Check its entry and the server.",
    ]);
    expect(await seen("/leak/call")).toEqual([]);
  });

  it("that changed is another session at the next call, and one that is gone refuses the server", async () => {
    const key = await keyFor("rotating");
    await plant(key, "first-planted-value");
    const chat = await talk({ key }, withServers({ x: leaky("ok") }));
    await chat.turn();
    const before = await chat.use("x__echo");
    await plant(key, "other-planted-value");
    const after = await chat.use("x__echo");
    expect(after.isError).toBeUndefined();
    expect(after.structuredContent?.session).not.toEqual(before.structuredContent?.session);
    await call("DELETE", `/api/v1/secrets/${NAME}`, { key });
    const gone = await chat.use("x__echo");
    expect(gone.isError).toBe(true);
    expect(textOf(gone)).toBe(
      `Tool 'x__echo' is not available: MCP server 'x' is not connected: the secret '${NAME}' was not found. Continue without it.`,
    );
    expect((await chat.turn()).warnings.map(({ message }) => message)).toEqual([
      `MCP server 'x' of the ghost is not available: the secret '${NAME}' was not found. Check its entry and the server.`,
    ]);
  });

  it("is distinguished from an unknown variable, which is named", async () => {
    const chat = await talk(
      "typo",
      withServers({ x: { url: `${faults}/ok/none`, headers: { "x-who": variable("user.nmae") } } }),
    );
    expect((await chat.turn()).warnings[0]?.message).toContain(`${variable("user.nmae")} is not a variable`);
  });

  it("variables are filled at the last moment, and one that varies costs no session", async () => {
    const headers = {
      "x-who": `${variable("user.id")} in ${variable("conversation.id")}`,
      "x-request": variable("request.id"),
    };
    const chat = await talk("filled", withServers({ x: { url: `${faults}/ok/none`, headers } }));
    await chat.turn();
    const one = JSON.parse(textOf(await chat.use("x__headers")));
    const two = JSON.parse(textOf(await chat.use("x__headers")));
    expect(one["x-who"]).toBe(`filled in ${chat.route.slice(chat.route.lastIndexOf("/") + 1)}`);
    expect(one["mcp-session-id"]).toBe(two["mcp-session-id"]);
    expect(one["x-request"]).not.toBe(two["x-request"]);
  });

  it("leaves no connection open", expectNoConnections);
});
