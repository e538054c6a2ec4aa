// `push`: publishes skills as private, group or public skills, or as drafts.

import { readFile } from "node:fs/promises";
import path from "node:path";
import increased from "semver/functions/inc";
import { type ClaimedSource, claimedSource } from "../../../src/domain/catalog/source";
import { type Command, GATEWAY_OPTIONS, option, TEXT, YES } from "../command";
import { answer, note, tell, type Work } from "../context";
import { type NamedSkill, readSkill, skillsAt } from "../folder";
import { Gateway, Refused } from "../gateway";
import { issueLines, routingLines, verdictLine } from "../print";
import { EXIT, misused, Problem } from "../problem";
import { progressOf } from "../progress";
import { draftSchema, skillSchema } from "../resources";
import { signIn } from "../sign-in";
import { keyOfJob } from "../trusted-publishing";
import { writeWhole } from "../write-folder";
import { packageForm } from "./check";

const SKILLS = "/api/v1/kinds/skills";

export const push: Command = {
  usage:
    "[skill…] [--group <name> | --public] [--bump] [--no-activate] [--draft [--users <a,b>]] [--publisher <id>] [--url <gateway>] [--key <key>]",
  summary:
    "Publishes skills for yourself, for a group, or as public. --bump first raises the patch version in SKILL.md. --no-activate keeps the current version. --draft pushes a draft for you and --users. In a CI job with a token, --publisher names the trusted publisher instead of a key.",
  options: {
    ...GATEWAY_OPTIONS,
    group: TEXT,
    users: TEXT,
    publisher: TEXT,
    public: YES,
    bump: YES,
    draft: YES,
    "no-activate": YES,
  },
  names: [0, 200],
  async run(work, names, values) {
    const group = option(values, "group");
    if (values.public === true && group !== undefined) throw misused("--public and --group exclude each other.");
    if (values.users !== undefined && values.draft !== true)
      throw misused("--users works for drafts only. Add --draft.");
    const keepsCurrent = values["no-activate"] === true;
    if (keepsCurrent && values.draft === true) throw misused("--no-activate and --draft exclude each other.");
    const skills = await skillsAt(work, names);
    const typed = { url: option(values, "url"), key: option(values, "key"), port: option(values, "port") };
    const ofJob = values.draft === true ? null : await keyOfJob(work, typed, option(values, "publisher"));
    const gateway = new Gateway(work, ofJob ?? (await signIn(work, typed)));
    const where: Where =
      ofJob === null
        ? { group, isPublic: values.public === true, users: option(values, "users"), keepsCurrent }
        : { ...placeOfPublisher(ofJob.namespace, { group, isPublic: values.public === true }), keepsCurrent };
    const done: object[] = [];
    let exit: number = EXIT.done;
    // One at a time and in order, because a skill may depend on one that is published before it.
    for (const skill of skills) {
      const progress = progressOf(work, `pushing ${skill.name}`);
      try {
        if (values.bump === true) await bump(work, skill);
        const one =
          values.draft === true ? await pushDraft(gateway, skill, where) : await publish(gateway, skill, where);
        progress.end();
        done.push(one.told);
        tell(work, one.text);
      } catch (error) {
        progress.end();
        if (!(error instanceof Problem)) throw error;
        // An invalid skill does not stop the others.
        if (skills.length === 1 || endsAll(error)) throw error;
        note(work, `${skill.name}: ${error.message}`);
        done.push({ name: skill.name, refused: error.message });
        if (exit === EXIT.done) exit = error.exit;
      }
    }
    answer(work, { pushed: done });
    return exit;
  },
};

/** Returns where a publisher publishes. Throws if the command names another place. */
function placeOfPublisher(namespace: string, { group, isPublic }: Where): Where {
  const place: Where = {
    group: namespace === "public" || namespace === "default" ? undefined : namespace,
    isPublic: namespace === "public",
  };
  const named = group !== undefined || isPublic;
  if (!named || (group === place.group && isPublic === place.isPublic)) return place;
  throw misused(`The publisher publishes to '${namespace}'. Remove --group and --public, or use another publisher.`);
}

/** Whether the next skill would fail with the same error. */
export function endsAll({ exit }: Problem): boolean {
  return exit === EXIT.unreachable || exit === EXIT.key;
}

export interface Where {
  group: string | undefined;
  isPublic: boolean;
  users?: string | undefined;
  /** Publishes without making the version current. */
  keepsCurrent?: boolean;
}

/** Returns the source if a gateway accepts it. Otherwise prints a note and returns `null`. */
export function keepable(work: Work, name: string, source: ClaimedSource): ClaimedSource | null {
  const read = claimedSource.safeParse(source);
  if (read.success) return read.data;
  note(work, `${name}: its source was not saved, so \`update\` skips this skill. ${read.error.issues[0]?.message}`);
  return null;
}

