// `npm run skill`: the bench for authors of skills. Checks a folder, calls its tools and scripts in a local isolate, packs it, and
// publishes it to a running gateway.

import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "./kit/files.mjs";
import { fail, Refusal } from "./kit/refusal.mjs";
import { pack } from "./local/builtins.mjs";
import { localKeyFor } from "./local/key.mjs";

const USAGE = `Use: npm run skill -- <command>
  check <folder>                             what is wrong with it, what it costs in tokens, and its tools
  call <folder> <tool> ['<json>']            call a tool in a local isolate; --answer '<json>' is what the user's page says
  call <folder> <script> ['<json>']          run a script; the JSON may have "args" and "input"
  pack <folder> [--out <file>]               make the ZIP
  push <folder> [--public] [--url <gateway>] publish it to a running gateway with the key in GATEWAY_KEY; to the one on this machine
                                             also with that of .dev.vars, which is sent nowhere else`;

const COMMANDS = { check, call, pack: packTo, push };

async function main() {
  const { values, positionals } = readArguments();
  const [command, folder, ...rest] = positionals;
  const run = COMMANDS[command];
  if (run === undefined || folder === undefined) throw new Refusal(USAGE);
  const skill = path.resolve(process.env.INIT_CWD ?? ".", folder);
  const file = await stat(path.join(skill, "SKILL.md")).catch(() => null);
  if (file === null) throw new Refusal(`${skill} has no SKILL.md.`);
  process.exitCode = await run(skill, rest, values);
}

function readArguments() {
  const text = { type: "string" };
  try {
    return parseArgs({
      allowPositionals: true,
      options: { out: text, url: text, answer: text, public: { type: "boolean" }, json: { type: "boolean" } },
    });
  } catch (error) {
    throw new Refusal(`${error.message}\n${USAGE}`);
  }
}

async function check(skill, _rest, { json }) {
  const seen = await onBench(skill, {});
  if (json) console.log(JSON.stringify(seen, null, 2));
  else print(seen);
  return seen.issues.length > 0 || Object.keys(seen.problems ?? {}).length > 0 ? 1 : 0;
}

function print({ issues, warnings, name, version, tokens, tools, problems, scripts, files }) {
  const list = (title, found) => {
    if (found.length === 0) return;
    console.log(`\n${title}`);
    for (const { code, message, path: at = "SKILL.md", line, severity } of found) {
      const weight = severity === undefined ? "" : `  ${severity}`;
      console.log(`  ${at}${line === undefined ? "" : `:${line}`}${weight}  ${code}  ${message}`);
    }
  };
  if (issues.length > 0) {
    console.log("not valid");
    list("issues", issues);
    list("warnings", warnings);
    return;
  }
  console.log(`${name} ${version ?? "(no version)"}: valid, ${files.length} files`);
  list("warnings", warnings);
  console.log(
    `\ntokens\n  in the list ${tokens.line}, loaded ${tokens.instructions}, its other files about ${tokens.files} if all were read`,
  );
  if (tools.length + Object.keys(problems).length > 0) console.log("\ntools");
  for (const tool of tools) console.log(`  ${tool.name}(${signature(tool.inputSchema)})  ${tool.description}`);
  for (const [tool, problem] of Object.entries(problems)) console.log(`  ${tool}  NOT AVAILABLE: ${problem}`);
  if (scripts.length > 0) console.log(`\nscripts\n${scripts.map((script) => `  ${script}`).join("\n")}`);
}

function signature({ properties = {}, required = [] }) {
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? name : `${name}?`))
    .join(", ");
}

async function call(skill, [name, given = "{}"], { answer, json }) {
  if (name === undefined) throw new Refusal(USAGE);
  const seen = await onBench(skill, {
    call: name,
    arguments: parseJson(given, "The arguments"),
    ...(answer === undefined ? {} : { answer: parseJson(answer, "--answer") }),
  });
  if (seen.issues !== undefined) {
    print(seen);
    return 1;
  }
  if (seen.problem !== undefined) throw new Refusal(seen.problem);
  if (json) console.log(JSON.stringify(seen, null, 2));
  else {
    for (const line of seen.logs) console.error(`log: ${line}`);
    for (const { request, emit, payload } of seen.told) {
      console.error(`${request === undefined ? `emit ${emit}` : `request ${request}`}: ${JSON.stringify(payload)}`);
    }
    if (seen.run !== undefined) {
      process.stdout.write(seen.run.stdout);
      process.stderr.write(seen.run.stderr);
    } else {
      for (const block of seen.result.content) console.log(block.type === "text" ? block.text : JSON.stringify(block));
    }
  }
  if (seen.run !== undefined) return seen.run.exit_code;
  return seen.result.isError ? 1 : 0;
}

