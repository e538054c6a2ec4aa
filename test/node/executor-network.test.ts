// Scripts on the executor of this machine that call declared hosts: each HTTP client, and what a run has. Hosts are imitated in the gateway.

import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../../executor/bubblewrap.mjs";
import { DROPPED, FOLDER, NETWORK_LIMITS } from "../../executor/proxy.mjs";
import type { Language } from "../../src/domain/code/language";
import { CODE_REQUESTS } from "../../src/domain/code/network";
import { CONNECTION_HEADERS } from "../../src/upstream/fetch";
import { canConfine, given, KEY, openMachine, VALUE } from "../support/executor-network";

/** On a busy machine a run starts late. */
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const hasModule = (name: string) => spawnSync("/usr/bin/python3", ["-c", `import ${name}`]).status === 0;
/** requests by itself, or the copy that pip brings. */
const REQUESTS = ["requests", "pip._vendor.requests"].find(hasModule);

const machine = openMachine(["api.example.org"], ({ url, method, headers, body }) => {
  if (new URL(url).pathname === "/no-content") return new Response(null, { status: 204 });
  const answer = { hello: "wörld", method, received: headers.authorization ?? null, size: body.length };
  return Response.json(answer, { headers: { "x-page": "2" } });
});
const run = machine.run.bind(machine);

/**
 * Each reads `hello` and the header of a response, and sends a JSON body with the placeholder in a header. `absent`: what this machine lacks
 * to run it.
 */