/** Publishes a package and returns the report. `source` is the place the skill was fetched from, or `null` for a local folder. */
export async function publish(
  gateway: Gateway,
  skill: Pick<NamedSkill, "name" | "zip">,
  { group, isPublic, keepsCurrent = false }: Where,
  source: ClaimedSource | null = null,
): Promise<{
  text: string;
  told: { name: string; version_id: string; is_new: boolean; id: string; warnings: object[] };
}> {
  const form = packageForm(await skill.zip(), skill.name, {
    ...(group === undefined ? {} : { namespace: group }),
    ...(source === null ? {} : { source: JSON.stringify(source) }),
    ...(keepsCurrent ? { activate: "false" } : {}),
  });
  const sent = { method: "POST", form };
  const { status, body } = await gateway
    .readWithStatus(skillSchema, `${SKILLS}/${isPublic ? "public" : "upload"}`, sent)
    .catch((error: unknown) => {
      throw error instanceof Refused ? advised(error, source !== null) : error;
    });
  const { metadata, spec, status: made } = body;
  const what = status === 200 ? "already exists as" : "was published as";
  const lines = [`${metadata.name} ${spec.version ?? ""} ${what} ${made.version_id} (skill ${metadata.labels.id})`];
  for (const { code, message } of made.warnings) lines.push(`  ${code}  ${message}`);
  lines.push(...(made.scripts ?? []).map(verdictLine));
  if (made.routing !== undefined) lines.push(...routingLines(made.routing));
  const outcome = {
    name: metadata.name,
    version: spec.version ?? null,
    version_id: made.version_id,
    is_new: status === 201,
  };
  return { text: lines.join("\n"), told: { ...outcome, id: metadata.labels.id, warnings: made.warnings } };
}

/** Pushes a package as a draft. */
export async function pushDraft(
  gateway: Gateway,
  skill: Pick<NamedSkill, "name" | "zip">,
  { group, isPublic, users }: Where,
): Promise<{ text: string; told: object }> {
  const zip = await skill.zip();
  const { package: found, issues } = await readSkill(zip, `${skill.name}.zip`);
  if (found === null)
    throw new Problem(
      EXIT.refused,
      [`${skill.name} is not valid. Fix the listed problems.`, ...issueLines("issues", issues)].join("\n"),
    );
  const form = packageForm(zip, skill.name, {
    ...(group === undefined ? {} : { namespace: group }),
    ...(isPublic ? { public: "true" } : {}),
    ...(users === undefined ? {} : { users }),
  });
  const draft = await gateway.read(draftSchema, `${SKILLS}/drafts/${encodeURIComponent(found.name)}`, {
    method: "PUT",
    form,
  });
  const lines = [`${draft.reference} is ${draft.version_id}: ${draft.tokens} tokens, expires at ${draft.expires_at}`];
  for (const { code, message } of draft.warnings) lines.push(`  ${code}  ${message}`);
  if (draft.routing !== undefined) lines.push(...routingLines(draft.routing));
  return { text: lines.join("\n"), told: draft };
}

/** Adds advice on the next version to the error. */
function advised(refused: Refused, isTaken: boolean): Problem {
  const version = refused.body.version;
  if (isTaken && refused.body.code === "VERSION_EXISTS") {
    const advice =
      "The author changed the skill without raising its version. Copy it with `add --dir`, raise `version` there, and push it.";
    return new Problem(refused.exit, `${refused.message} ${advice}`);
  }
  const next =
    refused.body.code === "VERSION_EXISTS" && typeof version === "string" ? increased(version, "patch") : null;
  const advice = next === null ? "" : ` Raise \`version\` in SKILL.md, for example to ${next}, or use --bump.`;
  return new Problem(refused.exit, refused.message + advice);
}

/** Increments the patch version in a folder's SKILL.md and changes nothing else. */
async function bump(work: Work, skill: NamedSkill): Promise<void> {
  if (!skill.isFolder) throw misused(`--bump changes SKILL.md, but ${skill.name} is not a folder. Name a folder.`);
  const file = path.join(skill.place, "SKILL.md");
  const text = await readFile(file, "utf8");
  const head = /^---\r?\n[\s\S]*?\r?\n---/.exec(text)?.[0] ?? "";
  const line = /^(version:[ \t]*["']?)([^"'\s#]+)/m.exec(head);
  const next = line?.[2] === undefined ? null : increased(line[2], "patch");
  if (line === null || next === null)
    throw new Problem(EXIT.refused, `${file} has no version in the form 1.2.3. Add one, or push without --bump.`);
  await writeWhole(file, head.replace(line[0], `${line[1]}${next}`) + text.slice(head.length));
  note(work, `${skill.name}: version ${line[2]} -> ${next}`);
}
