// `npm run try:skill-network`: runs scripts of real skills that call an API with a key, through the gateway of `npm start`, against a
// stand-in of that API on this machine. Each runs where publishing says, and also in the executor of this machine if bubblewrap works here.
// usage: npm run try:skill-network -- <folder> [--only <skill>]

import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { probe } from "../executor/bubblewrap.mjs";
import { prepareAssets } from "./build/static.mjs";
import { readOptions } from "./kit/options.mjs";
import { fail, Refusal, say } from "./kit/refusal.mjs";
import { startTemporaryGateway } from "./kit/temporary-gateway.mjs";

const USAGE = `Use: npm run try:skill-network -- <folder> [--only <skill>]
  <folder>  ZIPs or folders of skills; docs/skill-code.md names the skills and where they come from
  --only    skills whose names have this, such as sentry; all of them otherwise`;
/** Clients do not take it for the machine itself, which they reach without a proxy. */
const HOST = "127.0.0.2";
const USER = "visitor";
const VALUE = "sk-value-of-the-trial-0123456789";
/** Calls a script with its own interpreter. Isolates have no git, so it runs in an executor. */
const NATIVE = "run-natively.sh";
const FIRST_RUN = { attempts: 240, ms: 500 };

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const json = (body, headers = {}) => ({
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

/**
 * The skills by name. `host`: the API in its scripts, which the stand-in replaces; `env`: the variable with the key; `respond`: what the API
 * returns to a request; `prints`: a part of the output; `writes`: the name of a file that it leaves.
 */
const SKILLS = {
  "latchshot-page-capture": {
    ...{ host: "latchshot.fly.dev", env: "LATCHSHOT_API_KEY", client: "fetch of JavaScript" },
    script: "scripts/latchshot.mjs",
    args: ["capture", "--url", "https://example.com/", "--output", "page.png"],
    respond: () => ({ headers: { "content-type": "image/png", "x-quota-remaining": "41" }, body: PNG }),
    ...{ prints: '"remaining":41', writes: "page.png" },
  },
  "openai-image-gen": {
    ...{ host: "api.openai.com", env: "OPENAI_API_KEY", client: "urllib of Python" },
    script: "scripts/gen.py",
    args: ["--prompt", "a lighthouse", "--count", "1", "--out-dir", "pictures"],
    respond: () => json({ data: [{ b64_json: PNG.toString("base64") }] }),
    ...{ prints: "Wrote: pictures/index.html", writes: "001-a-lighthouse.png" },
  },
  "openai-whisper-api": {
    ...{ host: "api.openai.com", env: "OPENAI_API_KEY", client: "curl of shell" },
    script: "scripts/transcribe.sh",
    args: ["talk.mp3"],
    files: [{ path: "talk.mp3", base64: Buffer.alloc(2_000, 7).toString("base64") }],
    respond: ({ body }) =>
      body.includes('name="file"; filename="talk.mp3"') && body.length > 2_000
        ? { headers: { "content-type": "text/plain" }, body: "What was said." }
        : { status: 400, body: "no file" },
    ...{ prints: "talk.txt", writes: "talk.txt" },
  },
  sentry: {
    ...{ host: "sentry.io", env: "SENTRY_AUTH_TOKEN", client: "urllib of Python, two pages" },
    script: "scripts/sentry_api.py",
    args: ["--org", "acme", "--project", "shop", "list-issues", "--limit", "2"],
    respond: ({ url }) =>
      url.includes("cursor=")
        ? json([{ id: "2", title: "Second" }])
        : json([{ id: "1", title: "First" }], { link: '<next>; rel="next"; results="true"; cursor="0:1:0"' }),
    ...{ requests: 2, prints: '"title": "Second"' },
  },
  "skillsmp-searcher": {
    ...{ host: "skillsmp.com", env: "SKILLSMP_API_KEY", client: "requests of Python" },
    script: "scripts/search.py",
    args: ["pdf"],
    // An API that returns the key that it received.
    respond: ({ headers }) => json({ success: true, data: [{ name: "pdf" }], received: headers.authorization }),
    prints: "Bearer [secret SKILLSMP_API_KEY]",
  },
};

async function main() {
  const { values, positionals } = readOptions(USAGE, { only: { type: "string" } }, { positionals: 1 });
  const [folder] = positionals;
  if (folder === undefined) throw new Refusal(`The folder of skills is missing.\n${USAGE}`);
  const packages = await packagesIn(path.resolve(process.env.INIT_CWD ?? ".", folder));
  const names = Object.keys(SKILLS).filter((name) => name.includes(values.only ?? ""));
  const found = names.filter((name) => packages.has(name));
  for (const name of names) if (!packages.has(name)) say(`${name} is not in ${folder}`);
  if (found.length === 0) throw new Refusal(`${folder} has none of the skills: ${names.join(", ")}.`);
  const { ok: canConfine, problem } = await probe();
  if (!canConfine) say(`nothing runs in an executor: ${problem}`);
  await prepareAssets();
  const api = await openStandIn();
  const gateway = await startTemporaryGateway(undefined, canConfine ? ["--executor"] : []);
  const failures = [];
  let key;
  /** Runs a script and prints the result. Returns where it ran. */
  async function attempt(skill, script) {
    const line = `${skill.name} · ${skill.client}`;
    try {
      const { place, seen } = await run(gateway, key, skill, script, api);
      console.log(`${line} · ${place === "remote" ? "executor" : "isolate"}: ${seen}`);
      return place;
    } catch (error) {
      failures.push(line);
      console.log(`${line} · ${script}: FAILED. ${error.message}`);
      return null;
    }
  }
  try {
    ({ key } = await request(gateway, gateway.key, "POST", "/api/v1/keys", { user_id: USER }));
    for (const name of found) {
      const skill = { name, ...SKILLS[name] };
      await publish(gateway, key, skill, packages.get(name), api.origin);
      const place = await attempt(skill, skill.script);
      if (canConfine && place !== "remote") await attempt(skill, NATIVE);
    }
  } finally {
    await gateway.stop();
    api.close();
  }
  console.log(failures.length === 0 ? `All runs of ${found.length} skills passed.` : `${failures.length} runs failed.`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

/** Returns the files of each skill in a folder by the name of the skill's folder. */
async function packagesIn(folder) {
  const packages = new Map();
  for (const name of await readdir(folder)) {
    const place = path.join(folder, name);
    const isFolder = (await stat(place)).isDirectory();
    if (!isFolder && !name.endsWith(".zip")) continue;
    const files = isFolder ? await filesIn(place) : unzipSync(new Uint8Array(await readFile(place)));
    const entry = Object.keys(files).find((file) => /(?:^|\/)SKILL\.md$/.test(file));
    if (entry === undefined) continue;
    const above = entry.slice(0, -"SKILL.md".length);
    const own = Object.entries(files).filter(([file]) => file.startsWith(above) && !file.endsWith("/"));
    const inside = Object.fromEntries(own.map(([file, bytes]) => [file.slice(above.length), bytes]));
    packages.set(above === "" ? path.basename(name, ".zip") : path.basename(above), inside);
  }
  return packages;
}

async function filesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [path.relative(folder, file), new Uint8Array(await readFile(file))])),
  );
}

