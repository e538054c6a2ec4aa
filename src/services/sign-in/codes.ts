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

/**
 * A code for what was approved on a page. It counts once `insertCode` has stored its row, for `DURATIONS.code`. It is made of the secret
 * of the browser's cookie, so that whoever presses the button twice there gets the same one, though only its digest is stored.
 */
export function draftPageCode(pageId: string, secret: string, approved: Approved): Promise<DraftedCode> {
  return pageCode(pageId, secret).then((code) => drafted(code, approved));
}

export async function pageCode(pageId: string, secret: string): Promise<string> {
  const made = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`sign-in code ${pageId} ${secret}`));
  return writeBearer("sgc", pageId.slice(pageId.indexOf("_") + 1), new Uint8Array(made));
}

async function drafted(code: string, { endsAt, ...told }: Approved): Promise<DraftedCode> {
  return { code, row: { ...told, hash: await sha256Hex(code), grantUntil: endsAt } };
}

/** Makes a code for what was approved, and stores it. */
export async function issueCode(context: SignInContext, approved: Approved): Promise<string> {
  const random = crypto.getRandomValues(new Uint8Array(32));
  const { code, row } = await drafted(writeBearer("sgc", context.newId("c").slice(2), random), approved);
  await context.db.batch([insertCode(context.db, row, DURATIONS.code)]);
  return code;
}
