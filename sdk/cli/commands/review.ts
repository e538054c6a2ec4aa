// `submit` and `review`: submits a skill for review, and lists, shows and decides submissions.

import { createHash } from "node:crypto";
import * as z from "zod";
import type { SkillPackage } from "../../../src/domain/package/skill";
import { type Command, GATEWAY_OPTIONS, option, TEXT, type Values, YES } from "../command";
import { answer, tell, type Work } from "../context";
import { downloadSkill } from "../download";
import { filesOf, readSkill, skillAt } from "../folder";
import { type Gateway, issuesSchema } from "../gateway";
import { changedFiles, unifiedDiff } from "../lines";
import { columns, issueLines, oneLineOf, permissionLines, routingLines } from "../print";
import { EXIT, misused, Problem } from "../problem";
import { gatewayOf } from "../resolve";
import { routingSchema } from "../resources";
import { pushDraft } from "./push";

const REVIEWS = "/api/v1/reviews";

const reviewSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  namespace: z.string(),
  is_public: z.boolean(),
  author: z.string(),
  state: z.string(),
  version: z.string().nullable(),
  zip_sha256: z.string(),
  published_version_id: z.string().nullable(),
  updated_at: z.string(),
});
type Review = z.infer<typeof reviewSchema>;

const listSchema = z.looseObject({ items: z.array(reviewSchema), next_cursor: z.string().nullable() });

const permission = z.looseObject({ permission: z.string(), value: z.string() });
const fullSchema = reviewSchema.extend({
  base: z.looseObject({ skill_id: z.string(), version_id: z.string(), version: z.string().nullable() }).nullable(),
  content: z.looseObject({ description: z.string(), warnings: issuesSchema }).nullable(),
  permissions: z.looseObject({ added: z.array(permission), removed: z.array(permission) }),
  routing: routingSchema.nullable(),
  // Gateways before 2026-11-27 do not send it.
  test_results: z
    .looseObject({
      passed: z.number(),
      failed: z.number(),
      failing: z.array(z.looseObject({ name: z.string(), reason: z.string().optional() })),
      regressions: z
        .looseObject({ version_id: z.string(), version: z.string().nullable(), cases: z.array(z.string()) })
        .nullable(),
    })
    .nullish(),
  events: z.array(
    z.looseObject({
      type: z.string(),
      user_id: z.string(),
      comment: z.string().nullable(),
      path: z.string().nullable(),
      line: z.number().nullable(),
      created_at: z.string(),
    }),
  ),
});
type ReviewInFull = z.infer<typeof fullSchema>;

export const submit: Command = {
  usage: "<skill> --to <group|public> [--message <text>]",
  summary: "Pushes a skill as your draft and submits it for review.",
  options: { ...GATEWAY_OPTIONS, to: TEXT, message: TEXT },
  names: [1, 1],
  async run(work, [typed = ""], values) {
    const to = option(values, "to");
    if (to === undefined) throw misused("--to is missing. Name a group, or `public`.");
    const skill = await skillAt(work, typed);
    const { package: found } = await readSkill(await skill.zip(), `${skill.name}.zip`);
    const gateway = await gatewayOf(work, values);
    await pushDraft(gateway, skill, { group: undefined, isPublic: false });
    const comment = option(values, "message");
    const json = {
      draft: found?.name ?? skill.name,
      ...(to === "public" ? { public: true } : { namespace: to }),
      ...(comment === undefined ? {} : { comment }),
    };
    const { status, body } = await gateway.readWithStatus(reviewSchema, REVIEWS, { method: "POST", json });
    answer(work, body);
    const what = status === 201 ? "was submitted" : "was submitted before, and its content is now the pushed one";
    tell(work, `${body.name} ${body.version ?? ""} ${what}: ${body.id} (${body.state})`);
    return EXIT.done;
  },
};

