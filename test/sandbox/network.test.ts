// Requests of skill code in every language, as its usual clients send them.

import { describe, expect, it } from "vitest";
import { type CodeRequest, codeRequestSchema } from "../../src/domain/code/network";
import type { CodeResponse, HostNetwork } from "../../src/sandbox/host";
import { providerSkill } from "../support/provider";
import { callOne, runOne } from "../support/run-code";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (of: Uint8Array | null) => (of === null ? null : new TextDecoder().decode(of));

interface Seen {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | null;
}

/** A network that answers every request with JSON, and lists what it received. */
function network(respond: (asked: CodeRequest) => Partial<CodeResponse> = () => ({})) {
  const seen: Seen[] = [];
  const parts: HostNetwork = {
    env: { TOKEN: "placeholder-of-token" },
    async send(asked) {
      const request = codeRequestSchema.parse(asked);
      const headers = Object.fromEntries(request.headers.map(([name, value]) => [name.toLowerCase(), value]));
      seen.push({ url: request.url, method: request.method, headers, body: text(request.body) });
      return {
        ...{ status: 200, statusText: "OK", url: request.url, body: bytes('{"hello":"wörld"}') },
        headers: [["content-type", "application/json"]],
        ...respond(request),
      };
    },
  };
  return { seen, parts };
}

async function run(path: string, source: string, of = network()) {
  const skill = { name: "caller", files: { [path]: source } };
  const { exit_code, stdout, stderr, killed } = await runOne(skill, path, { host: { network: of.parts }, ms: 60_000 });
  return { exit_code, stdout, stderr, killed, seen: of.seen };
}

const URL = "https://api.example.org/v1/things?q=a%20b";
const POSTED = {
  ...{ url: "https://api.example.org/v1", method: "POST", body: '{"a":"é"}' },
  headers: { authorization: "Bearer placeholder-of-token", "content-type": "application/json" },
};

/** Each client reads URL as JSON and prints `hello`, then posts with the placeholder and prints the status. */
const CLIENTS: Record<string, [path: string, source: string]> = {
  "fetch in a module": [
    "scripts/a.mjs",
    `const got = await fetch(${JSON.stringify(URL)});
    console.log((await got.json()).hello, got.ok, got.headers.get("content-type"), got.url);
    const headers = { Authorization: "Bearer " + process.env.TOKEN, "Content-Type": "application/json" };
    const posted = await fetch(${JSON.stringify(POSTED.url)}, { method: "POST", headers, body: JSON.stringify({ a: "é" }) });
    console.log(posted.status);`,
  ],
  "node:https": [
    "scripts/a.js",
    `const https = require("https");
    https.get(${JSON.stringify(URL)}, (answer) => {
      let all = "";
      answer.setEncoding("utf8");
      answer.on("data", (part) => { all += part; });
      answer.on("end", () => {
        console.log(JSON.parse(all).hello, answer.statusCode === 200, answer.headers["content-type"], ${JSON.stringify(URL)});
        const headers = { Authorization: "Bearer " + process.env.TOKEN, "Content-Type": "application/json" };
        const request = https.request({ hostname: "api.example.org", path: "/v1", method: "POST", headers }, (posted) => {
          console.log(posted.statusCode);
          posted.resume();
        });
        request.write('{"a":');
        request.end('"é"}');
      });
    });`,
  ],
  curl: [
    "scripts/a.sh",
    `set -euo pipefail
    curl -sS '${URL}' | jq -r '.hello' | tr '\\n' ' '
    echo "true application/json ${URL}"
    curl -s -o /dev/null -w '%{http_code}\\n' -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"a":"é"}' '${POSTED.url}'`,
  ],
  urllib: [
    "scripts/a.py",
    `import json, os, urllib.request
with urllib.request.urlopen(${JSON.stringify(URL)}) as got:
    print(json.load(got)["hello"], "true" if got.status == 200 else "", got.headers["content-type"], got.url)
headers = {"Authorization": "Bearer " + os.environ["TOKEN"], "Content-Type": "application/json"}
asked = urllib.request.Request(${JSON.stringify(POSTED.url)}, data='{"a":"é"}'.encode(), headers=headers, method="POST")
print(urllib.request.urlopen(asked).status)`,
  ],
  "http.client": [
    "scripts/b.py",
    `import http.client, json, os
connection = http.client.HTTPSConnection("api.example.org", timeout=10)
connection.request("GET", "/v1/things?q=a%20b")
got = connection.getresponse()
print(json.loads(got.read())["hello"], "true", got.getheader("content-type"), ${JSON.stringify(URL)})
headers = {"Authorization": "Bearer " + os.environ["TOKEN"], "Content-Type": "application/json"}
connection.request("POST", "/v1", body=iter([b'{"a":', '"é"}'.encode()]), headers=headers, encode_chunked=True)
print(connection.getresponse().status)`,
  ],
};