async function packTo(skill, _rest, { out = `${path.basename(skill)}.zip` }) {
  const zip = await zipOf(skill);
  await writeFile(out, zip);
  console.log(`${out}: ${zip.length} bytes`);
  return 0;
}

async function push(skill, _rest, { url = "http://127.0.0.1:8787", public: isPublic = false }) {
  const key = process.env.GATEWAY_KEY || (await localKeyFor(url, "GATEWAY_KEY"));
  const form = new FormData();
  form.set("file", new Blob([await zipOf(skill)], { type: "application/zip" }), `${path.basename(skill)}.zip`);
  const route = `/api/v1/kinds/skills/${isPublic ? "public" : "upload"}`;
  const answer = await fetch(new URL(route, url), {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: form,
    signal: AbortSignal.timeout(60_000),
  }).catch((error) => {
    throw new Refusal(`Nothing answers at ${url} (${error.cause?.code ?? error.message}). Start it with: npm start`);
  });
  const body = await answer.json();
  if (!answer.ok) {
    const issues = (body.issues ?? []).map(
      ({ code, message, path: at, line }) => `  ${at ?? ""}:${line ?? ""} ${code} ${message}`,
    );
    throw new Refusal([`${answer.status} ${body.code}: ${body.detail}`, ...issues].join("\n"));
  }
  const { metadata, spec, status } = body;
  const what = answer.status === 200 ? "is there already as" : "was published as";
  console.log(`${metadata.name} ${spec.version ?? ""} ${what} ${status.version_id} (skill ${metadata.labels.id})`);
  for (const { code, message } of status.warnings) console.log(`  ${code}  ${message}`);
  return 0;
}

/** Asks the bench's Worker in a Miniflare of its own, which ends with the answer. */
async function onBench(skill, asked) {
  const [{ Miniflare, convertV4MiniflareOptions, Log, LogLevel, Response }, { bundleWorker }, { prepareAssets }] =
    await Promise.all([import("miniflare"), import("./build/bundle.mjs"), import("./build/static.mjs")]);
  const [{ modules }, zip] = await Promise.all([
    bundleWorker({ entry: "scripts/local/skill-worker.ts" }),
    zipOf(skill),
    prepareAssets(),
  ]);
  const { readWranglerConfig } = await import("./kit/wrangler-config.mjs");
  const { compatibility_date, compatibility_flags } = await readWranglerConfig();
  const bench = new Miniflare(
    convertV4MiniflareOptions({
      log: new Log(LogLevel.ERROR),
      host: "127.0.0.1",
      cf: false,
      workers: [
        {
          name: "skill-bench",
          modules: Object.entries(modules).map(([name, contents]) => ({ type: "ESModule", path: name, contents })),
          compatibilityDate: compatibility_date,
          compatibilityFlags: compatibility_flags,
          workerLoaders: { LOADER: {} },
          serviceBindings: {
            ASSETS: async (request) => {
              const { pathname } = new URL(request.url);
              return new Response(await readFile(path.join(root, "public", pathname)));
            },
          },
        },
      ],
    }),
  );
  try {
    const url = await bench.ready;
    const form = new FormData();
    form.set("asked", JSON.stringify({ fileName: `${path.basename(skill)}.zip`, arguments: {}, ...asked }));
    form.set("file", new Blob([zip], { type: "application/zip" }), "skill.zip");
    // Longer than any tool may take: code that blocks its isolate for ever ends with it.
    const answer = await fetch(url, { method: "POST", body: form, signal: AbortSignal.timeout(330_000) });
    if (!answer.ok) throw new Error(await answer.text());
    return await answer.json();
  } finally {
    await bench.dispose();
  }
}

function zipOf(skill) {
  return pack(path.dirname(skill), path.basename(skill));
}

function parseJson(text, what) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refusal(`${what} must be JSON: ${error.message}`);
  }
}

main().catch(fail);
