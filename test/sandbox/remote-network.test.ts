// Requests of a script on an executor, with a fake one: what the gateway sends, what it returns to the executor, and what ends the run.

import { expect, it } from "vitest";
import { CODE_REQUESTS, RequestRefused } from "../../src/domain/code/network";
import { NO_PAGE } from "../../src/sandbox/browser-link";
import type { ScriptCall, StoredZip } from "../../src/sandbox/executor";
import type { CodeResponse, HostEnding, HostNetwork } from "../../src/sandbox/host";
import { remote } from "../../src/sandbox/remote";
import { Slots } from "../../src/sandbox/slots";

const bytes = (text: string) => new TextEncoder().encode(text);
const CALL: ScriptCall = {
  script: { path: "scripts/a.py", language: "python", verdict: "remote" },
  ...{ digest: "d", args: [], input: "", files: [], config: {}, ms: 60_000 },
  context: { taskId: "chat", subtaskId: 1, userId: "alice", userName: "Alice", skillName: "s" },
};
const REQUEST = {
  ...{ method: "POST", url: "https://api.example.org/", headers: [["a", "b"]], body: btoa("body") },
};
const request = (id: number, more: object = {}) => ({ request: { id, ...REQUEST, ...more } });

interface Reply {
  id: number;
  head: unknown;
  body: string | null;
}

type Put = (message: object | string) => void;

/** Runs a script. `script` writes the messages of the executor; its result follows. */
async function runOn({
  script,
  send = async () => ANSWER,
  type = "application/x-skill-run",
  refuses = false,
  signal = new AbortController().signal,
  hasNetwork = true,
}: {
  script: (put: Put, next: () => Promise<Reply>) => Promise<unknown> | unknown;
  send?: HostNetwork["send"];
  type?: string;
  /** Whether the executor cannot be reached for replies. */
  refuses?: boolean;
  signal?: AbortSignal;
  hasNetwork?: boolean;
}) {
  const asked: unknown[] = [];
  const endings: HostEnding[] = [];
  const replies: Reply[] = [];
  const waiting: ((reply: Reply) => void)[] = [];
  let run: { network?: { id: string }; env?: object } = {};
  const next = () =>
    new Promise<Reply>((resolve) => {
      const reply = replies.shift();
      if (reply === undefined) waiting.push(resolve);
      else resolve(reply);
    });
  const network: HostNetwork = {
    env: { TOKEN: "placeholder" },
    send: (each, ended) => {
      asked.push(each);
      return send(each, ended);
    },
  };
  const host = {
    readFile: async () => null,
    log: () => {},
    ended: (ending: HostEnding) => endings.push(ending),
    browserLink: NO_PAGE,
    ...(hasNetwork ? { network } : {}),
  };
  const stored: StoredZip = {
    zip: bytes("x"),
    files: [{ path: "scripts/a.py", offset: 0, size: 1, mode: 0o644, sha256: "" }],
  };
  const executor = {
    url: "https://executor.example",
    key: "the key of the executor",
    fetch: async (url: string, init: RequestInit) => {
      const form = init.body as FormData;
      const [, id, number] = /\/v1\/runs\/([^/]+)\/responses\/(\d+)$/.exec(url) ?? [];
      if (id !== undefined) {
        expect(id).toBe(run.network?.id);
        if (refuses) throw new Error("the server cannot be reached");
        const body = form.get("body") as File | string | null;
        const reply = {
          id: Number(number),
          head: JSON.parse(String(form.get("response"))),
          body: body === null || typeof body === "string" ? body : await body.text(),
        };
        const first = waiting.shift();
        if (first === undefined) replies.push(reply);
        else first(reply);
        return new Response(null, { status: 204 });
      }
      run = JSON.parse(String(form.get("run")));
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const writer = writable.getWriter();
      const put = (message: object | string) =>
        void writer
          .write(bytes(typeof message === "string" ? message : `${JSON.stringify(message)}\n`))
          .catch(() => {});
      const ended = async () => {
        await script(put, next);
        const result = new FormData();
        const text = JSON.stringify({ exit_code: 0, stdout: "out", stderr: "", reason: null, left: [] });
        result.set("result", new File([text], "result.json"));
        const packed = new Response(result);
        put({ result: { type: packed.headers.get("content-type") } });
        await writer.write(new Uint8Array(await packed.arrayBuffer()));
        await writer.close();
      };
      ended().catch((error) => writer.abort(error).catch(() => {}));
      return new Response(readable, { headers: { "content-type": type } });
    },
  };
  const parts = { slots: new Slots(1), host, readZip: async () => stored };
  return { ended: await remote(parts, executor).run(CALL, signal), asked, endings, run };
}

const ANSWER: CodeResponse = {
  ...{
    status: 201,
    statusText: "Created",
    headers: [["x", "y"]],
    body: bytes("answer"),
    url: "https://api.example.org/",
  },
};

