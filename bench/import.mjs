// `npm run bench:import`: imports 1 500 skills from a site where one in fifty fails, and kills the runtime (`-9`) in the middle. Exits with
// 1 if a skill is missing, exists twice, or is not reported, or if a second run imports more than the missing skills.
// usage: npm run bench:import -- [--skills 1500] [--kills 1]

import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { strToU8, zipSync } from "fflate";
import { startGateway } from "./gateway.mjs";

const { values } = parseArgs({
  options: { skills: { type: "string", default: "1500" }, kills: { type: "string", default: "1" } },
});
const [count, kills] = [Number(values.skills), Number(values.kills)];
/** One in this number of skills fails. In turn it is missing, differs from the index, or is not a skill. */
const FAILS = 50;
const INDEX = "/.well-known/agent-skills/index.json";

const names = Array.from({ length: count }, (_, index) => `imported-${String(index).padStart(5, "0")}`);
const isBad = (index) => index % FAILS === FAILS - 1;
let mended = false;
let served = new Map();
const archives = new Map(names.map((name, index) => [name, archive(name, index)]));
const site = createServer((request, response) => {
  const name = /([^/]+)\.zip$/.exec(request.url)?.[1];
  if (name === undefined) return response.end(JSON.stringify(index()));
  served.set(name, (served.get(name) ?? 0) + 1);
  const at = names.indexOf(name);
  if (!mended && isBad(at) && at % 3 === 0) return response.writeHead(404).end();
  return response.end(archives.get(name));
});
await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
const source = { type: "index", url: `http://127.0.0.1:${site.address().port}${INDEX}` };

const gateway = await startGateway({ development: true });
try {
  const first = await measured("the first run, cut off in the middle", killing());
  const failed = names.filter((_, at) => isBad(at)).length;
  expect("every other skill is there, once", await published(), { skills: count - failed, versions: count - failed });
  expect("the report says which failed", first.failed, failed);
  expect("the report counts the rest", first.created + first.unchanged, count - failed);
  const twice = [...served.values()].filter((times) => times > 1).length;
  console.log(`fetched again after the kill: ${twice} of ${count}`);

  served = new Map();
  await measured("a second run of the same");
  expect("a second run fetches only what is missing", served.size, failed);

  mended = true;
  for (const [at, name] of names.entries()) archives.set(name, archive(name, at));
  served = new Map();
  const third = await measured("a third run, of a site that was mended");
  expect("a third run takes what was missing", [third.created, third.failed, served.size], [failed, 0, failed]);
  expect("everything is there, once", await published(), { skills: count, versions: count });
} finally {
  await gateway.stop();
  site.close();
}

/** Runs the import until no further progress occurs, and returns its counts. */
async function measured(what, meanwhile) {
  const began = performance.now();
  const { id } = await gateway.call("importer", "POST", "/api/v1/imports", { source });
  let report = null;
  do {
    await new Promise((resolve) => setTimeout(resolve, 250));
    report = await gateway.call("importer", "GET", `/api/v1/imports/${id}?limit=1`).catch(() => null);
    await meanwhile?.(report);
  } while (report === null || report.state === "running" || report.state === "waiting");
  const seconds = (performance.now() - began) / 1_000;
  console.log(what, { state: report.state, ...report.counts, seconds: Math.round(seconds * 10) / 10 });
  return report.counts;
}

/** Kills the runtime at even intervals of finished work. */
function killing() {
  let done = 0;
  return async (report) => {
    if (report === null || done >= kills) return;
    const { created = 0, failed = 0 } = report.counts;
    if (created + failed < ((done + 1) * count) / (kills + 1)) return;
    done++;
    const began = performance.now();
    await gateway.kill();
    console.log(`killed with ${created} taken; up again in ${Math.round(performance.now() - began)} ms`);
  };
}

async function published() {
  const { results } = await gateway.db
    .prepare("SELECT (SELECT count(*) FROM skills) AS skills, (SELECT count(*) FROM versions) AS versions")
    .all();
  return results[0];
}

function expect(what, seen, wanted) {
  const holds = JSON.stringify(seen) === JSON.stringify(wanted);
  console.log(
    `${holds ? "ok  " : "FAIL"} ${what}: ${JSON.stringify(seen)}${holds ? "" : `, not ${JSON.stringify(wanted)}`}`,
  );
  if (!holds) process.exitCode = 1;
}

function index() {
  const skills = names.map((name, at) => {
    const wrong = !mended && isBad(at) && at % 3 === 1;
    const digest = wrong ? "0".repeat(64) : createHash("sha256").update(archives.get(name)).digest("hex");
    const entry = { name, type: "archive", description: `Skill ${name}.`, url: `${name}.zip` };
    return { ...entry, digest: `sha256:${digest}` };
  });
  return { $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json", skills };
}

function archive(name, at) {
  const isNone = !mended && isBad(at) && at % 3 === 2;
  const text = isNone ? "no frontmatter" : `---\nname: ${name}\ndescription: Skill ${name}.\n---\n\nDo it.\n`;
  const guide = Array.from({ length: 60 }, (_, line) => `${name} ${line * at}`).join("\n");
  return Buffer.from(
    zipSync({ "SKILL.md": strToU8(text), "references/guide.md": strToU8(guide) }, { mtime: "1980-01-01" }),
  );
}
