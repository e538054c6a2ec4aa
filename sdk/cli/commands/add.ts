// `add`: fetches skills from a Git host or a site with a well-known index, checks them locally, and publishes them or writes them to a
// folder.

import path from "node:path";
import { isCancel, multiselect } from "@clack/prompts";
import type { SkillPackage } from "../../../src/domain/package/skill";
import { type Command, GATEWAY_OPTIONS, option, TEXT, YES } from "../command";
import { answer, note, placeOf, shown, tell, type Work } from "../context";
import { changesTo, packFiles, readSkill, writeSkill } from "../folder";
import { issueLines } from "../print";
import { EXIT, misused, Problem } from "../problem";
import { progressOf } from "../progress";
import { gatewayOf } from "../resolve";
import type { FoundSkill } from "../sources/found";
import { parseRepository, skillsOfRepository } from "../sources/github";
import { offersOf } from "../sources/well-known";
import { endsAll, keepable, publish } from "./push";

export const add: Command = {
  usage:
    "<github:owner/repo[/path][@ref] | https://site> [--skill <a,b> | --all] [--group <name> | --public | --dir <folder> [--replace]]",
  summary:
    "Copies skills from a repository or the index of a website. Checks them and publishes them as yours. With --dir, writes them to a folder; existing folders that differ are changed only with --replace.",
  options: {
    ...GATEWAY_OPTIONS,
    skill: TEXT,
    all: YES,
    group: TEXT,
    public: YES,
    dir: TEXT,
    replace: YES,
    source: TEXT,
  },
  names: [1, 1],
  async run(work, [from = ""], values) {
    const [group, dir] = [option(values, "group"), option(values, "dir")];
    if ([group !== undefined, values.public === true, dir !== undefined].filter(Boolean).length > 1)
      throw misused("--group, --public and --dir exclude each other.");
    // Resolved before any download, so that a missing key is reported at once.
    const gateway = dir === undefined ? await gatewayOf(work, values) : null;
    const progress = progressOf(work, `reading ${from}`);
    let skills: FoundSkill[];
    try {
      skills = await found(work, from, {
        source: option(values, "source"),
        named: option(values, "skill"),
        all: values.all === true,
      });
    } finally {
      progress.end();
    }
    const done: object[] = [];
    let exit: number = EXIT.done;
    for (const skill of skills) {
      const zip = packFiles(skill.name, skill.files);
      const { package: good, issues, warnings } = await readSkill(zip, `${skill.name}.zip`);
      if (good === null) {
        note(work, [`${skill.name} is not valid and was not added.`, ...issueLines("issues", issues)].join("\n"));
        done.push({ name: skill.name, origin: skill.origin, issues });
        if (exit === EXIT.done) exit = EXIT.refused;
        continue;
      }
      for (const { code, message, severity } of warnings)
        if (severity === "high") note(work, `${skill.name}: ${code}  ${message}`);
      const named = { name: good.name, zip: async () => good.zip };
      try {
        if (gateway === null) {
          const made = await written(placeOf(work, dir ?? "."), good, values.replace === true);
          tell(work, `${made.text}\n  from ${skill.origin}`);
          done.push({ ...made.told, origin: skill.origin });
          continue;
        }
        const where = { group, isPublic: values.public === true };
        const made = await publish(gateway, named, where, keepable(work, good.name, skill.source));
        tell(work, `${made.text}\n  from ${skill.origin}`);
        done.push({ ...made.told, origin: skill.origin });
      } catch (error) {
        // An invalid skill does not stop the others, as in `push`.
        if (!(error instanceof Problem) || endsAll(error) || skills.length === 1) throw error;
        note(work, `${good.name}: ${error.message}`);
        done.push({ name: good.name, origin: skill.origin, refused: error.message });
        if (exit === EXIT.done) exit = error.exit;
      }
    }
    answer(work, { added: done });
    return exit;
  },
};

/** Writes a skill to a folder and reports the changes. Existing files that differ are replaced only with `--replace`. */
async function written(
  parent: string,
  skill: SkillPackage,
  replaces: boolean,
): Promise<{ text: string; told: object }> {
  const changes = await changesTo(parent, skill);
  const files = (changes ?? []).map(({ path: file, what }) => ({ path: file, what }));
  const place = path.join(parent, skill.name);
  const lines = files.map((file) => `  ${file.what.padEnd(7)}  ${file.path}`);
  if (files.length > 0 && !replaces)
    throw new Problem(
      EXIT.conflict,
      [`${place} exists and differs:`, ...lines, "Use --replace to overwrite it."].join("\n"),
    );
  if (changes === null || files.length > 0) await writeSkill(parent, skill);
  const what = changes === null ? "new" : files.length > 0 ? "changed" : "same";
  const text = what === "same" ? `${skill.name}  ${place}  is unchanged` : `${skill.name}  ${place}`;
  return { text: [text, ...lines].join("\n"), told: { name: skill.name, folder: place, what, files } };
}

interface Choice {
  source: string | undefined;
  named: string | undefined;
  all: boolean;
}

async function found(work: Work, from: string, choice: Choice): Promise<FoundSkill[]> {
  const repository = parseRepository(from);
  if (repository !== null) {
    const asked = { host: choice.source, token: work.env.GITHUB_TOKEN };
    const { skills } = await skillsOfRepository(work, repository, asked);
    if (skills.length === 0) throw new Problem(EXIT.absent, `${from} has no folder with a SKILL.md. Check the path.`);
    const names = await chosen(
      work,
      skills.map(({ name }) => name),
      choice,
    );
    return skills.filter(({ name }) => names.has(name));
  }
  if (!/^https?:\/\//.test(from)) throw misused(`${from} is neither github:owner/repo nor a URL. Use one of them.`);
  const offers = await offersOf(work, from);
  if (offers.length === 0) throw new Problem(EXIT.absent, `${from} contains no skills. Check the URL.`);
  const names = await chosen(
    work,
    offers.map(({ name }) => name),
    choice,
  );
  const skills: FoundSkill[] = [];
  for (const offer of offers) if (names.has(offer.name)) skills.push(await offer.fetch());
  return skills;
}

/** Returns the names to add: all with `--all`, those in `--skill`, the only one, or those that the user picks. */
async function chosen(work: Work, names: readonly string[], { named, all }: Choice): Promise<Set<string>> {
  if (all) return new Set(names);
  if (named !== undefined) {
    const asked = named.split(",").map((name) => name.trim());
    const missing = asked.filter((name) => !names.includes(name));
    if (missing.length > 0)
      throw new Problem(EXIT.absent, `${missing.join(", ")} not found. The source has: ${names.join(", ")}.`);
    return new Set(asked);
  }
  if (names.length === 1) return new Set(names);
  if (work.stdin.isTTY !== true || work.json)
    throw misused(
      `The source has ${names.length} skills. Select some with --skill, or use --all. Skills: ${names.join(", ")}`,
    );
  const options = names.map((name) => ({ value: name, label: shown(name) }));
  const picked = await multiselect({ message: "Which skills?", options, input: work.stdin, output: work.stdout });
  if (isCancel(picked)) throw new Problem(EXIT.interrupted, "Nothing was added.");
  return new Set(picked);
}
