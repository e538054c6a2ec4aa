// `update`: checks the sources of skills again and publishes changed ones as new versions.

import type { ClaimedSource } from "../../../src/domain/catalog/source";
import { type Command, GATEWAY_OPTIONS, option, TEXT } from "../command";
import { answer, note, tell, type Work } from "../context";
import { packFiles, readSkill } from "../folder";
import type { Gateway } from "../gateway";
import { issueLines, originOf } from "../print";
import { EXIT, misused, Problem } from "../problem";
import { progressOf } from "../progress";
import { findNamed, gatewayOf, SKILLS } from "../resolve";
import { type SkillResource, skillsSchema } from "../resources";
import type { FoundSkill } from "../sources/found";
import { repositoryOf, skillsOfRepository } from "../sources/github";
import { type Offer, offersOf } from "../sources/well-known";
import { endsAll, keepable, publish } from "./push";

export const update: Command = {
  usage: "[name…] [--group <name>] [--source <url>]",
  summary:
    "Checks the sources of skills that `add` published, and publishes changed ones as new versions. Default: all of your own skills, or all of the group.",
  options: { ...GATEWAY_OPTIONS, group: TEXT, source: TEXT },
  names: [0, 200],
  async run(work, names, values) {
    const group = option(values, "group");
    if (group !== undefined && names.length > 0)
      throw misused("--group updates all skills of a group. Do not name skills.");
    const gateway = await gatewayOf(work, values);
    const asking = new Asking(work, option(values, "source"));
    const all: SkillResource[] = [];
    if (names.length === 0) all.push(...(await takenSkills(gateway, group)));
    else for (const name of names) all.push(await findNamed(gateway, name));
    if (all.length === 0) tell(work, "no skills with a source");
    const done: object[] = [];
    let exit: number = EXIT.done;
    for (const skill of all) {
      const { name } = skill.metadata;
      const progress = progressOf(work, `checking ${name}`);
      try {
        const found = await asking.for(skill).finally(() => progress.end());
        const made = found === null ? null : await taken(gateway, skill, found);
        const from = skill.status.source === undefined ? "" : originOf(skill.status.source);
        tell(work, made === null ? `${name}  is unchanged\n  from ${from}` : `${made.text}\n  from ${found?.origin}`);
        done.push({ ...(made?.told ?? { name }), what: made === null ? "same" : "new" });
      } catch (error) {
        // A failing skill or source does not stop the others. A failing gateway stops the command.
        if (!(error instanceof Problem) || (endsAll(error) && !(error instanceof SourceProblem))) throw error;
        note(work, `${name}: ${error.message}`);
        done.push({ name, what: error.exit === EXIT.absent ? "gone" : "failed", refused: error.message });
        if (exit === EXIT.done) exit = error.exit;
      }
    }
    answer(work, { updated: done });
    return exit;
  },
};

/** A problem that a source caused. */
class SourceProblem extends Problem {}

/** Returns the user's own skills, or a group's, that have a recorded source. */
async function takenSkills(gateway: Gateway, namespace: string | undefined): Promise<SkillResource[]> {
  const all: SkillResource[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: { items: SkillResource[]; next_cursor: string | null } = await gateway.read(skillsSchema, SKILLS, {
      query: { namespace, limit: "100", cursor },
    });
    all.push(...page.items.filter(({ status }) => status.source !== undefined));
    cursor = page.next_cursor;
  }
  return all;
}

/** Publishes the current content of a source. Returns `null` if it equals the published content. */
async function taken(gateway: Gateway, { metadata, status }: SkillResource, found: FoundSkill) {
  const { package: good, issues } = await readSkill(packFiles(found.name, found.files), `${found.name}.zip`);
  if (good === null)
    throw new Problem(
      EXIT.refused,
      ["the skill at the source is not valid and was not published.", ...issueLines("issues", issues)].join("\n"),
    );
  if (good.name !== metadata.name)
    throw new Problem(EXIT.conflict, `the source renamed it to ${good.name}. Use \`add\` to publish it.`);
  if (good.zipSha256 === status.fileHash) return null;
  const isPublic = metadata.labels.user_id === "0";
  const namespace = metadata.namespace ?? OWN;
  const where = { group: isPublic || namespace === OWN ? undefined : namespace, isPublic };
  const zip = { name: good.name, zip: async () => good.zip };
  return publish(gateway, zip, where, keepable(gateway.work, good.name, found.source));
}

/** The namespace of a user's own skills. */
const OWN = "default";

/** Reads sources, each index once. */
class Asking {
  readonly #indexes = new Map<string, Promise<Offer[]>>();

  constructor(
    private readonly work: Work,
    private readonly host: string | undefined,
  ) {}

  /** Returns the current content of a skill's source, or `null` if it has not changed. */
  async for({ metadata, status }: SkillResource): Promise<FoundSkill | null> {
    const { source } = status;
    if (source === undefined) {
      const message = "it has no source. It was not published with `add`, or was changed here later.";
      throw new Problem(EXIT.absent, message);
    }
    // Other users can write the source of a group's skill. The user's token is therefore sent only for the user's own skills.
    const isOwn = metadata.labels.user_id !== "0" && (metadata.namespace ?? OWN) === OWN;
    this.#requireSafe(source);
    try {
      return source.type === "git" ? await this.#folder(source, isOwn) : await this.#entry(source, metadata.name);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.exit === EXIT.absent) throw gone(source, error.message);
      throw new SourceProblem(error.exit, error.message);
    }
  }

  /** Rejects plain http, which others on the network can read and change, unless the origin is named on the command line. */
  #requireSafe({ url }: ClaimedSource): void {
    const { protocol, origin } = new URL(url);
    if (protocol === "https:" || (this.host !== undefined && URL.parse(this.host)?.origin === origin)) return;
    throw new SourceProblem(EXIT.usage, `its source ${url} is plain http. Use --source ${origin} to allow it.`);
  }

  async #folder(source: ClaimedSource, isOwn: boolean): Promise<FoundSkill | null> {
    const place = repositoryOf(source);
    if (place === null) throw new Problem(EXIT.refused, `its source is not a repository: ${source.url}`);
    const token = isOwn ? this.work.env.GITHUB_TOKEN : undefined;
    const asked = { host: place.host ?? this.host, token, known: source.commit };
    const { skills, isKnown } = await skillsOfRepository(this.work, place.repository, asked);
    if (isKnown) return null;
    const found = skills.find((each) => (each.source.path ?? "") === (source.path ?? ""));
    if (found === undefined) throw new Problem(EXIT.absent, `It has no ${source.path ?? "SKILL.md"}.`);
    // `--source` changes where the skill is fetched, but the recorded source stays the original URL.
    return { ...found, source: { ...found.source, url: source.url } };
  }

  async #entry(source: ClaimedSource, name: string): Promise<FoundSkill | null> {
    let index = this.#indexes.get(source.url);
    if (index === undefined) {
      index = offersOf(this.work, source.url);
      this.#indexes.set(source.url, index);
    }
    const offer = (await index).find((each) => each.name === name);
    if (offer === undefined) throw new Problem(EXIT.absent, `Its index has no ${name}.`);
    return offer.digest !== null && offer.digest === source.digest ? null : offer.fetch();
  }
}

function gone(source: ClaimedSource, why: string): SourceProblem {
  return new SourceProblem(
    EXIT.absent,
    `its source was not found, and the published version stays: ${originOf(source)}. ${why}`,
  );
}