export const review: Command = {
  usage:
    "[list [--state <state>] [--mine]] | show <id> | approve <id> --seen <mark> [--bypass] | request-changes <id> | reject <id> | comment <id> [--file <path[:line]>] | withdraw <id>   [--message <text>]",
  summary:
    "Lists submissions, shows one with its changes, and decides it. `show` prints the mark that `approve` needs, so that you approve what you have read.",
  options: { ...GATEWAY_OPTIONS, state: TEXT, mine: YES, seen: TEXT, bypass: YES, file: TEXT, message: TEXT },
  names: [0, 2],
  async run(work, [what = "list", id = ""], values) {
    const act = Object.hasOwn(ACTS, what) ? ACTS[what] : undefined;
    if (act === undefined) throw misused(`Unknown action: ${what}. Use ${Object.keys(ACTS).join(", ")}.`);
    if (what === "list" ? id !== "" : id === "") throw misused(id === "" ? "The id is missing." : "Unexpected id.");
    return act(work, await gatewayOf(work, values), id, values);
  },
};

const ACTS: Readonly<Record<string, (work: Work, gateway: Gateway, id: string, values: Values) => Promise<number>>> = {
  list,
  show,
  approve,
  "request-changes": (work, gateway, id, values) => decide(work, gateway, id, "request_changes", values),
  reject: (work, gateway, id, values) => decide(work, gateway, id, "reject", values),
  comment,
  withdraw: (work, gateway, id) => send(work, gateway, id, "withdraw", undefined),
};

async function list(work: Work, gateway: Gateway, _id: string, values: Values): Promise<number> {
  const mine = values.mine === true;
  const items: Review[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { state: option(values, "state") ?? "open", ...(mine ? { mine: "true" } : {}), cursor };
    const page: z.infer<typeof listSchema> = await gateway.read(listSchema, REVIEWS, { query });
    items.push(...page.items);
    cursor = page.next_cursor;
  }
  answer(work, { reviews: items });
  const rows = items.map((one) => [one.id, one.name, one.version ?? "", scopeOf(one), one.state, one.author]);
  tell(work, items.length === 0 ? "No submissions." : columns(rows));
  return EXIT.done;
}

const scopeOf = ({ is_public, namespace }: Review): string => (is_public ? "public" : namespace);

async function show(work: Work, gateway: Gateway, id: string): Promise<number> {
  const full = await gateway.read(fullSchema, `${REVIEWS}/${id}`);
  const { base, content, permissions, routing, test_results: results, events } = full;
  const patches = content === null ? [] : await patchesOf(gateway, full);
  answer(work, { ...full, seen: markOf(full) });
  const history = events.map(({ type, user_id, comment: text, path, line, created_at }) => {
    const place = path === null ? "" : ` ${path}${line === null ? "" : `:${line}`}`;
    return `  ${created_at}  ${user_id}  ${type}${place}${text === null ? "" : `\n      ${text.replaceAll("\n", "\n      ")}`}`;
  });
  const compared = base === null ? "a new skill" : `compared with ${base.version ?? base.version_id}`;
  tell(
    work,
    [
      `${full.name} ${full.version ?? ""} to ${scopeOf(full)} by ${full.author}: ${full.state}, ${compared}`,
      ...(content === null ? ["The content was deleted or changed."] : [content.description]),
      ...permissionLines(permissions),
      ...issueLines("Findings", content?.warnings ?? []),
      ...(results ? testLines(results) : []),
      ...(routing === null ? [] : routingLines(routing)),
      "",
      ...patches,
      "",
      "History",
      ...history,
      "",
      `SHA-256 ${full.zip_sha256}`,
      `To approve exactly this: ${work.program} review approve ${id} --seen ${markOf(full)}`,
    ].join("\n"),
  );
  return EXIT.done;
}

/** Returns the recorded test results of the submitted content. */
function testLines({ passed, failed, failing, regressions }: NonNullable<ReviewInFull["test_results"]>): string[] {
  const before = new Set(regressions?.cases);
  const version = regressions?.version ?? regressions?.version_id;
  return [
    `Test results: ${passed} of ${passed + failed} cases passed`,
    ...failing.map(({ name, reason }) => {
      const passedBefore = before.has(name) ? ` (passes with ${version})` : "";
      const why = reason === undefined ? "" : `: ${oneLineOf(reason, 200)}`;
      return `  ${oneLineOf(name, 160)} fails${passedBefore}${why}`;
    }),
  ];
}

