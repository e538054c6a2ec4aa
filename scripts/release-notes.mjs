// Prints the section of CHANGELOG.md that belongs to a tag, for the notes of its release.
// usage: node scripts/release-notes.mjs v0.1.0

import { readFile } from "node:fs/promises";
import path from "node:path";
import { root } from "./kit/files.mjs";
import { fail, Refusal } from "./kit/refusal.mjs";

/**
 * Returns the text below the heading of a version, without the heading.
 * @param {string} changelog in the form of Keep a Changelog
 * @param {string | undefined} tag such as `v0.1.0`
 */
export function releaseNotes(changelog, tag) {
  const version = /^v(\d+\.\d+\.\d+)$/.exec(tag ?? "")?.[1];
  if (version === undefined) throw new Refusal(`${tag ?? "No tag"} is not a release tag. Use one such as v0.1.0.`);
  for (const section of changelog.split(/^## /m).slice(1)) {
    const [heading = "", ...lines] = section.split("\n");
    const notes = lines.join("\n").trim();
    if (!new RegExp(`^\\[?${version.replaceAll(".", "\\.")}\\]?(?: |$)`).test(heading) || notes === "") continue;
    return `${notes}\n`;
  }
  throw new Refusal(`CHANGELOG.md has no section for ${version}. Add the heading "## ${version}" before you tag.`);
}

if (import.meta.filename === process.argv[1])
  readFile(path.join(root, "CHANGELOG.md"), "utf8")
    .then((text) => process.stdout.write(releaseNotes(text, process.argv[2])))
    .catch(fail);
