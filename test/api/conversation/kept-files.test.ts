// Files that scripts stored: their owner can list, download and delete them until they expire. Other users cannot.

import { createScheduledController } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import worker from "../../../src/index";
import { call, keyFor } from "../../support/call";
import { configure, objectOf, pass, releaseClock, ring } from "../../support/clock";
import { dropAllFiles, type Filer, filer, keptIds, publishFiler, toldOf } from "../../support/filer";

const DAY_MS = 24 * 60 * 60_000;
const NOTHING = { rows: [], objects: [] };
interface Listed {
  items: { id: string; path: string; size: number; type: string; address: string; expires_at: string }[];
  next_cursor: string | null;
}

let chat: Filer;
const list = async (query = "", key = chat.key) =>
  (await call("GET", `${chat.route}/files${query}`, { key })).json<Listed>();
const idOf = (route: string) => route.slice(route.lastIndexOf("/") + 1);

beforeEach(async () => {
  await dropAllFiles();
  await publishFiler();
  chat = await filer("kept-ann");
});
afterEach(() => {
  releaseClock();
  vi.restoreAllMocks();
});

describe("stored files", () => {
  it("are listed, newest first and page by page", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const first = await chat.keep("write", "a.md");
    pass(1_000);
    const second = await chat.keep("write", "/tmp/b.svg");
    const { items, next_cursor } = await list();
    expect(next_cursor).toBeNull();
    expect(items).toEqual([
      expect.objectContaining({ id: second.id, path: "/tmp/b.svg", size: 21, type: "image/svg+xml" }),
      {
        ...{ id: first.id, path: "/workspace/a.md", size: 15, type: "text/markdown", address: first.address },
        created_at: expect.any(String),
        expires_at: expect.any(String),
      },
    ]);
    const page = await list("?limit=1");
    expect(page.items.map(({ id }) => id)).toEqual([second.id]);
    const rest = await list(`?limit=1&cursor=${page.next_cursor}`);
    expect([rest.items.map(({ id }) => id), rest.next_cursor]).toEqual([[first.id], null]);
    expect((await call("GET", `${chat.route}/files?cursor=x`, { key: chat.key })).status).toBe(400);
  });

  it.each([
    ["report.html", "application/octet-stream"],
    ["chart.svg", "application/octet-stream"],
    ["feed.xml", "application/octet-stream"],
    ["app.js", "application/octet-stream"],
    ["strange", "application/octet-stream"],
    ["data.csv", "text/csv; charset=utf-8"],
    ["photo.png", "image/png"],
  ])("are downloaded as what nothing runs: %s", async (name, type) => {
    const { address } = await chat.keep("write", name);
    const answer = await call("GET", address, { key: chat.key });
    expect(await answer.text()).toBe(`content of ${name}`);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": type,
      "content-length": String(11 + name.length),
      "content-disposition": `attachment; filename="${name}"; filename*=UTF-8''${name}`,
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
      "cache-control": "private, no-store",
    });
    const head = await exports.default.fetch(`https://gateway.test${address}`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${chat.key}` },
    });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
      200,
      String(11 + name.length),
      "",
    ]);
  });

  it("have names that break no header", async () => {
    const { address, path } = await chat.keep("write", `a"; b=€'.txt`);
    expect(path).toBe(`/workspace/a"; b=€'.txt`);
    const said = (await call("GET", address, { key: chat.key })).headers.get("content-disposition");
    expect(said).toBe(`attachment; filename="a___b___.txt"; filename*=UTF-8''a%22%3B%20b%3D%E2%82%AC%27.txt`);
  });

  it("are deleted one by one, and then are nowhere", async () => {
    const { address, id } = await chat.keep("write", "a");
    expect((await call("DELETE", address, { key: chat.key })).status).toBe(204);
    expect(await keptIds()).toEqual(NOTHING);
    for (const method of ["GET", "DELETE"]) {
      const answer = await call(method, address, { key: chat.key });
      expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ code: "FILE_NOT_FOUND" })]);
    }
    const given = toldOf(await chat.run(["list"], { files: [{ path: "x", kept: id }] }));
    expect(given.issues?.map(({ code }) => code)).toEqual(["FILE_NOT_KEPT"]);
  });

  it("expire at once for requests, and within an hour in storage", async () => {
    const { address } = await chat.keep("write", "a");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 7 * DAY_MS - 60_000 });
    expect((await call("GET", address, { key: chat.key })).status).toBe(200);
    await worker.scheduled(createScheduledController(), env);
    expect((await keptIds()).rows).toHaveLength(1);
    pass(120_000);
    expect((await call("GET", address, { key: chat.key })).status).toBe(404);
    expect((await list()).items).toEqual([]);
    await worker.scheduled(createScheduledController(), env);
    expect(await keptIds()).toEqual(NOTHING);
  });

  it("go with their conversation, and not with another", async () => {
    const other = await filer({ key: chat.key });
    const stays = await other.keep("write", "b");
    await chat.keep("write", "a");
    expect((await call("DELETE", chat.route, { key: chat.key })).status).toBe(204);
    expect(await keptIds()).toEqual({ rows: [stays.id], objects: [stays.id] });
    expect((await call("GET", `${chat.route}/files`, { key: chat.key })).status).toBe(404);
  });

  it("are deleted with an idle conversation", async () => {
    await chat.keep("write", "a");
    const id = idOf(chat.route);
    await configure(objectOf(id, "kept-ann"), { CONVERSATION_IDLE_DAYS: "1" });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 2 * DAY_MS });
    expect(await ring(id, "kept-ann")).toBe(true);
    expect(await keptIds()).toEqual(NOTHING);
  });

  it("go with their user, and are in the export before", async () => {
    const { id } = await chat.keep("write", "a.txt");
    const big = await chat.keep("big", "big.bin", "150000");
    const exported = await (await call("GET", "/api/v1/users/kept-ann/export", { key: chat.key })).json<{
      files: { id: string; path: string; size: number; base64: string }[];
    }>();
    const about = { conversation: idOf(chat.route), gone: false, created_at: expect.any(Number) };
    expect(exported.files).toHaveLength(2);
    expect(exported.files).toContainEqual({
      ...{ id, path: "/workspace/a.txt", size: 16, base64: btoa("content of a.txt") },
      ...about,
    });
    const bytes = atob(exported.files.find((file) => file.id === big.id)?.base64 ?? "");
    expect([bytes.length, new Set(bytes)]).toEqual([150_000, new Set(["\xff"])]);
    expect((await call("DELETE", "/api/v1/users/kept-ann")).status).toBe(200);
    expect(await keptIds()).toEqual(NOTHING);
  });

  it("count in a quota, are named and not written beyond it, and are written again where there is room", async () => {
    const me = async () =>
      (await (await call("GET", "/api/v1/me", { key: chat.key })).json<{ quotas: { files: object } }>()).quotas.files;
    await configure(objectOf(idOf(chat.route), "kept-ann"), { QUOTA_FILES_MIB: "1" });
    const small = await chat.keep("write", "small");
    expect(await me()).toEqual({ used: 4_096, limit: 100 * 1024 * 1024 });
    const over = toldOf(await chat.run(["big", "big.bin", String(1024 * 1024 - 4_095)]));
    expect([over.files, over.left]).toEqual([[], [{ path: "/workspace/big.bin", reason: "QUOTA_EXCEEDED" }]]);
    expect(await keptIds()).toEqual({ rows: [small.id], objects: [small.id] });
    const fits = await chat.keep("big", "big.bin", String(1024 * 1024 - 4_096));
    expect(await me()).toMatchObject({ used: 1024 * 1024 });
    // Other users have their own storage limit.
    await configure(objectOf(idOf(chat.route), "kept-ann"), { QUOTA_FILES_MIB: "1" });
    expect(toldOf(await chat.run(["write", "no"])).left).toHaveLength(1);
    await call("DELETE", fits.address, { key: chat.key });
    expect((await chat.keep("write", "yes")).id).toMatch(/^fil_/);
  });
});

