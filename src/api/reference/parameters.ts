// What the document says of parameters by their names, and what it is about by its tags.

/** A parameter's meaning and a value it may have. Both are the same wherever the name stands, but for those of `EXAMPLES`. */
export const PARAMETERS: Readonly<Record<string, readonly [about: string, example: string | number | boolean]>> = {
  action: ["Only records of this action.", "key.create"],
  actor: ["Only records of this actor, a pseudonym.", "act_5b1f"],
  after: ["Only events after this number.", 0],
  all: ["Every group, for admins.", false],
  call_id: ["The id that the model gave the call.", "call_1"],
  count: ["Also `total`, how many there are.", true],
  cursor: ["Where the page begins: `next_cursor` of the page before.", "eyJrIjoiYSJ9"],
  days: ["How many days back, today among them.", 30],
  exact_match: ["`name` means this namespace only.", true],
  file_id: ["The id of a file in the list.", "fil_7d9c2a"],
  force: ["Although ghosts name it, for admins.", false],
  format: ["The API that the prompt is for; else the conversation's.", "openai"],
  ghost_id: ["A ghost's id.", "gho_3c41aa"],
  group_name: ["The group, where `scope` is `group`.", "team"],
  id: ["Its id.", "skl_81f0c2"],
  "idempotency-key": ["The same key and request give the same answer for 24 hours.", "6d0f2a7e"],
  limit: ["How many a page has at most.", 20],
  name: ["Its name.", "researcher"],
  namespace: ["`default`: one's own; else a group's name.", "default"],
  path: ["The path of the file in the package.", "references/syntax.md"],
  q: ["What to search for, in any words.", "draw a flow chart"],
  request_id: ["The id of the question.", "req_04be91"],
  resource_id: ["Only records about this thing.", "skl_81f0c2"],
  resource_type: ["Only records about things of this type.", "skill"],
  scope: ["Whose things.", "all"],
  since: ["Only what happened at or after this moment.", "2026-01-01T00:00:00Z"],
  skip: ["How many to leave out, in place of `cursor`.", 0],
  state: ["Only those in this state.", "pending"],
  turn: ["The number of a turn.", 1],
  until: ["Only what happened before this moment.", "2026-12-31T00:00:00Z"],
  user_id: ["A user's id.", "alice"],
  version: ["A version's id or label; else the current one.", "1.0.0"],
  version_id: ["A version's id.", "ver_b2d7e0"],
  wait_ms: ["How long to wait for the end, in milliseconds.", 0],
};

/** Values that depend on the path: its first words, and then the values by name. */
export const EXAMPLES: readonly (readonly [path: string, values: Readonly<Record<string, string>>])[] = [
  ["/api/v1/conversations", { id: "chat-42" }],
  ["/api/tasks", { id: "chat-42" }],
  ["/api/v1/keys", { id: "key_90ab17" }],
  ["/api/v1/users", { id: "alice" }],
  ["/api/v1/kinds/ghosts", { id: "gho_3c41aa" }],
  ["/api/v1/kinds/skills", { name: "mermaid-diagram" }],
  ["/api/v1/groups", { name: "team" }],
  ["/api/v1/secrets", { name: "OPENAI_KEY", scope: "user" }],
  ["/api/v1/models", { name: "gpt-6-sol", scope: "user" }],
  ["/api/v1/mcp-servers", { name: "weather" }],
];

/** Headers that every route with a key takes, and the one of those that keep an answer to repeat it. */
export const HEADERS = {
  OnBehalfOf: {
    name: "On-Behalf-Of",
    in: "header",
    description: "The user that the request is for. The key needs the scope `act_as`.",
    schema: { type: "string", minLength: 1, maxLength: 128 },
    example: "alice",
  },
  Bookmark: {
    name: "X-D1-Bookmark",
    in: "header",
    description: "That of an earlier answer: this one is at least as new.",
    schema: { type: "string", maxLength: 1000 },
    example: "00000001-00000002-00004e2f-0c1b2d3e4f5061728394a5b6c7d8e9f0",
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description: "The same key and request give the same answer for 24 hours.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
    example: "6d0f2a7e",
  },
} as const;

/** What a resource is about, by the first part of its operations' ids. */
export const TAGS: Readonly<Record<string, string>> = {
  audit: "Who changed what.",
  conversations: "Chats as the gateway knows them.",
  drafts: "Packages that are chosen and never found.",
  files: "Files that scripts have left in a conversation.",
  gateway: "The gateway itself, open to everybody.",
  ghosts: "Agent definitions: a system prompt, skills, MCP servers.",
  groups: "Namespaces that several people share.",
  keys: "API keys.",
  mcpServers: "Remote MCP servers that every conversation may use.",
  me: "The caller.",
  members: "Who is in a group.",
  models: "What the chat endpoint may call.",
  questions: "What the pages of a conversation are asked.",
  searchIndex: "What search looks at.",
  secrets: "Values that go in and never come out.",
  skills: "The registry.",
  tasks: "Conversations in the predecessor system's words.",
  tickets: "What lets a page open a socket without a key.",
  toolCalls: "What the model calls.",
  turns: "What follows one message of the user.",
  users: "All data of one user.",
  versions: "The versions of a skill.",
};
