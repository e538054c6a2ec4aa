// Decides what to do with the skill folders of `npm start -- --skills`. Pure functions.

import { foldName } from "../../../src/domain/package/path";

/** A folder with a SKILL.md, as it was read last. */
export interface SkillFolder {
  folder: string;
  /** The `--skills` folder that it was found in. */
  root: string;
  /** The content of the folder, or the reason why it cannot be published. */
  read: { name: string; label: string | null; digest: string; zipSha256: string } | { problem: string };
}

/** The versions that `--skills` has published under a skill's name. */
export interface PublishedSkill {
  folder: string;
  root: string;
  digest: string;
  skillId: string;
  /** Every version that was published from a folder, oldest first. The last one is the newest. */
  versions: string[];
  updatedAt: string;
  /** Whether the folder was deleted and its versions were yanked. */
  isYanked: boolean;
}

/** A public skill of the gateway. */
export interface ListedSkill {
  id: string;
  name: string;
  label: string | null;
  updatedAt: string;
}

export type Action =
  | { kind: "publish"; name: string; from: SkillFolder }
  /** A skill from another source has the name. It is adopted if its content is the same. */
  | { kind: "adopt"; name: string; from: SkillFolder; listed: ListedSkill }
  /** Another client has changed the skill. Publish again only if the version is missing, for example after a restore. */
  | { kind: "check"; name: string; from: SkillFolder; listed: ListedSkill }
  | { kind: "move"; name: string; from: SkillFolder }
  | { kind: "yank"; name: string }
  | { kind: "skip"; folder: string; reason: string };

export interface Situation {
  folders: readonly SkillFolder[];
  published: Readonly<Record<string, PublishedSkill>>;
  /** By folded name. */
  listed: ReadonlyMap<string, ListedSkill>;
  /** Version labels of the gateway's built-in skills by name. A folder may replace one of them. */
  builtins: Readonly<Record<string, string>>;
  /** Whether the folder of a published skill was deleted. */
  isGone: (skill: PublishedSkill) => boolean;
}

/** Returns what brings the gateway up to date with the folders, in the order of the folders. Skills that are up to date need nothing. */
export function planChanges({ folders, published, listed, builtins, isGone }: Situation): Action[] {
  const actions: Action[] = [];
  const owners = ownersOf(folders, published);
  for (const from of folders) {
    const { read, folder } = from;
    if ("problem" in read) {
      actions.push({ kind: "skip", folder, reason: read.problem });
      continue;
    }
    const owner = owners.get(foldName(read.name));
    if (owner !== undefined && owner !== folder)
      actions.push({ kind: "skip", folder, reason: `${owner} has the same name. Rename one of them` });
    else actions.push(...changeOf(from, read, published, listed, builtins));
  }
  const names = new Set(folders.flatMap(({ read }) => ("problem" in read ? [] : [foldName(read.name)])));
  const unreadable = new Set(folders.flatMap(({ read, folder }) => ("problem" in read ? [folder] : [])));
  for (const [name, skill] of Object.entries(published)) {
    if (skill.isYanked || names.has(foldName(name)) || unreadable.has(skill.folder)) continue;
    if (folders.some(({ folder }) => folder === skill.folder) || isGone(skill)) actions.push({ kind: "yank", name });
  }
  return actions;
}

/** Returns the folder that owns each name: the one that owned it before, otherwise the first. */
function ownersOf(
  folders: readonly SkillFolder[],
  published: Readonly<Record<string, PublishedSkill>>,
): Map<string, string> {
  const owners = new Map<string, string>();
  for (const { read, folder } of folders) {
    if ("problem" in read) continue;
    const name = foldName(read.name);
    const had = published[read.name];
    if (!owners.has(name) || (had?.folder === folder && !had.isYanked)) owners.set(name, folder);
  }
  return owners;
}

function changeOf(
  from: SkillFolder,
  { name, digest }: { name: string; digest: string },
  published: Readonly<Record<string, PublishedSkill>>,
  listed: ReadonlyMap<string, ListedSkill>,
  builtins: Readonly<Record<string, string>>,
): Action[] {
  const known = published[name];
  const there = listed.get(foldName(name));
  if (there !== undefined && there.id !== known?.skillId) {
    const isBuiltin = known === undefined && builtins[name] !== undefined && builtins[name] === there.label;
    return [isBuiltin ? { kind: "publish", name, from } : { kind: "adopt", name, from, listed: there }];
  }
  if (known === undefined || known.isYanked || known.digest !== digest || there === undefined)
    return [{ kind: "publish", name, from }];
  if (there.updatedAt !== known.updatedAt) return [{ kind: "check", name, from, listed: there }];
  return known.folder === from.folder && known.root === from.root ? [] : [{ kind: "move", name, from }];
}

const LOCAL = /^(.+)([+.])local\.(\d+)$/;

/** The label that a folder's SKILL.md has, of a label with a local suffix. Other labels are returned as they are. */
export function withoutLocalSuffix(label: string): string {
  const [, base = label, separator] = LOCAL.exec(label) ?? [];
  // `.local.1` is a suffix only behind other build metadata.
  return separator === "." && !base.includes("+") ? label : base;
}

/** The next free local label: `1.2.0` becomes `1.2.0+local.1`, then `1.2.0+local.2`; `1.2.0+build.5` becomes `1.2.0+build.5.local.1`. */
export function nextLocalLabel(label: string, taken: Iterable<string | null>): string {
  const base = withoutLocalSuffix(label);
  let last = 0;
  for (const other of taken) {
    if (other === null || withoutLocalSuffix(other) !== base || other === base) continue;
    last = Math.max(last, Number(LOCAL.exec(other)?.[3] ?? 0));
  }
  return `${base}${base.includes("+") ? "." : "+"}local.${last + 1}`;
}

/** The text of a SKILL.md with another version label in its frontmatter, or `null` where it has none that can be replaced. */
export function withLabel(text: string, label: string): string | null {
  const head = /^\uFEFF?---[ \t]*\r?\n[\s\S]*?\r?\n---/.exec(text)?.[0];
  if (head === undefined) return null;
  const line = /^version[ \t]*:[^\r\n]*/m.exec(head);
  if (line === null) return null;
  return `${text.slice(0, line.index)}version: "${label}"${text.slice(line.index + line[0].length)}`;
}