/**
 * Publishes a skill with a declared network, approves its host and sets the user's value. In its scripts, only the origin of the API
 * changes.
 */
async function publish(gateway, key, { name, host, env, script }, files, origin) {
  const text = (file) => strFromU8(files[file]);
  const declared = `network: [${HOST}]\nenv: [${env}]\nconfig: { timeout: 240 }\n`;
  const interpreter = { py: "python3", mjs: "node", sh: "bash" }[script.split(".").at(-1)];
  const changed = {
    ...files,
    "SKILL.md": strToU8(text("SKILL.md").replace(/^---\r?\n/, (line) => `${line}${declared}`)),
    [script]: strToU8(text(script).replaceAll(`https://${host}`, origin)),
    [NATIVE]: strToU8(`git --version > /dev/null\n${interpreter} /skill/${script} "$@"\n`),
  };
  const form = new FormData();
  form.set("file", new Blob([zipSync(changed)], { type: "application/zip" }), `${name}.zip`);
  const { metadata } = await request(gateway, gateway.key, "POST", "/api/v1/kinds/skills/public", form);
  const { id } = metadata.labels;
  await request(gateway, gateway.key, "PUT", `/api/v1/kinds/skills/${id}/network`, { hosts: [HOST] });
  await request(gateway, key, "PUT", `/api/v1/me/skill-env/${id}`, { values: { [env]: VALUE } });
}

