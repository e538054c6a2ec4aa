// The move of a gateway from one's own server to Cloudflare: its backup is restored through a simulated Cloudflare API into the database of
// `wrangler dev`, which then runs the build and the configuration of a deployment.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { filesOf } from "../../scripts/backup/files.mjs";
import { openLocal } from "../../scripts/backup/local.mjs";
import { buildGateway } from "../../scripts/build/worker.mjs";
import { spawnWrangler } from "../../scripts/kit/wrangler.mjs";
import { applyMigrations } from "../../scripts/local/migrate.mjs";
import { anyPort } from "../../scripts/local/port.mjs";
import { say as asUser, chat, startVendor, storeModel, type Vendor } from "./chat/vendor";
import { newData } from "./cloudflare-data";
import { run as runScript } from "./commands";
import { emptyPlace, type Gateway, initServed, kill, newPlace, readyServed, serve, until } from "./launcher";
import { readSkill, skillForm } from "./skill";

vi.setConfig({ testTimeout: 600_000 });

const HEADERS = { "content-type": "application/json" };

let vendor: Vendor;
let ended: () => void = () => {};
beforeEach(async () => {
  vendor = await startVendor();
});
afterEach(() => {
  ended();
  vendor.close();
});

async function send(gateway: Gateway, method: string, route: string, body?: FormData | object, key?: string) {
  const isForm = body instanceof FormData;
  const init = body === undefined ? {} : isForm ? { body } : { body: JSON.stringify(body), headers: HEADERS };
  const answer = await gateway.fetch(route, { method, key, ...init });
  const text = await answer.text();
  expect(answer.ok, `${method} ${route}: ${answer.status} ${text}`).toBe(true);
  return text === "" ? null : JSON.parse(text);
}

/** Chats with the provider's model. */
async function chatWorks(gateway: Gateway): Promise<void> {
  const answer = chat(gateway, [asUser("hello")]);
  const exchange = await Promise.race([vendor.asked(), answer.then(failed)]);
  exchange.stop("done");
  expect((await answer).status).toBe(200);
}

async function failed(answer: Response): Promise<never> {
  throw new Error(`The provider was not asked: ${answer.status} ${await answer.text()}`);
}

/**
 * Asks a model whose key is a secret. A gateway that cannot decrypt it reports that it was not found. Over http it is never sent, and the
 * provider of this test has no certificate.
 */
async function expectReadableSecret(gateway: Gateway): Promise<void> {
  const answer = await chat(gateway, [asUser("hello")], { model: "keyed" });
  expect(await answer.text()).toContain("the secret 'VENDOR_KEY' is sent over https only");
}

