// Exports or erases all data of a user. For admins and the user.

import * as z from "zod";
import { draftScope, isAdmin, type Principal, PUBLIC_USER, userScope } from "../domain/access/access";
import { encodeBase64 } from "../domain/base64";
import { decodeCursor, pageOf } from "../domain/cursor";
import { GatewayError, invalid } from "../domain/errors";
import { REQUEST_LIMITS } from "../domain/limits";
import { listConversationRows } from "../storage/d1/conversations";
import { ownImports } from "../storage/d1/imports/imports";
import { deleteSkillRows } from "../storage/d1/registry/publishing";
import type { ErasureCount } from "../storage/d1/schema/people";
import { connectionsOfUser } from "../storage/d1/servers/connections";
import {
  anonymizeUser,
  eraseUserRows,
  type LastVersion,
  listUsers,
  readScopeVersions,
  readUserRows,
  readUserSkills,
  type UserFigures,
} from "../storage/d1/users";
import { dropImportArchives } from "../storage/r2/import-archives";
import { deletePackages, packageKeys } from "../storage/r2/packages";
import { readRunFile } from "../storage/r2/run-files";
import { requireAdmin } from "./admin";
import { recordAct } from "./audit";
import { type ChatObject, type ChatRows, chatReply } from "./chat/api";
import { revokeConnections } from "./connections/revoke";
import type { Context } from "./context";
import { type ConversationApi, type Target, unwrap } from "./conversation/api";
import type { FeedbackListReply } from "./conversation/feedback";
import type { OpenImport } from "./imports/api";
import { deleteDraftsOf } from "./registry/drafts";

/** Returns a conversation of the user by id. */
export type OpenConversation = (id: string) => { api: ConversationApi & ChatObject; target: Target };

/** What an erasure deleted, and whether it is complete. Repeat until it is. */
export interface ErasureResult {
  erased: Record<ErasureCount | "skills" | "conversations", number>;
  complete: boolean;
}

/** Number of conversations and skills erased per request, because each needs further calls. */
const AT_ONCE = 50;
const PAGE = 100;

/** Maximum of each figure, which bounds the cost of a list. */
const COUNTED_TO = 1_000;

const userCursor = z.object({ user: z.string() });

/** Returns a page of all users by id with totals, for admins. Contains counts only. */
export async function readUsers(
  context: Context,
  limit: number = REQUEST_LIMITS.listLimit,
  cursor: string | undefined,
): Promise<{ users: UserFigures[]; nextCursor: string | null }> {
  requireAdmin(context.caller.principal, "Only admins can list users. Use an admin's key.");
  const after = decodeCursor(cursor, userCursor)?.user ?? "";
  const rows = await listUsers(context.db, limit + 1, after, COUNTED_TO);
  const { page, nextCursor } = pageOf(rows, limit, ({ userId }) => ({ user: userId }));
  return { users: page, nextCursor };
}

/** Returns the user as a principal, for calls to conversations in the user's name. */
export function ownerOf(context: Context, userId: string): Principal {
  return { userId, role: "user", groups: [], scopes: [], keyId: context.caller.principal.keyId };
}

/**
 * Erases a user: keys first, so that nothing new appears, and the name in others' data last. Safe to repeat at any point. A group may be
 * left without an owner; admins can appoint one.
 */
export async function eraseUser(
  context: Context,
  userId: string,
  open: OpenConversation,
  openImport: OpenImport,
): Promise<ErasureResult> {
  requireAccess(context, userId);
  if (userId === PUBLIC_USER) {
    throw invalid([
      {
        code: "INVALID_FIELD",
        message: "The id of the owner of public skills is not a user. Use the id of a user.",
        path: "id",
      },
    ]);
  }
  const [imports] = await Promise.all([
    ownImports(context.db, userScope(userId)),
    recordAct(context, "user.erase", userId, { about: userId }),
  ]);
  // Their objects first, while the rows that identify them exist.
  for (const { id } of imports) {
    await openImport(id).end();
    await dropImportArchives(context.packages, context.timings, id);
  }
  const connections = await connectionsOfUser(context.db, userId);
  const rows = await eraseUserRows(context.db, userId);
  await revokeConnections(context, connections);
  const conversations = await listConversationRows(context.db, userId, AT_ONCE + 1, null);
  for (const { id } of conversations.slice(0, AT_ONCE)) await eraseConversation(open(id));
  const [skills] = await Promise.all([
    readUserSkills(context.db, userId, AT_ONCE + 1),
    deleteDraftsOf(context, userId),
  ]);
  for (const skill of skills.slice(0, AT_ONCE)) {
    const versions = (await deleteSkillRows(context.db, skill, [])) ?? [];
    await deletePackages(context.packages, context.timings, versions.flatMap(packageKeys));
  }
  const complete = conversations.length <= AT_ONCE && skills.length <= AT_ONCE;
  if (complete) await anonymizeUser(context.db, userId);
  const counted = (list: readonly unknown[]) => Math.min(list.length, AT_ONCE);
  return { erased: { ...rows, skills: counted(skills), conversations: counted(conversations) }, complete };
}

