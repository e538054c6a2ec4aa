import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { convertV4MiniflareOptions, Miniflare } from "../../scripts/kit/miniflare.mjs";
import { applyMigrations } from "../../scripts/local/migrate.mjs";

it("leaves a migration that fails half way not begun, and those before it done", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "skill-gateway-migrations-"));
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({ modules: true, script: "export default {}", d1Databases: ["DB"] }),
  );
  onTestFinished(async () => {
    await Promise.all([miniflare.dispose(), rm(folder, { recursive: true })]);
  });
  const then = "\n--> statement-breakpoint\n";
  await writeFile(
    path.join(folder, "0000_good.sql"),
    ["CREATE TABLE good (a);", "INSERT INTO good VALUES (1);"].join(then),
  );
  // A comment at the end of the file must not comment out the record that the migration is applied.
  await writeFile(path.join(folder, "0001_it's.sql"), "CREATE TABLE noted (a) -- no more");
  await writeFile(
    path.join(folder, "0002_bad.sql"),
    ["CREATE TABLE half (a);", "INSERT INTO nowhere VALUES (1);"].join(then),
  );

  const db = await miniflare.getD1Database("DB");
  await expect(applyMigrations(db, { folder })).rejects.toThrow("no such table: nowhere");
  const names = async (question: string) =>
    (await db.prepare(question).all<{ name: string }>()).results.map(({ name }) => name);
  expect(await names("SELECT name FROM d1_migrations ORDER BY id")).toEqual(["0000_good.sql", "0001_it's.sql"]);
  expect(await names("SELECT name FROM sqlite_master WHERE name IN ('good', 'noted', 'half') ORDER BY name")).toEqual([
    "good",
    "noted",
  ]);
});
