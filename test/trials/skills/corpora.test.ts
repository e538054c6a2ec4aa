// Copies every skill of a corpus through each integration, from one user's scope into an empty one, and compares the packages. The corpus
// is a folder of ZIPs outside the repository; the variable CORPORA sets its location.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startGateway } from "../../../bench/gateway.mjs";
import { Harness, root } from "../../support/harness";

const FOLDER = path.join(process.env.CORPORA ?? path.join(root, "../shared/corpora"), "clean");
const zips = existsSync(FOLDER) ? (await readdir(FOLDER)).filter((name) => name.endsWith(".zip")) : [];
const gateway = new Harness();
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

interface Stored {
  id: string;
  name: string;
  hash: string;
  leftOut: string[];
}

type Ask = (method: string, route: string, body?: BodyInit, type?: string) => Promise<Response>;

/** Requests of a new user. */
async function user(id: string): Promise<Ask> {
  const { key } = (await (await gateway.send("POST", "/api/v1/keys", { user_id: id })).json()) as { key: string };
  return async (method, route, body, type) => {
    const headers = { authorization: `Bearer ${key}`, ...(type === undefined ? {} : { "content-type": type }) };
    const answer = await fetch(`${gateway.url}${route}`, { method, headers, ...(body === undefined ? {} : { body }) });
    if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
}

interface Resource {
  metadata: { name: string; labels: { id: string } };
  status: { fileHash: string; left_out?: { door: string }[] };
}

const storedOf = ({ metadata, status }: Resource): Stored => ({
  id: metadata.labels.id,
  ...{ name: metadata.name, hash: status.fileHash, leftOut: (status.left_out ?? []).map(({ door }) => door) },
});

async function upload(ask: Ask, bytes: Uint8Array, fileName: string, name?: string): Promise<Stored> {
  const form = new FormData();
  form.set("file", new File([new Uint8Array(bytes)], fileName));
  if (name !== undefined) form.set("name", name);
  return storedOf((await (await ask("POST", "/api/v1/kinds/skills/upload", form)).json()) as Resource);
}

async function named(ask: Ask, name: string): Promise<Stored> {
  const list = await ask("GET", `/api/v1/kinds/skills?name=${encodeURIComponent(name)}&exact_match=true`);
  const { items } = (await list.json()) as { items: Resource[] };
  return storedOf(items[0]!);
}

/** Returns the skill with an id, under any name that an integration gave it. */
async function identified(ask: Ask, id: string): Promise<Stored> {
  return storedOf((await (await ask("GET", `/api/v1/kinds/skills/${id}`)).json()) as Resource);
}

/** Publishes files as `clawhub` does. */
async function release(ask: Ask, slug: string, files: Record<string, Uint8Array>): Promise<void> {
  const sent: object[] = [];
  for (const [file, bytes] of Object.entries(files)) {
    const said = { path: file, size: bytes.length, sha256: sha256(bytes) };
    const json = "application/json";
    const asked = await ask("POST", "/api/v1/skills/-/upload-url", JSON.stringify(said), json);
    const { uploadUrl, uploadTicket } = (await asked.json()) as { uploadUrl: string; uploadTicket: string };
    const stored = await ask("POST", new URL(uploadUrl).pathname, new Uint8Array(bytes), "application/octet-stream");
    sent.push({ ...said, uploadTicket, ...((await stored.json()) as object) });
  }
  const body = JSON.stringify({ slug, version: "1.0.0", files: sent });
  await ask("POST", "/api/v1/skills", body, "application/json");
}

const bytesOf = async (answer: Promise<Response>) => new Uint8Array(await (await answer).arrayBuffer());
const zipForm = (bytes: Uint8Array, name: string) => {
  const form = new FormData();
  form.append("files[]", new File([new Uint8Array(bytes)], `${name}.zip`));
  return form;
};

/** The user's own published index, as clients of an index read it. */
const SHELF = "/s/own/.well-known/agent-skills";

describe.skipIf(zips.length === 0)("every skill of the corpus", () => {
  let [from, byIndex, bySlug, byAnthropic, byOpenai, byPlugin, byName]: Ask[] = [];
  /** The digests in an index, by name. */
  const offered = new Map<string, string>();
  beforeAll(async () => {
    await gateway.start();
    const users = ["from", "index", "slug", "anthropic", "openai", "plugin", "name"].map((name) =>
      user(`corpus-${name}`),
    );
    [from, byIndex, bySlug, byAnthropic, byOpenai, byPlugin, byName] = await Promise.all(users);
  });
  afterAll(() => gateway.close());

  it.each(zips)("%s", async (file) => {
    if (!from || !byIndex || !bySlug || !byAnthropic || !byOpenai || !byPlugin || !byName) throw new Error("no users");
    const [giving, naming] = [from, byName];
    const zip = await readFile(path.join(FOLDER, file));
    const known = await upload(from, zip, file);
    // If SKILL.md and the folder have different names, an integration may use the other one. Then the same files under that name count as
    // equal.
    const isSame = async ({ name, hash }: Stored) => {
      if (name === known.name) return expect(hash).toBe(known.hash);
      const flat = await bytesOf(giving("GET", `/api/v1/download?slug=${known.name}&ownerHandle=own`));
      expect([name, hash]).toEqual([name, (await upload(naming, flat, "x.zip", name)).hash]);
    };
    const id = known.id.replace("skl_", "skill_");
    // A vendor's API returns the skill in its folder and accepts that ZIP. Executable files stay executable.
    for (const [ask, contents, base] of [
      [byAnthropic, `/anthropic/v1/skills/${id}/versions/latest/content`, "/anthropic/v1/skills"],
      [byOpenai, `/openai/v1/skills/${id}/content`, "/openai/v1/skills"],
    ] as const) {
      const made = await ask("POST", base, zipForm(await bytesOf(from("GET", contents)), known.name));
      const given = ((await made.json()) as { id: string }).id.replace("skill_", "skl_");
      await isSame(await identified(ask, given));
    }
    if (!known.leftOut.includes("marketplace")) {
      const plugin = await bytesOf(from("GET", `/s/own/agent-plugin.zip?skills=${known.name}`));
      const taken = await byPlugin("POST", "/s/own/agent-plugin", zipForm(plugin, "plugin"));
      const { skills } = (await taken.json()) as { skills: { id: string }[] };
      expect(skills).toMatchObject([{ status: "published" }]);
      await isSame(await identified(byPlugin, skills[0]!.id));
    }
    if (!known.leftOut.includes("well-known")) {
      offered.set(known.name, known.hash);
      const place = `/s/own/${known.name}/.well-known/agent-skills`;
      const { skills } = (await (await from("GET", `${place}/index.json`)).json()) as { skills: { url: string }[] };
      const archive = new Uint8Array(await (await from("GET", `${place}/${skills[0]!.url}`)).arrayBuffer());
      expect((await upload(byIndex, archive, "x.zip", known.name)).hash).toBe(known.hash);
    }
    if (known.leftOut.includes("clawhub")) return;
    const flat = await bytesOf(from("GET", `/api/v1/download?slug=${known.name}&ownerHandle=own`));
    const files = unzipSync(flat);
    await release(bySlug, known.name, files);
    const again = await bySlug("GET", `/api/v1/download?slug=${known.name}&ownerHandle=own`);
    expect(unzipSync(new Uint8Array(await again.arrayBuffer()))).toEqual(files);
    // Its clients send no file modes: executable files lose their mode, and everything else is the same package.
    const isPlain = !(await isExecutable(from, known.name));
    if (isPlain) expect((await named(bySlug, known.name)).hash).toBe(known.hash);
  });

  it("all that an index has, by one import into another gateway", async () => {
    const source = createServer(async (request, response) => {
      const found = await from?.("GET", request.url?.replace("/.well-known/agent-skills", SHELF) ?? "").catch(
        () => null,
      );
      if (!found) return response.writeHead(404).end();
      response.end(Buffer.from(await found.arrayBuffer()));
    });
    await new Promise<void>((listening) => source.listen(0, "127.0.0.1", listening));
    // A gateway that can call servers on this machine.
    const other = await startGateway({ development: true });
    try {
      const url = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
      const { id } = await other.call("taker", "POST", "/api/v1/imports", { source: { type: "index", url } });
      const report = await vi.waitFor(
        async () => {
          const now = await other.call("taker", "GET", `/api/v1/imports/${id}`);
          expect(now.state).not.toBe("running");
          return now;
        },
        { timeout: 100_000, interval: 500 },
      );
      expect(report).toMatchObject({ state: "done", counts: { created: offered.size, failed: 0, refused: 0 } });
      const taken = new Map<string, string>();
      for (let cursor = ""; ; ) {
        const page = await other.call("taker", "GET", `/api/v1/kinds/skills?limit=100${cursor}`);
        for (const { metadata, status } of page.items as Resource[]) taken.set(metadata.name, status.fileHash);
        if (page.next_cursor === null) break;
        cursor = `&cursor=${page.next_cursor}`;
      }
      expect(taken).toEqual(offered);
    } finally {
      await other.stop();
      source.close();
    }
  });
});

/** Whether a package has an executable file, according to the external attributes in its ZIP. */
async function isExecutable(ask: Ask, name: string): Promise<boolean> {
  const zip = await ask("GET", `/api/v1/download?slug=${name}&ownerHandle=own`);
  const bytes = Buffer.from(await zip.arrayBuffer());
  for (let at = bytes.indexOf("PK\x01\x02", 0, "latin1"); at >= 0; at = bytes.indexOf("PK\x01\x02", at + 4, "latin1"))
    if (((bytes.readUInt32LE(at + 38) >>> 16) & 0o111) !== 0) return true;
  return false;
}
