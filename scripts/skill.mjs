// `npm run skill`: the bench for authors of skills. Begins a folder, checks it, calls its tools and scripts in a local isolate, packs
// it, and publishes it to a running gateway.

import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import semver from "semver";
import { GATEWAY, readOptions } from "./kit/options.mjs";
import { fail, Refusal } from "./kit/refusal.mjs";
import { pack } from "./local/builtins.mjs";
import { chosenGateway, nothingAnswers } from "./local/chosen-gateway.mjs";

const USAGE = `Use: npm run skill -- <command>
  new <name>                        begin a skill: a folder of that name with a SKILL.md
  check <skill>                     what is wrong with it, what it costs in tokens, and its tools
  call <skill> <tool> ['<json>']    call a tool in a local isolate; --answer '<json>' is what the user's page says
  call <skill> <script> ['<json>']  run a script; the JSON may have "args", "input" and "files" as
                                    execute_skill_script has them; --json has the files that it left
  pack <folder> [--out <file>]      make the ZIP, where you stand
  push <skill>... [--public | --group <name>] [--url <gateway>] [--key <key>] [--port 8787]
                                    publish to a running gateway: your own, everybody's, or a group's
A skill is a folder or a ZIP. check and call take --json. Without --url the gateway is the one in GATEWAY_URL, or the one on this machine.
The key may also stand in GATEWAY_KEY; for the gateway on this machine it is that of .dev.vars, which is sent nowhere else.`;

const OPTIONS = {
  ...GATEWAY,
  out: { type: "string" },
  answer: { type: "string" },
  group: { type: "string" },
  public: { type: "boolean" },
  json: { type: "boolean" },
};
/** By name; `skills`: how many skills it takes. */
const COMMANDS = {
  new: { run: begin, skills: 0 },
  check: { run: check, skills: 1 },
  call: { run: call, skills: 1 },
  pack: { run: packTo, skills: 1 },
  push: { run: push, skills: Number.POSITIVE_INFINITY },
};

/** Where the user stands: npm runs its scripts in the folder of package.json. */
const here = (name) => path.resolve(process.env.INIT_CWD ?? ".", name);

async function main() {
  const { values, positionals } = readOptions(USAGE, OPTIONS, { positionals: Number.POSITIVE_INFINITY });
  const [name, ...rest] = positionals;
  const command = Object.hasOwn(COMMANDS, name ?? "") ? COMMANDS[name] : undefined;
  if (command === undefined || rest.length === 0) throw new Refusal(USAGE);
  const skills = await Promise.all(rest.slice(0, command.skills).map(skillAt));
  const more = rest.slice(command.skills);
  process.exitCode = await (command.skills > 1 ? command.run(skills, values) : command.run(...skills, more, values));
}

/** A skill that was named: a folder with a SKILL.md, or a ZIP. @returns {Promise<{ name: string, zip: () => Promise<Uint8Array> }>} */
async function skillAt(given) {
  const place = here(given);
  const found = await stat(place).catch(() => null);
  if (found?.isFile() && place.toLowerCase().endsWith(".zip"))
    return { name: path.basename(place).slice(0, -".zip".length), zip: () => readFile(place) };
  const file = await stat(path.join(place, "SKILL.md")).catch(() => null);
  if (file === null) throw new Refusal(`${place} has no SKILL.md.`);
  return { name: path.basename(place), zip: () => pack(path.dirname(place), path.basename(place)) };
}

/** What `new` writes: as little as passes `check`. */
const BEGINNING = (name) => `---
name: ${name}
description: "Say in a sentence what it does, and when to use it: this line is all that a model sees at first."
version: "0.1.0"
---

# ${name}

Write here what the model is to do, step by step. It reads this when it loads the skill.
`;

async function begin([name, ...rest]) {
  if (rest.length > 0) throw new Refusal(USAGE);
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || name.length > 64)
    throw new Refusal(
      `A skill's name is at most 64 small letters, digits and single hyphens between them; '${name}' is not.`,
    );
  const folder = here(name);
  await mkdir(folder).catch((error) => {
    throw error.code === "EEXIST" ? new Refusal(`${folder} is there already.`) : error;
  });
  await writeFile(path.join(folder, "SKILL.md"), BEGINNING(name));
  console.log(`${path.join(folder, "SKILL.md")}: write it, then npm run skill -- check ${name}`);
  return 0;
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
  if (scripts === null) console.log("\nscripts were not judged");
  else if (scripts.length > 0) console.log(`\nscripts\n${scripts.map(verdictLine).join("\n")}`);
}

