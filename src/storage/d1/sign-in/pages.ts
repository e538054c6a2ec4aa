// Stores sign-ins in progress in D1. The deciding statement checks all conditions, with the database's clock, so one of two concurrent
// answers wins.

import { and, eq, gt, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { SignedIn } from "../../../domain/sign-in/grant";
import { SIGN_IN_TIMES } from "../../../domain/sign-in/limits";
import type { Database } from "../database";
import { now as databaseNow } from "../schema/registry";
import { grantCodes } from "../schema/sign-in";
import { signIns } from "../schema/sign-in-pages";
import { recordApproval } from "./clients";
import { insertCode, type NewCode } from "./codes";

export type PageRow = typeof signIns.$inferSelect;
export type NewPage = Pick<
  PageRow,
  "id" | "browser" | "clientId" | "clientName" | "clientHost" | "redirectUri" | "state" | "challenge" | "resource"
>;

/** A sign-in by id, bound to the browser that started it. */
export interface PageOf {
  id: string;
  browser: string;
}

/** Statement that starts a sign-in. */
export function insertPage(db: Database, page: NewPage) {
  return db
    .insert(signIns)
    .values({ ...page, stage: "open", expiresAt: sql<number>`${databaseNow} + ${SIGN_IN_TIMES.page}` });
}

/** Statement that starts a sign-in to the console at the issuer, bound to the browser with this digest. */
export function insertConsolePage(db: Database, { id, browser }: PageOf, returnTo: string) {
  return db.insert(signIns).values({
    ...{ id, browser, purpose: "console", stage: "open", redirectUri: returnTo },
    // No OAuth client takes part.
    ...{ clientId: "console", clientName: "console", challenge: "", resource: "" },
    expiresAt: sql<number>`${databaseNow} + ${SIGN_IN_TIMES.page}`,
  });
}

/** Consumes a sign-in to the console and returns the path to return to; `null` if this browser has none. */
export async function consumeConsolePage(db: Database, { id, browser }: PageOf): Promise<string | null> {
  const [row] = await db
    .update(signIns)
    .set({ stage: "approved" })
    .where(
      and(
        ...[eq(signIns.id, id), eq(signIns.browser, browser), eq(signIns.purpose, "console")],
        ...[eq(signIns.stage, "open"), gt(signIns.expiresAt, databaseNow)],
      ),
    )
    .returning({ returnTo: signIns.redirectUri });
  return row?.returnTo ?? null;
}

/** Returns a sign-in in progress; `null` also for another browser's. */
export async function readPage(db: Database, page: PageOf): Promise<PageRow | null> {
  const [row] = await db
    .select()
    .from(signIns)
    .where(at(page, ["open", "shown"]));
  return row ?? null;
}

/** Counts one more attempt with a key. Returns `false` if there were already `most`. */
export async function countAttempt(db: Database, page: PageOf, most: number): Promise<boolean> {
  const rows = await db
    .update(signIns)
    .set({ tries: sql`${signIns.tries} + 1` })
    .where(and(at(page, ["open"]), lt(signIns.tries, most)))
    .returning({ id: signIns.id });
  return rows.length > 0;
}

/** Records the signed-in user, who can then consent. Returns `false` if the page is no longer open. */
export async function setSignedInUser(db: Database, page: PageOf, signedIn: SignedIn): Promise<boolean> {
  const rows = await db
    .update(signIns)
    .set({ stage: "shown", userId: signedIn.userId, signedIn })
    .where(at(page, ["open"]))
    .returning({ id: signIns.id });
  return rows.length > 0;
}

/** Clears the signed-in user, so that another user can sign in. */
export async function clearSignedInUser(db: Database, page: PageOf): Promise<void> {
  await db
    .update(signIns)
    .set({ stage: "open", userId: null, signedIn: null })
    .where(at(page, ["shown"]));
}

/** Denies a sign-in. Returns `null` if it had ended. */
export async function denyPage(db: Database, page: PageOf): Promise<PageRow | null> {
  const [row] = await db
    .update(signIns)
    .set({ stage: "denied" })
    .where(at(page, ["open", "shown"]))
    .returning();
  return row ?? null;
}

/**
 * Approves a sign-in, stores its code for `life` milliseconds and records the approval of the client, all or nothing. Returns `false` if it
 * had ended or another user has signed in meanwhile. One of two concurrent approvals wins.
 */
export async function approvePage(db: Database, page: PageOf, code: NewCode, life: number): Promise<boolean> {
  const shown = and(at(page, ["shown"]), eq(signIns.userId, code.userId));
  const [stored] = await db.batch([
    insertCode(db, code, life, sql`EXISTS (SELECT 1 FROM ${signIns} WHERE ${shown})`),
    db.update(signIns).set({ stage: "approved" }).where(shown),
    recordApproval(db, code.clientId),
  ]);
  return stored.length > 0;
}

/** Returns an approved sign-in of this browser whose code can still be exchanged. */
export async function readApproved(db: Database, page: PageOf, hash: string): Promise<PageRow | null> {
  const waits = sql`EXISTS (SELECT 1 FROM ${grantCodes} WHERE ${grantCodes.hash} = ${hash} AND ${grantCodes.claimedBy} IS NULL
    AND ${grantCodes.expiresAt} > ${databaseNow})`;
  const [row] = await db
    .select()
    .from(signIns)
    .where(and(at(page, ["approved"]), waits));
  return row ?? null;
}

/** Deletes expired sign-ins. */
export async function deleteExpiredPages(db: Database, before: number): Promise<void> {
  await db.delete(signIns).where(lt(signIns.expiresAt, before));
}

function at({ id, browser }: PageOf, stages: PageRow["stage"][]): SQL | undefined {
  return and(
    eq(signIns.id, id),
    eq(signIns.browser, browser),
    eq(signIns.purpose, "consent"),
    inArray(signIns.stage, stages),
    gt(signIns.expiresAt, databaseNow),
  );
}