/** Runs a script and checks what it printed, and what the API received. Returns where it ran, and what was seen. */
async function run(gateway, key, skill, script, api) {
  const { name, env, args, files = [], requests = 1, prints, writes } = skill;
  api.begin(skill.respond);
  const chat = `/api/v1/conversations/${name}-${path.basename(script)}`;
  await request(gateway, key, "POST", `${chat}/turns`, { conversation: {} });
  const call = { skill_name: name, script_path: script, args, files };
  const calls = [{ id: "call-1", name: "execute_skill_script", arguments: call }];
  const answer = await whenBuilt(() => request(gateway, key, "POST", `${chat}/tool-calls`, { calls }));
  const said = JSON.stringify(answer);
  const result = answer.results[0]?.structuredContent;
  expect(result?.exit_code === 0, `it returned ${said.slice(0, 800)}`);
  expect(script !== NATIVE || result.executor === "remote", `it ran in ${result.executor}`);
  expect(result.stdout.includes(prints), `it printed ${result.stdout}`);
  const isWritten = writes === undefined || result.files.some((file) => file.path.endsWith(`/${writes}`));
  expect(isWritten, `it left ${JSON.stringify(result.files)}`);
  expect(api.received.length === requests, `the API received ${api.received.length} requests`);
  for (const { headers, url, body } of api.received) {
    expect(headers.authorization === `Bearer ${VALUE}`, `the API received '${headers.authorization}'`);
    expect(
      !(url + body).includes(VALUE) && !(url + body).includes("skillgate_"),
      "the value is outside of the headers",
    );
  }
  expect(!said.includes(VALUE), "the result has the value");
  const entries = await request(gateway, gateway.key, "GET", "/api/v1/audit?action=skill.request&limit=1");
  expect(JSON.stringify(entries).includes(HOST), "the audit log has no entry");
  const count = requests === 1 ? "1 request" : `${requests} requests`;
  return { place: result.executor ?? "isolate", seen: `${count} with the value of ${env}, exit code 0` };
}

/** Repeats a request while the runtime of a script is built in the background. */
async function whenBuilt(ask) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (error.status !== 503 || attempt === FIRST_RUN.attempts) throw error;
      await new Promise((done) => setTimeout(done, FIRST_RUN.ms));
    }
  }
}

/** Opens the stand-in. It answers with the function that `begin` received last, and keeps the requests since then. */
async function openStandIn() {
  const received = [];
  let respond = () => ({ status: 404 });
  const server = createServer(async (asked, response) => {
    const chunks = [];
    for await (const chunk of asked) chunks.push(chunk);
    const one = { url: asked.url, headers: asked.headers, body: Buffer.concat(chunks).toString("latin1") };
    received.push(one);
    const { status = 200, headers = {}, body = "" } = respond(one);
    response.writeHead(status, headers).end(body);
  });
  server.listen(0, HOST);
  await once(server, "listening");
  return {
    received,
    origin: `http://${HOST}:${server.address().port}`,
    begin(next) {
      received.length = 0;
      respond = next;
    },
    close: () => server.close(),
  };
}

async function request({ url }, key, method, route, body) {
  const isForm = body instanceof FormData;
  const headers = { authorization: `Bearer ${key}`, ...(isForm ? {} : { "content-type": "application/json" }) };
  const init = body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) };
  const answer = await fetch(new URL(route, url), { method, headers, ...init });
  const text = await answer.text();
  if (!answer.ok)
    throw Object.assign(new Error(`${method} ${route} returned ${answer.status}: ${text.slice(0, 500)}`), {
      status: answer.status,
    });
  return text === "" ? null : JSON.parse(text);
}

function expect(isSo, otherwise) {
  if (!isSo) throw new Error(otherwise);
}

main().catch(fail);