/** Whether a script runs, and what decides. */
function verdictLine({ path: at, runs, reason = "", line }) {
  return `  ${runs.padEnd(7)}  ${at}${line === undefined ? "" : `:${line}`}  ${reason}`.trimEnd();
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
      for (const [file, base64] of Object.entries(seen.run.files))
        console.error(`file: ${file}, ${Buffer.from(base64, "base64").length} bytes`);
      for (const { path: file, reason } of seen.run.left ?? []) console.error(`file: ${file}, left: ${reason}`);
    } else {
      for (const block of seen.result.content) console.log(block.type === "text" ? block.text : JSON.stringify(block));
    }
  }
  if (seen.run !== undefined) return seen.run.exit_code;
  return seen.result.isError ? 1 : 0;
}

async function packTo(skill, _rest, { out = `${skill.name}.zip` }) {
  const zip = await skill.zip();
  await writeFile(here(out), zip);
  console.log(`${here(out)}: ${zip.length} bytes`);
  return 0;
}

/** One after the other: what one skill needs of another may stand before it. */
async function push(skills, values) {
  if (values.public && values.group !== undefined)
    throw new Refusal(`--public and --group do not go together.\n${USAGE}`);
  const gateway = await chosenGateway(values, USAGE);
  const refused = [];
  for (const skill of skills) {
    const refusal = await publish(skill, gateway, values);
    if (refusal !== null) refused.push(skills.length > 1 ? `${skill.name}: ${refusal}` : refusal);
  }
  if (refused.length > 0) throw new Refusal(refused.join("\n"));
  return 0;
}

/** @returns {Promise<string | null>} why it was refused */
async function publish(skill, { url, key }, { public: isPublic = false, group }) {
  const form = new FormData();
  form.set("file", new Blob([await skill.zip()], { type: "application/zip" }), `${skill.name}.zip`);
  if (group !== undefined) form.set("namespace", group);
  const answer = await fetch(new URL(`/api/v1/kinds/skills/${isPublic ? "public" : "upload"}`, url), {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: form,
    signal: AbortSignal.timeout(60_000),
  }).catch((error) => {
    throw nothingAnswers(url, error);
  });
  const body = await answer.json();
  if (!answer.ok) {
    const issues = (body.issues ?? []).map(
      ({ code, message, path: at, line }) => `  ${at ?? ""}:${line ?? ""} ${code} ${message}`,
    );
    const next = body.code === "VERSION_EXISTS" ? semver.inc(body.version, "patch") : null;
    const advice = next === null ? "" : ` Raise version in SKILL.md, to ${next} for instance.`;
    return [`${answer.status} ${body.code}: ${body.detail}${advice}`, ...issues].join("\n");
  }
  const { metadata, spec, status } = body;
  const what = answer.status === 200 ? "is there already as" : "was published as";
  console.log(`${metadata.name} ${spec.version ?? ""} ${what} ${status.version_id} (skill ${metadata.labels.id})`);
  for (const { code, message } of status.warnings) console.log(`  ${code}  ${message}`);
  for (const script of status.scripts ?? []) console.log(verdictLine(script));
  if (status.routing !== undefined) printRouting(status.routing);
  return null;
}

/** How search finds a skill by its own example prompts. */
function printRouting({ prompts, neighbours }) {
  const place = (rank) => (rank === null ? "not found" : `#${rank}`);
  console.log("  found by its example prompts (and if those were not searched):");
  for (const { prompt, rank, rank_without_examples: plain, ahead } of prompts) {
    const behind = ahead.length === 0 ? "" : `  behind ${ahead.join(", ")}`;
    console.log(`    ${place(rank)} (${place(plain)})  ${prompt.replaceAll(/\s+/g, " ").slice(0, 80)}${behind}`);
  }
  if (neighbours.length > 0) {
    const met = neighbours.map(({ skill, prompts: count }) => `${skill} (${count})`);
    console.log(`  stand before it: ${met.join(", ")}`);
  }
}

/** Asks the bench's Worker in a Miniflare of its own, which ends with the answer. */
async function onBench(skill, asked) {
  const { openBench } = await import("./local/bench.mjs");
  const [bench, zip] = await Promise.all([openBench(), skill.zip()]);
  try {
    return await bench.ask(skill.name, zip, asked);
  } finally {
    await bench.close();
  }
}

function parseJson(text, what) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refusal(`${what} must be JSON: ${error.message}`);
  }
}

main().catch(fail);
