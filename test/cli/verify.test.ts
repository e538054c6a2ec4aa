// `skillgate verify`, and the verification of downloads: what is written, and what is refused.

import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Envelope } from "../../src/domain/attestation/statement";
import { readPackage } from "../../src/domain/package/package";
import { publicKeys, signVersion } from "../../src/services/secrets/signing";
import { skillZip } from "../support/skill";
import { Stub, send, WorkFolder } from "../support/skillgate";

const S = "/api/v1/kinds/skills";
const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const settings = { SECRETS_KEY: btoa("a".repeat(32)), SECRETS_KEYS_PREVIOUS: [] };
const upload = skillZip({ name: "tide", version: "1.0.0", files: { "data/a.txt": "of tide" } });

/** The ZIP as the gateway stores it, its digest, and its signed statement. */
let stored: { zip: Uint8Array; zipSha256: string };
let envelope: Envelope;
let keySet: object;
let answers: { envelope: unknown; link: string | undefined; hash: string; yanked: string | null };
let work: WorkFolder;
let stub: Stub;

beforeAll(async () => {
  const { package: found } = await readPackage(upload, { fileName: "tide.zip" });
  if (found === null) throw new Error("not a package");
  stored = found;
  keySet = { keys: await publicKeys(settings) };
  const made = await signVersion(settings, {
    ...{ skillId: "id-tide", name: "tide", scope: "user", versionId: "ver_1", label: "1.0.0" },
    ...{ zipSha256: found.zipSha256, publishedAt: Date.UTC(2026, 10, 26), signedLaterAt: null },
    source: { type: "git", url: "https://github.com/owner/repo", taken_at: "2026-11-26T00:00:00Z" },
    provenance: null,
    review: null,
  });
  if (made === null) throw new Error("not signed");
  envelope = made;
});
beforeEach(async () => {
  work = await WorkFolder.make();
  answers = {
    envelope,
    link: `<${S}/id-tide/versions/ver_1/attestation>; rel="describedby"`,
    hash: stored.zipSha256,
    yanked: null,
  };
});
afterEach(async () => {
  stub?.close();
  await work.remove();
});

async function open(keys = keySet): Promise<string[]> {
  stub = await Stub.open((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://stub");
    if (pathname === S) {
      const found = {
        metadata: { name: "tide", labels: { id: "id-tide" } },
        spec: {},
        status: { version_id: "ver_1" },
      };
      return send(response, 200, { items: [found], next_cursor: null });
    }
    if (pathname.endsWith("/versions")) {
      const version = {
        version_id: "ver_1",
        version: "1.0.0",
        is_current: true,
        created_at: "",
        yanked_at: answers.yanked,
      };
      return send(response, 200, { items: [{ ...version, fileHash: answers.hash }], next_cursor: null });
    }
    if (pathname.endsWith("/attestation")) return send(response, 200, answers.envelope);
    response.writeHead(200, answers.link === undefined ? {} : { link: answers.link }).end(stored.zip);
  }, keys);
  return ["--url", stub.url, "--key", "k"];
}

const pull = async (more: string[]) => work.run("pull", "tide", "--dir", "out", ...more);
const written = () => readdir(path.join(work.folder, "out")).catch(() => []);

describe("pull", () => {
  it("writes a package that matches its statement, and one of a gateway that signs nothing", async () => {
    expect((await pull(await open())).code).toBe(0);
    expect(await written()).toEqual(["tide"]);
    stub.close();
    answers.link = undefined;
    expect((await pull(await open({ keys: [] }))).code).toBe(0);
  });

  it.each<[string, () => void, RegExp]>([
    ["names no statement", () => (answers.link = undefined), /names no signed statement/],
    [
      "has a changed statement",
      () => (answers.envelope = { ...envelope, payload: "AAAA" }),
      /signature .* is not valid/,
    ],
    ["has a statement of no known form", () => (answers.envelope = {}), /not a DSSE envelope/],
    [
      "has the statement of another version",
      () => (answers.link = `<${S}/id-tide/versions/ver_2/attestation>`),
      /version ver_1, not ver_2/,
    ],
  ])("writes nothing if the download %s", async (_, change, problem) => {
    change();
    const { code, stderr } = await pull(await open());
    expect([code, stderr]).toEqual([1, expect.stringMatching(problem)]);
    expect(await written()).toEqual([]);
  });

  it("writes nothing if another key has signed", async () => {
    const other = { keys: await publicKeys({ ...settings, SECRETS_KEY: btoa("b".repeat(32)) }) };
    const { code, stderr } = await pull(await open(other));
    expect([code, stderr]).toEqual([1, expect.stringMatching(/has no key/)]);
    expect(await written()).toEqual([]);
  });
});

