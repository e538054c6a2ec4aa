// Publishes the folders of skills/ as public skills through a gateway's API, with an admin key.

import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { zipSync } from "fflate";
import semver from "semver";
import { parse } from "yaml";
import { listFiles, root } from "../kit/files.mjs";
import { countOf, say } from "../kit/refusal.mjs";

const SKILLS = "/api/v1/kinds/skills";
const BUILTINS = path.join(root, "skills");

/**
 * Publishes new built-in skills and upgrades those with a higher version. Everything else stays unchanged, because an admin can have
 * published an own skill under the same name.
 * @param {string} url of the gateway
 * @param {string} key of an admin
 * @param {{ folder?: string, except?: readonly string[] }} [options] `except`: names that are published from elsewhere
 * @returns {Promise<boolean>} whether everything succeeded; failures have been printed
 */
export async function publishBuiltins(url, key, { folder = BUILTINS, except = [] } = {}) {
  const request = (method, route, body) =>
    fetch(new URL(SKILLS + route, url), {
      method,
      body,
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(60_000),
    });
  const answer = await request("GET", "/public/list");
  if (!answer.ok) return complain("The built-in skills cannot be published", answer);
  const published = new Map((await answer.json()).map((skill) => [skill.name, skill]));

  let allWell = true;
  let done = 0;
  const waiting = [];
  for (const name of await skillFolders(folder)) {
    if (except.includes(name)) continue;
    const version = await versionOf(path.join(folder, name));
    const existing = published.get(name);
    if (existing !== undefined && !isHigher(version, existing.version)) continue;
    const form = new FormData();
    form.set("file", new Blob([await pack(folder, name)], { type: "application/zip" }), `${name}.zip`);
    const sent =
      existing === undefined ? await request("POST", "/public", form) : await request("PUT", `/${existing.id}`, form);
    // With the kill switch off or an allow-list, the list above is incomplete. An existing skill stays unchanged.
    if (sent.status === 409) continue;
    if (sent.ok) done++;
    else if (await needsReview(sent)) waiting.push(name);
    else allWell = await complain(`The built-in skill ${name} cannot be published`, sent);
  }
  if (done > 0) say(`✔ ${countOf(done, "built-in skill")} published`);
  if (waiting.length > 0)
    say(
      `${countOf(waiting.length, "built-in skill")} not published, because public skills are reviewed (\`REVIEW=required\`): ${waiting.join(", ")}. Submit each: \`npm run skill -- submit skills/<name> --to public\`.`,
    );
  return allWell;
}

/** The version of each built-in skill by its name. */
export async function builtinVersions(folder = BUILTINS) {
  const names = await skillFolders(folder);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await versionOf(path.join(folder, name))])),
  );
}

/** Whether the gateway refuses the upload only because somebody else must approve it. */
async function needsReview(answer) {
  return answer.status === 403 && (await answer.clone().text()).includes('"REVIEW_REQUIRED"');
}

async function complain(what, answer) {
  say(`${what}: ${answer.status} ${(await answer.text()).slice(0, 2_000)}`);
  return false;
}

function isHigher(version, existing) {
  return semver.valid(version) !== null && semver.valid(existing) !== null && semver.gt(version, existing);
}

async function skillFolders(folder) {
  const files = await listFiles(folder);
  return files.filter((file) => /^[^/]+\/SKILL\.md$/.test(file)).map((file) => path.dirname(file));
}

async function versionOf(skill) {
  const text = await readFile(path.join(skill, "SKILL.md"), "utf8");
  const frontmatter = /^---\n(.*?)\n---$/ms.exec(text.replaceAll("\r\n", "\n"))?.[1] ?? "";
  return String(parse(frontmatter)?.version ?? "");
}

/** Returns the folder as a ZIP. File modes are included, times are not. */
export async function pack(folder, name) {
  const entries = await Promise.all(
    (await listFiles(path.join(folder, name))).map(async (file) => {
      const source = path.join(folder, name, file);
      const [bytes, { mode }] = await Promise.all([readFile(source), stat(source)]);
      return [`${name}/${file}`, [bytes, { os: 3, attrs: (0o100000 | (mode & 0o777)) << 16, mtime: "2020-01-01" }]];
    }),
  );
  return zipSync(Object.fromEntries(entries));
}
