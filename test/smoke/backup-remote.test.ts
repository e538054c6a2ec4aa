// Backup and restore of a deployed gateway, against a simulated Cloudflare API. Checks the requests to D1 and R2, and that the SQL creates
// the same rows in SQLite. It cannot check the responses of Cloudflare.

import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Data, newData } from "./cloudflare-data";
import { run } from "./commands";

const LONG = `It's; -- long\r\n\0 ${"'\u{1F433}".repeat(60_000)}\n`;

let data: Data;
let folder: string;
beforeEach(async () => {
  folder = path.join(await mkdtemp(path.join(tmpdir(), "skill-gateway-backup-")), "kept");
  data = await newData();
  publish("one", LONG);
  data.d1.exec(`INSERT INTO audit (actor, key_id, action, resource_type, resource_id, request_id, after)
    VALUES ('a', 'k', 'skill.publish', 'skill', 'one', 'r', '{"x":"${"y".repeat(3_000)}"}')`);
  data.d1.exec(
    "INSERT INTO ghosts (id, user_id, namespace, name, folded, spec) VALUES ('g', 'u', 'default', 'g', 'g', '{}')",
  );
});
afterEach(async () => {
  data.close();
  await rm(path.dirname(folder), { recursive: true, force: true });
});

function publish(id: string, text: string): void {
  const zip = Buffer.from(`the package of ${id}`);
  const sha256 = createHash("sha256").update(zip).digest("hex");
  data.r2.set(`packages/${id}-v.zip`, zip);
  data.d1
    .prepare(
      "INSERT INTO skills (id, scope, name, folded, namespace, user_id, version_id, tokens) VALUES (?, 'public', ?, ?, 'default', '0', ?, 1)",
    )
    .run(id, id, id, `${id}-v`);
  const columns =
    "id, skill_id, digest, description, tags, dependencies, has_capabilities, tokens_description, tokens_line, tokens_instructions, tokens_files, zip_sha256, zip_size, upload_sha256, warnings, created_by, started_at, manifest, frontmatter, files, instructions";
  const values = [
    `${id}-v`,
    id,
    "d",
    "D.",
    "[]",
    "[]",
    0,
    1,
    1,
    1,
    1,
    sha256,
    zip.length,
    "u",
    "[]",
    "u",
    Date.now(),
    "{}",
    "{}",
    "[]",
    text,
  ];
  data.d1.prepare(`INSERT INTO versions (${columns}) VALUES (${values.map(() => "?").join(", ")})`).run(...values);
  data.d1.exec("INSERT INTO counters (scope, value) VALUES ('public', 1) ON CONFLICT DO UPDATE SET value = value + 1");
}

const rows = (sql: string) => data.d1.prepare(sql).all();
const whole = () =>
  ["skills", "versions", "ghosts", "audit"].map((table) => rows(`SELECT * FROM ${table} ORDER BY rowid`));
const counter = () => rows("SELECT value FROM counters WHERE scope = 'public'")[0]?.value as number;

function command(script: string, ...args: string[]) {
  const env = { CLOUDFLARE_API_BASE_URL: data.url, CLOUDFLARE_API_TOKEN: "token", CLOUDFLARE_ACCOUNT_ID: "acc" };
  return run(script, args, { env });
}

it("reads everything while others publish, and brings it back in one import", { timeout: 180_000 }, async () => {
  let hasPublished = false;
  data.onQuery = (sql) => {
    // Publishes a version between the queries for skills and for versions.
    if (!/FROM "versions"/.test(sql) || hasPublished) return;
    hasPublished = true;
    publish("two", "Short.");
  };
  const made = await command("backup", "--remote", "--out", folder);
  expect(made, made.stderr).toMatchObject({ code: 0 });
  expect((await readFile(path.join(folder, "skills.jsonl"), "utf8")).trim().split("\n")).toHaveLength(2);
  const was = whole();

  publish("three", "Later.");
  data.d1.exec("DELETE FROM skills WHERE id = 'one'");
  data.d1.exec("UPDATE counters SET value = 41");
  data.r2.delete("packages/one-v.zip");
  const refused = await command("restore", folder, "--remote");
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("Pass --yes") });
  expect(rows("SELECT id FROM skills ORDER BY seq").map(({ id }) => id)).toEqual(["two", "three"]);

  const restored = await command("restore", folder, "--remote", "--yes");
  expect(restored, restored.stderr).toMatchObject({ code: 0 });
  expect(whole()).toEqual(was);
  expect(Buffer.from(data.r2.get("packages/one-v.zip") ?? []).toString()).toBe("the package of one");
  // Conversations that stored the counter 41 must detect a change.
  expect(counter()).toBeGreaterThan(41);
  expect(() => data.d1.exec("DELETE FROM audit")).toThrow("append-only");
  expect(restored.stderr).toContain("npm run reindex");
  const kept = (await readdir(path.dirname(folder))).filter((name) => name.includes(".before-"));
  expect(kept).toHaveLength(1);
  expect(data.unknown).toEqual([]);
});
