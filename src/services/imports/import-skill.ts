// Imports one skill of a source through the same checks as an upload. Skills that do not come from this source are never changed.

import { namespaceOfScope, PUBLIC_SCOPE, PUBLIC_USER } from "../../domain/access/access";
import { DURATIONS } from "../../domain/durations";
import { type GatewayError, isRefusal, refusalIn } from "../../domain/errors";
import type { ImportProblem } from "../../domain/imports/import";
import { IMPORT_LIMITS } from "../../domain/imports/limits";
import { foldName } from "../../domain/package/path";
import { readReply } from "../../storage/d1/idempotency";
import type { ImportRow } from "../../storage/d1/imports/imports";
import type { findExistingNames, NewItem } from "../../storage/d1/imports/items";
import { publishedByReviewOf } from "../../storage/d1/review/reviews";
import { readSkillAt } from "../../storage/d1/skills";
import type { Context } from "../context";
import type { PublishTarget } from "../registry/draft-version";
import { type Published, publish } from "../registry/publish";
import { activate } from "../registry/skills";
import { submitPackage } from "../review/submit-package";
import { ImportStop, ItemFault, sourceProblem } from "./stop";

/** The local skills with the names of a slice, and which of them come from the source. */
export type ExistingNames = Awaited<ReturnType<typeof findExistingNames>>;

/** A skill to import: name, identity of its content at the source, and how to download it. */
export interface OfferedSkill {
  name: string;
  digest: string | null;
  upload(): Promise<{ bytes: Uint8Array; digest: string }>;
}

/** Imports a skill and returns the result. @throws ImportStop, ItemFault with `again`, and storage errors */
export async function importSkill(
  context: Context,
  row: ImportRow,
  met: ExistingNames,
  offered: OfferedSkill,
): Promise<NewItem> {
  const { name } = offered;
  const known = met.items.get(name);
  try {
    return await takenSkill(context, row, met, offered);
  } catch (error) {
    const problem = problemOf(error);
    if (problem === null) throw error;
    // The earlier import still exists and has the same content.
    const { skillId = null, versionId = null, digest = null } = known ?? {};
    const state = WAITING.has(problem.code) ? "refused" : "failed";
    return { name, state, problem, digest, skillId, versionId };
  }
}

/** Problems that are no faults of the source: somebody decides whether the skill is published. */
const WAITING: ReadonlySet<string> = new Set(["NAME_TAKEN", "NAME_CONFLICT", "WAITS_FOR_REVIEW", "REVIEW_REJECTED"]);

async function takenSkill(
  context: Context,
  row: ImportRow,
  met: ExistingNames,
  offered: OfferedSkill,
): Promise<NewItem> {
  const { name } = offered;
  const known = met.items.get(name);
  const there = met.skills.get(foldName(name));
  // One idempotency key per name and run, so that an interrupted run finds what it published.
  const key = `import:${row.id}:${row.run}:${name}`;
  const isOurs = there !== undefined && (known?.skillId === there.id || (await isSubmitted(context, row, there.id)));
  const ours = there !== undefined && isOurs ? there.id : null;
  if (there !== undefined && ours === null) {
    const versionId = await publishedUnder(context, key, there.id);
    if (versionId === null) throw taken(there.name);
    return { name, state: "created", problem: null, digest: offered.digest, skillId: there.id, versionId };
  }
  const { bytes, digest } = await offered.upload();
  if (ours !== null && known?.digest === digest && known.versionId !== null)
    return { name, state: "unchanged", problem: null, digest, skillId: ours, versionId: known.versionId };
  const target: PublishTarget =
    ours === null || there === undefined ? newIn(context, row.scope) : { scope: row.scope, id: ours, name: there.name };
  const done = await publish(context, { upload: bytes, fileName: undefined, name, target, idempotencyKey: key }).catch(
    async (error: unknown) => {
      if (refusalIn(error)?.reason !== "REVIEW_REQUIRED") throw error;
      const { id } = await submitPackage(context, { name, upload: bytes, scope: row.scope });
      const message = `Waits for a review (${id}). It is published when a reviewer approves it.`;
      throw new ItemFault({ code: "WAITS_FOR_REVIEW", message });
    },
  );
  const skill = await madeCurrent(context, done, there?.versionId);
  const isNew = known?.skillId == null;
  const state = done.status === 200 ? "unchanged" : isNew ? "created" : "updated";
  return { name, state, problem: null, digest, skillId: skill.id, versionId: skill.versionId };
}

/** Whether a reviewer published the skill from a submission of the import's user. */
async function isSubmitted(context: Context, { scope }: ImportRow, id: string): Promise<boolean> {
  return (await publishedByReviewOf(context.db, context.caller.principal.userId, { id, scope })) !== null;
}

/** Returns the version that this run published before it was interrupted; `null` if it is somebody else's. */
async function publishedUnder(context: Context, key: string, id: string): Promise<string | null> {
  const { userId } = context.caller.principal;
  const reply = await readReply(context.db, userId, key, context.now() - DURATIONS.idempotency);
  const made = reply === null ? null : await readSkillAt(context.db, reply.subject);
  return made?.id === id ? made.versionId : null;
}

function newIn(context: Context, scope: string): PublishTarget {
  const userId = scope === PUBLIC_SCOPE ? PUBLIC_USER : context.caller.principal.userId;
  return { scope, namespace: namespaceOfScope(scope), userId, isNew: true };
}

/** If the source returns to an earlier content, the skill does too. */
async function madeCurrent(context: Context, { status, skill }: Published, current: string | undefined) {
  if (status !== 200 || current === undefined || current === skill.versionId) return skill;
  return activate(context, skill.id, skill.versionId);
}

/** Returns the error as a problem of one skill; `null` if it concerns more than one. */
function problemOf(error: unknown): ImportProblem | null {
  if (error instanceof ItemFault) return error.again ? null : error.problem;
  const source = sourceProblem(error);
  if (source !== null) {
    if (source.again) throw new ItemFault(source.problem, true, source.waitMs);
    return source.problem;
  }
  const refusal = refusalIn(error);
  if (refusal === null || refusal.code === "unavailable") return null;
  const problem = { code: refusal.reason, message: refusal.message.slice(0, IMPORT_LIMITS.problemChars) };
  if (refusal.reason === "QUOTA_EXCEEDED") throw new ImportStop("stopped", problem);
  if (refusal.code === "rate_limited") throw new ImportStop("waiting", problem, retryIn(refusal));
  if (isRefusal(refusal) && refusal.code !== "not_found") throw new ImportStop("stopped", problem);
  return problem;
}

/** Milliseconds until a daily limit ends. */
function retryIn({ details }: GatewayError): number {
  const seconds = details.retry_after_s;
  return typeof seconds === "number" ? seconds * 1_000 : IMPORT_LIMITS.waitMostMs;
}

function taken(name: string): ItemFault {
  const message = `A skill '${name}' from another origin already exists. It was not changed.`;
  return new ItemFault({ code: "NAME_TAKEN", message });
}
