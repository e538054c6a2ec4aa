// Publishes the skills of `npm start -- --skills`. Other starts print which skills could be published.

import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { importBundled } from "../build/cli.mjs";
import { readOrNull } from "../kit/files.mjs";
import { countOf, say } from "../kit/refusal.mjs";

/** The folder in which coding agents store installed skills. */
const USUAL = path.join(homedir(), ".claude", "skills");

const fileIn = (state) => path.join(state, "skills.json");

/**
 * The skills that an earlier start has published from folders, and that are still published.
 * @param {string} state the folder
 * @returns {Promise<{ names: string[], roots: string[] }>}
 */
export async function readServedSkills(state) {
  const skills = Object.entries(parse(await readOrNull(fileIn(state)))?.skills ?? {}).filter(
    ([, { isYanked }]) => !isYanked,
  );
  return { names: skills.map(([name]) => name), roots: [...new Set(skills.map(([, { root }]) => root))] };
}

/** The stored state, or `null` where it is not whole: then skills are found again by their content. */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** One line for a start without `--skills`, if there is something to serve. */
export function hintAtSkills({ names, roots }) {
  const typed = (folders) => folders.map((folder) => `--skills ${folder}`).join(" ");
  if (names.length > 0)
    say(
      `${countOf(names.length, "skill")} of an earlier start stay published. To update them: npm start -- ${typed(roots)}`,
    );
  else if (existsSync(USUAL))
    say("You have skills in ~/.claude/skills. To serve them: npm start -- --skills ~/.claude/skills");
}

/**
 * Publishes the skills below the folders and updates the gateway when they change.
 * @param {{ skills: string[], state: string, url: string, key: string, builtins: Record<string, string> }} options
 * @returns {Promise<{ close: () => Promise<void> }>}
 */
export async function serveSkillFolders({ skills: roots, state, url, key, builtins }) {
  const { serveFolders } = await importBundled("skill-folders", "scripts/local/skills/index.ts");
  return serveFolders({ roots, file: fileIn(state), url, key, builtins });
}
