// Calls every function that stores approved hosts and values of skills, for the query plan test.

import type { Database } from "../../src/storage/d1/database";
import * as declared from "../../src/storage/d1/registry/declared-network";
import * as env from "../../src/storage/d1/registry/skill-env";
import * as network from "../../src/storage/d1/registry/skill-network";
import { BIG_USER } from "./registry-10k";

const sealed = { keyId: "k", iv: "i", ciphertext: "c" };
const SKILL = `skl_${BIG_USER}-1`;
const scope = `user:${BIG_USER}`;
const row = {
  id: "env_1",
  scope,
  skillId: SKILL,
  name: "TOKEN",
  hosts: ["api.example.org"],
  ...sealed,
  createdBy: BIG_USER,
};
const stored = { ...row, createdAt: 0, updatedAt: 0, lastUsedAt: null };

export const SKILL_NETWORK_QUERIES: Record<string, (db: Database) => Promise<unknown>> = {
  readApprovedNetwork: (db) => network.readApprovedNetwork(db, SKILL),
  approvedNetworkByName: (db) => network.approvedNetworkByName(db, scope, "skill-00001"),
  putApprovedNetwork: async (db) => {
    await network.putApprovedNetwork(db, { id: SKILL, scope }, ["api.example.org"]);
    await network.putApprovedNetwork(db, { id: SKILL, scope }, [], await declared.readSkillNetwork(db, SKILL));
  },
  readSkillNetwork: (db) => declared.readSkillNetwork(db, SKILL),
  hostsOfVersions: (db) => declared.hostsOfVersions(db, SKILL),
  skillsNamed: (db) => declared.skillsNamed(db, [scope, "public"], "skill-1"),
  namesOfSkills: (db) => declared.namesOfSkills(db, [scope, "public"], [SKILL]),
  putSkillEnv: (db) => env.putSkillEnv(db, [row, { ...row, id: "env_2", name: "OTHER" }], 10),
  readSkillEnv: async (db) => {
    await env.readSkillEnv(db, SKILL, [scope, "gateway"]);
    await env.readSkillEnv(db, SKILL, [scope, "gateway"], ["TOKEN"]);
  },
  listSkillEnv: async (db) => {
    await env.listSkillEnv(db, scope, 100, null);
    await env.listSkillEnv(db, scope, 100, { skillId: SKILL, name: "TOKEN" });
  },
  deleteSkillEnv: (db) => env.deleteSkillEnv(db, scope, SKILL, "TOKEN"),
  touchSkillEnv: (db) => env.touchSkillEnv(db, ["env_1"], 0),
  skillEnvUnderOtherKeys: (db) => env.skillEnvUnderOtherKeys(db, "k", 10),
  reencryptSkillEnv: (db) => env.reencryptSkillEnv(db, stored, sealed),
};
