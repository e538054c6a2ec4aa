import { execFile } from "node:child_process";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { copyCheckout } from "./checkout";
import { type Account, newAccount } from "./cloudflare";
import { type Gateway, newPlace, start } from "./launcher";

const root = path.dirname(path.dirname(import.meta.dirname));
/** Files that a deployment does not read or must not find. */
const LEFT_OUT = ["test", "bench", ".dev.vars", ".dev.vars.deploy", "wrangler.deploy.toml"];
const ADDRESS = "https://skill-gateway.someone.workers.dev";

let project: string;
let account: Account;
beforeAll(async () => {
  // A copy, because a deployment writes its config and secrets into the project folder.
  project = await copyCheckout(LEFT_OUT);
  account = await newAccount();
});
afterAll(async () => {
  account.close();
  await rm(project, { recursive: true, force: true });
});

interface Options {
  /** Answers requests to the new Worker's address. Its key is the Worker's key, and a login exists. */
  gateway?: Pick<Gateway, "url" | "key">;
  env?: Record<string, string>;
  /** Simulated terminal input: at once, or one answer per question. */
  typed?: string | string[];
}

const LOGIN = { gateway: { url: "http://127.0.0.1:9", key: "sgw_a_key_that_nobody_ever_uses" } };

/** Runs the deployment script. */
async function deploy(
  args: string[],
  { gateway, env: more = {}, typed }: Options = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const preload = path.join(project, "preload.mjs");
  await writeFile(
    preload,
    `${typed === undefined ? "" : "process.stdin.isTTY = true;"}
const real = globalThis.fetch;
globalThis.fetch = (url, init) => real(String(url).replace(${JSON.stringify(ADDRESS)}, ${JSON.stringify(gateway?.url)}), init);`,
  );
  const { CLOUDFLARE_API_TOKEN: _, GATEWAY_ADMIN_KEY: __, ...inherited } = process.env;
  const env = {
    ...inherited,
    NODE_OPTIONS: `--import ${preload}`,
    CLOUDFLARE_API_BASE_URL: account.url,
    // An empty folder, so that wrangler does not use a login of this machine.
    XDG_CONFIG_HOME: path.join(project, "config"),
    ...(gateway && { CLOUDFLARE_API_TOKEN: "token", CLOUDFLARE_ACCOUNT_ID: "acc", GATEWAY_ADMIN_KEY: gateway.key }),
    ...more,
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
    if (!Array.isArray(typed)) return child.stdin?.end(typed);
    const answers = [...typed];
    child.stderr?.on("data", (text: string) => {
      if (text.includes("[y/N] ")) child.stdin?.write(`${answers.shift() ?? ""}\n`);
    });
  });
}

it("a rehearsal needs no account, shows what would be done, and checks the Worker of the executor", async () => {
  const { code, stderr } = await deploy(["--dry-run", "--containers"]);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain("--dry-run: exiting now.");
  expect(stderr).toMatch(/dist\/deploy\/index\.js: \d+ KiB, gzip \d+ KiB/);
  expect(stderr).toContain("the Worker skill-gateway-executor, and at most 10 containers of the type standard-1");
  expect(stderr).toContain("5 USD a month");
  expect(stderr).toContain("env.CONTAINERS (ScriptContainer)");
  expect(await readdir(project)).not.toContain("wrangler.deploy.toml");
  expect(account.writes).toEqual([]);
});

it("takes npm's own way to ask for a rehearsal", async () => {
  const { code, stderr } = await deploy([], { ...LOGIN, env: { npm_config_dry_run: "true" } });
  expect([code, account.writes]).toEqual([0, []]);
  expect(stderr).toContain("--dry-run: exiting now.");
  expect(stderr).not.toContain("skill-gateway-executor");
});

it.each([
  ["--dryrun"],
  ["--dry-run=yes"],
  ["-n"],
  ["dry-run"],
  ["--dry-run", "--yes"],
  ["--containers", "--no-containers"],
])("refuses %s with how it is used, and does nothing", async (...args) => {
  const { code, stderr } = await deploy(args, LOGIN);
  expect([code, account.writes]).toEqual([1, []]);
  expect(stderr).toContain("Use: npm run deploy");
});

it("a rehearsal finds settings with which the Worker would not start", async () => {
  const file = path.join(project, "wrangler.toml");
  const text = await readFile(file, "utf8");
  const vars = 'SKILL_ENABLED = "true"\nSKILL_RETENTION_TURNS = 5\nSECRETS_KEY = "x"\nCONVERSATION_IDLE_DAYS = "0"\n';
  await writeFile(file, `${text}\n[vars]\n${vars}`);
  try {
    const { code, stderr } = await deploy(["--dry-run"], { env: { GATEWAY_ADMIN_KEY: "short" } });
    expect(code).toBe(1);
    for (const problem of [
      "SKILL_ENABLED",
      "SKILL_RETENTION_TURNS",
      "SECRETS_KEY",
      "CONVERSATION_IDLE_DAYS",
      "GATEWAY_ADMIN_KEY",
    ])
      expect(stderr).toContain(problem);
  } finally {
    await writeFile(file, text);
  }
});

