// Rows of the user in registry-10k.ts, in the form that the D1 modules expect.

import type { AuditEntry } from "../../src/domain/access/audit";
import type { Actor } from "../../src/storage/d1/audit";
import type { GhostContent } from "../../src/storage/d1/ghosts";
import type { NewVersion } from "../../src/storage/d1/registry/version-batch";
import type { NewSecret } from "../../src/storage/d1/secrets";
import type { Use } from "../../src/storage/d1/usage";
import { BIG_USER } from "./registry-10k";

export const ghost = (name: string): GhostContent => ({
  namespace: "default",
  name,
  folded: name,
  spec: { systemPrompt: "", skills: ["skill-00000"], preload_skills: ["skill-00000"] },
  skills: [{ position: 0, name: "skill-00000", range: "*", skill_id: "skl_0-0" }],
});

export const version = (id: string, skillId: string): NewVersion => ({
  id,
  skillId,
  label: id,
  digest: id,
  description: "New",
  displayName: null,
  author: null,
  tags: [],
  bindShells: null,
  scripts: null,
  dependencies: [],
  hasCapabilities: false,
  tokensDescription: 1,
  tokensLine: 1,
  tokensInstructions: 1,
  tokensFiles: 0,
  zipSha256: "z",
  zipSize: 1,
  uploadSha256: "u",
  attestation: null,
  source: null,
  provenance: null,
  warnings: [],
  createdBy: BIG_USER,
  startedAt: Date.now(),
  manifest: {
    description: "New",
    tags: [],
    config: {},
    tools: [],
    mcpServers: {},
    dependencies: [],
    preload: false,
    metadata: {},
    allowedTools: [],
  },
  frontmatter: {},
  files: [],
  instructions: "New.",
});

export const skill = (id: string) => ({
  id,
  scope: `user:${BIG_USER}`,
  name: id,
  folded: id,
  namespace: "default",
  userId: BIG_USER,
  versionId: `ver_${id}`,
});

export const key = (id: string) => ({
  id,
  hash: id,
  userId: BIG_USER,
  role: "user" as const,
  scopes: [],
  groups: [],
  createdBy: "admin",
});

export const answer = (key: string) => ({
  userId: BIG_USER,
  key,
  request: "r",
  status: 201,
  subject: "ver_0-0",
  since: 0,
});

export const actor: Actor = { userId: BIG_USER, keyId: "one", requestId: "r", pseudonym: "p1", otherPseudonym: "p2" };

export const entry = (when: AuditEntry["when"]): AuditEntry => ({
  action: "group.update",
  resourceType: "group",
  resourceId: "g",
  before: null,
  after: { name: "g" },
  about: "other",
  when,
});

export const secret = (name: string): NewSecret => ({
  id: `sec_${name}`,
  scope: `user:${BIG_USER}`,
  name,
  hosts: ["x.example"],
  keyId: "k1",
  iv: "iv",
  ciphertext: "c",
  createdBy: BIG_USER,
});

export const talk = (id: string) => ({ userId: BIG_USER, id, ghost: null, createdAt: Date.now(), title: null });
export const use = (kind: string): Use => ({ subject: BIG_USER, kind, windowStart: 1 });
