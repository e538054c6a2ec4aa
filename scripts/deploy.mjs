// `npm run deploy`: sets up everything in a Cloudflare account. It can be repeated and asks before it changes anything there. `--
// --dry-run` needs no account and checks the build and the settings.

import { randomBytes } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { buildGateway, settingsModule } from "./build/worker.mjs";
import { agree, chooseAccount, logIn, question } from "./kit/account.mjs";
import { checkContainers, deployContainers, rehearseContainers, wantsContainers } from "./kit/containers.mjs";
import { root, writeWhole } from "./kit/files.mjs";
import { readOptions, YES } from "./kit/options.mjs";
import { fail, Refusal, say } from "./kit/refusal.mjs";
import { ensureReplication } from "./kit/replication.mjs";
import { BUILT, deployWorker, runWrangler } from "./kit/wrangler.mjs";
import { readWranglerConfig } from "./kit/wrangler-config.mjs";
import { publishBuiltins } from "./local/builtins.mjs";
import { formatVariables, readVariableFile } from "./local/devvars.mjs";

/** wrangler.toml with the id of the real database. This script writes it; git ignores it. */
const CONFIG = path.join(root, "wrangler.deploy.toml");
/** The secrets that were sent, for later runs. Git ignores this file. Cloudflare never returns a secret. */
const SECRETS = path.join(root, ".dev.vars.deploy");
const ADMIN_KEY = "GATEWAY_ADMIN_KEY";
/** The id in wrangler.toml of a database that does not exist yet. The *Deploy to Cloudflare* button replaces it by a real one. */
const NO_DATABASE = "00000000-0000-0000-0000-000000000000";
/** Cloudflare's own builds set this. Pressing the button, or pushing to the connected branch, is the consent to deploy. */
const isWorkersBuild = process.env.WORKERS_CI === "1";
/** A new address at workers.dev does not respond at once. */
const ADDRESS_PATIENCE = 120_000;

const USAGE = `Use: npm run deploy [-- --dry-run | --yes] [--containers | --no-containers]
  --dry-run         check settings and build and say what would be done; nothing leaves this machine
  --yes             do not ask before the first change to the account
  --containers      also deploy an executor in Cloudflare Containers, for scripts that need packages or programs; it costs while it runs
  --no-containers   do not ask about it`;

async function main() {
  const options = readDeployOptions();
  const config = await readWranglerConfig();
  refusePlacement(config.placement);
  const settings = await settingsModule();
  const secretNames = Object.keys(settings.SETTINGS).filter((name) => /_(KEY|SECRET|TOKEN|OTLP_HEADERS)$/.test(name));
  checkSettings(config.vars ?? {}, secretNames, await readVariableFile(SECRETS), settings);
  await (options.isDryRun ? rehearse(config, secretNames, options) : deploy(config, secretNames, settings, options));
}

/** Refuses unknown options: a mistyped `--dry-run` must not deploy. */
function readDeployOptions() {
  const flag = { type: "boolean" };
  const { values } = readOptions(USAGE, { ...YES, "dry-run": flag, containers: flag, "no-containers": flag });
  // `npm run deploy --dry-run`: npm treats this option as its own and passes it to scripts only in this variable.
  const asked = process.env.npm_config_dry_run ?? "";
  const isDryRun = values["dry-run"] === true || !["", "false"].includes(asked);
  if (isDryRun && values.yes === true) throw new Refusal(`--dry-run and --yes exclude each other.\n${USAGE}`);
  const { containers, "no-containers": none } = values;
  if (containers && none) throw new Refusal(`--containers and --no-containers exclude each other.\n${USAGE}`);
  return { isDryRun, isAgreed: values.yes === true, containers: none ? false : containers };
}

/**
 * Throws if the deployed Worker would refuse to start. Checks the variables of wrangler.toml and the secrets that are set in the
 * environment or were sent before.
 */