it("refuses smart placement, and says why", async () => {
  const file = path.join(project, "wrangler.toml");
  const text = await readFile(file, "utf8");
  await writeFile(file, `${text}\n[placement]\nmode = "smart"\n`);
  try {
    const { code, stderr } = await deploy(["--yes"], LOGIN);
    expect([code, account.writes]).toEqual([1, []]);
    expect(stderr).toContain("smart placement");
    expect(stderr).toContain("requests to conversations near their users become slower");
  } finally {
    await writeFile(file, text);
  }
});

it("asks before it changes an account, by its name; where nobody can be asked it takes --yes", async () => {
  const nobody = await deploy([], LOGIN);
  expect(nobody.code).toBe(1);
  expect(nobody.stderr).toContain("the Cloudflare account Account (acc)");
  expect(nobody.stderr).toContain("npm run deploy -- --yes");
  for (const typed of ["", "yesterday\n"]) {
    const asked = await deploy([], { ...LOGIN, typed });
    expect(asked.code).toBe(1);
    expect(asked.stderr).toContain("Deploy skill-gateway to the Cloudflare account Account (acc)? [y/N]");
    expect(asked.stderr).toContain("Nothing was changed.");
  }
  expect(account.writes).toEqual([]);
  expect(await readdir(project)).not.toContain("wrangler.deploy.toml");
});

it("refuses containers that cannot be built, before it changes anything", async () => {
  const env = { WRANGLER_DOCKER_BIN: path.join(project, "no-docker") };
  const { code, stderr } = await deploy(["--yes", "--containers"], { ...LOGIN, env });
  expect([code, account.writes]).toEqual([1, []]);
  expect(stderr).toContain("Docker does not respond");
});

it("asks about containers at the terminal, with their cost, and does without them by default", async () => {
  const env = { WRANGLER_DOCKER_BIN: path.join(project, "no-docker") };
  const { code, stderr } = await deploy([], { ...LOGIN, env, typed: ["y", "y"] });
  expect(stderr).toContain("each further hour costs 0.04 to 0.07 USD (list prices of August 2026)");
  expect(stderr).toContain("Deploy such an executor, too? [y/N]");
  expect(stderr).toContain("Docker does not respond");
  expect([code, account.writes]).toEqual([1, []]);
});

it("without a login it says what to set", async () => {
  const { code, stderr } = await deploy([]);
  expect(code).toBe(1);
  expect(stderr).toContain("CLOUDFLARE_API_TOKEN");
});

it("package.json describes every binding and every secret that the button asks for", async () => {
  const { cloudflare } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
  const bindings = [
    ...(await readFile(path.join(root, "wrangler.toml"), "utf8")).matchAll(/^(?:binding|name) = "([A-Z]+)"$/gm),
  ];
  const secrets = [...(await readFile(path.join(root, ".dev.vars.example"), "utf8")).matchAll(/^([A-Z_]+)=(.*)$/gm)];
  expect(secrets.map(([, name]) => name)).toEqual(["GATEWAY_ADMIN_KEY", "SECRETS_KEY"]);
  // The deploy button offers the values of the example file as defaults. A default that is not empty would be a key shared by all
  // deployments.
  expect(secrets.map(([, , value]) => value)).toEqual(["", ""]);
  const names = [...secrets, ...bindings].map(([, name]) => name).filter((name) => name !== "ASSETS");
  expect(Object.keys(cloudflare.bindings).sort()).toEqual(names.sort());
});

/** Imitates the commands of Docker that wrangler uses. */
const DOCKER = `#!/bin/sh
printf '%s\\n' "$*" >> "$0.log"
case "$1 $2" in
  "image inspect"*|"inspect "*) case "$*" in
    *RepoDigests*) echo '[]' ;;
    *Size*) echo '1000000 5' ;;
    *) echo '[]' ;;
  esac ;;
  "manifest inspect") echo '{"Descriptor":{"digest":"sha256:${"0".repeat(64)}"}}' ;;
  "build "*|"login "*) cat > /dev/null ;;
esac
`;

