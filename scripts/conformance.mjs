// `npm run conformance`: the official suite (@modelcontextprotocol/conformance) against the gateway. Server scenarios run through the
// transparent proxy to the fixture server, and through a conversation with the fixture as a server. Scenarios without tools also run
// against the gateway's own server. Client scenarios run against the gateway's own client. The `authorization` mode, which is not scored,
// runs against the gateway's sign-in. Exits with an error for: a scored failure that is not listed in
// test/conformance/expected-failures.yml (for a conversation: conversation-failures.yml), a listed failure that passes, any failure of the
// sign-in, and a scenario without checks.

import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parse } from "yaml";
import { runAuthorization } from "../test/conformance/authorization.mjs";
import { startFixture } from "../test/conformance/server.mjs";
import { openDoor, startGateway } from "../test/conformance/stage.mjs";
import { root } from "./kit/files.mjs";
import { fail, say } from "./kit/refusal.mjs";
import { installTrials } from "./kit/trials.mjs";

const REVISIONS = ["2025-11-25", "2026-07-28"];
const trial = path.join(root, "test", "trials", "conformance");
const folder = path.join(trial, "node_modules", "@modelcontextprotocol", "conformance");
const suite = path.join(folder, "dist", "index.js");
const expected = path.join(root, "test", "conformance", "expected-failures.yml");
const conversationFailures = path.join(root, "test", "conformance", "conversation-failures.yml");
const CONVERSATION = "/mcp/{id}";
const client = (name) => `${process.execPath} ${path.join(root, "test", "conformance", `${name}-client.mjs`)}`;

/** Scenarios that the gateway's own server can pass. The other server scenarios need the suite's own tools. */
const OWN_SCENARIOS = [
  "server-initialize",
  "ping",
  "tools-list",
  "resources-list",
  "dns-rebinding-protection",
  "http-header-validation",
  "sep-2164-resource-not-found",
  "sep-2640-skills-enumeration",
  "sep-2640-skills-manifest",
  "sep-2640-skills-directory",
];

/** Scenarios of the gateway as a client of servers that offer skills. They belong to the extension and to no revision. */
const SKILLS_SCENARIOS = [
  "sep-2640-client-no-prefetch",
  "sep-2640-client-verify-digest",
  "sep-2640-client-verify-size",
  "sep-2640-client-verify-frontmatter",
];

/** Scenarios that the client of a conversation does not support by design. They run with an SDK client behind the proxy. */
const BEHIND_PROXY = {
  "elicitation-sep1034-client-defaults": "a conversation does not fill in forms by itself",
  "sse-retry": "conversations have open streams only for calls that can ask a question",
  "sep-2322-client-request-state": "a conversation does not answer questions for a user",
};
const SIGN_IN = "sign-in";
const SIGN_IN_SCENARIOS = ["authorization-server-metadata-endpoint", "authorization-code-grant"];
/** Scenarios in which a user signs in to a server. */
const OF_SIGN_IN = /^auth\//;
/** Unscored scenarios that the gateway does not support by design, with reasons. They are left out. */
const LEFT_OUT = {
  "auth/client-credentials-basic":
    "the suite skips it at both revisions; test/connections/machine-account.test.ts checks it",
  "auth/client-credentials-jwt": "the gateway has no signing key at issuers; clients have a secret",
  "auth/enterprise-managed-authorization": "the gateway has no token of the user's identity provider to exchange",
  "auth/dpop": "tokens are bearer tokens",
  "auth/dpop-nonce": "tokens are bearer tokens",
  "auth/wif-jwt-bearer": "the gateway has no workload identity",
};

async function main() {
  await installTrials(trial, "100 MB, and a few seconds");
  const results = await mkdtemp(path.join(os.tmpdir(), "conformance-"));
  const [gateway, fixture] = await Promise.all([startGateway(), startFixture()]);
  try {
    const user = await gateway.call("POST", "/api/v1/keys", { user_id: "conformance" });
    const known = await conversationBaseline();
    const rows = [];
    for (const revision of REVISIONS) {
      // The fixture supports both revisions. Its requests differ between them, so a conversation's connection must use the same revision as
      // its host.
      const entry = { url: fixture.url, prefix: "never", era: revision === "2025-11-25" ? "legacy" : "auto" };
      await gateway.call("PUT", "/api/v1/mcp-servers/fixture", entry);
      const endpoint = await openDoor(`${gateway.url}/mcp/servers/fixture`, user.key);
      rows.push(...(await serverRows(endpoint.url, revision, results, { way: "through the proxy", known: {} })));
      endpoint.close();
      const inside = await openDoor(`${gateway.url}/mcp/servers-${revision}`, user.key);
      const place = { way: CONVERSATION, known: known[revision] ?? {} };
      rows.push(...(await serverRows(inside.url, revision, results, place)));
      inside.close();
    }
    // The client scenarios are servers themselves. Their conversations must contain no other server.
    await gateway.call("DELETE", "/api/v1/mcp-servers/fixture");
    for (const revision of REVISIONS) rows.push(...(await clientRows(gateway, revision, results)));
    rows.push(...(await skillsRows(gateway, results)));
    rows.push(...(await ownRows(gateway, user.key, results)));
    for (const revision of REVISIONS) rows.push(...(await signInRows(gateway, user.key, revision, results)));
    await report(rows);
  } finally {
    await Promise.all([gateway.stop(), fixture.close()]);
    await rm(results, { recursive: true, force: true });
  }
}