function checkSettings(vars, secretNames, known, { parseSettings }) {
  const problems = Object.entries(vars).flatMap(([name, value]) => {
    if (secretNames.includes(name))
      return [`${name} is a secret and cannot be in [vars]. Remove it from wrangler.toml.`];
    // The Worker ignores a number or a boolean and would use the default.
    return typeof value === "string"
      ? []
      : [`${name} is not a string. Put its value in [vars] of wrangler.toml in quotation marks.`];
  });
  const texts = Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, String(value)]));
  const given = secretNames.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  const { issues } = parseSettings({ ...texts, ...known, ...Object.fromEntries(given) });
  problems.push(...issues.map((issue) => issue.message));
  if (problems.length > 0)
    throw new Refusal(`The settings are not valid:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
}

/** Smart placement moves the Worker close to its database, away from callers and conversations. */
function refusePlacement(placement) {
  if (placement?.mode !== "smart") return;
  throw new Refusal(
    "wrangler.toml enables smart placement. Remove [placement]. With it, the gateway runs near its database, and requests to conversations near their users become slower.",
  );
}

async function rehearse(config, secretNames, { containers }) {
  const [database, bucket] = [config.d1_databases[0], config.r2_buckets[0]];
  // Builds the copy as a real run does, so that a dry run also checks this step.
  const copy = await configFor(database, "11111111-1111-4111-8111-111111111111");
  say(`Steps of a deployment:
  1. check the login (wrangler whoami), or ask to log in; then ask whether this is the account to change, unless there is --yes
  2. find or create the D1 database ${database.database_name} and write its id into ${path.basename(CONFIG)} (${copy.length} characters)
  3. turn on its read replication through Cloudflare's API with CLOUDFLARE_API_TOKEN, or say how to do it
  4. find or create the R2 bucket ${bucket.bucket_name}
  5. apply the migrations to the database (wrangler d1 migrations apply ${database.binding} --remote)
  6. ask for the secrets the Worker lacks, of ${secretNames.join(", ")}, and keep them in ${path.basename(SECRETS)}
  7. deploy the Worker ${config.name} with them
  8. publish the built-in skills through its API
With --containers, an executor is deployed before step 6.
Now the part that needs no account:`);
  const { main } = await buildGateway({ release: true });
  const folder = path.join(root, "dist", "deploy");
  await rm(folder, { recursive: true, force: true });
  await wrangler(["deploy", main, "--no-bundle", "--dry-run", "--outdir", folder], { show: true, env: BUILT });
  for (const name of (await readdir(folder)).filter((file) => file.endsWith(".js")).sort()) {
    const text = await readFile(path.join(folder, name));
    say(`dist/deploy/${name}: ${kib(text.length)}, gzip ${kib(gzipSync(text).length)}`);
  }
  if (containers) await rehearseContainers(config.name);
}

async function deploy(config, secretNames, settings, options) {
  const [database, bucket] = [config.d1_databases[0], config.r2_buckets[0]];
  const account = await chooseAccount(config, await logIn());
  const { vars = {} } = config;
  if (options.containers) await checkContainers(vars);
  if (!options.isAgreed && !isWorkersBuild) await agree(config.name, account);
  const known = await readVariableFile(SECRETS);
  const hasExecutor = vars.EXECUTOR_URL !== undefined || known.EXECUTOR_KEY !== undefined;
  const isWithContainers = await wantsContainers(options, hasExecutor);
  if (isWithContainers && !options.containers) await checkContainers(vars);
  // After everything that can end the command, and before the first change to the account.
  const { main } = await buildGateway({ release: true });
  const id = await databaseId(database);
  await writeWhole(CONFIG, await configFor(database, id));
  await ensureReplication({
    account: process.env.CLOUDFLARE_ACCOUNT_ID,
    database: id,
    token: process.env.CLOUDFLARE_API_TOKEN,
    base: process.env.CLOUDFLARE_API_BASE_URL,
  });
  await ensureBucket(bucket.bucket_name);
  say("applying the migrations");
  await wrangler(["d1", "migrations", "apply", database.binding, "--remote", "--config", CONFIG], { show: true });

  const executor = isWithContainers ? await deployContainers(config.name, known.EXECUTOR_KEY) : null;
  const missing = await missingSecrets(secretNames, known, settings, executor);
  Object.assign(known, missing);
  if (Object.keys(missing).length > 0) await writeWhole(SECRETS, formatVariables(known), 0o600);
  // --keep-vars: settings from the dashboard and of earlier deployments are preserved.
  const args = [main, "--no-bundle", "--config", CONFIG, "--keep-vars"];
  if (executor !== null) args.push("--var", `EXECUTOR_URL:${executor.EXECUTOR_URL}`);
  const url = await deployWorker(args, missing);
  await until(url);
  const key = process.env[ADMIN_KEY] || known[ADMIN_KEY];
  if (key === undefined) say(keyIsMissing());
  else if (!(await publishBuiltins(url, key)))
    throw new Refusal("The Worker is deployed, but some built-in skills were not published.");
  console.log(`deployed ${url}`);
  if (executor !== null)
    say("The first container starts some minutes after the first deployment. Then check it: npm run deploy:verify");
  if (missing[ADMIN_KEY] !== undefined && !isWorkersBuild) console.log(`admin key ${missing[ADMIN_KEY]}`);
}

/** The log of a build must not contain a key, so a build generates none. */
function keyIsMissing() {
  if (!isWorkersBuild) return `The built-in skills were not changed. Set ${ADMIN_KEY} to publish them.`;
  return `The built-in skills are not published, because ${ADMIN_KEY} is not set in this build. Run \`GATEWAY_URL=<address> GATEWAY_KEY=<admin key> npm run skill -- push skills/<name>\` for the ones that you want. If the gateway has no admin key yet, add the secret ${ADMIN_KEY} in the Cloudflare dashboard.`;
}