describe.each(Object.entries(CLIENTS))("%s", (_, [path, source]) => {
  it("reads a response, and sends a body with headers", { tags: ["slow"] }, async () => {
    const { exit_code, stdout, stderr, seen } = await run(path, source);
    expect({ exit_code, stdout, stderr }).toEqual({
      ...{ exit_code: 0, stderr: "", stdout: `wörld true application/json ${URL}\n200\n` },
    });
    expect(seen).toMatchObject([{ url: URL, method: "GET", body: null }, POSTED]);
  });

  it("reports why a request was not sent", async () => {
    const refused = network(() => {
      throw new Error("Code of this skill cannot call 'api.example.org'.");
    });
    const { exit_code, stderr, killed } = await run(path, source, refused);
    expect({ killed, failed: exit_code !== 0 }).toEqual({ killed: false, failed: true });
    expect(stderr).toContain("cannot call 'api.example.org'");
  });
});

it("a tool of a provider sends requests, and has placeholders", async () => {
  const of = network();
  const skill = providerSkill("caller", {
    ask: `const got = await fetch(${JSON.stringify(URL)}, { headers: { Authorization: "Bearer " + context.env.TOKEN } });
      return { hello: (await got.json()).hello, status: got.status };`,
  });
  const result = await callOne(skill, "ask", { host: { network: of.parts } });
  expect(result.structuredContent).toEqual({ hello: "wörld", status: 200 });
  expect(of.seen).toMatchObject([{ url: URL, headers: { authorization: "Bearer placeholder-of-token" } }]);
});

it.each([
  ["scripts/a.mjs", `await fetch("https://api.example.org/")`, "There is no network"],
  ["scripts/a.js", `require("http").get("http://api.example.org/")`, "There is no network"],
  ["scripts/a.py", `import urllib.request; urllib.request.urlopen("https://api.example.org/")`, "There is no network"],
  ["scripts/a.sh", `curl https://api.example.org/`, "curl: command not found"],
])("without declared hosts %s has no network", async (path, source, message) => {
  const { exit_code, stderr } = await runOne({ name: "caller", files: { [path]: source } }, path);
  expect(exit_code).not.toBe(0);
  expect(stderr).toContain(message);
});

it("passes statuses without a body, binary responses and repeated headers", async () => {
  const of = network(({ url }) => {
    if (url.endsWith("/none")) return { status: 204, statusText: "No Content", body: new Uint8Array() };
    const headers: [string, string][] = [
      ["set-cookie", "a=1"],
      ["set-cookie", "b=2"],
    ];
    return { status: 418, statusText: "I'm a teapot", headers, body: new Uint8Array([0xff, 0, 0xc3]) };
  });
  const { stdout, stderr } = await run(
    "scripts/a.mjs",
    `const none = await fetch("https://a.org/none", { method: "DELETE" });
    const odd = await fetch("https://a.org/odd");
    console.log(none.status, await none.text(), odd.status, odd.statusText, odd.headers.getSetCookie().join(), [...new Uint8Array(await odd.arrayBuffer())].join());`,
    of,
  );
  expect({ stdout, stderr }).toEqual({ stdout: "204  418 I'm a teapot a=1,b=2 255,0,195\n", stderr: "" });
});

it("waits for a request that nobody awaits, and ends one with its signal", async () => {
  const slow = network();
  const { stdout } = await run(
    "scripts/a.mjs",
    `fetch("https://a.org/").then(async (got) => console.log("later", got.status));
    const stopped = await fetch("https://a.org/", { signal: AbortSignal.abort() }).catch((error) => error.name);
    console.log(stopped);`,
    slow,
  );
  expect(stdout.split("\n").sort()).toEqual(["", "AbortError", "later 200"]);
});