describe("add from the index of a gateway", () => {
  const INDEX = "/.well-known/agent-skills/index.json";
  const add = async (signed: unknown, keys = keySet) => {
    const digest = `sha256:${createHash("sha256").update(upload).digest("hex")}`;
    const entry = { name: "tide", type: "archive", url: "-/tide/a.zip", digest, attestation: "-/tide/a.json" };
    stub = await Stub.open((request, response) => {
      if (request.url === INDEX) return send(response, 200, { $schema: SCHEMA, skills: [entry] });
      if (request.url?.endsWith("/a.json")) return send(response, 200, signed);
      response.end(upload);
    }, keys);
    return work.run("add", stub.url, "--dir", "out");
  };

  it("writes a skill that matches its statement", async () => {
    expect((await add(envelope)).code).toBe(0);
    expect(await written()).toEqual(["tide"]);
  });

  it.each<[string, unknown, object | undefined]>([
    ["a changed statement", { ...envelope, payload: "AAAA" }, undefined],
    ["a statement that is missing", null, undefined],
    ["a statement of another key", envelope, { keys: [] }],
  ])("writes nothing with %s", async (_, signed, keys) => {
    const { code, stderr } = await add(signed, keys);
    expect([code, stderr]).toEqual([1, expect.stringContaining("'tide' is not verified")]);
    expect(await written()).toEqual([]);
  });
});

describe("verify", () => {
  const pulled = async (gateway: string[]) => {
    await pull(gateway);
    return path.join("out", "tide");
  };

  it("accepts the folder that was pulled, and its ZIP", async () => {
    const gateway = await open();
    const { code, stdout } = await work.run("verify", await pulled(gateway), ...gateway);
    expect(code).toBe(0);
    expect(stdout).toContain("tide 1.0.0 (ver_1) is unchanged since it was published on 2026-11-26");
    expect(stdout).toContain("stated source: https://github.com/owner/repo");
    await writeFile(path.join(work.folder, "tide.zip"), stored.zip);
    expect((await work.run("verify", "tide.zip", ...gateway)).code).toBe(0);
  });

  it.each(["SKILL.md", "data/a.txt"])("refuses the folder after a change of %s", async (file) => {
    const gateway = await open();
    const place = path.join(work.folder, await pulled(gateway), file);
    await writeFile(place, `${await readFile(place, "utf8")} `);
    const { code, stderr } = await work.run("verify", "out/tide", ...gateway);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/differs from every version of 'tide'/)]);
  });

  it("refuses a gateway that claims another digest for the changed folder", async () => {
    const gateway = await open();
    const place = path.join(work.folder, await pulled(gateway), "data/a.txt");
    await writeFile(place, "changed");
    const { stdout } = await work.run("check", "out/tide", "--json");
    expect(stdout).not.toBe("");
    const zip = skillZip({ name: "tide", version: "1.0.0", files: { "data/a.txt": "changed" } });
    const { package: other } = await readPackage(zip, { fileName: "tide.zip" });
    answers.hash = other?.zipSha256 ?? "";
    const { code, stderr } = await work.run("verify", "out/tide", ...gateway);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/its content differs/)]);
  });

  it("notes that a version was yanked", async () => {
    const gateway = await open();
    const folder = await pulled(gateway);
    answers.yanked = "2026-11-26T00:00:00Z";
    const { code, stderr } = await work.run("verify", folder, ...gateway);
    expect([code, stderr]).toEqual([0, "This version was yanked on 2026-11-26. Download another one.\n"]);
  });

  it("works with files alone, and says what is missing", async () => {
    const gateway = await open();
    const folder = await pulled(gateway);
    await writeFile(path.join(work.folder, "a.json"), JSON.stringify(envelope));
    await writeFile(path.join(work.folder, "keys.json"), JSON.stringify(keySet));
    stub.close();
    const files = ["--attestation", "a.json", "--keys", "keys.json"];
    expect((await work.run("verify", folder, ...files)).code).toBe(0);
    expect(await work.run("verify", folder, "--keys", "keys.json")).toMatchObject({ code: 2 });
    const absent = await work.run("verify", folder, "--attestation", "none.json", "--keys", "keys.json");
    expect([absent.code, absent.stderr]).toEqual([2, expect.stringContaining("cannot be read as JSON")]);
  });

  it("says that a gateway without keys signs nothing", async () => {
    const gateway = await open({ keys: [] });
    const { code, stderr } = await work.run("verify", await pulled(gateway), ...gateway);
    expect([code, stderr]).toEqual([5, expect.stringContaining("does not sign versions")]);
  });
});
