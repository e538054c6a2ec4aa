// `pull`: downloads skills into a folder that agents read, by name or all skills of a task.

import { stat } from "node:fs/promises";
import path from "node:path";
import { type Command, GATEWAY_OPTIONS, option, TEXT, YES } from "../command";
import { answer, note, placeOf, tell, type Work } from "../context";
import { downloadSkill } from "../download";
import { filesIn, removeFolder, writeSkill } from "../folder";
import type { Gateway } from "../gateway";
import { EXIT, misused, Problem } from "../problem";
import { progressOf } from "../progress";
import { findNamed, gatewayOf } from "../resolve";
import { taskSkillsSchema } from "../resources";

/** Number of concurrent downloads. */
const AT_ONCE = 3;

interface Wanted {
  name: string;
  version?: string | undefined;
  /** Id of the skill, if the task names one. */
  id?: string | undefined;
  hash?: string | null | undefined;
}

type Outcome =
  | { name: string; done: "written" | "kept"; folder: string }
  | { name: string; done: "failed"; reason: string; exit: number };

export const pull: Command = {
  usage: "<name[@version]…> | --task <id> [--dir <folder>] [--clear-cache | --skip-existing]",
  summary:
    "Downloads skills into .claude/skills or --dir: the named ones, or all skills of a task. Names those that the user of the task selected. --clear-cache deletes other skills in the folder. --skip-existing keeps folders that exist.",
  options: { ...GATEWAY_OPTIONS, task: TEXT, dir: TEXT, "clear-cache": YES, "skip-existing": YES },
  names: [0, 200],
  async run(work, names, values) {
    const task = option(values, "task");
    if ((task === undefined) === (names.length === 0)) throw misused("No skills. Name some, or use --task.");
    const [clears, skips] = [values["clear-cache"] === true, values["skip-existing"] === true];
    if (clears && skips) throw misused("--clear-cache and --skip-existing exclude each other.");
    const parent = placeOf(work, option(values, "dir") ?? path.join(".claude", "skills"));
    const gateway = await gatewayOf(work, values);
    const { wanted, selected } =
      task === undefined ? { wanted: names.map(namedBy), selected: [] } : await ofTask(gateway, task);
    const progress = progressOf(work, `0 of ${wanted.length} skills`);
    const outcomes: Outcome[] = [];
    // A folder is replaced only after its download has succeeded. Other folders are deleted only after all downloads have succeeded.
    const queue = [...wanted];
    const take = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        outcomes.push(await one(gateway, next, { parent, task, skips }));
        progress.step(`${outcomes.length} of ${wanted.length} skills`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, take));
    progress.end();
    const failed = outcomes.flatMap((outcome) => (outcome.done === "failed" ? [outcome] : []));
    if (clears && failed.length === 0) await clearOthers(parent, new Set(wanted.map(({ name }) => name)));
    const here = new Set(outcomes.flatMap(({ name, done }) => (done === "failed" ? [] : name)));
    const emphasis = emphasisOf(
      parent,
      selected.filter((name) => here.has(name)),
    );
    report(work, { parent, outcomes, emphasis });
    return failed[0]?.exit ?? EXIT.done;
  },
};

function namedBy(text: string): Wanted {
  const at = text.indexOf("@");
  return at < 0 ? { name: text } : { name: text.slice(0, at), version: text.slice(at + 1) };
}

async function ofTask(gateway: Gateway, task: string): Promise<{ wanted: Wanted[]; selected: string[] }> {
  const found = await gateway.read(taskSkillsSchema, `/api/tasks/${encodeURIComponent(task)}/skills`);
  const wanted = found.skills.map((name): Wanted => {
    const ref = found.skill_refs[name];
    return { name, id: ref?.skill_id, hash: ref?.content_hash };
  });
  return { wanted, selected: found.user_selected_skills };
}

async function one(
  gateway: Gateway,
  { name, version, id, hash }: Wanted,
  { parent, task, skips }: { parent: string; task: string | undefined; skips: boolean },
): Promise<Outcome> {
  const folder = path.join(parent, name);
  try {
    if (name.startsWith("draft:")) throw new Problem(EXIT.absent, "drafts cannot be downloaded");
    if (path.basename(name) !== name || name.startsWith(".")) throw new Problem(EXIT.refused, "not a valid skill name");
    if (skips && (await isSkill(folder))) return { name, done: "kept", folder };
    const skillId = id ?? (await findNamed(gateway, name)).metadata.labels.id;
    const found = await downloadSkill(gateway, skillId, { name, version, task, hash });
    // The folder has the name from the package. A package with a different name could overwrite another skill.
    if (folded(found.name) !== folded(name))
      throw new Problem(EXIT.refused, `the package contains '${found.name}' instead`);
    return { name, done: "written", folder: await writeSkill(parent, found) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { name, done: "failed", reason: error.message, exit: error.exit };
  }
}

const folded = (name: string) => name.normalize("NFC").toLowerCase();

async function isSkill(folder: string): Promise<boolean> {
  return (await stat(path.join(folder, "SKILL.md")).catch(() => null))?.isFile() === true;
}

/** Deletes the folders of other skills. Folders without a SKILL.md stay. */
async function clearOthers(parent: string, names: ReadonlySet<string>): Promise<void> {
  const files = await filesIn(parent).catch(() => []);
  const others = new Set(
    files.filter((file) => /^[^/]+\/SKILL\.md$/.test(file)).map((file) => file.split("/", 1)[0] ?? ""),
  );
  for (const name of others) if (!names.has(name)) await removeFolder(path.join(parent, name));
}

/** Returns a note for agents that read the folder: which skills the user selected. `null` if none are selected. */
export function emphasisOf(parent: string, selected: readonly string[]): string | null {
  if (selected.length === 0) return null;
  const [names, ...more] = [
    selected.map((name) => `\`${name}\``).join(", "),
    selected.length > 1 ? "these skills" : "this skill",
  ];
  return `The user selected ${more[0]} for this task: ${names}. Prefer ${selected.length > 1 ? "them" : "it"}: before you begin, read ${selected.map((name) => path.join(parent, name, "SKILL.md")).join(", ")}, and use another skill only for what is not covered there.`;
}

function report(
  work: Work,
  { parent, outcomes, emphasis }: { parent: string; outcomes: Outcome[]; emphasis: string | null },
): void {
  const skills = outcomes.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const count = (done: Outcome["done"]) => skills.filter((each) => each.done === done).length;
  answer(work, {
    skills_dir: parent,
    success_count: count("written") + count("kept"),
    total_count: skills.length,
    skills,
    emphasis,
  });
  for (const each of skills) {
    if (each.done === "failed") note(work, `${each.name}: ${each.reason}`);
    else tell(work, `${each.name}  ${each.done === "kept" ? "exists, kept" : each.folder}`);
  }
  if (emphasis !== null) tell(work, `\n${emphasis}`);
}
