// Scripts on the executor of this machine that call declared hosts: each HTTP client, and what a run has. Hosts are imitated in the gateway.

import { spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { probe } from "../../executor/bubblewrap.mjs";
import { serveExecutor } from "../../executor/server.mjs";
import type { Language } from "../../src/domain/code/language";
import { type Ask, given, imitate, runOn, type Sent } from "../support/executor-network";

vi.mock("cloudflare:workers", () => ({ RpcTarget: class {} }));
vi.mock("../../src/storage/d1/registry/skill-network", () => ({ readApprovedNetwork: async () => given.approved }));
vi.mock("../../src/services/secrets/skill-env", () => ({ skillEnvValues: async () => given.values }));
vi.mock("../../src/services/audit", () => ({
  recordAct: async (_: unknown, action: string, __: string, { after }: { after: { host: string } }) => {
    given.audited.push({ action, host: after.host });
  },
}));
vi.stubGlobal("__DEVELOPMENT__", false);

/** On a busy machine a run starts late. */
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const KEY = "a key of the tests that is long enough";
const VALUE = "ghp-Secret+Value/0123456789";
const canConfine = (await probe()).ok;
const hasModule = (name: string) => spawnSync("/usr/bin/python3", ["-c", `import ${name}`]).status === 0;
/** requests by itself, or the copy that pip brings. */
const REQUESTS = ["requests", "pip._vendor.requests"].find(hasModule);

let server: Awaited<ReturnType<typeof serveExecutor>>;
beforeAll(async () => {
  if (canConfine) server = await serveExecutor({ key: KEY, checksFirst: "start" });
});
afterAll(() => server?.close());

let sent: Sent[] = [];
let restore = () => {};
beforeEach(() => {
  given.approved = ["api.example.org"];
  given.values = new Map([["TOKEN", { value: VALUE, hosts: ["api.example.org"] }]]);
  given.audited = [];
  ({ sent, restore } = imitate(server?.url ?? "", ({ url, method, headers, body }) => {
    if (new URL(url).pathname === "/no-content") return new Response(null, { status: 204 });
    const answer = { hello: "wörld", method, received: headers.authorization ?? null, size: body.length };
    return Response.json(answer, { headers: { "x-page": "2" } });
  }));
});
afterEach(() => restore());

const run = (language: Language, text: string, ask?: Ask) => runOn({ url: server.url, key: KEY }, language, text, ask);

/** Each reads `hello` and the header of a response, and sends a JSON body with the placeholder in a header. */
const CLIENTS: Record<string, { language: Language; text: string; needs?: boolean }> = {
  "urllib of Python": {
    language: "python",
    text: `import json, os, urllib.request
got = urllib.request.urlopen("https://api.example.org/v1?q=1")
print(json.load(got)["hello"], got.headers["x-page"])
headers = {"Authorization": "Bearer " + os.environ["TOKEN"], "Content-Type": "application/json"}
asked = urllib.request.Request("https://api.example.org/v1", data=b'{"a":1}', headers=headers)
print(json.load(urllib.request.urlopen(asked))["received"])`,
  },
  "requests of Python": {
    language: "python",
    needs: REQUESTS !== undefined,
    text: `import os
from ${REQUESTS} import Session
with Session() as session:
  got = session.get("https://api.example.org/v1", params={"q": 1})
  print(got.json()["hello"], got.headers["x-page"])
  headers = {"Authorization": "Bearer " + os.environ["TOKEN"]}
  print(session.post("https://api.example.org/v1", json={"a": 1}, headers=headers).json()["received"])`,
  },
  "httpx of Python": {
    language: "python",
    needs: hasModule("httpx"),
    text: `import os, httpx
got = httpx.get("https://api.example.org/v1", params={"q": 1})
print(got.json()["hello"], got.headers["x-page"])
headers = {"Authorization": "Bearer " + os.environ["TOKEN"]}
print(httpx.post("https://api.example.org/v1", json={"a": 1}, headers=headers).json()["received"])`,
  },
  curl: {
    language: "shell",
    needs: spawnSync("curl", ["--version"]).status === 0,
    text: `set -e
got=$(curl -sS -D headers 'https://api.example.org/v1?q=1')
echo "$(sed 's/.*"hello":"\\([^"]*\\)".*/\\1/' <<< "$got") $(grep -i '^x-page' headers | tr -d '\\r' | cut -d' ' -f2)"
rm headers
curl -sS -H "Authorization: Bearer $TOKEN" --json '{"a":1}' https://api.example.org/v1 | sed 's/.*"received":"\\([^"]*\\)".*/\\1/'
echo`,
  },
  "fetch of Node": {
    language: "javascript",
    text: `const got = await fetch("https://api.example.org/v1?q=1");
console.log((await got.json()).hello, got.headers.get("x-page"));
const headers = { authorization: "Bearer " + process.env.TOKEN, "content-type": "application/json" };
const posted = await fetch("https://api.example.org/v1", { method: "POST", headers, body: JSON.stringify({ a: 1 }) });
console.log((await posted.json()).received);`,
  },
  "https of Node": {
    language: "javascript",
    text: `import https from "node:https";
import { json } from "node:stream/consumers";
const ask = (options, body) => new Promise((resolve, reject) =>
  https.request("https://api.example.org/v1?q=1", options, resolve).on("error", reject).end(body));
const got = await ask({});
console.log((await json(got)).hello, got.headers["x-page"]);
const headers = { authorization: "Bearer " + process.env.TOKEN };
console.log((await json(await ask({ method: "POST", headers }, '{"a":1}'))).received);`,
  },
};

describe.runIf(canConfine)("a script on the executor", () => {
  describe.each(Object.entries(CLIENTS))("with %s", (_, { language, text, needs = true }) => {
    it.runIf(needs)("calls a host through the gateway, which puts in the value", async () => {
      const { exit_code, stdout, stderr, files } = await run(language, text);
      expect({ exit_code, stderr, files, stdout }).toEqual({
        ...{ exit_code: 0, stderr: "", files: [], stdout: "wörld 2\nBearer [secret TOKEN]\n" },
      });
      expect(sent.map(({ method, url }) => [method, new URL(url).host])).toEqual([
        ["GET", "api.example.org"],
        ["POST", "api.example.org"],
      ]);
      expect(sent[1]?.headers.authorization).toBe(`Bearer ${VALUE}`);
      expect(JSON.parse(sent[1]?.body ?? "")).toEqual({ a: 1 });
      expect(given.audited).toEqual([{ action: "skill.request", host: "api.example.org" }]);
    });

    it.runIf(needs)("gets the reason if its host is not approved", async () => {
      given.approved = [];
      const { stdout, stderr } = await run(language, text);
      expect(stdout + stderr).toContain(
        "The host 'api.example.org' is declared, but not approved. Somebody who manages the skill approves it",
      );
      expect([sent, given.audited]).toEqual([[], []]);
    });
  });

  it.each<[Language, string]>([
    ["shell", "env | grep -i proxy; ls /opt/network; curl -sS -m 5 https://api.example.org/ && echo in"],
    ["python", "import urllib.request\nurllib.request.urlopen('https://api.example.org/')\nprint('in')"],
  ])("has no proxy if its skill declares no host: %s", async (language, text) => {
    const { stdout } = await run(language, text, { isWithoutNetwork: true });
    expect(stdout).toBe("");
    expect(sent).toEqual([]);
  });

  it("has only placeholders, and nothing of the executor", async () => {
    const { stdout } = await run(
      "shell",
      "env; ls -R /opt/network; cat /opt/network/* 2>/dev/null; ps aux 2>/dev/null",
    );
    expect(stdout).toMatch(/^TOKEN=skillgate_TOKEN_[0-9a-f]{24}$/m);
    expect(stdout).toContain("/opt/network:\nca.pem\nproxy\nrelay.cjs\n");
    for (const secret of [VALUE, KEY, "PRIVATE KEY"]) expect(stdout).not.toContain(secret);
  });

  it("sends bodies of any bytes, and gets statuses without a body", async () => {
    const text = `head -c 300000 /dev/urandom | curl -sS --data-binary @- https://api.example.org/v1
curl -sS -o /dev/null -w '%{http_code}' -X DELETE https://api.example.org/no-content
curl -sSI https://api.example.org/v1 | head -1`;
    const { stdout, stderr } = await run("shell", text);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout.slice(0, stdout.indexOf("}") + 1))).toMatchObject({ method: "POST" });
    expect(stdout).toContain("}204HTTP/1.1 200");
    expect(sent.map(({ method }) => method)).toEqual(["POST", "DELETE", "HEAD"]);
  });

  it("reaches a server that it has started itself without the proxy", async () => {
    const text = `echo hello > page; python3 -m http.server 8000 --bind 127.0.0.1 2>/dev/null &
until curl -sf http://127.0.0.1:8000/page; do :; done`;
    expect(await run("shell", text)).toMatchObject({ exit_code: 0, stdout: "hello\n" });
    expect(sent).toEqual([]);
  });

  it("uses git, which reads the branches of a repository", async () => {
    restore();
    const packet = (text: string) => `${(text.length + 4).toString(16).padStart(4, "0")}${text}`;
    const head = "a".repeat(40);
    ({ sent, restore } = imitate(server.url, () => {
      const text = `${packet("# service=git-upload-pack\n")}0000${packet(`${head} HEAD\0agent=x\n`)}0000`;
      return new Response(text, { headers: { "content-type": "application/x-git-upload-pack-advertisement" } });
    }));
    const { stdout } = await run("shell", "git ls-remote https://api.example.org/x.git");
    expect(stdout).toBe(`${head}\tHEAD\n`);
    expect(sent[0]?.url).toBe("https://api.example.org/x.git/info/refs?service=git-upload-pack");
  });

  it("leaves no folder, also if it is cancelled in a request", async () => {
    const folders = async () => (await readdir(tmpdir())).filter((name) => name.startsWith("run-"));
    const before = await folders();
    const cancel = new AbortController();
    restore();
    ({ sent, restore } = imitate(server.url, () => {
      cancel.abort();
      return new Promise<Response>(() => {});
    }));
    const ended = await run("shell", "curl -sS https://api.example.org/", { signal: cancel.signal });
    expect(ended).toMatchObject({ reason: "cancelled", exit_code: 137 });
    const left = async () => (await folders()).filter((name) => !before.includes(name));
    await vi.waitFor(async () => expect(await left()).toEqual([]), { timeout: 60_000, interval: 50 });
  });

  it("ends at its deadline, also in a request", async () => {
    restore();
    ({ sent, restore } = imitate(server.url, () => new Promise<Response>(() => {})));
    const { reason, killed, stderr } = await run("shell", "curl -sS https://api.example.org/", { ms: 2_000 });
    expect({ reason, killed }).toEqual({ reason: "timeout", killed: true });
    expect(stderr).toContain("The script was ended after 2s.");
  });
});
