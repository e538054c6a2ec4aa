import { chmod, lstat, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { emptyPlace, newPlace, start } from "./launcher";
import { readSkill, skillForm, upload } from "./skill";

const BUILTINS = ["csv-report", "json-table", "markdown-style", "mermaid-diagram", "skill-creator", "wiki-submit"];

it("a first start migrates, publishes, makes a key and serves", async () => {
  const place = await emptyPlace();
  const run = start(place);
  const gateway = await run.ready();
  const [, , operator = "", , , signIn = ""] = run.stdout;
  expect(run.stdout).toEqual([
    `✔ ready at ${gateway.url}`,
    "",
    operator,
    `  Base URL   ${gateway.url}/openai/v1  (for any OpenAI client)`,
    `  MCP        ${gateway.url}/mcp  (for any MCP host)`,
    signIn,
    `  Admin key  ${gateway.key}  (saved in ${place.vars})`,
  ]);
  expect(run.stderr).toEqual([
    expect.stringMatching(/^✔ database created \(\d+ migrations\)$/),
    "✔ 6 built-in skills published",
  ]);
  expect(signIn).toMatch(
    new RegExp(`^  Sign-in    ${gateway.url}/oauth/link/sgl_[0-9a-f]{64}  \\(for an MCP host that asks, once\\)$`),
  );
  const page = await fetch(/http\S+/.exec(signIn)?.[0] ?? "");
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Sign in as me")]);
  expect(operator).toMatch(
    new RegExp(`^  Console    ${gateway.url}/console#ticket=sgl_[0-9a-f]{64}  \\(opens signed in, once\\)$`),
  );
  expect(gateway.key).toMatch(/^sgw_[0-9a-f]{64}$/);

  const health = await fetch(new URL("/health", gateway.url));
  expect(health.status).toBe(200);
  expect(await health.json()).toMatchObject({ status: "ok", checks: { d1: "ok", r2: "ok", loader: "ok" } });
  const me = await gateway.fetch("/api/v1/me");
  expect(await me.json()).toMatchObject({ role: "admin" });
  const list = (await (await gateway.fetch("/api/v1/kinds/skills/public/list")).json()) as { name: string }[];
  expect(list.map((skill) => skill.name).sort()).toEqual(BUILTINS);

  expect((await stat(place.vars)).mode & 0o777).toBe(0o600);
  const made = (await readFile(place.vars, "utf8")).split("\n");
  expect(made).toEqual([
    `GATEWAY_ADMIN_KEY="${gateway.key}"`,
    expect.stringMatching(/^SECRETS_KEY="[\w+/]{43}="$/),
    "",
  ]);
});

/** Returns all files and folders that other users could read, write or enter. */
async function open(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  const found = await Promise.all(
    ["", ...entries].map(
      async (entry) => [entry, (await lstat(path.join(folder, entry)).catch(() => null))?.mode] as const,
    ),
  );
  return found.flatMap(([entry, mode = 0]) => ((mode & 0o077) === 0 ? [] : [`${entry} ${(mode & 0o777).toString(8)}`]));
}

it("nobody else on the machine can read the state, nor what an earlier version left open", async () => {
  const place = await newPlace();
  const first = start(place);
  const id = await upload(await first.ready(), "private", "Mine alone.");
  expect(await open(place.state)).toEqual([]);
  await first.stop();
  const files = (await readdir(place.state, { recursive: true })).filter((entry) => entry.startsWith("v3"));
  expect(files.length).toBeGreaterThan(5);
  for (const entry of files) {
    const file = path.join(place.state, entry);
    await chmod(file, (await lstat(file)).isDirectory() ? 0o755 : 0o644);
  }
  await writeFile(path.join(place.state, "not-ours.txt"), "", { mode: 0o644 });
  await chmod(place.state, 0o755);
  const second = await start(place).ready();
  expect(await open(place.state)).toEqual(["not-ours.txt 644"]);
  expect(await readSkill(second, id)).toContain("Mine alone.");
});

it("files of public/ are served beside the Worker's routes, and packages are read in a real workerd, which refuses eval", async () => {
  const gateway = await start(await newPlace()).ready();
  const file = await fetch(new URL("/tokens/o200k_base.json", gateway.url));
  expect(file.status).toBe(200);
  expect(file.headers.get("content-type")).toBe("application/json");
  expect(file.headers.get("etag")).not.toBeNull();
  const policies = async (route: string) =>
    (await fetch(new URL(route, gateway.url))).headers.get("content-security-policy");
  expect(await policies("/tokens/o200k_base.json")).toMatch(/^default-src 'none'; /);
  expect(await policies("/console/")).toMatch(/^default-src 'none'; script-src 'self'; [^,]*$/);
  expect(await policies("/drawing/renderer")).toMatch(/^sandbox allow-scripts; [^,]*$/);
  await file.body?.cancel();
  const nothing = await fetch(new URL("/tokens/nothing.json", gateway.url));
  expect(nothing.status).toBe(404);
  expect(nothing.headers.get("content-type")).toContain("application/problem+json");
  expect((await fetch(new URL("/_headers", gateway.url))).status).toBe(404);

  const answer = await gateway.fetch("/api/v1/kinds/skills/validate", {
    method: "POST",
    body: skillForm("check", "# Hi"),
  });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ valid: true, issues: [], manifest: { name: "check" } });
});