/** Yields everything stored about a user as one JSON document, in parts. Secrets by name only. */
export async function exportUser(
  context: Context,
  userId: string,
  open: OpenConversation,
): Promise<AsyncGenerator<string>> {
  requireAccess(context, userId);
  await recordAct(context, "user.export", userId, { about: userId });
  const [rows, drafts] = await Promise.all([
    readUserRows(context.db, userId),
    // One page contains them all: `DRAFT_LIMITS`.
    readScopeVersions(context.db, draftScope(userId), PAGE, null),
  ]);
  return pieces(context, userId, open, { ...rows, drafts: drafts.map(({ folded: _, ...draft }) => draft) });
}

async function* pieces(
  context: Context,
  userId: string,
  open: OpenConversation,
  { files = [], ...rows }: Record<string, unknown[]>,
): AsyncGenerator<string> {
  const head = { user_id: userId, exported_at: new Date(context.now()).toISOString(), ...rows };
  yield `${JSON.stringify(head).slice(0, -1)},"skills":[`;
  let separator = "";
  for (let after: LastVersion | null = null; ; ) {
    const page: Awaited<ReturnType<typeof readScopeVersions>> = await readScopeVersions(
      context.db,
      userScope(userId),
      PAGE,
      after,
    );
    for (const { folded: _, ...version } of page) {
      yield separator + JSON.stringify(version);
      separator = ",";
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) break;
    after = last;
  }
  yield '],"conversations":[';
  separator = "";
  let before: { createdAt: number; id: string } | null = null;
  for (;;) {
    const page: Awaited<ReturnType<typeof listConversationRows>> = await listConversationRows(
      context.db,
      userId,
      PAGE,
      before,
    );
    for (const { id } of page) {
      yield separator;
      yield* conversationPieces(open(id));
      separator = ",";
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) break;
    before = last;
  }
  yield '],"files":[';
  yield* filePieces(context, files);
  // A failure after the status was sent truncates the document, so only a document with this field is complete.
  yield '],"complete":true}';
}

/** Yields script files with their bytes, one in memory at a time. Files whose object is gone have none. */
async function* filePieces(context: Context, files: readonly unknown[]): AsyncGenerator<string> {
  let separator = "";
  for (const { object, ...file } of z.array(exportedFile).parse(files)) {
    const bytes = await readRunFile(context.packages, context.timings, object);
    yield `${separator}${JSON.stringify({ ...file, gone: bytes === null }).slice(0, -1)},"base64":"`;
    separator = ",";
    for (let at = 0; bytes !== null && at < bytes.length; at += BASE64_PIECE)
      yield encodeBase64(bytes.subarray(at, at + BASE64_PIECE));
    yield '"}';
  }
}

const exportedFile = z.lazy(() => z.looseObject({ object: z.string() }));

/** Bytes written at once: a multiple of three, so that the base64 parts can be concatenated. */
const BASE64_PIECE = 48 * 1_024;

async function* conversationPieces({ api, target }: ReturnType<OpenConversation>): AsyncGenerator<string> {
  const reply = await api.record(target);
  if (!reply.ok && reply.error.code === "not_found") {
    // Listed, but deleted meanwhile.
    yield JSON.stringify({ id: target.id, gone: true });
    return;
  }
  yield `${JSON.stringify(unwrap(reply)).slice(0, -1)},"events":[`;
  let separator = "";
  for (let after = 0; ; ) {
    const { events, next_cursor } = unwrap(await api.events(target, after, PAGE));
    for (const event of events) {
      yield separator + JSON.stringify(event);
      separator = ",";
    }
    if (next_cursor === null) break;
    after = next_cursor;
  }
  yield "]";
  yield* feedbackPieces(api, target);
  yield* answerPieces(api, target);
  yield "}";
}

/** Yields the feedback on turns, if any. */
async function* feedbackPieces(api: ConversationApi, target: Target): AsyncGenerator<string> {
  let begun = false;
  for (let after: number | null = 0; after !== null; ) {
    const page: FeedbackListReply = unwrap(await api.feedback(target, after, PAGE));
    for (const item of page.items) {
      yield (begun ? "," : ',"feedback":[') + JSON.stringify(item);
      begun = true;
    }
    after = page.next_cursor;
  }
  if (begun) yield "]";
}

/** Yields what the chat endpoint stores, if anything. */
async function* answerPieces(api: ChatObject, target: Target): AsyncGenerator<string> {
  let begun = false;
  for (let after: number | null = 0; after !== null; ) {
    const page: ChatRows = chatReply(unwrap(await api.chat(target, { do: "export", after }, null)), "export").value;
    for (const row of page.rows) {
      yield (begun ? "," : ',"answers":[') + JSON.stringify(row);
      begun = true;
    }
    after = page.next;
  }
  if (begun) yield "]";
}

/** Empties a conversation, or removes a deleted one from the list. */
async function eraseConversation({ api, target }: ReturnType<OpenConversation>): Promise<void> {
  unwrap(await api.erase(target));
}

function requireAccess(context: Context, userId: string): void {
  const { principal } = context.caller;
  if (isAdmin(principal) || principal.userId === userId) return;
  throw new GatewayError("not_found", "USER_NOT_FOUND", "User not found. Check the id.");
}
