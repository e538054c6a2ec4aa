// `list`, `search`, `info`, `versions` and `usage`: read what is published.

import { type Command, GATEWAY_OPTIONS, option, TEXT, YES } from "../command";
import { answer, tell } from "../context";
import type { Gateway } from "../gateway";
import { columns, oneLineOf, originOf } from "../print";
import { EXIT } from "../problem";
import { findNamed, gatewayOf, readVersionsOf, SKILLS } from "../resolve";
import { draftsSchema, type SkillResource, skillsSchema, unifiedSchema, usageSchema } from "../resources";

export const list: Command = {
  usage: "[--group <name> | --public | --drafts]",
  summary:
    "Lists the skills that you can see. Options: those of a group and public ones, public ones only, or your drafts.",
  options: { ...GATEWAY_OPTIONS, group: TEXT, public: YES, drafts: YES },
  names: [0, 0],
  async run(work, _names, values) {
    const gateway = await gatewayOf(work, values);
    if (values.drafts === true) {
      const { items } = await gateway.read(draftsSchema, `${SKILLS}/drafts`);
      answer(work, { items });
      const rows = items.map(({ reference, version, expires_at, description }) => [
        reference,
        version ?? "-",
        `until ${expires_at.slice(0, 10)}`,
        oneLineOf(String(description ?? "")),
      ]);
      tell(work, rows.length === 0 ? "no drafts" : columns(rows));
      return EXIT.done;
    }
    const group = option(values, "group");
    const query: Record<string, string> = group === undefined ? {} : { scope: "group", group_name: group };
    const items = await everyPage(
      gateway,
      values.public === true ? `${SKILLS}/public/list` : `${SKILLS}/unified`,
      query,
    );
    answer(work, { items });
    const rows = items.map(({ name, version, namespace, is_public, description }) => [
      name,
      version ?? "-",
      is_public ? "public" : namespace === "default" ? "own" : namespace,
      oneLineOf(description),
    ]);
    tell(work, rows.length === 0 ? "no skills" : columns(rows));
    return EXIT.done;
  },
};

async function everyPage(gateway: Gateway, path: string, query: Record<string, string>) {
  const all = [];
  for (let skip = 0; ; skip += PAGE) {
    const page = await gateway.read(unifiedSchema, path, {
      query: { ...query, limit: String(PAGE), skip: String(skip) },
    });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}
const PAGE = 100;

export const search: Command = {
  usage: "<words…>",
  summary: "Searches skills, ranked the way `find_skill` ranks them for models.",
  options: GATEWAY_OPTIONS,
  names: [1, 100],
  async run(work, words, values) {
    const gateway = await gatewayOf(work, values);
    const { items } = await gateway.read(skillsSchema, SKILLS, { query: { q: words.join(" "), limit: "20" } });
    const found = items.map(({ metadata, spec }) => ({
      name: metadata.name,
      version: spec.version ?? null,
      description: spec.description ?? "",
    }));
    answer(work, { items: found });
    const rows = found.map(({ name, version, description }, at) => [
      `#${at + 1}`,
      name,
      version ?? "-",
      oneLineOf(description),
    ]);
    tell(work, rows.length === 0 ? "nothing found" : columns(rows));
    return EXIT.done;
  },
};

export const info: Command = {
  usage: "<name>",
  summary: "Shows a skill: owner, version, costs, dependencies, source and warnings.",
  options: GATEWAY_OPTIONS,
  names: [1, 1],
  async run(work, [name = ""], values) {
    const skill = await findNamed(await gatewayOf(work, values), name);
    answer(work, skill);
    const { metadata, spec, status } = skill;
    const rows = [
      ["name", metadata.name],
      ["id", metadata.labels.id],
      [
        "version",
        `${spec.version ?? "(no label)"}, ${status.version_id}${status.state === "yanked" ? ", yanked" : ""}`,
      ],
      ["whose", metadata.labels.user_id === "0" ? "public" : (metadata.namespace ?? "default")],
      ["description", spec.description ?? ""],
      [
        "tokens",
        status.tokens === undefined
          ? ""
          : `in the list: ${status.tokens.line}, when loaded: ${status.tokens.instructions}`,
      ],
      ["depends on", (spec.dependencies ?? []).join(", ")],
      ["tags", (spec.tags ?? []).join(", ")],
      ["changed", status.updated_at ?? ""],
      ["built from", status.provenance === undefined ? "" : builtFrom(status.provenance)],
      ["from", status.source === undefined ? "" : `${originOf(status.source)}, ${status.source.taken_at.slice(0, 10)}`],
    ].filter(([, value]) => value !== "");
    const warnings = status.warnings.map(({ code, message }) => `  ${code}  ${message}`);
    tell(work, [columns(rows), ...warnings].join("\n"));
    return EXIT.done;
  },
};

/** Formats the repository and commit of a version that a CI job published. */
function builtFrom({
  subject,
  repository = subject,
  commit,
}: NonNullable<SkillResource["status"]["provenance"]>): string {
  return commit === undefined ? repository : `${repository} at ${commit}`;
}

export const versions: Command = {
  usage: "<name>",
  summary: "Lists the versions of a skill, newest first. `*` marks the current one.",
  options: GATEWAY_OPTIONS,
  names: [1, 1],
  async run(work, [name = ""], values) {
    const gateway = await gatewayOf(work, values);
    const { metadata } = await findNamed(gateway, name);
    const items = await readVersionsOf(gateway, metadata.labels.id);
    answer(work, { name: metadata.name, id: metadata.labels.id, items });
    const rows = items.map(({ version, version_id, is_current, created_at, yanked_at }) => [
      is_current ? "*" : " ",
      version ?? "-",
      version_id,
      created_at.slice(0, 19),
      yanked_at === null ? "" : "yanked",
    ]);
    tell(work, columns(rows));
    return EXIT.done;
  },
};

export const usage: Command = {
  usage: "<name> [--days <30>]",
  summary: "Shows how often a skill that you manage is used.",
  options: { ...GATEWAY_OPTIONS, days: TEXT },
  names: [1, 1],
  async run(work, [name = ""], values) {
    const gateway = await gatewayOf(work, values);
    const { metadata } = await findNamed(gateway, name);
    const found = await gateway.read(usageSchema, `${SKILLS}/${metadata.labels.id}/usage`, {
      query: { days: option(values, "days") },
    });
    answer(work, found);
    type Counts = typeof found.totals;
    const cells = (label: string, { loads, calls, failures, tokens }: Counts) => [
      label,
      ...[loads, calls, failures, tokens].map(String),
    ];
    const rows = [
      ["", "loads", "calls", "failures", "tokens"],
      ...found.versions.map((each) => cells(each.version ?? each.version_id, each)),
      cells("total", found.totals),
    ];
    const days = found.days.map((each) => cells(each.day, each));
    if (days.length > 0) rows.push(["", "", "", "", ""], ...days);
    tell(work, `${found.skill_name}, ${found.since.slice(0, 10)} to ${found.until.slice(0, 10)}\n${columns(rows)}`);
    return EXIT.done;
  },
};
