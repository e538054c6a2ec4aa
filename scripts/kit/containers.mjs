// Deploys an executor in Cloudflare Containers beside the gateway, if the user asks for it. See docs/executor.md.

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { confirm } from "./account.mjs";
import { root, writeWhole } from "./files.mjs";
import { Refusal, say } from "./refusal.mjs";
import { deployWorker, runWrangler } from "./wrangler.mjs";
import { readWranglerConfig } from "./wrangler-config.mjs";

const EXECUTOR_CONFIG = path.join(root, "executor", "cloudflare", "wrangler.toml");
/** The same with the name of the deployment. This script writes it; git ignores it. */
const NAMED_CONFIG = path.join(path.dirname(EXECUTOR_CONFIG), "wrangler.deploy.toml");
/** Computed in docs/executor.md, which names the source of the prices and their date. */
const COST =
  "The plan Workers Paid (5 USD a month) includes about 6 hours of a container a month; each further hour costs 0.04 to 0.07 USD (list prices of August 2026). A container runs while scripts of its conversation run, and for 6 minutes afterwards.";

/** Asks whether to deploy the executor, unless the options decide it, nobody can be asked, or the gateway has an executor. */
export async function wantsContainers({ containers, isAgreed }, hasExecutor) {
  if (containers !== undefined) return containers;
  if (hasExecutor || isAgreed || !process.stdin.isTTY) return false;
  say(`Scripts that need packages or programs can run in Cloudflare Containers. ${COST}`);
  return confirm("Deploy such an executor, too?");
}

/** Refuses before anything is changed if wrangler could not build the image. */
export async function checkContainers(vars) {
  if (vars.EXECUTOR_URL !== undefined)
    throw new Refusal("wrangler.toml sets EXECUTOR_URL. Remove it from [vars] to use --containers.");
  const config = await readWranglerConfig(EXECUTOR_CONFIG);
  const isBuilt = config.containers.some(({ image }) => /^\.{0,2}\//.test(image));
  if (isBuilt && !(await hasDocker()))
    throw new Refusal(
      "Docker does not respond, and wrangler builds the image of the executor with it. Start Docker, or set `image` in executor/cloudflare/wrangler.toml to an image in a registry.",
    );
}

function hasDocker() {
  return new Promise((resolve) => {
    execFile(process.env.WRANGLER_DOCKER_BIN || "docker", ["info"], { timeout: 30_000 }, (error) =>
      resolve(error === null),
    );
  });
}

/**
 * Deploys the executor of a gateway.
 * @param {string} gateway its name
 * @param {string | undefined} known the key of an earlier deployment
 * @returns {Promise<{ EXECUTOR_URL: string, EXECUTOR_KEY: string }>} settings of the gateway
 */
export async function deployContainers(gateway, known) {
  const key = known || randomBytes(32).toString("base64url");
  // A copy, because the option --name would not rename the container application.
  const text = await readFile(EXECUTOR_CONFIG, "utf8");
  await writeWhole(NAMED_CONFIG, text.replace(/^name = .*$/m, `name = "${executorName(gateway)}"`));
  return { EXECUTOR_URL: await deployWorker(["--config", NAMED_CONFIG], { EXECUTOR_KEY: key }), EXECUTOR_KEY: key };
}

const executorName = (gateway) => `${gateway}-executor`;

/** Checks the Worker of the executor without an account. */
export async function rehearseContainers(gateway) {
  const { containers } = await readWranglerConfig(EXECUTOR_CONFIG);
  const [{ image, instance_type: type, max_instances: most }] = containers;
  say(
    `With --containers: the Worker ${executorName(gateway)}, and at most ${most} containers of the type ${type} from ${image}. ${COST}`,
  );
  const folder = path.join(root, "dist", "deploy-executor");
  await rm(folder, { recursive: true, force: true });
  const args = ["deploy", "--config", EXECUTOR_CONFIG, "--dry-run", "--containers-rollout", "none", "--outdir", folder];
  const { code } = await runWrangler(args, { show: true });
  if (code !== 0) throw new Refusal("wrangler deploy --dry-run failed for the executor.");
}
