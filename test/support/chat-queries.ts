// Calls every function that reads or writes the chat endpoint's tables, for the query plan test.

import { NO_USAGE } from "../../src/domain/conversation/usage";
import * as models from "../../src/storage/d1/chat/models";
import type { Database } from "../../src/storage/d1/database";
import { BIG_USER } from "./registry-10k";

const OWNER = `user:${BIG_USER}`;
const CALLED = {
  day: 0,
  scope: "gateway",
  name: "one",
  calls: 1,
  failures: 0,
  tokens: 9,
  billedAs: "h/m",
  usage: NO_USAGE,
};

export const CHAT_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  putModel: (db) => models.putModel(db, { scope: OWNER, name: "one", entry: {}, createdBy: "u" }, 9),
  readModel: (db) => models.readModel(db, OWNER, "one"),
  listModels: (db) => models.listModels(db, OWNER, 100, "a"),
  deleteModel: (db) => models.deleteModel(db, OWNER, "nothing"),
  findModels: (db) =>
    models.findModels(db, [OWNER, "gateway"], "one", { subject: "u", kind: "chat", windowStart: 0 }, ["d", "e"]),
  settleChat: (db) =>
    models.settleChat(
      db,
      { subject: "u", kind: "c", windowStart: 0 },
      9,
      { digests: ["d"], conversation: "c" },
      CALLED,
    ),
  ghostsWithModel: (db) => models.ghostsWithModel(db, [OWNER, "public"], 10),
  deleteOldChatTails: (db) => models.deleteOldChatTails(db, 1),
  modelsOf: (db) => models.modelsOf(db, [OWNER, "gateway"]),
};
