// The registry: skills, their versions, and ghosts.

import type { OperationTexts } from "./operation";

const S = "/api/v1/kinds/skills";
const G = "/api/v1/kinds/ghosts";
const LEGACY = "The predecessor system's path.";

const pack = { file: "mermaid-diagram.zip" };
const spec = { systemPrompt: "You find things out.", skills: ["mermaid-diagram"], retentionTurns: 3 };

export const SKILL_TEXTS: OperationTexts = {
  [`GET ${S}`]: {
    id: "skills.list",
    about:
      "The caller's own skills, or with `namespace` a group's. With `name` the one skill that this name means to the caller; with `q` what a search finds, the best first.",
    query: { limit: 10, count: true },
  },
  [`GET ${S}/unified`]: {
    id: "skills.unified",
    about:
      "Every skill that the caller may use, each name once: own over groups' over public. A bare array; `Link` says where it goes on.",
    query: { scope: "all", limit: 10 },
  },
  [`GET ${S}/public/list`]: {
    id: "skills.listPublic",
    about: "All public skills. A bare array; `Link` says where it goes on.",
    query: { limit: 10 },
  },
  [`POST ${S}/invoke`]: {
    id: "skills.invoke",
    about: "The instructions of a skill by its name, without a conversation.",
    retry: "safe",
    body: { skill_name: "mermaid-diagram" },
  },
  [`POST ${S}/upload`]: {
    id: "skills.publish",
    about:
      "Publishes a skill, or another version of one that is there, to the caller's own namespace or a group's. A version with the same content is there already: 200, and nothing changes. An invalid package is 422 with all that is wrong.",
    retry: "idempotent",
    keyed: true,
    body: { ...pack, namespace: "default" },
  },
  [`POST ${S}/public`]: {
    id: "skills.publishPublic",
    about: "Publishes a public skill, or another version of one. Only code of public skills runs.",
    retry: "idempotent",
    keyed: true,
    body: pack,
  },
  [`POST ${S}/public/upload`]: {
    id: "skills.publishPublicForm",
    about: `Publishes a public skill, as \`skills.publishPublic\` does. ${LEGACY}`,
    retry: "idempotent",
    keyed: true,
    body: { ...pack, marketplace_tags: "[]" },
  },
  [`PUT ${S}/{id}`]: {
    id: "skills.publishVersion",
    about:
      "Publishes another version of a skill, which is current from then on. The package must have the skill's name.",
    keyed: true,
    body: pack,
  },
  [`PUT ${S}/public/{id}/upload`]: {
    id: "skills.publishPublicVersion",
    about: `Publishes another version of a public skill. ${LEGACY}`,
    keyed: true,
    body: pack,
  },
  [`POST ${S}/{id}/share`]: {
    id: "skills.share",
    about: "Publishes the current version of a skill into a group, where it is the group's from then on.",
    retry: "idempotent",
    keyed: true,
    body: { group_name: "team" },
  },
  [`POST ${S}/validate`]: {
    id: "skills.validate",
    about:
      "What publishing this package would say, all problems at once, with its tokens, its files and which of its scripts run. Nothing is stored.",
    retry: "safe",
    body: pack,
  },
  [`GET ${S}/drafts`]: {
    id: "drafts.list",
    about: "The caller's own drafts by name, then those of others that name the caller, the newest first.",
  },
  [`PUT ${S}/drafts/{name}`]: {
    id: "drafts.push",
    about:
      "Pushes a package as the caller's draft of this name, in the place of the one before. Nobody finds it: it is chosen as `draft:<name>` by its author and by `users`, until it is promoted or its time is over.",
    body: { ...pack, users: "alice,bob" },
  },
  [`DELETE ${S}/drafts/{name}`]: { id: "drafts.delete", about: "Deletes one's draft." },
  [`POST ${S}/drafts/{name}/promote`]: {
    id: "drafts.promote",
    about: "Publishes the bytes of one's draft where it is meant to go, judged like every upload.",
    retry: "idempotent",
    keyed: true,
  },
  [`GET ${S}/{id}`]: { id: "skills.get", about: "A skill at its current version." },
  [`DELETE ${S}/{id}`]: {
    id: "skills.delete",
    about:
      "Deletes a skill with all its versions. While ghosts name it that is 409 `SKILL_REFERENCED`; an admin may `force` it.",
  },
  [`DELETE ${S}/public/{id}`]: { id: "skills.deletePublic", about: `Deletes a public skill. ${LEGACY}` },
  [`GET ${S}/{id}/download`]: {
    id: "skills.download",
    about: "The package of a version as a ZIP: file for file what was uploaded. `Range` asks for a part.",
  },
  [`GET ${S}/public/{id}/download`]: {
    id: "skills.downloadPublic",
    about: `The package of a public skill as a ZIP. ${LEGACY}`,
  },
  [`GET ${S}/public/{id}/content`]: { id: "skills.content", about: `SKILL.md of a public skill as text. ${LEGACY}` },
  [`GET ${S}/{id}/files`]: {
    id: "skills.files",
    about: "The files of the current version: path, size and digest. A bare array.",
  },
  [`GET ${S}/{id}/files/{path}`]: {
    id: "skills.file",
    about: "One file of the current version. `path` may have slashes.",
  },
  [`GET ${S}/{id}/usage`]: {
    id: "skills.usage",
    about: "How often a skill was loaded and its tools called, by day and by version, without users.",
    query: { days: 7 },
  },
  [`GET ${S}/{id}/references`]: {
    id: "skills.references",
    about: "The ghosts that name a skill: those that the caller may read, and how many others there are.",
  },
  [`POST ${S}/{id}/remove-references`]: {
    id: "skills.removeReferences",
    about: "Takes a skill out of all ghosts that the caller may write.",
    retry: "idempotent",
  },
  [`POST ${S}/{id}/remove-reference/{ghost_id}`]: {
    id: "skills.removeReference",
    about: "Takes a skill out of one ghost.",
  },
  [`GET ${S}/{id}/versions`]: { id: "versions.list", about: "The versions of a skill, newest first." },
  [`GET ${S}/{id}/versions/{version_id}/files`]: {
    id: "versions.files",
    about:
      "The files of a version, yanked ones included: path, size and digest. A bare array. Its exact label may stand for its id.",
  },
  [`GET ${S}/{id}/versions/{version_id}/files/{path}`]: {
    id: "versions.file",
    about: "One file of a version. `path` may have slashes; the version's exact label may stand for its id.",
  },
  [`GET ${S}/{id}/versions/{version_id}/permissions`]: {
    id: "versions.permissions",
    about:
      "What a version may do once it is loaded: its tools, scripts, servers, hosts, secrets and dependencies. `base` names another version, and `changes` says what this one may do that the other may not, and the other way round.",
    query: { base: "1.0.0" },
  },
  [`POST ${S}/{id}/versions/{version_id}/activate`]: {
    id: "versions.activate",
    about: "Makes a version the current one: this is how one rolls back. Conversations move to it at their next turn.",
    retry: "idempotent",
  },
  [`POST ${S}/{id}/versions/{version_id}/yank`]: {
    id: "versions.yank",
    about: "Takes a version out of use: no name and no range means it any more, and conversations lose it.",
    retry: "idempotent",
  },
  [`POST ${S}/{id}/versions/{version_id}/unyank`]: {
    id: "versions.unyank",
    about: "Takes a yank back.",
    retry: "idempotent",
  },
  [`PUT ${S}/{id}/versions/{version_id}/verdict`]: {
    id: "versions.verdict",
    about:
      "Blocks a version, of whomever it is: the doors for other clients do not hand it out, and say so where their protocol can. Conversations go on with it; yanking ends it there. `blocked: false` takes it back.",
    body: { blocked: true, reason: "It sends files away." },
  },

  [`POST ${G}`]: {
    id: "ghosts.create",
    about:
      "Makes a ghost (an agent definition: system prompt, skills, MCP servers), one's own, a group's or a public one.",
    body: { metadata: { name: "researcher" }, spec },
  },
  [`POST ${G}/preview`]: {
    id: "ghosts.preview",
    about:
      "What a ghost would be if it were saved: its prompt, its tokens, its skills at their versions and what they bring, where its servers lead, which names meet, and what saving would refuse. Nothing is stored, no conversation is made, no secret is read.",
    retry: "safe",
    body: { spec: { ...spec, preload_skills: ["mermaid-diagram"] } },
  },
  [`GET ${G}`]: {
    id: "ghosts.list",
    about: "The ghosts that the caller may use, by namespace and name: own, groups' and public ones.",
    query: { limit: 10 },
  },
  [`PUT ${G}/by-name/{namespace}/{name}`]: {
    id: "ghosts.setByName",
    about: "Makes the ghost of this name, or replaces it: for definitions that are kept in files.",
    body: { spec },
  },
  [`GET ${G}/{id}`]: { id: "ghosts.get", about: "One ghost." },
  [`PUT ${G}/{id}`]: {
    id: "ghosts.replace",
    about:
      "Replaces a ghost, its name included. What was read can be sent back as it is. With `If-Match` it is 412 `GHOST_CHANGED` where the ghost was saved since.",
    body: { metadata: { name: "researcher" }, spec },
  },
  [`DELETE ${G}/{id}`]: {
    id: "ghosts.delete",
    about: "Deletes a ghost. Conversations with it go on without a ghost, and are warned.",
  },
};
