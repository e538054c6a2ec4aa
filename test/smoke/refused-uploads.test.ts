// A client that sends a large body and is rejected receives the reason. This needs a real connection: closing it during the upload looks
// like an unreachable gateway.

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { newPlace, start } from "./launcher";

const root = path.dirname(path.dirname(import.meta.dirname));
const MiB = 1024 * 1024;
const TIMES = 5;

/** Returns a form of this size that contains no ZIP. */
function upload(bytes: number): FormData {
  const form = new FormData();
  form.set("file", new Blob([new Uint8Array(bytes)], { type: "application/zip" }), "x.zip");
  return form;
}

/** Returns a body without a content length. */
function unmeasured(bytes: number): { body: ReadableStream; duplex: "half" } {
  let left = bytes;
  const body = new ReadableStream({
    pull(controller) {
      if (left <= 0) return controller.close();
      left -= MiB / 4;
      controller.enqueue(new Uint8Array(MiB / 4));
    },
  });
  return { body, duplex: "half" };
}

it("a refusal that comes before the body was read reaches a client that still sends it, `skill push` among them", async () => {
  const run = start(await newPlace());
  const gateway = await run.ready();
  const bad = { authorization: "Bearer sgw_wrong" };
  const good = { authorization: `Bearer ${gateway.key}` };
  const made = await gateway.fetch("/api/v1/keys", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ user_id: "reader", scopes: ["skills:read"] }),
  });
  const limited = { authorization: `Bearer ${((await made.json()) as { key: string }).key}` };
  const type = (name: string) => ({ "content-type": name });
  const uploads = "/api/v1/kinds/skills/upload";
  const cases: [name: string, status: number, route: string, init: () => RequestInit & { duplex?: "half" }][] = [
    ["a bad key", 401, uploads, () => ({ headers: bad, body: upload(MiB) })],
    ["a bad key, as large as uploads may be", 401, uploads, () => ({ headers: bad, body: upload(16 * MiB) })],
    ["no key", 401, uploads, () => ({ body: upload(MiB) })],
    [
      "a bad key, unmeasured",
      401,
      uploads,
      () => ({ headers: { ...bad, ...type("application/zip") }, ...unmeasured(MiB) }),
    ],
    ["a key that may only read", 403, uploads, () => ({ headers: limited, body: upload(MiB) })],
    ["no such path", 404, "/api/v1/nothing", () => ({ headers: good, body: upload(MiB) })],
    ["no path at all", 404, "/nothing", () => ({ body: upload(MiB) })],
    ["another type", 415, uploads, () => ({ headers: { ...good, ...type("text/plain") }, body: new Uint8Array(MiB) })],
    ["too large", 413, uploads, () => ({ headers: good, body: upload(18 * MiB) })],
    [
      "too large and unmeasured",
      413,
      "/api/v1/keys",
      () => ({ headers: { ...good, ...type("application/json") }, ...unmeasured(8 * MiB) }),
    ],
    [
      "a bad key over MCP",
      401,
      "/mcp",
      () => ({ headers: { ...bad, ...type("application/json") }, body: new Uint8Array(MiB) }),
    ],
    [
      "too large over MCP",
      413,
      "/mcp",
      () => ({
        headers: { ...good, ...type("application/json"), accept: "application/json, text/event-stream" },
        ...unmeasured(8 * MiB),
      }),
    ],
  ];
  const heard: Record<string, (number | string)[]> = {};
  const ask = async (route: string, init: RequestInit): Promise<number | string> => {
    try {
      const answer = await fetch(new URL(route, gateway.url), { method: "POST", ...init });
      await answer.text();
      return answer.status;
    } catch (error) {
      return String(error instanceof Error ? (error.cause ?? error) : error);
    }
  };
  for (const [name, , route, init] of cases)
    heard[name] = await Promise.all(Array.from({ length: TIMES }, () => ask(route, init())));
  expect(heard).toEqual(Object.fromEntries(cases.map(([name, status]) => [name, Array(TIMES).fill(status)])));
  expect(await pushed(gateway.url)).toContain("401 UNAUTHENTICATED");
});

/** Returns the output for an author that pushes a skill with a wrong key. */
async function pushed(url: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "skill-push-"));
  try {
    await writeFile(path.join(folder, "SKILL.md"), "---\nname: large\ndescription: Large.\n---\n\nGreet.\n");
    const noise = new Uint8Array(2 * MiB).map(() => Math.random() * 256);
    await writeFile(path.join(folder, "noise.bin"), noise);
    const args = [path.join(root, "scripts", "skill.mjs"), "push", folder, "--url", url];
    return await new Promise<string>((resolve) => {
      execFile(process.execPath, args, { env: { ...process.env, GATEWAY_KEY: "sgw_wrong" } }, (_, _out, err) =>
        resolve(err),
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
