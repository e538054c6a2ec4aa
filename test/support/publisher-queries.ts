// Calls every function that stores trusted publishers and provenance, for the query plan test.

import type { Provenance } from "../../src/domain/access/provenance";
import type { Database } from "../../src/storage/d1/database";
import * as publishers from "../../src/storage/d1/publishers";
import { keepProvenance } from "../../src/storage/d1/registry/provenance";
import { BIG_USER } from "./registry-10k";

const SCOPE = `user:${BIG_USER}`;
const VERSION = `ver_${BIG_USER}-1`;
const provenance: Provenance = { publisher: "releases", issuer: "https://ci.acme.dev", subject: "s" };
const publisher: publishers.NewPublisher = {
  ...{ id: "pub_1", scope: SCOPE, name: "releases", issuer: "https://ci.acme.dev", audience: "https://gateway.test" },
  ...{
    claims: { repository: "acme/skills" },
    skills: ["poem"],
    keyMinutes: 15,
    revision: "rev_1",
    createdBy: BIG_USER,
  },
};

export const PUBLISHER_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  putPublisher: (db) => publishers.putPublisher(db, publisher, 50),
  readPublisher: (db) => publishers.readPublisher(db, SCOPE, "releases"),
  listPublishers: (db) => publishers.listPublishers(db, SCOPE, 100, "a"),
  findPublishers: async (db) => [
    await publishers.findPublishers(db, "pub_1", "https://ci.acme.dev", 50),
    await publishers.findPublishers(db, null, "https://ci.acme.dev", 50),
  ],
  insertPublishingKey: (db) =>
    publishers.insertPublishingKey(db, {
      ...{ id: crypto.randomUUID(), hash: "h", publisherId: "pub_1", revision: "rev_1", token: crypto.randomUUID() },
      ...{ provenance, createdAt: 1, expiresAt: 2, keptUntil: 3 },
    }),
  noteRefusal: (db) => publishers.noteRefusal(db, "pub_1", { at: 100, reason: "expired", since: 50 }),
  deletePublisher: (db) => publishers.deletePublisher(db, SCOPE, "releases"),
  deleteExpiredPublishingKeys: (db) => publishers.deleteExpiredPublishingKeys(db, 1),
  keepProvenance: async (db) => {
    const [insert] = keepProvenance(db, { id: VERSION, provenance });
    return insert?.onConflictDoNothing();
  },
};
