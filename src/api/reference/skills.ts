// The registry: skills, their versions, and ghosts.

import type { OperationTexts } from "./operation";

const S = "/api/v1/kinds/skills";
const G = "/api/v1/kinds/ghosts";
const LEGACY = "Wegent's path.";

const pack = { file: "mermaid-diagram.zip" };
const spec = { systemPrompt: "You find things out.", skills: ["mermaid-diagram"], retentionTurns: 3 };

export const SKILL_TEXTS: OperationTexts = {
  [`GET ${S}`]: {
    id: "skills.list",
    about:
      "Lists your own skills, or the skills of a group with `namespace`. With `name`, returns the one skill that the name resolves to. With `q`, searches all skills that you can use, best match first.",
    query: { limit: 10, count: true },
  },
  [`GET ${S}/unified`]: {
    id: "skills.unified",
    about:
      "Lists every skill that you can use, each name once: your own before groups' before public skills. The response is an array; the `Link` header points to the next page.",
    query: { scope: "all", limit: 10 },
  },
  [`GET ${S}/public/list`]: {
    id: "skills.listPublic",
    about: "Lists all public skills. The response is an array; the `Link` header points to the next page.",
    query: { limit: 10 },
  },
  [`POST ${S}/invoke`]: {
    id: "skills.invoke",
    about: "Returns the instructions of a skill by its name, without a conversation.",
    retry: "safe",
    body: { skill_name: "mermaid-diagram" },
  },
  [`POST ${S}/upload`]: {
    id: "skills.publish",
    about:
      "Publishes a skill, or a new version of an existing skill, to your own namespace or a group. If a version with the same content exists, the response is 200 and nothing changes. An invalid package is 422 with all problems.",
    retry: "idempotent",
    keyed: true,
    body: { ...pack, namespace: "default" },
  },
  [`POST ${S}/public`]: {
    id: "skills.publishPublic",
    about:
      "Publishes a public skill or a new version of one. By default only public skills can run code (`CODE_SCOPES`). Admins only.",
    retry: "idempotent",
    keyed: true,
    body: pack,
  },
  [`POST ${S}/public/upload`]: {
    id: "skills.publishPublicForm",
    about: `Publishes a public skill, like \`skills.publishPublic\`. ${LEGACY}`,
    retry: "idempotent",
    keyed: true,
    body: { ...pack, marketplace_tags: "[]" },
  },
  [`PUT ${S}/{id}`]: {
    id: "skills.publishVersion",
    about: "Publishes a new version of a skill and makes it current. The package must have the name of the skill.",
    keyed: true,
    body: pack,
  },
  [`PUT ${S}/public/{id}/upload`]: {
    id: "skills.publishPublicVersion",
    about: `Publishes a new version of a public skill. ${LEGACY}`,
    keyed: true,
    body: pack,
  },
  [`POST ${S}/{id}/share`]: {
    id: "skills.share",
    about:
      "Publishes the current version of a skill into a group. The copy belongs to the group. Needs the role Developer in the group.",
    retry: "idempotent",
    keyed: true,
    body: { group_name: "team" },
  },
  [`POST ${S}/validate`]: {
    id: "skills.validate",
    about:
      "Returns what publishing this package would report: all problems, tokens, files and which scripts can run. Nothing is stored.",
    retry: "safe",
    body: pack,
  },
  [`GET ${S}/drafts`]: {
    id: "drafts.list",
    about: "Lists your drafts by name, then drafts of other authors that are shared with you, newest first.",
  },
  [`PUT ${S}/drafts/{name}`]: {
    id: "drafts.push",
    about:
      "Creates or replaces your draft with this name. Drafts are private: only the author and the listed `users` can select one, as `draft:<name>`. A draft expires or is published.",
    body: { ...pack, users: "alice,bob" },
  },
  [`DELETE ${S}/drafts/{name}`]: { id: "drafts.delete", about: "Deletes a draft of yours." },
  [`POST ${S}/drafts/{name}/promote`]: {
    id: "drafts.promote",
    about: "Publishes the bytes of your draft to its target namespace, with the same checks as an upload.",
    retry: "idempotent",
    keyed: true,
  },
  [`GET ${S}/{id}`]: { id: "skills.get", about: "Returns a skill at its current version." },
  [`DELETE ${S}/{id}`]: {
    id: "skills.delete",
    about:
      "Deletes a skill with all its versions. If agents (ghosts) use it, the response is 409 `SKILL_REFERENCED`; admins can use `force`.",
  },
  [`DELETE ${S}/public/{id}`]: { id: "skills.deletePublic", about: `Deletes a public skill. ${LEGACY}` },
  [`GET ${S}/{id}/download`]: {
    id: "skills.download",
    about: "Downloads the package of a version as a ZIP with the uploaded files. Supports `Range`.",
  },
  [`GET ${S}/public/{id}/download`]: {
    id: "skills.downloadPublic",
    about: `Downloads the package of a public skill as a ZIP. ${LEGACY}`,
  },
  [`GET ${S}/public/{id}/content`]: {
    id: "skills.content",
    about: `Returns SKILL.md of a public skill as text. ${LEGACY}`,
  },
  [`GET ${S}/{id}/files`]: {
    id: "skills.files",
    about: "Lists the files of the current version with path, size and digest. The response is an array.",
  },
  [`GET ${S}/{id}/files/{path}`]: {
    id: "skills.file",
    about: "Returns one file of the current version. `path` can contain slashes.",
  },
  [`GET ${S}/usage`]: {
    id: "skills.usageOfAll",
    about:
      "Returns how often skills were loaded and their tools were called, by day, with the ten most loaded skills. Counts your own skills, those of groups in which you are a Maintainer, and, for admins, public skills. The counts do not identify users.",
    query: { days: 7 },
  },
  [`GET ${S}/{id}/usage`]: {
    id: "skills.usage",
    about:
      "Returns how often a skill was loaded and its tools were called, by day and by version. The counts do not identify users. Only for its owner, Maintainers of its group, or admins for public skills.",
    query: { days: 7 },
  },
  [`GET ${S}/{id}/ratings`]: {
    id: "ratings.list",
    about:
      "Lists the ratings of a skill, newest first, with their average and your own rating. The ratings do not name their users.",
    query: { limit: 10 },
  },
  [`PUT ${S}/{id}/ratings/own`]: {
    id: "ratings.put",
    about:
      "Stores or replaces your rating of a public skill or of a skill of a group. You can rate a skill that you loaded in a conversation within the last 180 days, up to one hour after loading it, unless you published it.",
    body: { stars: 5, comment: "Draws what I mean." },
  },
  [`DELETE ${S}/{id}/ratings/own`]: {
    id: "ratings.delete",
    about: "Deletes your rating of a skill. A hidden rating stays hidden and loses its comment.",
  },
  [`PUT ${S}/{id}/ratings/{rating_id}/answer`]: {
    id: "ratings.answer",
    about:
      "Sets the answer to a rating, or removes it with `text: null`. For users who can publish versions of the skill.",
    body: { text: "Thank you." },
  },
  [`PUT ${S}/{id}/ratings/{rating_id}/hidden`]: {
    id: "ratings.hide",
    about: "Hides a rating, which then does not count, or shows it again. Admins only.",
    body: { hidden: true, reason: "Advertising." },
  },
  [`POST ${S}/{id}/reports`]: {
    id: "reports.create",
    about: "Reports a skill, or with `rating_id` one of its ratings, to the admins.",
    body: { reason: "malicious", message: "It sends files to an unknown host." },
  },
  [`GET ${S}/{id}/references`]: {
    id: "skills.references",
    about: "Lists the agents (ghosts) that use a skill: those that you can read, and the number of others.",
  },
  [`POST ${S}/{id}/remove-references`]: {
    id: "skills.removeReferences",
    about: "Removes a skill from all agents (ghosts) that you can change.",
    retry: "idempotent",
  },
  [`POST ${S}/{id}/remove-reference/{ghost_id}`]: {
    id: "skills.removeReference",
    about: "Removes a skill from one agent (ghost) that you can change.",
  },
  [`GET ${S}/{id}/versions`]: { id: "versions.list", about: "Lists the versions of a skill, newest first." },
  [`GET ${S}/{id}/versions/{version_id}/files`]: {
    id: "versions.files",
    about:
      "Lists the files of a version with path, size and digest, even if it is yanked. `version_id` can be the exact version label. The response is an array.",
  },
  [`GET ${S}/{id}/versions/{version_id}/files/{path}`]: {
    id: "versions.file",
    about: "Returns one file of a version. `path` can contain slashes. `version_id` can be the exact version label.",
  },
  [`GET ${S}/{id}/versions/{version_id}/permissions`]: {
    id: "versions.permissions",
    about:
      "Returns what a version can do when it is loaded: tools, scripts, servers, hosts, secrets and dependencies. With `base`, `changes` lists the differences to another version.",
    query: { base: "1.0.0" },
  },
  [`GET ${S}/{id}/network`]: {
    id: "skills.network",
    about:
      "Returns the hosts that the current version declares, those that are approved, and those that wait for approval. Code of the skill only reaches approved hosts.",
  },
  [`PUT ${S}/{id}/network`]: {
    id: "skills.approveNetwork",
    about:
      "Replaces the list of approved hosts. It applies to the next run, for every agent that uses the skill; `[]` approves none. With `If-Match` (the `ETag` of `skills.network`), the response is 412 `NETWORK_CHANGED` if the declared or approved hosts changed since you read them, so exactly what was reviewed is approved. A host that no version declares is 400 `NETWORK_NOT_DECLARED`. Only for the owner, Maintainers of its group, or admins for public skills.",
    body: { hosts: ["api.github.com"] },
  },
  [`PUT ${S}/{id}/env`]: {
    id: "skills.setEnv",
    about:
      "Sets values that all users of the skill share, like `skillEnv.set`. A user's own value takes precedence. Admins only.",
    body: { values: { GITHUB_TOKEN: "ghp_0123456789abcdef" }, hosts: ["api.github.com"] },
  },
  [`DELETE ${S}/{id}/env`]: {
    id: "skills.deleteEnv",
    about: "Deletes the shared value of one variable, or without `name` of all variables of the skill. Admins only.",
    query: { name: "GITHUB_TOKEN" },
  },
  [`POST ${S}/{id}/versions/{version_id}/activate`]: {
    id: "versions.activate",
    about: "Makes a version the current one, for example to roll back. Conversations switch to it in their next turn.",
    retry: "idempotent",
  },
  [`POST ${S}/{id}/versions/{version_id}/yank`]: {
    id: "versions.yank",
    about: "Takes a version out of use. No name or version range resolves to it, and conversations lose it.",
    retry: "idempotent",
  },
  [`POST ${S}/{id}/versions/{version_id}/unyank`]: {
    id: "versions.unyank",
    about: "Reverses a yank.",
    retry: "idempotent",
  },
  [`GET ${S}/{id}/versions/{version_id}/attestation`]: {
    id: "versions.attestation",
    about:
      "Returns the signed statement about a version: skill, version, time, source, and SHA-256 of the ZIP as it is downloaded. A DSSE envelope over an in-toto statement, signed with Ed25519. The keys are at `/.well-known/jwks.json`. `skillgate verify` checks a package with it.",
  },
  [`PUT ${S}/{id}/versions/{version_id}/verdict`]: {
    id: "versions.verdict",
    about:
      "Blocks a version of any skill for other clients and registries. Conversations keep using it until it is yanked. `blocked: false` removes the block. Admins only.",
    body: { blocked: true, reason: "It sends files away." },
  },

  [`POST ${G}`]: {
    id: "ghosts.create",
    about:
      "Creates an agent definition (*ghost*: system prompt, skills, MCP servers) of your own, of a group or for everybody. Groups need the role Maintainer, public agents need an admin.",
    body: { metadata: { name: "researcher" }, spec },
  },
  [`POST ${G}/preview`]: {
    id: "ghosts.preview",
    about:
      "Previews an agent (ghost): prompt, tokens, skills with versions, servers, name collisions, and the problems that saving would report. Nothing is stored, no conversation is created, and no secret is read.",
    retry: "safe",
    body: { spec: { ...spec, preload_skills: ["mermaid-diagram"] } },
  },
  [`GET ${G}`]: {
    id: "ghosts.list",
    about:
      "Lists the agents (ghosts) that you can use, by namespace and name: your own, those of your groups, and public ones.",
    query: { limit: 10 },
  },
  [`PUT ${G}/by-name/{namespace}/{name}`]: {
    id: "ghosts.setByName",
    about: "Creates or replaces the agent (ghost) with this name. Use it for definitions that are stored in files.",
    body: { spec },
  },
  [`GET ${G}/{id}`]: { id: "ghosts.get", about: "Returns an agent (ghost)." },
  [`GET ${G}/{id}/predictions`]: {
    id: "ghosts.predictions",
    about:
      "Returns how often the gateway predicted a skill in conversations with this agent (ghost), and how often it was right, by day. The counts contain no users. Only for those who manage the agent.",
    query: { days: 7 },
  },
  [`PUT ${G}/{id}`]: {
    id: "ghosts.replace",
    about:
      "Replaces an agent (ghost), including its name. A response of `ghosts.get` can be sent back unchanged. With `If-Match`, the response is 412 `GHOST_CHANGED` if it was changed in the meantime.",
    body: { metadata: { name: "researcher" }, spec },
  },
  [`DELETE ${G}/{id}`]: {
    id: "ghosts.delete",
    about: "Deletes an agent (ghost). Conversations that use it continue without it and receive a warning.",
  },
  "GET /api/v1/events": {
    id: "events.list",
    about:
      "Returns the events of all skills that you can read, with the same content as those of webhooks: your skills, those of your groups, and public ones. With `Accept: text/event-stream`, the response is a stream that continues with new events for 10 minutes; the header `Last-Event-ID` replaces `last_event_id`. `reset` means that older events were deleted: list the skills again, and continue with `last_event_id`.",
    events: "RegistryEvent",
  },
};
