// Returns the signed statements about versions.

import type { Envelope } from "../../domain/attestation/statement";
import { GatewayError } from "../../domain/errors";
import { putAttestation, readAttestation } from "../../storage/d1/registry/attestations";
import type { PackageRow } from "../../storage/d1/versions";
import { scopeInLog } from "../audit";
import type { Context } from "../context";
import { publicKeys, signVersion } from "../secrets/signing";
import { findPackage, versionNotFound } from "./skills";

/** Returns the signed statement about a version that the caller can read. */
export async function attestationOfVersion(context: Context, id: string, versionId: string): Promise<Envelope> {
  const found = await findPackage(context, id, versionId);
  if (found.scope.startsWith("draft:")) throw versionNotFound();
  return attestationOf(context, id, found, context.now());
}

/**
 * Returns the signed statement about a version. One that was published before the gateway could sign, or whose key is no longer known, for
 * example after a restore into another gateway, is signed now. Its statement says so.
 */
export async function attestationOf(
  { db, settings }: Pick<Context, "db" | "settings">,
  skillId: string,
  { name, scope, versionId, label, zipSha256, source, provenance, review, publishedAt }: PackageRow,
  now: number,
): Promise<Envelope> {
  const stored = await readAttestation(db, versionId);
  const signer = stored?.signatures[0].keyid ?? null;
  const keys = await publicKeys(settings);
  if (stored !== null && (keys.length === 0 || keys.some(({ kid }) => kid === signer))) return stored;
  const made = await signVersion(settings, {
    ...{ skillId, name, scope: scopeInLog(scope), versionId, label, zipSha256, source, provenance },
    ...{ review, publishedAt, signedLaterAt: now },
  });
  if (made === null)
    throw new GatewayError(
      "not_found",
      "VERSION_NOT_SIGNED",
      "The version is not signed, because the gateway has no key. The operator must set SECRETS_KEY.",
    );
  return putAttestation(db, versionId, made, signer);
}
