// Calls every function that stores signed statements about versions, for the query plan test.

import type { Envelope } from "../../src/domain/attestation/statement";
import type { Database } from "../../src/storage/d1/database";
import * as attestations from "../../src/storage/d1/registry/attestations";
import { version } from "./big-rows";
import { BIG_USER } from "./registry-10k";

const VERSION = `ver_${BIG_USER}-1`;
const envelope: Envelope = {
  payloadType: "application/vnd.in-toto+json",
  payload: "e30=",
  signatures: [{ keyid: "k", sig: "c2ln" }],
};

export const ATTESTATION_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  selectAttestation: async (db) => attestations.selectAttestation(db, VERSION),
  readAttestation: (db) => attestations.readAttestation(db, VERSION),
  putAttestation: (db) => attestations.putAttestation(db, VERSION, envelope, "k"),
  attestationsUnderKeys: (db) => attestations.attestationsUnderKeys(db, ["k", "l"], 10),
  keepAttestation: async (db) => {
    const [insert] = attestations.keepAttestation(db, { ...version(VERSION, "skl_1"), attestation: envelope });
    return insert?.onConflictDoNothing();
  },
};