/** Returns the expected failures of a conversation's scenarios by revision, each with its reason. */
async function conversationBaseline() {
  return parse(await readFile(conversationFailures, "utf8")) ?? {};
}

/** Runs the scenarios that a revision requires of servers. `known`: the expected failures with their reasons. */
async function serverRows(url, revision, results, { way, known }) {
  const output = path.join(results, `server-${revision}-${way.replaceAll(/\W/g, "")}`);
  const code = await run(["server", "--url", url, "--requirements", revision, "-o", output], {});
  const { server, not_scored: notScored } = await requirements(revision);
  const rows = [
    ...server.map((scenario) => ({ scenario, isScored: true })),
    ...scenariosOf(notScored, "server").map((scenario) => ({ scenario, isScored: false })),
  ];
  const whyOf = (scenario) => (known[scenario] === undefined ? {} : { known: known[scenario] });
  const found = await Promise.all(
    rows.map((row) => checked({ ...row, isRequired: row.isScored, revision, way, ...whyOf(row.scenario) }, output)),
  );
  // The suite judges its baseline itself: an entry that passes is a failure too. The results of a conversation are compared here.
  const judges = Object.keys(known).length === 0 && way !== CONVERSATION;
  if (judges && code !== 0 && !found.some(isFailure))
    throw new Error(`The suite for ${revision} exited with code ${code}.`);
  return found;
}

/** The gateway's own server with its built-in skills, without a conversation and in one. */
async function ownRows(gateway, key, results) {
  const rows = [];
  for (const way of ["/mcp", "/mcp/conformance"]) {
    const endpoint = await openDoor(`${gateway.url}${way}`, key);
    const found = await sideBySide(OWN_SCENARIOS, async (scenario) => {
      const output = path.join(results, `own-${path.basename(way)}-${scenario}`);
      await run(["server", "--url", endpoint.url, "--scenario", scenario, "-o", output], {});
      return checked({ scenario, revision: "own server", isScored: true, way }, output);
    });
    rows.push(...found);
    endpoint.close();
  }
  return rows;
}

/** The gateway as a client of servers that offer skills. */
function skillsRows(gateway, results) {
  return sideBySide(SKILLS_SCENARIOS, async (scenario) => {
    const output = path.join(results, `skills-${scenario}`);
    // No revision: the suite skips scenarios of extensions if one is named.
    const options = ["--scenario", scenario, "-o", output];
    const env = { GATEWAY_URL: gateway.url, GATEWAY_KEY: gateway.key };
    await run(["client", "--command", client("skills"), ...options], env);
    return checked({ scenario, revision: "skills", isScored: true, way: "skills of a server" }, output);
  });
}

async function signInRows({ url }, key, revision, results) {
  const output = path.join(results, `sign-in-${revision}`);
  await runAuthorization({ suite, url, key, revision, output });
  const rows = SIGN_IN_SCENARIOS.map((scenario) => ({ scenario, revision, isScored: false, way: SIGN_IN }));
  return Promise.all(rows.map((row) => checked(row, output)));
}

async function clientRows(gateway, revision, results) {
  const { client: scored, not_scored: notScored } = await requirements(revision);
  const scenarios = [
    ...scored.map((scenario) => ({ scenario, isScored: true, isRequired: true })),
    ...scenariosOf(notScored, "client").map((scenario) => ({ scenario, isScored: false })),
  ].filter(({ scenario }) => LEFT_OUT[scenario] === undefined);
  const isBehind = ({ scenario }) => BEHIND_PROXY[scenario] !== undefined;
  const rowOf = async (row) => {
    const isProxied = isBehind(row);
    const output = path.join(results, `client-${revision}-${row.scenario.replaceAll("/", "-")}`);
    const options = ["--spec-version", revision, "--scenario", row.scenario, "-o", output];
    const command = client(isProxied ? "proxied" : OF_SIGN_IN.test(row.scenario) ? "signed-in" : "conversation");
    await run(["client", "--command", command, ...options], { GATEWAY_URL: gateway.url, GATEWAY_KEY: gateway.key });
    return checked({ ...row, revision, way: isProxied ? "client behind proxy" : "conversation" }, output);
  };
  const rows = await sideBySide(
    scenarios.filter((scenario) => !isBehind(scenario)),
    rowOf,
  );
  // These are servers of the gateway, which every conversation would connect to.
  for (const scenario of scenarios.filter(isBehind)) rows.push(await rowOf(scenario));
  return rows;
}