/** Returns the changes of the files. The downloaded bytes must have the digest under review. */
async function patchesOf(gateway: Gateway, { id, name, version, zip_sha256, base }: ReviewInFull): Promise<string[]> {
  const { bytes } = await gateway.bytes(`${REVIEWS}/${id}/download`, { seconds: 120 });
  if (createHash("sha256").update(bytes).digest("hex") !== zip_sha256)
    throw new Problem(EXIT.conflict, "The content changed while it was read. Run the command again.");
  const { package: found } = await readSkill(bytes, `${name}.zip`);
  if (found === null) throw new Problem(EXIT.refused, "The submitted package is not a valid skill.");
  const older = base === null ? null : await downloadSkill(gateway, base.skill_id, { name, version: base.version_id });
  const files = (one: SkillPackage | null) => (one === null ? new Map<string, Uint8Array>() : filesOf(one));
  return changedFiles(files(older), files(found)).map((file) =>
    unifiedDiff(file, base?.version ?? base?.version_id ?? "", version ?? id),
  );
}

/** Returns what an approval names: the start of the digest, and the compared version. */
function markOf({ zip_sha256, base }: Pick<ReviewInFull, "zip_sha256" | "base">): string {
  return `${zip_sha256.slice(0, 16)}@${base?.version_id ?? "new"}`;
}

async function approve(work: Work, gateway: Gateway, id: string, values: Values): Promise<number> {
  const seen = option(values, "seen");
  if (seen === undefined)
    throw misused(`--seen is missing. Read the submission first: ${work.program} review show ${id}`);
  const full = await gateway.read(fullSchema, `${REVIEWS}/${id}`);
  if (seen !== markOf(full))
    throw new Problem(
      EXIT.conflict,
      `The submission changed after you read it. Run ${work.program} review show ${id}.`,
    );
  const { zip_sha256, base } = full;
  const bypass = values.bypass === true ? { bypass: true } : {};
  return send(work, gateway, id, "decision", {
    ...{ decision: "approve", zip_sha256, base_version_id: base?.version_id ?? null },
    ...messageOf(values),
    ...bypass,
  });
}

async function decide(work: Work, gateway: Gateway, id: string, decision: string, values: Values): Promise<number> {
  const message = messageOf(values);
  if (message.comment === undefined) throw misused("--message is missing. Give the reason.");
  const { zip_sha256 } = await gateway.read(fullSchema, `${REVIEWS}/${id}`);
  return send(work, gateway, id, "decision", { decision, zip_sha256, ...message });
}

async function send(work: Work, gateway: Gateway, id: string, what: string, json: unknown): Promise<number> {
  const asked = json === undefined ? { method: "POST" } : { method: "POST", json };
  const done = await gateway.read(reviewSchema, `${REVIEWS}/${id}/${what}`, asked);
  answer(work, done);
  const published = done.published_version_id === null ? "" : `, published as ${done.published_version_id}`;
  tell(work, `${done.name} ${done.version ?? ""} is ${done.state}${published}`);
  return EXIT.done;
}

async function comment(work: Work, gateway: Gateway, id: string, values: Values): Promise<number> {
  const message = messageOf(values);
  if (message.comment === undefined) throw misused("--message is missing.");
  const [, path, line] = /^(.+?)(?::(\d{1,7}))?$/.exec(option(values, "file") ?? "") ?? [];
  const place = path === undefined ? {} : { path, ...(line === undefined ? {} : { line: Number(line) }) };
  const json = { ...message, ...place };
  const made = await gateway.read(z.looseObject({ id: z.string() }), `${REVIEWS}/${id}/comments`, {
    method: "POST",
    json,
  });
  answer(work, made);
  tell(work, "The comment was added.");
  return EXIT.done;
}

function messageOf(values: Values): { comment?: string } {
  const message = option(values, "message");
  return message === undefined ? {} : { comment: message };
}
