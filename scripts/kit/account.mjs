// Selects the Cloudflare account that a deployment changes, and asks for confirmation.

import { createInterface } from "node:readline/promises";
import { Refusal } from "./refusal.mjs";
import { runWrangler } from "./wrangler.mjs";

/** Returns the accounts that the current login can list. */
export async function logIn() {
  const { code, stdout } = await runWrangler(["whoami", "--json"]);
  if (code === 0) return JSON.parse(stdout).accounts ?? [];
  if (!process.stdin.isTTY) throw new Refusal("Not logged in. Set CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID.");
  const login = await runWrangler(["login"], { ask: true });
  if (login.code !== 0) throw new Refusal("Not logged in.");
  return logIn();
}

/** Returns the account that wrangler will change, and sets it for wrangler. */
export async function chooseAccount(config, accounts) {
  const named = config.account_id ?? (process.env.CLOUDFLARE_ACCOUNT_ID || undefined);
  const id = named ?? (accounts.length === 1 ? accounts[0].id : undefined);
  if (id === undefined) {
    const list = accounts.map((account) => `\n  ${account.id}  ${account.name}`).join("");
    throw new Refusal(`Several accounts found. Set CLOUDFLARE_ACCOUNT_ID to the id of one.${list}`);
  }
  process.env.CLOUDFLARE_ACCOUNT_ID = id;
  const name = accounts.find((account) => account.id === id)?.name;
  return name === undefined ? id : `${name} (${id})`;
}

/** Asks for confirmation at the terminal. Without a terminal, the confirmation must have been passed as an option. */
export async function agree(name, account) {
  if (!process.stdin.isTTY)
    throw new Refusal(
      `The terminal is not interactive. To deploy ${name} to the Cloudflare account ${account}, run: npm run deploy -- --yes`,
    );
  if (!(await confirm(`Deploy ${name} to the Cloudflare account ${account}?`)))
    throw new Refusal("Nothing was changed.");
}

/** Whether the user at the terminal confirms. */
export async function confirm(text) {
  return /^y(es)?$/i.test(await question(`${text} [y/N] `));
}

/** Asks the user at the terminal a question and returns the answer. */
export async function question(text) {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // The end of the input counts as an empty answer; otherwise the promise would never settle.
  const ended = new Promise((resolve) => terminal.once("close", () => resolve("")));
  const answer = await Promise.race([terminal.question(text), ended]);
  terminal.close();
  return answer.trim();
}