/** Each scenario is a process that mainly starts and waits. The answers are in the order of the items. */
async function sideBySide(items, work) {
  const answers = [];
  const left = [...items.entries()];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) answers[next[0]] = await work(next[1]);
  };
  await Promise.all([worker(), worker(), worker()]);
  return answers;
}

/** The suite's own list of what a revision requires. */
async function requirements(revision) {
  return parse(await readFile(path.join(folder, "requirements", `${revision}.yaml`), "utf8"));
}

function scenariosOf(notScored, role) {
  return notScored.flatMap((entry) => (entry.leg === role ? [entry.scenario] : []));
}

/** Runs the suite to its end without output. Its results are in the files it writes. */
function run(args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [suite, ...args, "--expected-failures", expected], {
      env: { ...process.env, ...env },
      stdio: "ignore",
    });
    child.once("error", reject);
    child.once("close", resolve);
  });
}

/** Adds the checks to the row. */
async function checked(row, output) {
  const found = await readdir(output, { recursive: true });
  // A scenario with a slash in its name may have a folder for each part.
  const flat = (name) => name.replaceAll(/[\\/]/g, "-");
  const own = new RegExp(`^(?:server-|authorization-server-)?${flat(row.scenario)}-\\d{4}-\\d{2}-\\d{2}T`);
  const isChecks = (name) => path.basename(name) === "checks.json" && own.test(flat(path.dirname(name)));
  const files = found.filter(isChecks).map((name) => path.join(output, name));
  const checks = (await Promise.all(files.map((file) => readFile(file, "utf8")))).flatMap(JSON.parse);
  const count = (...statuses) => checks.filter(({ status }) => statuses.includes(status)).length;
  return {
    ...row,
    passed: count("SUCCESS"),
    warned: checks.filter(({ status }) => status === "WARNING"),
    failed: checks.filter(({ status }) => status === "FAILURE"),
  };
}

/** An expected failure is no failure. An expected failure that passes is one, because it must be removed from the list. */
function isFailure(row) {
  return (row.isScored || row.way === SIGN_IN) && fails(row) === (row.known === undefined);
}

function fails({ passed, failed }) {
  return failed.length > 0 || passed === 0;
}

async function report(rows) {
  const width = Math.max(...rows.map(({ scenario }) => scenario.length));
  for (const row of rows) {
    const verdict = isFailure(row) ? "FAIL" : !row.isScored ? "not scored" : row.known === undefined ? "ok" : "known";
    const counts = `${row.passed} passed, ${row.failed.length} failed, ${row.warned.length} warned`;
    console.log(
      `${row.revision}  ${row.scenario.padEnd(width)}  ${row.way.padEnd(19)}  ${verdict.padEnd(10)}  ${counts}`,
    );
    if (row.known !== undefined) say(`    ${fails(row) ? "fails" : "PASSES, but is listed as failing"}: ${row.known}`);
    if ((!row.isScored && row.way !== SIGN_IN) || row.known !== undefined) continue;
    for (const { id, status, errorMessage } of [...row.failed, ...row.warned])
      say(`    ${status} ${id}: ${errorMessage}`);
  }
  const scored = rows.filter(({ isScored }) => isScored);
  const failures = scored.filter(isFailure);
  const signIn = rows.filter(({ way }) => way === SIGN_IN);
  const failedSignIns = signIn.filter(isFailure);
  await headline(rows);
  const checks = signIn.reduce((total, row) => total + row.passed, 0);
  console.log(`Sign-in: ${signIn.length} scenarios, ${failedSignIns.length} failing; ${checks} checks passed.`);
  for (const [scenario, why] of Object.entries(BEHIND_PROXY))
    console.log(`${scenario}: behind the proxy, since ${why}.`);
  for (const [scenario, why] of Object.entries(LEFT_OUT)) console.log(`${scenario}: left out, since ${why}.`);
  if (failures.length + failedSignIns.length > 0 || scored.length === 0) process.exitCode = 1;
}

/** Prints how many of the required scenarios run, pass and are left out, then the same for a conversation. */
async function headline(rows) {
  const sets = await Promise.all(REVISIONS.map(requirements));
  const all = sets.flatMap(({ server, client: clients }) => [...server, ...clients]);
  const tell = (what, total, ran, left) => {
    const passed = ran.filter((row) => !fails(row)).length;
    const checks = ran.reduce((sum, row) => sum + row.passed, 0);
    console.log(`${what}: ${ran.length} of ${total} run, ${passed} pass (${checks} checks)${left}`);
  };
  const required = rows.filter(({ isRequired }) => isRequired);
  const outside = required.filter(({ way }) => way !== CONVERSATION);
  console.log("");
  const out = all.length - outside.length;
  tell("What the suite requires", all.length, outside, `; ${out} are left out.`);
  const inside = required.filter(({ way }) => way === CONVERSATION);
  const servers = sets.flatMap(({ server }) => server).length;
  const failing = inside.filter(({ known }) => known !== undefined).length;
  tell(`Its server scenarios through ${CONVERSATION}`, servers, inside, `; ${failing} are known to fail.`);
}

main().catch(fail);
