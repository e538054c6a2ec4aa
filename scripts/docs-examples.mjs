// Records the example requests and responses of docs/api/ from a temporary gateway, into docs/api/examples.json. Run it after a change of
// the API, then `npm run docs`. `npm run docs` and its check only read the file.

import path from "node:path";
import { startOauthProxy } from "../test/support/oauth-proxy.mjs";
import { openApiText } from "./build/openapi.mjs";
import * as administration from "./docs/examples/administration.mjs";
import { recordConversations } from "./docs/examples/conversations.mjs";
import { Recorder } from "./docs/examples/recorder.mjs";
import * as registry from "./docs/examples/registry.mjs";
import { startSkillSite, startWeatherServer } from "./docs/examples/servers.mjs";
import { shortened } from "./docs/examples/shortened.mjs";
import { stabilizer } from "./docs/examples/stable.mjs";
import { root, writeWhole } from "./kit/files.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail } from "./kit/refusal.mjs";
import { startTemporaryGateway } from "./kit/temporary-gateway.mjs";

const USAGE = "Use: npm run docs:examples";
const FILE = path.join(root, "docs", "api", "examples.json");

async function main() {
  readOptions(USAGE, {});
  const document = JSON.parse(await openApiText());
  const [gateway, weather, site] = await Promise.all([startTemporaryGateway(), startWeatherServer(), startSkillSite()]);
  const tickets = await startOauthProxy(weather.url);
  try {
    const recorder = new Recorder(gateway.url, document);
    recorder.addUser("admin", gateway.key);
    await recordAll(recorder, { url: gateway.url, weather, site, tickets });
    const addresses = {
      [gateway.url.host]: "gateway.example.com",
      [new URL(weather.url).host]: "mcp.example.com",
      [new URL(site.url).host]: "skills.example.org",
      [new URL(tickets.url).host]: "tickets.example.com",
    };
    const stable = stabilizer({ addresses, steps: recorder.steps });
    const examples = [...recorder.examples].map(([name, example]) => [name, stored(example, stable)]);
    await writeWhole(FILE, `${JSON.stringify(Object.fromEntries(examples.sort(byName)), null, 1)}\n`);
    console.log(`wrote ${path.relative(root, FILE)}: ${examples.length} examples`);
  } finally {
    weather.close();
    site.close();
    tickets.close();
    await gateway.stop();
  }
}

/** Sends all requests. Later ones use objects that earlier ones created. */
async function recordAll(on, { url, weather, site, tickets }) {
  await administration.recordGateway(on);
  await administration.recordKeys(on);
  await administration.recordGroups(on);
  await administration.recordServers(on, weather);
  const skills = await registry.recordSkills(on);
  await registry.recordDrafts(on);
  const ghost = await registry.recordAgents(on, skills);
  await recordConversations(on);
  await registry.recordSharing(on, skills);
  await registry.recordReports(on, skills);
  await registry.recordImports(on, site);
  await administration.recordSignIns(on, url);
  await administration.recordUsers(on);
  await registry.recordDeletions(on, skills, ghost);
  await administration.recordCatalog(on);
  await administration.recordConnections(on, tickets);
}

/** Returns an example as the file contains it. */
function stored({ operation, step, request, status, body }, stable) {
  const { body: short, lists } = shortened(stable(body, step));
  return {
    operation,
    request: stable(request, step),
    status,
    ...(body !== undefined && { body: short }),
    ...(lists.length > 0 && { shortened: lists }),
  };
}

const byName = ([one], [other]) => (one < other ? -1 : 1);

main().catch(fail);
