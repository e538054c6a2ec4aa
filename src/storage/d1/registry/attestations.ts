// Stores the signed statements about versions.

import { asc, eq, inArray, sql } from "drizzle-orm";
import { type Envelope, envelopeSchema } from "../../../domain/attestation/statement";
import type { Database } from "../database";
import { versionAttestations } from "../schema/registry";

/** Statements for the batch of a publish; empty if the version is not signed. */
export function keepAttestation(db: Database, { id, attestation }: { id: string; attestation: Envelope | null }) {
  return attestation === null ? [] : [db.insert(versionAttestations).values(rowOf(id, attestation))];
}

/** Statement that reads the envelope of a version. */
export function selectAttestation(db: Database, versionId: string) {
  return db
    .select({ envelope: versionAttestations.envelope })
    .from(versionAttestations)
    .where(eq(versionAttestations.versionId, versionId));
}

/** Returns the stored envelope of a version, or `null`. */
export async function readAttestation(db: Database, versionId: string): Promise<Envelope | null> {
  const [row] = await selectAttestation(db, versionId);
  return row === undefined ? null : envelopeSchema.parse(row.envelope);
}

/**
 * Stores the envelope of a version that has none, or that has one under the key `replaced`. Returns the stored one: another request may have
 * been faster.
 */
export async function putAttestation(
  db: Database,
  versionId: string,
  envelope: Envelope,
  replaced: string | null,
): Promise<Envelope> {
  const row = rowOf(versionId, envelope);
  const [, rows] = await db.batch([
    db
      .insert(versionAttestations)
      .values(row)
      .onConflictDoUpdate({
        target: versionAttestations.versionId,
        set: row,
        setWhere: eq(versionAttestations.keyId, replaced ?? ""),
      }),
    selectAttestation(db, versionId),
  ]);
  return envelopeSchema.parse(rows[0]?.envelope ?? envelope);
}

/** Returns some envelopes that one of the keys has signed, and how many there are. */
export async function attestationsUnderKeys(db: Database, keyIds: string[], limit: number) {
  const those = inArray(versionAttestations.keyId, keyIds);
  const [rows, [counted]] = await db.batch([
    db.select().from(versionAttestations).where(those).orderBy(asc(versionAttestations.versionId)).limit(limit),
    db.select({ count: sql<number>`count(*)` }).from(versionAttestations).where(those),
  ]);
  return { rows, count: counted?.count ?? 0 };
}

const rowOf = (versionId: string, envelope: Envelope) => ({
  versionId,
  keyId: envelope.signatures[0].keyid,
  envelope,
});