it("has its skills, keys, agents, secrets and models, and says what it does not have", async () => {
  const place = await newPlace();
  const adminKey = await initServed(place);
  const env = { MODEL_HOSTS: new URL(vendor.url).origin };
  const run = serve(place, { env });
  const server = await readyServed(run, adminKey);
  const published = await send(server, "POST", "/api/v1/kinds/skills/upload", skillForm("moved", "Do it."));
  const skill = published.metadata.labels.id as string;
  const spec = { systemPrompt: "A poet.", skills: ["moved"] };
  const agent = await send(server, "PUT", "/api/v1/kinds/ghosts/by-name/default/poet", { spec });
  const made = await send(server, "POST", "/api/v1/keys", { user_id: "ann", scopes: ["conversations", "skills:read"] });
  await send(server, "PUT", "/api/v1/secrets/VENDOR_KEY", {
    value: "the-key-of-the-vendor",
    hosts: [new URL(vendor.url).hostname],
    scope: "gateway",
  });
  await storeModel(server, vendor, "gateway");
  await send(server, "PUT", "/api/v1/models/keyed", {
    api: ["openai-chat"],
    base_url: vendor.url,
    model: "vendor-model-1",
    scope: "gateway",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the API.
    key: "${{secrets.VENDOR_KEY}}",
  });
  await chatWorks(server);
  await expectReadableSecret(server);
  await send(server, "POST", "/api/v1/conversations/left/turns", { format: "openai", conversation: {} });
  const folder = path.join(path.dirname(place.state), "kept");
  const backup = await runScript("backup", ["--state", place.state, "--out", folder]);
  expect(backup, backup.stderr).toMatchObject({ code: 0 });
  await run.stop();

  // A deployment: the build of a release, with its database.
  const { main, modules } = await buildGateway({ release: true });
  const target = await emptyPlace();
  await mkdir(target.state, { recursive: true });
  const open = async () => openLocal({ modules, state: target.state, port: await anyPort(), onRuntime: () => {} });
  const first = await open();
  await applyMigrations(first.db);
  await first.stop();
  const files = await filesOf(target.state);
  const data = await newData(new DatabaseSync(files!.d1));
  try {
    const api = { CLOUDFLARE_API_BASE_URL: data.url, CLOUDFLARE_API_TOKEN: "token", CLOUDFLARE_ACCOUNT_ID: "acc" };
    const restored = await runScript("restore", [folder, "--remote", "--yes"], { env: api });
    expect(restored, restored.stderr).toMatchObject({ code: 0 });
    expect(restored.stderr).toContain("Conversations, running imports and files of scripts are not restored.");
  } finally {
    data.d1.close();
    data.close();
  }
  const second = await open();
  for (const [name, bytes] of data.r2) await second.writePackage(name, Buffer.from(bytes));
  await second.stop();

  const deployed = await openWrangler(main, target.state, adminKey, place.state, env);
  const options = ["--url", deployed.url, "--key", adminKey];
  expect(await runScript("reindex", options)).toMatchObject({ code: 0 });
  expect(await (await deployed.fetch("/health")).json()).toMatchObject({
    checks: { d1: "ok", r2: "ok", search: "ok" },
  });
  expect(await readSkill(deployed, skill)).toContain("Do it.");
  expect(await send(deployed, "GET", "/api/v1/me", undefined, made.key)).toMatchObject({ user_id: "ann" });
  expect(await send(deployed, "GET", `/api/v1/kinds/ghosts/${agent.metadata.labels.id}`)).toMatchObject({ spec });
  await chatWorks(deployed);
  await expectReadableSecret(deployed);
  // The row of the list is there, and the conversation begins anew.
  const turn = await send(deployed, "POST", "/api/v1/conversations/left/turns", { format: "openai", conversation: {} });
  expect(turn).toMatchObject({ turn: 1 });
});

/** Starts `wrangler dev` with wrangler.toml, the modules of a release, and the settings of the server. */
async function openWrangler(main: string, state: string, key: string, from: string, env: Record<string, string>) {
  const port = await anyPort();
  const settings = path.join(state, "settings.env");
  const given = await readFile(path.join(from, "gateway.env"), "utf8");
  const lines = Object.entries(env).map(([name, value]) => `${name}="${value}"\n`);
  await writeFile(settings, given + lines.join(""));
  const wrangler = spawnWrangler(
    [
      ...["dev", main, "--no-bundle", "--ip", "127.0.0.1", "--port", String(port)],
      ...[
        "--persist-to",
        state,
        "--env-file",
        settings,
        "--log-level",
        "error",
        "--show-interactive-dev-session=false",
      ],
    ],
    // wrangler.toml's build would replace the modules of the release with those of development.
    { detached: true, stdio: ["ignore", 2, 2], env: { WRANGLER_COMMAND: "deploy" } },
  );
  ended = () => kill(-wrangler.pid!);
  const url = `http://127.0.0.1:${port}`;
  const gateway: Gateway = {
    url,
    key,
    fetch: (route, { key: other, ...init } = {}) =>
      fetch(new URL(route, url), { ...init, headers: { authorization: `Bearer ${other ?? key}`, ...init.headers } }),
  };
  await until("wrangler dev answers", () => {
    if (wrangler.exitCode !== null) throw new Error(`wrangler dev ended with ${wrangler.exitCode}.`);
    return fetch(`${url}/health/live`).then(
      (answer) => answer.ok,
      () => false,
    );
  });
  return gateway;
}