it("passes requests and responses on, and then reads the result", async () => {
  const got: Reply[] = [];
  const { ended, asked, run, endings } = await runOn({
    script: async (put, next) => {
      put(request(1));
      got.push(await next());
      put(request(2, { body: null, method: "GET" }));
      got.push(await next());
    },
  });
  expect(ended).toMatchObject({ exit_code: 0, stdout: "out", stderr: "", killed: false, executor: "remote" });
  expect(endings).toEqual([]);
  expect(run).toMatchObject({ network: { id: expect.stringMatching(/^[\w-]{36}$/) }, env: { TOKEN: "placeholder" } });
  expect(asked).toEqual([
    { method: "POST", url: "https://api.example.org/", headers: [["a", "b"]], body: bytes("body") },
    { method: "GET", url: "https://api.example.org/", headers: [["a", "b"]], body: null },
  ]);
  const head = { status: 201, statusText: "Created", headers: [["x", "y"]], url: "https://api.example.org/" };
  expect(got).toEqual([
    { id: 1, head, body: "answer" },
    { id: 2, head, body: "answer" },
  ]);
});

it("reads messages that arrive in pieces", async () => {
  const { ended, asked } = await runOn({
    script: async (put, next) => {
      const text = `${JSON.stringify(request(7))}\n${JSON.stringify(request(8))}\n`;
      for (const part of text.match(/[\s\S]{1,11}/g) ?? []) put(part);
      await Promise.all([next(), next()]);
    },
  });
  expect([ended.exit_code, asked.length]).toEqual([0, 2]);
});

it.each([
  ["was not sent", 403, RequestRefused],
  ["failed", 502, Error],
])("returns why a request %s, as status %d, and shows it once", async (_, status, Problem) => {
  const reason = "The host 'api.example.org' is declared, but not approved.";
  const got: Reply[] = [];
  const { ended } = await runOn({
    send: async () => {
      throw new Problem(reason);
    },
    script: async (put, next) => {
      put(request(1));
      got.push(await next());
      put(request(2));
      await next();
    },
  });
  expect(got).toEqual([{ id: 1, head: { error: reason, status }, body: null }]);
  expect(ended).toMatchObject({ exit_code: 0, stderr: `Network: ${reason}` });
});

it("sends nothing for a script whose skill declares no host", async () => {
  const { ended, run, asked } = await runOn({ hasNetwork: false, script: (put) => put(request(1)) });
  expect(ended).toMatchObject({ exit_code: 137, reason: "stopped" });
  expect(asked).toEqual([]);
  expect(run).not.toHaveProperty("network");
  expect(run).not.toHaveProperty("env");
});

it("ends requests that are open when the run ends", async () => {
  const ends = Promise.withResolvers<string>();
  const { ended } = await runOn({
    send: (_, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => {
          ends.resolve("ended");
          reject(new Error("cancelled"));
        }),
      ),
    script: (put) => put(request(1)),
  });
  expect(ended.exit_code).toBe(0);
  expect(await ends.promise).toBe("ended");
});

it("ends with its caller while a request is open", async () => {
  const cancel = new AbortController();
  const { ended } = await runOn({
    signal: cancel.signal,
    send: () => {
      cancel.abort();
      return new Promise(() => {});
    },
    script: (put, next) => {
      put(request(1));
      return next();
    },
  });
  expect(ended).toMatchObject({ exit_code: 137, reason: "cancelled" });
});

const stuck = () => new Promise<never>(() => {});
it.each<[string, (put: Put) => unknown, RegExp]>([
  ["a message that is not JSON", (put) => put("{\n"), /not available/],
  ["a message of another shape", (put) => put({ other: 1 }), /not available/],
  ["a body that is not base64", (put) => put(request(1, { body: "*" })), /not available/],
  [
    "a line without end",
    async (put) => {
      for (let n = 0; n < 8; n++) put("x".repeat(1024 * 1024));
      await stuck();
    },
    /too large/,
  ],
  [
    "more requests at once than the limit",
    async (put) => {
      for (let n = 0; n < CODE_REQUESTS.atOnce + 1; n++) put(request(n));
      await stuck();
    },
    /too many requests at once/,
  ],
  ["no result", () => Promise.reject(new Error("gone")), /not available/],
])("%s ends the run with an error", async (_, script, message) => {
  const { ended, endings } = await runOn({ script, send: stuck });
  expect(ended).toMatchObject({ exit_code: 137, reason: "stopped", files: [] });
  expect(ended.stderr).toMatch(message);
  expect(endings).toMatchObject([{ outcome: "stopped" }]);
});

it("ends with an error if replies do not reach the executor", async () => {
  const { ended } = await runOn({
    refuses: true,
    script: async (put) => {
      put(request(1));
      await stuck();
    },
  });
  expect(ended).toMatchObject({ exit_code: 137, reason: "stopped" });
  expect(ended.stderr).toContain("the server cannot be reached");
});
