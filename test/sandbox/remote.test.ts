// Scripts that an executor runs, with a fake one: what it receives, what of its response is used, and what happens when it fails.

import { describe, expect, it } from "vitest";
import { SCRIPT_FILES } from "../../src/domain/code/script-limits";
import { NO_PAGE } from "../../src/sandbox/browser-link";
import type { Script, ScriptCall, StoredZip } from "../../src/sandbox/executor";
import type { HostEnding } from "../../src/sandbox/host";
import { type RemoteExecutor, remote } from "../../src/sandbox/remote";
import { Slots } from "../../src/sandbox/slots";

const encode = (text: string) => new TextEncoder().encode(text);
const SCRIPT: Script = { path: "scripts/a.py", language: "python", verdict: "remote" };
const ZIP = encode("print(1)text");
const STORED: StoredZip = {
  zip: ZIP,
  files: [
    { path: "scripts/a.py", offset: 0, size: 8, mode: 0o755, sha256: "" },
    { path: "data/ü b.txt", offset: 8, size: 4, mode: 0o644, sha256: "" },
  ],
};
const CALL: ScriptCall = {
  script: SCRIPT,
  digest: "d",
  args: ["-x"],
  input: "in",
  files: [{ path: "/workspace/in.txt", bytes: encode("given") }],
  config: {},
  context: { taskId: "chat", subtaskId: 1, userId: "alice", userName: "Alice", skillName: "s" },
  ms: 2_000,
};
const RESULT = { exit_code: 0, stdout: "out", stderr: "err", reason: null, left: [] };

interface Fake {
  answer?: (init: RequestInit) => Response | Promise<Response>;
  stored?: StoredZip | string;
  slots?: Slots;
  signal?: AbortSignal;
  call?: Partial<ScriptCall>;
}

/** Runs a script on a fake executor. Returns the run, the request it received, and how the run was reported to operators. */
async function runOn({
  answer = () => formOf(RESULT),
  stored = STORED,
  slots = new Slots(2),
  signal,
  call,
}: Fake = {}) {
  const requests: { url: string; init: RequestInit; limits: object }[] = [];
  const endings: HostEnding[] = [];
  const executor: RemoteExecutor = {
    url: "https://executor.example/base",
    key: "the key of the executor",
    fetch: async (url, init, limits) => {
      requests.push({ url, init, limits });
      return answer(init);
    },
  };
  const host = {
    readFile: async () => null,
    log: () => {},
    ended: (ending: HostEnding) => endings.push(ending),
    browserLink: NO_PAGE,
  };
  const parts = { slots, host, readZip: async () => stored };
  const run = await remote(parts, executor).run({ ...CALL, ...call }, signal ?? new AbortController().signal);
  return { run, requests, endings };
}

/** A response as an executor sends it. */
function formOf(result: object | string, files: Record<string, Uint8Array> = {}): Response {
  const form = new FormData();
  for (const [path, bytes] of Object.entries(files)) form.append("file", new File([bytes], encodeURIComponent(path)));
  form.set("result", new File([typeof result === "string" ? result : JSON.stringify(result)], "result.json"));
  return new Response(form);
}

describe("an executor", () => {
  it("runs only scripts that need one", () => {
    const { runs } = remote({} as Parameters<typeof remote>[0], {} as RemoteExecutor);
    const sent = (language: Script["language"]) =>
      (["isolate", "partly", "remote", "nowhere"] as const).filter((verdict) => runs({ path: "a", language, verdict }));
    expect(sent("python")).toEqual(["partly", "remote"]);
    expect(sent("shell")).toEqual(["partly", "remote"]);
    expect(sent("javascript")).toEqual(["remote"]);
    expect(runs({ path: "a.py", language: "python" })).toBe(false);
  });

  it("receives the package, the files and the key, and nothing about the caller", async () => {
    const { requests } = await runOn();
    const [{ url, init, limits } = { url: "", init: {}, limits: {} }] = requests;
    expect(url).toBe("https://executor.example/base/v1/runs");
    expect(limits).toEqual({ ms: 17_000, bytes: SCRIPT_FILES.outBytes + 4 * 1024 * 1024 });
    expect(new Headers(init.headers).get("authorization")).toBe("Bearer the key of the executor");
    const form = init.body as FormData;
    expect(JSON.parse(String(form.get("run")))).toEqual({
      ...{ language: "python", path: "/skill/scripts/a.py", args: ["-x"], input: "in", ms: 2_000 },
      requirements: [],
    });
    const files = (form.getAll("file") as unknown as File[]).map(async (file) => [
      decodeURIComponent(file.name),
      await file.text(),
      file.type,
    ]);
    expect(await Promise.all(files)).toEqual([
      ["/skill/scripts/a.py", "print(1)", "application/x-executable"],
      ["/skill/data/ü b.txt", "text", ""],
      ["/workspace/in.txt", "given", ""],
    ]);
  });

  it("receives a session that is the same for a user in a conversation, and reveals neither", async () => {
    const sessionOf = async (more: Partial<ScriptCall["context"]> = {}) => {
      const { requests } = await runOn({ call: { context: { ...CALL.context, ...more } } });
      return new Headers(requests[0]?.init.headers).get("executor-session");
    };
    const session = await sessionOf();
    expect(session).toMatch(/^[0-9a-f]{64}$/);
    expect(await sessionOf({ subtaskId: 2, skillName: "other" })).toBe(session);
    const others = [await sessionOf({ userId: "bob" }), await sessionOf({ taskId: "another chat" })];
    expect(new Set([session, ...others]).size).toBe(3);
    // Where a name ends is part of it.
    expect(await sessionOf({ userId: 'alice","c', taskId: "hat" })).not.toBe(
      await sessionOf({ userId: "alice", taskId: 'c","hat' }),
    );
  });

  it("returns output and files, and is named in the run", async () => {
    const { run, endings } = await runOn({
      answer: () => formOf(RESULT, { "/workspace/ü.txt": encode("x"), "/tmp/y": encode("") }),
    });
    expect(run).toMatchObject({
      ...{ exit_code: 0, stdout: "out", stderr: "err", killed: false, reason: null, executor: "remote", left: [] },
      files: [
        { path: "/workspace/ü.txt", bytes: encode("x") },
        { path: "/tmp/y", bytes: encode("") },
      ],
    });
    expect(endings).toEqual([]);
  });

  it.each([
    ["timeout", "The script was ended after 2s."],
    ["cancelled", "The script was cancelled."],
    ["stopped", "The script was ended by a limit of the executor."],
  ])("reports that a run was ended: %s", async (reason, message) => {
    const { run } = await runOn({ answer: () => formOf({ ...RESULT, exit_code: null, reason }) });
    expect(run).toMatchObject({ exit_code: 137, killed: true, reason, stderr: `err\n${message}` });
  });
});