describe("another's files", () => {
  it("are not found: by URL, by id in another conversation, for a service, an admin, and a revoked key", async () => {
    const { address, id } = await chat.keep("write", "secret.txt");
    const status = async (path: string, options: Parameters<typeof call>[2]) => {
      const answer = await call("GET", path, options);
      return [answer.status, (await answer.text()).includes("content of")];
    };
    const mallory = await filer("kept-mallory");
    expect(await status(address, { key: mallory.key })).toEqual([404, false]);
    expect(await status(`${mallory.route}/files/${id}`, { key: mallory.key })).toEqual([404, false]);
    expect(await status(address, {})).toEqual([404, false]);
    const service = await keyFor("kept-service", { role: "admin", scopes: ["act_as", "conversations"] });
    expect(await status(address, { key: service })).toEqual([404, false]);
    expect(await status(address, { key: service, as: "kept-mallory" })).toEqual([404, false]);
    expect(await status(address, { key: service, as: "kept-ann" })).toEqual([200, true]);
    const other = await filer({ key: chat.key });
    expect(await status(`${other.route}/files/${id}`, { key: chat.key })).toEqual([404, false]);
    for (const odd of ["..%2F..%2Fpackages", "%00", "fil_%", "*", "' OR 1=1 --"])
      expect((await status(`${chat.route}/files/${encodeURIComponent(odd)}`, { key: chat.key }))[1]).toBe(false);
    const made = await call("POST", "/api/v1/keys", { json: { user_id: "kept-ann" } });
    const { id: keyId, key } = await made.json<{ id: string; key: string }>();
    expect(await status(address, { key })).toEqual([200, true]);
    await call("DELETE", `/api/v1/keys/${keyId}`);
    expect(await status(address, { key })).toEqual([401, false]);
  });

  it("cannot reach another user's conversation with the same name", async () => {
    const { id } = await chat.keep("write", "secret.txt");
    const mallory = await keyFor("kept-mallory");
    await call("PUT", chat.route, { key: mallory, json: {} });
    const args = { skill_name: "filer", script_path: "scripts/run.js", files: [{ path: "a", kept: id }] };
    const calls = [{ id: "1", name: "execute_skill_script", arguments: args }];
    const step = await call("POST", `${chat.route}/tool-calls`, { key: mallory, json: { calls } });
    expect(await step.text()).toMatch(/FILE_NOT_KEPT/);
    expect((await list("", mallory)).items).toEqual([]);
  });

  it("are not named in the log, whatever their path says", async () => {
    const lines: string[] = [];
    for (const method of ["log", "error", "warn"] as const)
      vi.spyOn(console, method).mockImplementation((...what) => void lines.push(what.join(" ")));
    const { address } = await chat.keep("write", "planted-secret-value.txt");
    await call("GET", address, { key: chat.key });
    await call("DELETE", address, { key: chat.key });
    expect(lines.join("\n")).not.toContain("planted-secret");
  });
});
