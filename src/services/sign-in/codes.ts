// Authorization codes: issued after consent and exchanged for a grant.

import { sha256Hex } from "../../domain/digest";
import { DURATIONS } from "../../domain/durations";
import type { Approved } from "../../domain/sign-in/grant";
import { writeBearer } from "../../domain/sign-in/tokens";
import { insertCode, type NewCode } from "../../storage/d1/sign-in/codes";
import type { SignInContext } from "./context";

/** A code, which is returned only here, and its row. */
export interface DraftedCode {
  code: string;
  row: NewCode;
}

/**
 * Creates the code for an approved page. Valid for `DURATIONS.code` once `insertCode` has stored its row. It is derived from the secret of
 * the browser's cookie, so that pressing the button twice gives the same code although only its digest is stored.
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

/** Creates and stores a code for an approval. */
export async function issueCode(context: SignInContext, approved: Approved): Promise<string> {
  const random = crypto.getRandomValues(new Uint8Array(32));
  const { code, row } = await drafted(writeBearer("sgc", context.newId("c").slice(2), random), approved);
  await context.db.batch([insertCode(context.db, row, DURATIONS.code)]);
  return code;
}