const CLIENTS: Record<string, { language: Language; text: string; absent?: string | false }> = {
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
    absent: REQUESTS === undefined && "python3-requests is not installed",
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
    absent: !hasModule("httpx") && "python3-httpx is not installed",
    text: `import os, httpx
got = httpx.get("https://api.example.org/v1", params={"q": 1})
print(got.json()["hello"], got.headers["x-page"])
headers = {"Authorization": "Bearer " + os.environ["TOKEN"]}
print(httpx.post("https://api.example.org/v1", json={"a": 1}, headers=headers).json()["received"])`,
  },
  curl: {
    language: "shell",
    absent: spawnSync("curl", ["--version"]).status !== 0 && "curl is not installed",
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
  describe.each(Object.entries(CLIENTS))("with %s", (_, { language, text, absent = false }) => {
    it("calls a host through the gateway, which puts in the value", async ({ skip }) => {
      if (absent !== false) skip(absent);
      const { exit_code, stdout, stderr, files } = await run(language, text);
      expect({ exit_code, stderr, files, stdout }).toEqual({
        ...{ exit_code: 0, stderr: "", files: [], stdout: "wörld 2\nBearer [secret TOKEN]\n" },
      });
      expect(machine.sent.map(({ method, url }) => [method, new URL(url).host])).toEqual([
        ["GET", "api.example.org"],
        ["POST", "api.example.org"],
      ]);
      expect(machine.sent[1]?.headers.authorization).toBe(`Bearer ${VALUE}`);
      expect(JSON.parse(machine.sent[1]?.body ?? "")).toEqual({ a: 1 });
      expect(given.audited).toEqual([{ action: "skill.request", host: "api.example.org" }]);
    });

    it("gets the reason if its host is not approved", async ({ skip }) => {
      if (absent !== false) skip(absent);
      given.approved = [];
      const { stdout, stderr } = await run(language, text);
      expect(stdout + stderr).toContain(
        "The host 'api.example.org' is declared, but not approved. Somebody who manages the skill approves it",
      );
      expect([machine.sent, given.audited]).toEqual([[], []]);
    });
  });

  it.each<[Language, string]>([
    ["shell", "env | grep -i proxy; ls /opt/network; curl -sS -m 5 https://api.example.org/ && echo in"],
    ["python", "import urllib.request\nurllib.request.urlopen('https://api.example.org/')\nprint('in')"],
  ])("has no proxy if its skill declares no host: %s", async (language, text) => {
    const { stdout } = await run(language, text, { isWithoutNetwork: true });
    expect(stdout).toBe("");
    expect(machine.sent).toEqual([]);
  });

  it("gets 403 for what the gateway does not send, and 502 if the host does not answer", async () => {
    machine.respond(() => {
      throw new TypeError("connection refused");
    });
    const status = (url: string) => `curl -sS -o answer -w '%{http_code} ' ${url}; cat answer; rm answer`;
    const urls = ["https://evil.example.com/", "https://api.example.org/$TOKEN", "https://api.example.org/"];
    const { stdout } = await run("shell", urls.map(status).join("\n"));
    expect(stdout.trim().split("\n")).toEqual([
      expect.stringMatching(/^403 Code of this skill cannot call 'evil\.example\.com'/),
      expect.stringMatching(/^403 The value of TOKEN is sent in headers only/),
      "502 GET https://api.example.org: the server cannot be reached.",
    ]);
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
    expect(machine.sent.map(({ method }) => method)).toEqual(["POST", "DELETE", "HEAD"]);
  });

  it("reaches a server that it has started itself without the proxy", async () => {
    const text = `echo hello > page; python3 -m http.server 8000 --bind 127.0.0.1 2>/dev/null &
until curl -sf http://127.0.0.1:8000/page; do :; done`;
    expect(await run("shell", text)).toMatchObject({ exit_code: 0, stdout: "hello\n" });
    expect(machine.sent).toEqual([]);
  });

  it("uses git, which reads the branches of a repository", async () => {
    const packet = (text: string) => `${(text.length + 4).toString(16).padStart(4, "0")}${text}`;
    const head = "a".repeat(40);
    machine.respond(() => {
      const text = `${packet("# service=git-upload-pack\n")}0000${packet(`${head} HEAD\0agent=x\n`)}0000`;
      return new Response(text, { headers: { "content-type": "application/x-git-upload-pack-advertisement" } });
    });
    const { stdout } = await run("shell", "git ls-remote https://api.example.org/x.git");
    expect(stdout).toBe(`${head}\tHEAD\n`);
    expect(machine.sent[0]?.url).toBe("https://api.example.org/x.git/info/refs?service=git-upload-pack");
  });

  it("has its proxy if the folder for temporary files is private, as that of a gateway of root", async () => {
    const own = await mkdtemp(path.join(tmpdir(), "private-"));
    vi.stubEnv("TMPDIR", own);
    const mask = process.umask(0o077);
    try {
      const text = "curl -sS -o /dev/null -w '%{http_code}' https://api.example.org/v1";
      expect(await run("shell", text)).toMatchObject({ exit_code: 0, stderr: "", stdout: "200" });
    } finally {
      process.umask(mask);
      vi.unstubAllEnvs();
      await rm(own, { recursive: true });
    }
  });

  it("leaves no folder, also if it is cancelled in a request", async () => {
    const folders = async () => (await readdir(temporaryFolder())).filter((name) => name.startsWith(FOLDER));
    const before = await folders();
    const cancel = new AbortController();
    machine.respond(() => {
      cancel.abort();
      return new Promise<Response>(() => {});
    });
    const ended = await run("shell", "curl -sS https://api.example.org/", { signal: cancel.signal });
    expect(ended).toMatchObject({ reason: "cancelled", exit_code: 137 });
    const left = async () => (await folders()).filter((name) => !before.includes(name));
    await vi.waitFor(async () => expect(await left()).toEqual([]), { timeout: 60_000, interval: 50 });
  });

  it("ends at its deadline, also in a request", async () => {
    machine.respond(() => new Promise<Response>(() => {}));
    const { reason, killed, stderr } = await run("shell", "curl -sS https://api.example.org/", { ms: 2_000 });
    expect({ reason, killed }).toEqual({ reason: "timeout", killed: true });
    expect(stderr).toContain("The script was ended after 2s.");
  });
});

it("the executor, which has no source of the gateway, has the same limits and leaves out the same headers", () => {
  // The gateway sends its own `accept-encoding`, because it decodes responses.
  expect([...DROPPED].sort()).toEqual([...CONNECTION_HEADERS, "accept-encoding"].sort());
  const { requests, atOnce, requestBytes } = CODE_REQUESTS;
  expect(NETWORK_LIMITS).toMatchObject({ requests, atOnce, requestBytes });
});