describe("the response of an executor is untrusted:", () => {
  it.each([
    "/etc/passwd",
    "/workspace/../etc/x",
    "workspace/x",
    "/workspace/",
    "/workspace/a\u0000b",
    "%",
    "/skill//x",
  ])("a file with the path %j is dropped", async (path) => {
    const { run } = await runOn({ answer: () => formOf(RESULT, { [path]: encode("x") }) });
    expect(run).toMatchObject({ exit_code: 0, files: [] });
  });

  it("files over the limits are listed by name", async () => {
    const files = Object.fromEntries(
      Array.from({ length: SCRIPT_FILES.outFiles + 5 }, (_, n) => [`/workspace/${n}`, encode("x")]),
    );
    const { run } = await runOn({ answer: () => formOf(RESULT, files) });
    expect(run.files).toHaveLength(SCRIPT_FILES.outFiles);
    expect(run.left).toHaveLength(5);
  });

  it("output is cut", async () => {
    const { run } = await runOn({ answer: () => formOf({ ...RESULT, stdout: "x".repeat(300_000) }) });
    expect(run.stdout.length).toBeLessThan(101_000);
  });

  it.each([
    ["no form", () => new Response("text")],
    ["no result", () => new Response(new FormData())],
    ["a result that is not JSON", () => formOf("{")],
    ["a result with another shape", () => formOf({ exit_code: "0" })],
    ["a result with another reason", () => formOf({ ...RESULT, reason: "because" })],
  ])("%s ends the run with an error", async (_, answer) => {
    const { run, endings } = await runOn({ answer });
    expect(run).toMatchObject({ exit_code: 137, reason: "stopped", files: [], executor: "remote" });
    expect(run.stderr).toContain("the executor is not available");
    expect(endings).toMatchObject([{ outcome: "stopped" }]);
  });
});

describe("an executor that does not run a script", () => {
  const refusal = (status: number, code: string) => () =>
    Response.json({ error: { code, message: "Too much." } }, { status });

  it.each([
    [401, "UNAUTHORIZED", "stopped"],
    [413, "RUN_TOO_LARGE", "stopped"],
    [429, "EXECUTOR_BUSY", "busy"],
    [500, "EXECUTOR_FAILED", "stopped"],
  ])("is reported with its reason: %i %s", async (status, code, reason) => {
    const { run } = await runOn({ answer: refusal(status, code) });
    expect(run.reason).toBe(reason);
    expect(run.stderr).toContain(`the executor refused it (${code}: Too much.)`);
  });

  it("is reported if it cannot be reached", async () => {
    const answer = () => Promise.reject(new Error("the server cannot be reached"));
    const { run, endings } = await runOn({ answer });
    expect(run.stderr).toBe("The script was ended: the executor is not available (the server cannot be reached).");
    expect(endings).toMatchObject([{ outcome: "stopped", reason: "executor: the server cannot be reached" }]);
  });

  it("ends with its caller", async () => {
    const cancel = new AbortController();
    const answer = ({ signal }: RequestInit) =>
      new Promise<Response>((_, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
        cancel.abort();
      });
    const { run } = await runOn({ answer, signal: cancel.signal });
    expect(run).toMatchObject({ exit_code: 137, reason: "cancelled", stderr: "The script was cancelled." });
  });

  it("is not asked without a slot, without a package, or for a package that is too large", async () => {
    const slots = new Slots(1);
    await slots.take("other");
    const cancel = new AbortController();
    cancel.abort();
    expect((await runOn({ slots, signal: cancel.signal })).run.reason).toBe("cancelled");
    expect((await runOn({ stored: "the skill is being changed" })).run).toMatchObject({
      ...{ exit_code: 1, reason: "failed", stderr: "the skill is being changed", killed: false },
    });
    const files = STORED.files.map((file) => ({ ...file, size: SCRIPT_FILES.packageBytes + 1 }));
    const { run, requests } = await runOn({ stored: { zip: ZIP, files } });
    expect(run.stderr).toContain("Package too large");
    expect(requests).toEqual([]);
  });

  it("frees its slot", async () => {
    const slots = new Slots(1);
    for (let n = 0; n < 3; n++) expect((await runOn({ slots, answer: refusal(500, "X") })).run.reason).toBe("stopped");
    expect((await runOn({ slots })).run.reason).toBeNull();
  });
});