it("a second start keeps keys, skills and the admin key", async () => {
  const place = await newPlace();
  const first = start(place);
  const before = await first.ready();
  const made = await before.fetch("/api/v1/keys", {
    method: "POST",
    body: JSON.stringify({ user_id: "alice" }),
    headers: { "content-type": "application/json" },
  });
  const { key } = (await made.json()) as { key: string };
  const id = await upload(before, "kept", "Keep me.", key);
  await first.stop();

  const second = start(place);
  const after = await second.ready();
  expect(after.key).toBe(before.key);
  expect(second.stdout.at(-1)).toBe(`  Admin key  in ${place.vars}`);
  expect(second.stderr.join("\n")).not.toContain(before.key);
  expect(await (await after.fetch("/api/v1/me", { key })).json()).toMatchObject({ user_id: "alice" });
  expect(await readSkill(after, id, key)).toContain("Keep me.");
  expect(second.stderr).toEqual([]);
});

it("a key in the file or the environment is used as it is", async () => {
  const place = await emptyPlace();
  const inFile = "sgw_a_key_from_the_file_of_settings";
  await writeFile(place.vars, `SKILL_RETENTION_TURNS=3\nGATEWAY_ADMIN_KEY=${inFile}\n`);
  const first = start(place);
  expect((await first.ready()).key).toBe(inFile);
  await first.stop();

  const inEnvironment = "sgw_a_key_from_the_environment_of_it";
  // Without the console, the start prints no link to it.
  const inTheEnvironment = start(place, { env: { GATEWAY_ADMIN_KEY: inEnvironment, CONSOLE: "off" } });
  const gateway = await inTheEnvironment.ready();
  expect(gateway.key).toBe(inEnvironment);
  expect(inTheEnvironment.stdout.join("\n")).not.toContain("Console");
  expect(inTheEnvironment.stdout.at(-1)).toBe("  Admin key  from the environment (GATEWAY_ADMIN_KEY)");
  expect((await gateway.fetch("/api/v1/me")).status).toBe(200);
  expect((await gateway.fetch("/api/v1/me", { key: inFile })).status).toBe(401);
  const kept = await readFile(place.vars, "utf8");
  expect(kept).toMatch(new RegExp(`^SKILL_RETENTION_TURNS=3\nGATEWAY_ADMIN_KEY=${inFile}\nSECRETS_KEY=".{44}"\n$`));
});
