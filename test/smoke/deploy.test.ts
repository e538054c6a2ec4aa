import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Account, newAccount } from "./cloudflare";
import { type Gateway, newPlace, start } from "./launcher";

const root = path.dirname(path.dirname(import.meta.dirname));
/** What a deployment does not read, or must not find. */
const LEFT_OUT = /^(node_modules|dist|test|bench|\.git|\.wrangler|\.dev\.vars.*|wrangler\.deploy\.toml)$/;
const ADDRESS = "https://skill-gateway.someone.workers.dev";

let project: string;
let account: Account;
beforeAll(async () => {
  // A copy, because a deployment leaves its config and secrets in the project's folder.
  project = await mkdtemp(path.join(tmpdir(), "skill-gateway-deploy-"));
  for (const part of (await readdir(root)).filter((name) => !LEFT_OUT.test(name))) {
    await cp(path.join(root, part), path.join(project, part), { recursive: true });
  }
  await symlink(path.join(root, "node_modules"), path.join(project, "node_modules"));
  account = await newAccount();
});
afterAll(async () => {
  account.close();
  await rm(project, { recursive: true, force: true });
});

/** Runs the script; what it fetches from the new Worker's address is answered by a local gateway. */
async function deploy(args: string[], gateway?: Gateway): Promise<{ code: number; stdout: string; stderr: string }> {
  const preload = path.join(project, "preload.mjs");
  await writeFile(
    preload,
    `const real = globalThis.fetch;
globalThis.fetch = (url, init) => real(String(url).replace(${JSON.stringify(ADDRESS)}, ${JSON.stringify(gateway?.url)}), init);`,
  );
  const { CLOUDFLARE_API_TOKEN: _, GATEWAY_ADMIN_KEY: __, ...inherited } = process.env;
  const env = {
    ...inherited,
    NODE_OPTIONS: `--import ${preload}`,
    CLOUDFLARE_API_BASE_URL: account.url,
    // An empty folder: wrangler must not find a login of this machine.
    XDG_CONFIG_HOME: path.join(project, "config"),
    ...(gateway && { CLOUDFLARE_API_TOKEN: "token", CLOUDFLARE_ACCOUNT_ID: "acc", GATEWAY_ADMIN_KEY: gateway.key }),
  };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["scripts/deploy.mjs", ...args],
      { cwd: project, env },
      (error, stdout, stderr) => {
        resolve({ code: Number(error?.code ?? 0), stdout, stderr });
      },
    );
    child.stdin?.end();
  });
}

it("a rehearsal needs no account and shows what would be done", async () => {
  const { code, stderr } = await deploy(["--dry-run"]);
  expect(code).toBe(0);
  expect(stderr).toContain("--dry-run: exiting now.");
  expect(stderr).toMatch(/dist\/deploy\/index\.js: \d+ KiB, gzip \d+ KiB/);
  expect(await readdir(project)).not.toContain("wrangler.deploy.toml");
});

it("without a login it says what to set", async () => {
  const { code, stderr } = await deploy([]);
  expect(code).toBe(1);
  expect(stderr).toContain("CLOUDFLARE_API_TOKEN");
});

it("a first deployment makes everything, a second one only deploys", { timeout: 240_000 }, async () => {
  const gateway = await start(await newPlace()).ready();
  const first = await deploy([], gateway);
  expect(first.stderr).not.toContain("has failed");
  expect(first.stdout).toBe(`deployed ${ADDRESS}\nadmin key ${gateway.key}\n`);
  expect(account.databases.map(({ name }) => name)).toEqual(["skill-gateway"]);
  expect(account.buckets).toEqual(["skill-gateway"]);
  const files = (await readdir(path.join(root, "migrations"))).filter((file) => file.endsWith(".sql"));
  expect(account.migrated).toEqual(files.sort());
  const [upload] = account.uploads;
  expect(upload?.bindings).toContainEqual({ name: "GATEWAY_ADMIN_KEY", type: "secret_text", text: gateway.key });
  const built = await readdir(path.join(project, "dist", "release"));
  expect(built.length).toBeGreaterThan(1);
  expect(upload?.main_module).toBe("index.js");
  expect(upload?.modules.sort()).toEqual(built.sort());
  expect(upload?.bindings).toContainEqual({ name: "DB", type: "d1", id: account.databases[0]?.uuid });

  const secrets = path.join(project, ".dev.vars.deploy");
  expect((await stat(secrets)).mode & 0o777).toBe(0o600);
  expect(await readFile(secrets, "utf8")).toContain(gateway.key);

  const second = await deploy([], gateway);
  expect(second.stdout).toBe(`deployed ${ADDRESS}\n`);
  expect(account.databases).toHaveLength(1);
  expect(account.buckets).toHaveLength(1);
  expect(account.migrated).toHaveLength(files.length);
  expect(account.uploads).toHaveLength(2);
  expect(account.uploads[1]?.bindings.map(({ name }) => name)).not.toContain("GATEWAY_ADMIN_KEY");
  expect(account.unknown).toEqual([]);
});
