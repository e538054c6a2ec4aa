// Starts, lists and ends imports. `run.ts` runs them in their Durable Objects.

import * as z from "zod";
import { isAdmin, may, type Principal, PUBLIC_SCOPE, visibleScopes } from "../../domain/access/access";
import { ABOUT } from "../../domain/access/audit";
import { decodeCursor, pageOf } from "../../domain/cursor";
import { sha256Hex } from "../../domain/digest";
import { GatewayError, type Issue, invalid } from "../../domain/errors";
import {
  type ImportItemState,
  type ImportSource,
  identityOf,
  isRunning,
  sourceInLog,
} from "../../domain/imports/import";
import { IMPORT_LIMITS } from "../../domain/imports/limits";
import type { JsonObject } from "../../domain/json";
import { REQUEST_LIMITS } from "../../domain/limits";
import { judgeUrl } from "../../domain/servers/host-policy";
import {
  beginImport,
  cancelImport,
  deleteImport,
  findImport,
  type ImportRow,
  listImports,
  readImport,
} from "../../storage/d1/imports/imports";
import { countItems, type ImportItem, listItems } from "../../storage/d1/imports/items";
import { dropImportArchives } from "../../storage/r2/import-archives";
import { lastingCredential } from "../access/credential";
import { requireAdmin } from "../admin";
import { audited, scopeInLog } from "../audit";
import type { Context } from "../context";
import { requireRight, scopeNamed } from "../registry/skills";
import type { OpenImport } from "./api";

export interface ImportRequest {
  source: ImportSource;
  /** `default`, `public` or a group's name. */
  namespace: string;
  /** Absent: unchanged; a new import is not a mirror. */
  mirror?: boolean | undefined;
}

/** The state of an import, with a page of the results of its skills. */
export interface ImportReport {
  row: ImportRow;
  counts: Awaited<ReturnType<typeof countItems>>;
  items: ImportItem[];
  nextCursor: string | null;
}

/** Reading an import that is overdue by this time wakes it. */
const QUIET_MS = 15_000;

/**
 * Starts a run: of a new import, or of the scope's existing import of this source.
 *
 * @param origins the gateway's own origins
 */
export async function startImport(
  context: Context,
  request: ImportRequest,
  origins: readonly string[],
  open: OpenImport,
): Promise<ImportRow> {
  const { principal } = context.caller;
  const credential = await requireLasting(context);
  const scope = importScope(principal, request.namespace);
  const source = checkedSource(request.source, origins);
  if (request.mirror === true) requireAdmin(principal, "Only admins can mirror a source. Remove `mirror`.");
  const identity = await sha256Hex(identityOf(source));
  const known = await findImport(context.db, scope, identity);
  if (known?.isMirror === true) requireAdmin(principal, "This source is mirrored. Only an admin can change it.");
  const id = known?.id ?? context.newId("imp");
  const isMirror = request.mirror ?? known?.isMirror ?? false;
  const after = { ...sourceInLog(source), scope: scopeInLog(scope), mirror: isMirror };
  const row = await beginImport(
    audited(context, "import.run", id, { after, when: "is" }),
    {
      ...{ id, scope, source, identity, userId: principal.userId, isMirror, startedAt: context.now() },
      credential,
    },
    IMPORT_LIMITS.imports,
  );
  if (row === null) {
    const message = `Import limit of the namespace reached (${IMPORT_LIMITS.imports}). Delete an import first; its skills are kept.`;
    throw new GatewayError("conflict", "TOO_MANY_IMPORTS", message, { limit: IMPORT_LIMITS.imports });
  }
  await open(row.id).wake(row.id);
  return row;
}

/** Returns the imports into scopes where the caller can import, newest first within a scope. */
export async function readImports(context: Context): Promise<ImportRow[]> {
  const { principal } = context.caller;
  const scopes = visibleScopes(principal).filter((scope) => may(principal, "define", scope));
  return listImports(context.db, scopes);
}

