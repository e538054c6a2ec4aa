// The table of fixtures of the isolates, on the executor of this machine: the end of a script, its files, and what is returned of them.

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { probe } from "../../executor/bubblewrap.mjs";
import { serveExecutor } from "../../executor/server.mjs";
import type { Language } from "../../src/domain/code/language";
import { SCRIPT_FILES } from "../../src/domain/code/script-limits";
import { NO_PAGE } from "../../src/sandbox/browser-link";
import { remote } from "../../src/sandbox/remote";
import { Slots } from "../../src/sandbox/slots";
import { ENDING } from "../sandbox/fixtures/ending";
import { FILES, MANY_FILES } from "../sandbox/fixtures/files";
import type { Fixture } from "../sandbox/fixtures/fixture";

vi.mock("cloudflare:workers", () => ({ RpcTarget: class {} }));
/** On a busy machine a run starts late. */
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const KEY = "a key of the tests that is long enough";
const canConfine = (await probe()).ok;
const ENDINGS: Partial<Record<Language, string>> = { javascript: ".js", python: ".py", shell: ".sh" };

const ALL: Language[] = ["javascript", "python", "shell"];
/** Rows that differ here. */
const DIFFERS: Record<string, Language[]> = {
  // Each folder has more room, and the number of files is not limited.
  "has so much room and no more": ALL,
  "has so many files and no more": ALL,
  // The input is a pipe, which is empty after the first reading.
  "reads its input as a file, too": ["javascript"],
};
const ROWS = Object.entries({ ...ENDING, ...FILES });

let server: Awaited<ReturnType<typeof serveExecutor>>;
beforeAll(async () => {
  if (canConfine) server = await serveExecutor({ key: KEY, checksFirst: "start" });
});
afterAll(() => server?.close());

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Runs a script as the gateway does. */
async function run(
  language: Language,
  source: string,
  { args = [], input = "", files = {}, package: more = {} }: Partial<Fixture> = {},
) {
  const path = `scripts/run${ENDINGS[language]}`;
  const entries = Object.entries({ ...more, [path]: source }).map(([name, text]) => ({ name, bytes: bytesOf(text) }));
  let offset = 0;
  const stored = entries.map(({ name, bytes }) => {
    const file = { path: name, offset, size: bytes.length, mode: 0o644 as const, sha256: "" };
    offset += bytes.length;
    return file;
  });
  const zip = new Uint8Array(await new Blob(entries.map(({ bytes }) => bytes)).arrayBuffer());
  const host = { readFile: async () => null, log: () => {}, ended: () => {}, browserLink: NO_PAGE };
  const executor = { url: server.url, key: KEY, fetch: (url: string, init: RequestInit) => fetch(url, init) };
  return remote({ slots: new Slots(1), host, readZip: async () => ({ zip, files: stored }) }, executor).run(
    {
      ...{ script: { path, language, verdict: "remote" }, digest: "d", args, input, config: {}, ms: 60_000 },
      files: Object.entries(files).map(([name, text]) => ({ path: name, bytes: bytesOf(text) })),
      context: { taskId: "chat", subtaskId: 1, userId: "alice", userName: "Alice", skillName: "fixture" },
    },
    new AbortController().signal,
  );
}

for (const language of ALL) {
  const rows = ROWS.filter(
    ([name, { script }]) => script[language] !== undefined && !DIFFERS[name]?.includes(language),
  );
  describe.runIf(canConfine)(`a script in ${language} on the executor`, () => {
    it.each(rows)("%s", async (_, fixture) => {
      const ended = await run(language, fixture.script[language] ?? "", fixture);
      expect({ exit: ended.exit_code, stdout: ended.stdout }).toEqual({ exit: fixture.exit, stdout: fixture.stdout });
      const { stderr = /^$/ } = fixture;
      if (stderr !== null) expect(ended.stderr).toMatch(stderr);
      const written = ended.files.map(({ path, bytes }) => [path, textOf(bytes)]);
      expect(Object.fromEntries(written)).toEqual(fixture.written ?? {});
    });
  });
}

it.runIf(canConfine)("returns as many files as an isolate, those of /workspace first, and names the rest", async () => {
  const source = `echo x > /tmp/last; for n in $(seq 100 ${99 + MANY_FILES}); do echo $n > f$n; done`;
  const { files, left } = await run("shell", source);
  expect(files.map(({ path }) => path)).toEqual(
    Array.from({ length: SCRIPT_FILES.outFiles }, (_, n) => `/workspace/f${100 + n}`),
  );
  const names = [...[120, 121, 122, 123, 124].map((n) => `/workspace/f${n}`), "/tmp/last"];
  expect(left).toEqual(names.map((path) => ({ path, reason: "TOO_MANY" })));
});
