// Codes: what a host takes away from a consent, and exchanges for its grant.

import { sha256Hex } from "../../domain/digest";
import { DURATIONS } from "../../domain/durations";
import type { Approved } from "../../domain/sign-in/grant";
import { writeBearer } from "../../domain/sign-in/tokens";
import { insertCode, type NewCode } from "../../storage/d1/sign-in/codes";
import type { SignInContext } from "./context";

/** A code, which nobody can read again, and the row that knows it. */
export interface DraftedCode {
  code: string;
  row: NewCode;
}

/** A code for what was approved. It counts once `insertCode` has stored its row, for `DURATIONS.code`. */
export async function draftCode(context: Pick<SignInContext, "newId">, approved: Approved): Promise<DraftedCode> {
  const { endsAt, ...told } = approved;
  const code = writeBearer("sgc", context.newId("c").slice(2), crypto.getRandomValues(new Uint8Array(32)));
  return { code, row: { ...told, hash: await sha256Hex(code), grantUntil: endsAt } };
}

/** Makes a code for what was approved, and stores it. */
export async function issueCode(context: SignInContext, approved: Approved): Promise<string> {
  const { code, row } = await draftCode(context, approved);
  await context.db.batch([insertCode(context.db, row, DURATIONS.code)]);
  return code;
}