it("a first deployment makes everything and an executor, whose key only it and the gateway have; a second one only deploys", {
  timeout: 240_000,
}, async () => {
  const docker = path.join(project, "docker");
  await writeFile(docker, DOCKER, { mode: 0o755 });
  const gateway = await start(await newPlace()).ready();
  const secrets = path.join(project, ".dev.vars.deploy");
  try {
    const env = { WRANGLER_DOCKER_BIN: docker };
    const first = await deploy(["--yes", "--containers"], { gateway, env });
    expect(first.stderr).not.toContain(" failed.");
    expect(first.stdout, first.stderr).toBe(`deployed ${ADDRESS}\nadmin key ${gateway.key}\n`);
    expect(account.databases.map(({ name }) => name)).toEqual(["skill-gateway"]);
    expect(account.buckets).toEqual(["skill-gateway"]);
    expect(account.databases[0]?.read_replication).toEqual({ mode: "auto" });
    const files = (await readdir(path.join(root, "migrations"))).filter((file) => file.endsWith(".sql"));
    expect(account.migrated).toEqual(files.sort());

    expect(account.uploads.map(({ script }) => script)).toEqual(["skill-gateway-executor", "skill-gateway"]);
    const [executor, upload] = account.uploads;
    expect(upload?.bindings).toContainEqual({ name: "GATEWAY_ADMIN_KEY", type: "secret_text", text: gateway.key });
    const built = await readdir(path.join(project, "dist", "release"));
    expect(built.length).toBeGreaterThan(1);
    expect(upload?.main_module).toBe("index.js");
    expect(upload?.modules.sort()).toEqual(built.sort());
    expect(upload?.bindings).toContainEqual({ name: "DB", type: "d1", id: account.databases[0]?.uuid });

    expect(executor?.containers).toMatchObject([{ class_name: "ScriptContainer" }]);
    const keyIn = (uploaded: Account["uploads"][number] | undefined) =>
      uploaded?.bindings.find(({ name, type }) => name === "EXECUTOR_KEY" && type === "secret_text")?.text;
    expect(keyIn(executor)).toMatch(/^[\w-]{43}$/);
    expect(keyIn(upload)).toBe(keyIn(executor));
    const url = "https://skill-gateway-executor.someone.workers.dev";
    expect(upload?.bindings).toContainEqual({ name: "EXECUTOR_URL", type: "plain_text", text: url });
    expect(account.applications).toMatchObject([
      {
        name: expect.stringMatching(/^skill-gateway-executor/),
        max_instances: 10,
        durable_objects: { namespace_id: "namespace-of-skill-gateway-executor" },
      },
    ]);
    const commands = await readFile(`${docker}.log`, "utf8");
    expect(commands).toMatch(/^build .*--platform linux\/amd64/m);
    expect(first.stdout + first.stderr).not.toContain(keyIn(executor));
    expect((await stat(secrets)).mode & 0o777).toBe(0o600);
    expect(await readFile(secrets, "utf8")).toContain(gateway.key);

    // Without the option, a later deployment keeps the executor.
    const second = await deploy(["--yes"], { gateway, env });
    expect(second.stdout, second.stderr).toBe(`deployed ${ADDRESS}\n`);
    expect(account.databases).toHaveLength(1);
    expect(account.buckets).toHaveLength(1);
    expect(account.migrated).toHaveLength(files.length);
    expect(account.uploads.map(({ script }) => script).slice(2)).toEqual(["skill-gateway"]);
    expect(account.applications).toHaveLength(1);
    const replicated = `PUT /accounts/acc/d1/database/${account.databases[0]?.uuid}`;
    expect(account.writes.filter((write) => write === replicated)).toHaveLength(1);
    expect(account.uploads[2]?.bindings.map(({ name }) => name)).not.toContain("GATEWAY_ADMIN_KEY");
    expect(account.unknown).toEqual([]);
  } finally {
    await rm(secrets, { force: true });
  }
});

// Last, because another wrangler.toml makes stored builds stale.
it("a Cloudflare build deploys to the database of the button, without asking, and prints no key", {
  timeout: 240_000,
}, async () => {
  const file = path.join(project, "wrangler.toml");
  const text = await readFile(file, "utf8");
  const uuid = crypto.randomUUID();
  await writeFile(file, text.replace("00000000-0000-0000-0000-000000000000", uuid));
  const builder = await newAccount();
  builder.databases.push({ name: "renamed-by-the-user", uuid });
  const healthy = createServer((_, response) => response.end("{}"));
  await new Promise<void>((resolve) => healthy.listen(0, "127.0.0.1", resolve));
  try {
    const gateway = { url: `http://127.0.0.1:${(healthy.address() as AddressInfo).port}`, key: "" };
    const env = { WORKERS_CI: "1", CLOUDFLARE_API_BASE_URL: builder.url };
    const { code, stdout, stderr } = await deploy([], { gateway, env });
    expect([code, stdout], stderr).toEqual([0, `deployed ${ADDRESS}\n`]);
    expect(stderr).toContain("add the secret GATEWAY_ADMIN_KEY");
    expect(builder.databases).toHaveLength(1);
    const [upload] = builder.uploads;
    expect(upload?.bindings).toContainEqual({ name: "DB", type: "d1", id: uuid });
    expect(upload?.bindings.filter(({ type }) => type === "secret_text")).toEqual([]);
    expect(upload?.bindings.map(({ name }) => name)).not.toContain("EXECUTOR_URL");
    expect(builder.unknown).toEqual([]);
  } finally {
    await writeFile(file, text);
    healthy.close();
    builder.close();
  }
});