async function databaseId({ database_name: name, database_id: configured }) {
  if (configured !== NO_DATABASE) return configured;
  const find = async () => {
    const { stdout } = await wrangler(["d1", "list", "--json"]);
    return JSON.parse(stdout).find((database) => database.name === name)?.uuid;
  };
  const existing = await find();
  if (existing !== undefined) return existing;
  say(`creating the D1 database ${name}`);
  await wrangler(["d1", "create", name]);
  const created = await find();
  if (created === undefined)
    throw new Refusal(`The D1 database ${name} was created but is not listed yet. Run the command again.`);
  return created;
}

async function ensureBucket(name) {
  // `info` also requests statistics, which a token may not be allowed to read. `list` has no JSON output.
  const { stdout } = await wrangler(["r2", "bucket", "list"]);
  if (new RegExp(`^name:\\s+${name}$`, "m").test(stdout)) return;
  say(`creating the R2 bucket ${name}`);
  await wrangler(["r2", "bucket", "create", name]);
}

/** Returns the text of wrangler.toml with the id of the real database instead of the one in the file. */
async function configFor(database, id) {
  const text = await readFile(path.join(root, "wrangler.toml"), "utf8");
  const parts = text.split(database.database_id);
  if (parts.length !== 2)
    throw new Refusal("wrangler.toml must contain exactly one database_id. Add it or remove the others.");
  return parts.join(id);
}

/**
 * Returns the secrets that the deployed Worker lacks: from the environment, from an earlier run, or entered at the terminal. The key of an
 * executor that was just deployed replaces the one it has.
 */
async function missingSecrets(names, known, { parseSettings }, executor) {
  // The command fails if the Worker does not exist yet. Then all secrets are missing.
  const { code, stdout } = await runWrangler(["secret", "list", "--config", CONFIG]);
  const stored = new Set(code === 0 ? JSON.parse(stdout).map((secret) => secret.name) : []);
  const values = {};
  if (executor !== null) {
    values.EXECUTOR_KEY = executor.EXECUTOR_KEY;
    stored.add("EXECUTOR_KEY");
  }
  for (const name of names.filter((each) => !stored.has(each))) {
    const value =
      process.env[name] || known[name] || (await ask(name)) || (name === ADMIN_KEY && !isWorkersBuild ? newKey() : "");
    if (value !== "") values[name] = value;
  }
  const { issues } = parseSettings(values);
  if (issues.length > 0) throw new Refusal(issues.map((issue) => issue.message).join("\n"));
  return values;
}

function newKey() {
  return `sgw_${randomBytes(32).toString("hex")}`;
}

async function ask(name) {
  if (!process.stdin.isTTY) return "";
  return question(`${name} (empty: ${name === ADMIN_KEY ? "one is made" : "left out"}): `);
}

async function until(url) {
  const deadline = Date.now() + ADDRESS_PATIENCE;
  for (;;) {
    const answer = await fetch(new URL("/health", url)).catch(() => null);
    if (answer?.ok) return;
    if (Date.now() > deadline) throw new Refusal(`${url}/health is not healthy: ${answer?.status ?? "no connection"}.`);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
}

async function wrangler(args, options) {
  const result = await runWrangler(args, options);
  if (result.code === 0) return result;
  throw new Refusal(
    `wrangler ${args.slice(0, 3).join(" ")} failed.${options?.show ? "" : `\n${result.stdout}${result.stderr}`}`,
  );
}

const kib = (bytes) => `${Math.round(bytes / 1024)} KiB`;

main().catch(fail);