/** Returns the state of an import, and wakes it if it is overdue. */
export async function readReport(
  context: Context,
  id: string,
  page: { state?: ImportItemState | "removed" | undefined; limit?: number | undefined; cursor?: string | undefined },
  open: OpenImport,
): Promise<ImportReport> {
  const row = await importFor(context, id);
  const { limit = REQUEST_LIMITS.listLimit, state = null } = page;
  const after = decodeCursor(page.cursor, itemCursor)?.name ?? "";
  const [counts, found] = await Promise.all([
    countItems(context.db, row),
    listItems(context.db, row, state, limit + 1, after),
  ]);
  const isLate = (row.nextAt ?? Number.POSITIVE_INFINITY) + QUIET_MS < context.now();
  if (isRunning(row.state) && isLate && row.updatedAt + QUIET_MS < context.now()) await open(id).wake(id);
  const { page: items, nextCursor } = pageOf(found, limit, ({ name }) => ({ name }));
  return { row, counts, items, nextCursor };
}

const itemCursor = z.lazy(() => z.object({ name: z.string() }));

/** Ends a run and mirroring. Imported skills and the report stay. */
export async function endImport(context: Context, id: string, open: OpenImport): Promise<ImportRow> {
  const row = await importFor(context, id);
  const { said, about } = inLog(context, row);
  const recorded = audited(context, "import.cancel", id, { after: said, ...about, when: "is" });
  if (!(await cancelImport(recorded, id))) {
    throw new GatewayError(
      "conflict",
      "IMPORT_OVER",
      "The import is neither running nor a mirror. Nothing was cancelled.",
    );
  }
  await open(id).end();
  await dropImportArchives(context.packages, context.timings, id);
  return importFor(context, id);
}

/** Deletes an import, running or not. Its skills stay and become ordinary skills of the scope. */
export async function removeImport(context: Context, id: string, open: OpenImport): Promise<void> {
  const row = await importFor(context, id);
  const { said, about } = inLog(context, row);
  const change = { before: said, ...about, when: "was" } as const;
  if (!(await deleteImport(audited(context, "import.delete", id, change), id))) throw importNotFound();
  await open(id).end();
  await dropImportArchives(context.packages, context.timings, id);
}

/** Returns what the audit log records of an ended import, and about which user, so that an erasure of that user finds the entry. */
function inLog({ caller }: Context, { source, userId }: ImportRow): { said: JsonObject; about: { about?: string } } {
  const said = sourceInLog(source);
  return userId === caller.principal.userId
    ? { said, about: {} }
    : { said: { ...said, user_id: ABOUT }, about: { about: userId } };
}

/** Returns an import into a scope where the caller can import, or any import for an admin. Other imports are not found. */
async function importFor(context: Context, id: string): Promise<ImportRow> {
  const { principal } = context.caller;
  const row = await readImport(context.db, id);
  if (row === null || !(isAdmin(principal) || may(principal, "define", row.scope))) throw importNotFound();
  return row;
}

/** Returns the scope to import into: own, a group as its Maintainer, or public as an admin. */
function importScope(principal: Principal, namespace: string): string {
  const scope = namespace === PUBLIC_SCOPE ? PUBLIC_SCOPE : scopeNamed(principal, namespace);
  requireRight(principal, "define", scope);
  return scope;
}

/** The import continues after the request, and a mirror runs every day, so it needs a lasting credential. */
async function requireLasting({ settings, caller }: Context): Promise<string> {
  const credential = await lastingCredential(settings, caller.principal);
  if (credential !== null) return credential;
  const message = "Imports cannot be started with a sign-in token, because they outlive it. Use an API key.";
  throw new GatewayError("forbidden", "IMPORT_NEEDS_KEY", message);
}

function checkedSource(source: ImportSource, origins: readonly string[]): ImportSource {
  const issues: Issue[] = [];
  const because = (message: string) => issues.push({ code: "SOURCE_REFUSED", message, path: "source.url" });
  const verdict = judgeUrl(source.url, __DEVELOPMENT__);
  const url = verdict.url ?? null;
  if (url === null) because(`The source address is not allowed: ${verdict.problem}.`);
  else if (origins.includes(url.origin)) because("The source is this gateway. Share the skill with a group instead.");
  else if (source.type === "archive" && url.hostname === "github.com")
    because("The address redirects. Use https://codeload.github.com/<owner>/<repository>/tar.gz/<branch>.");
  if (url === null || issues.length > 0) throw invalid(issues);
  url.hash = "";
  const path = source.path
    ?.split("/")
    .filter((part) => part !== "")
    .join("/");
  return { ...source, url: url.href, ...(path === undefined ? {} : { path }) };
}

function importNotFound(): GatewayError {
  return new GatewayError("not_found", "IMPORT_NOT_FOUND", "Import not found. Check the id.");
}
