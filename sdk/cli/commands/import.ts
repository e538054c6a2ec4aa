// `import`: starts an import on the gateway and shows its progress. `add` fetches a source locally. An import continues after the command
// ends.

import { setTimeout } from "node:timers/promises";
import type * as z from "zod";
import { type Command, GATEWAY_OPTIONS, option, TEXT, type Values, YES } from "../command";
import { answer, note, tell, type Work } from "../context";
import type { Gateway } from "../gateway";
import { columns, oneLineOf } from "../print";
import { EXIT, misused } from "../problem";
import { progressOf } from "../progress";
import { gatewayOf } from "../resolve";
import { type ImportReport, importReportSchema, importSchema, importsSchema } from "../resources";

const IMPORTS = "/api/v1/imports";
/** Shortest and longest delay between two polls. The first polls are short because most imports are small. */
const LOOK_MS = { first: 100, most: 2_000 };
const PAGE = "100";

type Import = z.infer<typeof importSchema>;

/** Options for a new import only. An existing import already has its source. */
const OF_NEW = ["type", "path", "scope", "secret", "secret-header", "group", "public", "mirror"] as const;

export const importSkills: Command = {
  usage:
    "<address> [--type index|archive|gateway] [--path <folder>] [--scope public|own|group/<name>] [--secret <name> [--secret-header <name>]] [--group <name> | --public] [--mirror] [--no-wait]\n       … <imp_…> [--cancel | --no-wait], or nothing for a list",
  summary:
    "Starts an import of the gateway: from the index of a website, the archive of a Git host, or another gateway. Shows the result of each skill.",
  options: {
    ...GATEWAY_OPTIONS,
    ...{ type: TEXT, path: TEXT, scope: TEXT, secret: TEXT, "secret-header": TEXT, group: TEXT },
    ...{ public: YES, mirror: YES, cancel: YES, "no-wait": YES },
  },
  names: [0, 1],
  async run(work, [what], values) {
    const isKnown = what?.startsWith("imp_") === true;
    const strange = isKnown || what === undefined ? OF_NEW.find((name) => values[name] !== undefined) : undefined;
    if (strange !== undefined) throw misused(`--${strange} is for a new import. Name its address.`);
    if (values.cancel === true && !isKnown) throw misused("No import to cancel. Name its id.");
    if (values.group !== undefined && values.public === true) throw misused("--group and --public exclude each other.");
    const gateway = await gatewayOf(work, values);
    if (what === undefined) return list(work, gateway);
    if (values.cancel === true) {
      const ended = await gateway.read(importSchema, `${pathOf(what)}/cancel`, { method: "POST" });
      tell(work, `${ended.id} is cancelled; imported skills are kept`);
      answer(work, ended);
      return EXIT.done;
    }
    const begun = isKnown ? await gateway.read(importSchema, pathOf(what)) : await begin(gateway, what, values);
    if (values["no-wait"] === true) {
      tell(work, `${begun.id} is ${begun.state}; follow it: ${work.program} import ${begun.id}`);
      answer(work, begun);
      return EXIT.done;
    }
    return report(work, await follow(work, gateway, begun));
  },
};

const pathOf = (id: string) => `${IMPORTS}/${encodeURIComponent(id)}`;

function begin(gateway: Gateway, url: string, values: Values): Promise<Import> {
  const said = (name: string, as: string) => {
    const value = option(values, name);
    return value === undefined ? {} : { [as]: value };
  };
  const source = {
    ...{ type: option(values, "type") ?? "index", url },
    ...{ ...said("path", "path"), ...said("scope", "scope") },
    ...{ ...said("secret", "secret"), ...said("secret-header", "secret_header") },
  };
  const namespace = values.public === true ? { namespace: "public" } : said("group", "namespace");
  const json = { source, ...namespace, ...(values.mirror === true ? { mirror: true } : {}) };
  return gateway.read(importSchema, IMPORTS, { method: "POST", json });
}

/** Polls until the import is done or waits for a later run, then reads the results of all skills. */
async function follow(work: Work, gateway: Gateway, begun: Import): Promise<ImportReport> {
  if (!work.json)
    note(work, `${begun.id} continues in the background; to follow it again: ${work.program} import ${begun.id}`);
  const progress = progressOf(work, "reading the source");
  try {
    for (let wait = LOOK_MS.first; ; wait = Math.min(wait * 1.5, LOOK_MS.most)) {
      const now = await gateway.read(importReportSchema, pathOf(begun.id), { query: { limit: "1" } });
      if (now.state !== "running") break;
      if (now.total !== null)
        progress.step(`${seen(now)} of ${now.total} skills${now.cursor === null ? "" : `: ${now.cursor}`}`);
      await setTimeout(wait, undefined, { signal: work.signal });
    }
  } finally {
    progress.end();
  }
  const all: ImportReport["items"] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await gateway.read(importReportSchema, pathOf(begun.id), { query: { limit: PAGE, cursor } });
    all.push(...page.items);
    if (page.next_cursor === null) return { ...page, items: all };
    cursor = page.next_cursor;
  }
}

const seen = ({ counts }: ImportReport) =>
  counts.created + counts.updated + counts.unchanged + counts.refused + counts.failed;

function report(work: Work, told: ImportReport): number {
  const rows = told.items
    .filter(({ state, removed_at }) => state !== "unchanged" || removed_at !== null)
    .map(({ name, state, problem, removed_at }) => [
      ...["", removed_at === null ? state : "removed at the source", name],
      problem === null ? "" : `${problem.code}: ${oneLineOf(problem.message, 200)}`,
    ]);
  if (rows.length > 0) tell(work, columns(rows));
  const counts = Object.entries(told.counts).filter(([, count]) => count > 0);
  const words = counts.map(([state, count]) => `${count} ${state === "removed" ? "removed at the source" : state}`);
  if (words.length === 0 && told.state === "done") words.push("the source has no skills");
  tell(work, [`${told.id} is ${told.state}`, words.join(", ")].filter((part) => part !== "").join(": "));
  if (told.problem !== null) note(work, `${told.problem.code}: ${told.problem.message}`);
  if (told.state === "waiting" && told.next_at !== null) note(work, `It continues at ${told.next_at}.`);
  answer(work, told);
  return exitOf(told);
}

/** Returns the exit code: from the state of the run, then from the worst result of a skill. */
function exitOf({ state, problem, counts }: ImportReport): number {
  if (state === "waiting" || problem?.code === "SOURCE_UNREACHABLE") return EXIT.unreachable;
  if (problem?.code === "IMPORTER_ENDED" || problem?.code === "SOURCE_DENIED") return EXIT.key;
  if (state !== "done" || counts.failed > 0) return EXIT.refused;
  return counts.refused > 0 ? EXIT.conflict : EXIT.done;
}

async function list(work: Work, gateway: Gateway): Promise<number> {
  const { items } = await gateway.read(importsSchema, IMPORTS);
  const rows = items.map(({ id, state, namespace, mirror, source }) => [
    ...[id, mirror ? `${state}, mirror` : state, namespace],
    `${source.type} ${source.url}`,
  ]);
  tell(work, rows.length === 0 ? "no imports" : columns(rows));
  answer(work, items);
  return EXIT.done;
}
