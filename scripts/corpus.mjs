// Reads every skill ZIP of a corpus with the gateway's own reader and compares the clean ones with an independent reader. For a folder of
// skills, reports how many have a script that runs.
// usage: npm run test:corpus -- <folder> [--judge | --gateway]
//   <folder>  with clean/ and quirky/ (or that folder in CORPORA), or with ZIPs of skills. The scripts of those run here and, confined, in
//             their own interpreter.
//   --judge   runs nothing and reports the result of publishing
//   --gateway runs the scripts through `execute_skill_script` of a gateway with an executor (`npm start -- --executor`)

import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { BlobReader, configure, Uint8ArrayWriter, ZipReader } from "@zip.js/zip.js";
import { importTypeScript } from "./build/bundle.mjs";
import { root } from "./kit/files.mjs";

configure({ useWebWorkers: false });

const judgeOnly = process.argv.includes("--judge");
const onGateway = process.argv.includes("--gateway");
const [given = process.env.CORPORA ?? path.join(root, "..", "shared", "corpora")] = process.argv
  .slice(2)
  .filter((argument) => !["--judge", "--gateway"].includes(argument));
const corpora = path.resolve(process.env.INIT_CWD ?? ".", given);
const { readPackage, leftOutPart, inspect } = await importTypeScript(
  "src/domain/package/package.ts",
  "src/domain/package/path.ts",
  "src/domain/inspection/inspection.ts",
);
/** Findings that no harmless skill should cause. */
const LURES = new Set(["DOWNLOAD_AND_RUN", "PASTE_AND_RUN"]);
let failures = 0;
let read = 0;
const findings = {};
const skills = ((await listZips(corpora)) ?? []).map((name) => path.join(corpora, name));
if (skills.length > 0) {
  const { scriptsOfCorpus } = await import("./local/corpus-scripts.mjs");
  await scriptsOfCorpus(skills, readPackage, { runs: !judgeOnly, onGateway });
}
for (const kind of skills.length > 0 ? [] : ["clean", "quirky"]) {
  const folder = path.resolve(corpora, kind);
  const files = await listZips(folder);
  if (files === null) {
    fail(`Folder not found: ${folder}. Pass the folder of the corpora: npm run test:corpus -- <folder>`);
    continue;
  }
  if (files.length === 0) fail(`${folder} contains no ZIP files`);
  console.log(`\n${kind}: ${files.length} archives`);
  for (const file of files) await check(kind, folder, file);
  const found = Object.entries(findings[kind] ?? {}).map(([code, count]) => `${count} ${code}`);
  console.log(`  findings of the inspection: ${found.join(", ") || "none"}`);
}
if (skills.length === 0) console.log(`\n${read} archives read, ${failures} failures`);
process.exitCode = failures === 0 ? 0 : 1;

async function check(kind, folder, file) {
  const bytes = new Uint8Array(await readFile(path.join(folder, file)));
  read++;
  let outcome;
  try {
    outcome = await readPackage(bytes, { fileName: file });
  } catch (error) {
    fail(`${file}: threw ${error instanceof Error ? `${error.name}: ${error.message}` : error}`);
    return;
  }
  const { package: skill, issues, warnings } = outcome;
  if (skill === null) {
    row(file, "refused", issues.map(({ code, path: at, line }) => `${code} ${at ?? "-"}:${line ?? "-"}`).join("  "));
    if (kind === "clean") fail(`${file}: a clean skill was rejected`);
    if (issues.some(({ code }) => !code)) fail(`${file}: an issue has no code`);
    return;
  }
  const told = inspect(textsOf(skill));
  for (const { severity, code } of told) {
    findings[kind] ??= {};
    findings[kind][`${severity} ${code}`] = (findings[kind][`${severity} ${code}`] ?? 0) + 1;
  }
  for (const { code } of kind === "clean" ? told : []) {
    if (LURES.has(code)) fail(`${file}: unexpected finding ${code} in a clean skill`);
  }
  const codes = [...warnings, ...told].map(({ code }) => code);
  row(file, `${skill.name}, ${skill.files.length} files`, [...new Set(codes)].join(" "));
  const difference = await differs(bytes, skill);
  if (difference !== null) fail(`${file}: ${difference}`);
}

/** Returns the files in the form that the inspection takes. */
function textsOf({ files, zip }) {
  return files.map(({ path: name, offset, size }) => {
    const bytes = zip.subarray(offset, offset + size);
    return { path: name, size, text: bytes.includes(0) ? null : new TextDecoder().decode(bytes) };
  });
}

/** Returns the differences that an independent reader finds in the upload and in the ZIP that the gateway would store. */
async function differs(upload, skill) {
  for (const [what, zip] of [
    ["upload", upload],
    ["stored ZIP", skill.zip],
  ]) {
    const seen = await readIndependently(zip);
    for (const name of seen.keys()) if (leftOutPart(name) !== null) seen.delete(name);
    // The folder can have another name than the skill, as in a download.
    const folders = new Set([...seen.keys()].map((name) => name.split("/", 1)[0]));
    const isWrapped = !skill.files.some(({ path: name }) => seen.has(name)) && folders.size === 1;
    const prefix = isWrapped ? `${[...folders][0]}/` : "";
    if (seen.size !== skill.files.length) return `${what} has ${seen.size} files, but ${skill.files.length} were read`;
    for (const { path: name, offset, size } of skill.files) {
      const expected = seen.get(prefix + name);
      const ours = skill.zip.subarray(offset, offset + size);
      if (expected === undefined || Buffer.compare(expected, ours) !== 0) return `${name} differs from the ${what}`;
    }
  }
  return null;
}

async function readIndependently(zip) {
  const reader = new ZipReader(new BlobReader(new Blob([zip])), { strictness: "strict", checkSignature: true });
  const files = new Map();
  for (const entry of await reader.getEntries()) {
    if (!entry.directory) files.set(entry.filename.normalize("NFC"), await entry.getData(new Uint8ArrayWriter()));
  }
  await reader.close();
  return files;
}

async function listZips(folder) {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith(".zip")).sort();
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}

function row(file, result, detail) {
  console.log(`  ${file.padEnd(46)} ${result.padEnd(50)} ${detail}`);
}

function fail(message) {
  failures++;
  console.error(`FAIL ${message}`);
}
