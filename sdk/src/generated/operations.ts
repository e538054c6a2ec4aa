// Made from the OpenAPI document by sdk/emit.mjs; do not edit.

/** A frame of the event stream of `toolCalls.run`. `done` or `error` is the last. */ export type ToolCallEvent = ({ event: "progress"; data: { id: string; name: string; progress: number; total?: number; message?: string } }) | ({ event: "result"; data: { id: string; name: string; content: ({ type: string; [name: string]: unknown })[]; structuredContent?: { [name: string]: unknown }; isError?: boolean; _meta?: { [name: string]: unknown } } }) | ({ event: "done"; data: ToolCallsAnswer }) | ({ event: "error"; data: { code: string; reason: string; message: string; details?: unknown } });

export type ToolCallsAnswer = { results: ({ id: string; name: string; content: ({ type: string; [name: string]: unknown })[]; structuredContent?: { [name: string]: unknown }; isError?: boolean; _meta?: { [name: string]: unknown } })[]; messages: ({ [name: string]: unknown })[]; unhandled: ({ [name: string]: unknown })[]; loaded_skills: (string)[]; active: ({ skill: string; version: string | null; remaining: number | null; reason: "loaded" | "preloaded" | "selected" | "dependency"; loaded_in_turn: number; tokens: number })[]; changed: boolean; tools_changed: boolean; etag: string; prompt?: { system: string; messages: ({ [name: string]: unknown })[] }; tools?: ({ [name: string]: unknown })[]; warnings: ({ code: string; message: string; path?: string; line?: number })[] };

export type Front = { name: string; description: string; links: { [name: string]: string } };

export type Problem = { type: string; title: string; status: number; detail: string; code: string; request_id: string; issues?: (Issue)[]; [name: string]: unknown };

export type Issue = { code: string; message: string; path?: string; line?: number; severity?: "high" | "low" | "info" };

export type Health = { status: "ok" | "degraded" | "failed"; version: string; checked_at: string; checks: { d1: "ok" | "failed" | "absent"; r2: "ok" | "failed" | "absent"; loader: "ok" | "failed" | "absent"; rates: "ok" | "failed" | "absent"; search: "ok" | "failed" | "absent" }; database?: { served_by_region: string | null; served_by_primary: boolean | null }; issues?: (Issue)[] };

export type ProtectedResource = { resource: string; resource_name: string; authorization_servers?: (string)[]; scopes_supported?: (string)[]; bearer_methods_supported: ("header")[]; resource_documentation: string };

export type CreatedKey = (Key) & ({ key: string });

export type Key = { id: string; user_id: string; role: "user" | "admin"; name: string | null; scopes: (string)[]; groups: (string)[]; expires_at: string | null; created_at: string; /** To within 10 minutes. */ last_used_at: string | null; /** The key it was made to replace. */ replaces: string | null };

export type Grant = { id: string; user_id: string; client_id: string; /** What the host calls itself. Nobody has verified it. */ client_name: string; /** The MCP URL that its tokens open. */ resource: string; signed_in_by: "key" | "link" | "issuer"; created_at: string; expires_at: string; /** To within 10 minutes. */ last_used_at: string | null };

export type Me = { user_id: string; role: "user" | "admin"; name: string | null; groups: (string)[]; memberships: ({ group: string; role: "Owner" | "Maintainer" | "Developer" | "Reporter" })[]; scopes: (string)[]; quotas: { skills: { used: number; limit: number }; versions: { used: number; limit: number }; bytes: { used: number; limit: number }; databaseBytes: { used: number; limit: number }; ghosts: { used: number; limit: number }; keys: { used: number; limit: number }; files: { used: number; limit: number } }; /** Since midnight UTC. `keys`: those that were made for this user. */ today: { uploads: { used: number; limit: number }; conversations: { used: number; limit: number }; scripts: { used: number; limit: number }; keys: { used: number; limit: number } }; rights: Rights };

/** What this key may do for this user: the role and the key's scopes together. */ export type Rights = { scopes: ("act_as" | "skills:read" | "skills:write" | "ghosts" | "conversations" | "groups" | "keys" | "secrets" | "mcp" | "chat" | "admin")[]; act_as: boolean; operate: boolean; make_groups: boolean; namespaces: (NamespaceRights)[] };

export type NamespaceRights = { namespace: string; role: "Owner" | "Maintainer" | "Developer" | "Reporter" | null; read: boolean; publish: boolean; change: boolean; activate: boolean; delete: boolean; measure: boolean; define: boolean; secrets: boolean; manage: boolean; members: ("Owner" | "Maintainer" | "Developer" | "Reporter")[] };

export type SignInLink = { id: string; user_id: string; /** What the user opens, or types into the sign-in page; of the console, the page that takes it. */ url: string; expires_at: string };

export type OAuthClient = { name: string; /** What the host's form wants as its client id. */ client_id: string; display_name: string; redirect_uris: (string)[]; created_at: string; updated_at: string };

export type NewOAuthClient = (OAuthClient) & ({ client_secret: string });

export type Session = { id: string; user_id: string; signed_in_by: "key" | "link" | "issuer"; /** The session that asks. */ current: boolean; created_at: string; /** At the latest: without a request for an hour it ends sooner. */ expires_at: string; /** To within a minute. */ last_used_at: string };

export type AuditRecord = { seq: number; at: string; actor: string; user_id: string | null; key_id: string; action: string; resource_type: string; resource_id: string; request_id: string; before: { [name: string]: unknown } | null; after: { [name: string]: unknown } | null };

export type UserFigures = { user_id: string; is_admin: boolean; last_used_at: string | null; /** At most 1 000 are counted. */ keys: number; /** At most 1 000 are counted. */ groups: number; /** At most 1 000 are counted. */ skills: number; /** At most 1 000 are counted. */ ghosts: number; /** At most 1 000 are counted. */ conversations: number };

export type Erased = { erased: { keys: number; grants: number; secrets: number; ghosts: number; memberships: number; skills: number; conversations: number }; complete: boolean };

export type Group = { name: string; display_name: string | null; /** The caller's; null for an admin outside the group. */ role: "Owner" | "Maintainer" | "Developer" | "Reporter" | null; created_by: string; created_at: string; updated_at: string };

export type GroupInFull = (Group) & ({ quotas: { skills: { used: number; limit: number }; versions: { used: number; limit: number }; bytes: { used: number; limit: number }; databaseBytes: { used: number; limit: number }; ghosts: { used: number; limit: number } } });

export type Member = { user_id: string; role: "Owner" | "Maintainer" | "Developer" | "Reporter"; created_by: string; created_at: string };

export type Secret = { name: string; scope: "user" | "group" | "gateway"; group_name?: string; hosts: (string)[]; created_at: string; updated_at: string; last_used_at: string | null };

export type NewSecret = { value: string; hosts: (string)[]; scope?: "user" | "group" | "gateway"; group_name?: string };

export type Model = { api: ("openai-chat" | "openai-responses" | "anthropic")[]; base_url: string; model: string; key?: string; headers?: { [name: string]: string }; allow?: { users?: (string)[]; groups?: (string)[]; server_tools?: (string)[]; tiers?: (string)[]; betas?: (string)[]; max_output_tokens?: number; max_input_bytes?: number }; single_system?: boolean; usage?: "sum" | "last"; name: string; scope: "user" | "group" | "gateway"; group_name?: string; created_at: string; updated_at: string };

export type ModelEntry = { api: ("openai-chat" | "openai-responses" | "anthropic")[]; base_url: string; model: string; key?: string; headers?: { [name: string]: string }; allow?: { users?: (string)[]; groups?: (string)[]; server_tools?: (string)[]; tiers?: (string)[]; betas?: (string)[]; max_output_tokens?: number; max_input_bytes?: number }; single_system?: boolean; usage?: "sum" | "last"; scope?: "user" | "group" | "gateway"; group_name?: string };

export type McpServer = { type?: "streamable-http" | "http" | "sse"; url: string; headers?: { [name: string]: string }; timeout?: number; connect_timeout?: number; allow?: (string)[]; deny?: (string)[]; era?: "auto" | "legacy" | "modern"; enabled?: boolean; prefix?: "always" | "on-conflict" | "never"; ghosts?: (string)[]; guard?: boolean; name: string; approved?: (string)[]; down_since?: string; created_at: string; updated_at: string };

export type McpServerEntry = { type?: "streamable-http" | "http" | "sse"; url: string; headers?: { [name: string]: string }; timeout?: number; connect_timeout?: number; allow?: (string)[]; deny?: (string)[]; era?: "auto" | "legacy" | "modern"; enabled?: boolean; prefix?: "always" | "on-conflict" | "never"; ghosts?: (string)[]; guard?: boolean };

export type McpServerTest = { reachable: boolean; latency_ms: number; protocol_version?: string; era?: "legacy" | "modern"; server?: { name: string; version: string }; tools: ({ name: string; description: string })[]; problems: (string)[]; error?: string };

export type UsableServer = { name: string; scope: "user" | "group" | "gateway"; group_name?: string; type: string; prefix?: string };

export type OwnServer = { type?: "streamable-http" | "http" | "sse"; url: string; headers?: { [name: string]: string }; timeout?: number; connect_timeout?: number; allow?: (string)[]; deny?: (string)[]; era?: "auto" | "legacy" | "modern"; enabled?: boolean; prefix?: "always" | "on-conflict" | "never"; ghosts?: (string)[]; name: string; scope: "user" | "group" | "gateway"; group_name?: string; down_since?: string; created_at: string; updated_at: string };

export type OwnServerEntry = { type?: "streamable-http" | "http" | "sse"; url: string; headers?: { [name: string]: string }; timeout?: number; connect_timeout?: number; allow?: (string)[]; deny?: (string)[]; era?: "auto" | "legacy" | "modern"; enabled?: boolean; prefix?: "always" | "on-conflict" | "never"; ghosts?: (string)[]; scope?: "user" | "group"; group_name?: string };

export type CreatedLink = (Link) & ({ url: string; notice: string });

export type Link = { id: string; name: string | null; reads: "own" | "group" | "skills"; group?: string; skills?: (string)[]; created_at: string; expires_at: string; uses: number; last_used_at: string | null };

export type Import = { id: string; source: ImportSource; namespace: string; mirror: boolean; state: "running" | "waiting" | "done" | "failed" | "stopped" | "cancelled"; problem: { code: string; message: string } | null; run: number; cursor: string | null; total: number | null; created_at: string; started_at: string; updated_at: string; next_at: string | null };

export type ImportSource = { /** `index`: a site with a well-known index; `archive`: a Git host's tar.gz or ZIP; `gateway`: another gateway. */ type: "index" | "archive" | "gateway"; url: string; /** Of an archive: only skills in this folder. */ path?: string; /** Of a gateway: whose skills. Left out: `public`. */ scope?: string; /** A secret of where the skills go to, bound to the source's host. It is sent as a bearer token. */ secret?: string; /** The header that the secret is sent in as it is, in place of that. */ secret_header?: string };

export type ImportReport = (Import) & ({ counts: { created: number; updated: number; unchanged: number; refused: number; failed: number; removed: number }; items: (ImportItem)[]; next_cursor: string | null });

export type ImportItem = { name: string; state: "created" | "updated" | "unchanged" | "refused" | "failed"; problem: { code: string; message: string } | null; run: number; skill_id: string | null; version_id: string | null; digest: string | null; removed_at: string | null };

export type OpenSkill = { skill_id: string; name: string; opened_by: string; opened_at: string };

export type Conversation = { id: string; turn: number; ghost: string | null; settings: { /** A ghost that the user may read, by id or name: one's own, else a group's, else a public one. */ ghost?: string; /** A ghost's spec inline. Neither, or a spec without `skills`: every visible skill. */ spec?: { /** What the model is told first, in every turn: who it is and how it works. Skills say the rest when they are loaded. */ systemPrompt?: string; /** MCP servers that it brings, by name: each with its `url`, and `headers` if need be. A credential is written as `${{secrets.NAME}}`. They are connected in every conversation with it. */ mcpServers?: { [name: string]: unknown }; /** What the model may load: names, each with `@range` if need be; `*`: all of the ghost's scope. What they need must be among them. A stored ghost without this has no skills, an inline spec every visible one. `null`: none. */ skills?: (string)[]; /** Names among `skills` whose instructions are in the prompt from the first turn on, and stay. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** By name, where several have it: which skill is meant. A reference chooses among what is visible, and lets nothing in. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** How many turns a loaded skill stays; `conversation`: to the end. Without it the gateway's `SKILL_RETENTION_TURNS`. */ retentionTurns?: (number) | ("conversation"); /** The model of the chat endpoint that runs it, by the name that its user has for it, where one asks for `ghost/<name>`. */ model?: string }; /** Skills that the user has added to the ghost's, from all that the user sees: names, or objects that say which skill of a name. Selected in every turn. */ additional_skills?: ((string) | ({ name: string; skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null }))[]; shell?: string; retention_turns?: (number) | ("conversation"); /** Where instructions go. Default: `auto`, or `system` with `tool_mode: dynamic` or `tool_style: skill`. `auto` puts instructions into the answers and changes nothing that was sent, so that the provider's prompt cache holds. */ delivery?: "system" | "message" | "tool_result" | "auto"; format?: "mcp" | "openai" | "openai-responses" | "anthropic"; tool_mode?: "dynamic" | "fixed"; tool_style?: "load_skill" | "skill"; /** How the tools of MCP servers are offered: all in the list, or found by `find_tool` and called by `call_skill_tool`. `auto`, the default: found where there are more than 40, or their definitions have more than 6 000 tokens. Decided with the first turn, and again where the provider's cache has ended. */ tool_list?: "auto" | "list" | "search"; max_active_skills?: number; max_skill_tokens?: number; /** Where the conversation is made, in place of the gateway's `CONVERSATION_REGION`. It stays there: later it changes nothing. */ region?: "auto" | "wnam" | "enam" | "sam" | "weur" | "eeur" | "apac" | "apac-ne" | "apac-se" | "oc" | "afr" | "me"; /** What its user calls the conversation, for lists. No model sees it. */ title?: string; metadata?: { [name: string]: unknown } }; region?: "auto" | "wnam" | "enam" | "sam" | "weur" | "eeur" | "apac" | "apac-ne" | "apac-se" | "oc" | "afr" | "me"; active: ({ skill: string; version: string | null; remaining: number | null; reason: "loaded" | "preloaded" | "selected" | "dependency"; loaded_in_turn: number; tokens: number })[]; pending: ({ request_id: string; state: "pending" | "resolved" | "expired" | "cancelled"; skill_name: string | null; action: string; from?: { kind: "server"; name: string; host: string }; attempt: number; created_at: string; deadline: string })[]; mcp: ({ server: string; source: string; state: "connecting" | "connected" | "failed" | "open" | "unsupported"; tools: (string)[]; error?: string; latency_ms?: number })[]; tokens: { static: number; actual: number; saved_percent: number; billed: { actual: number; paste: number; append_only: number; estimated: boolean; saved_percent: number; saved_over_append_percent: number; price: string } }; warnings: ({ code: string; message: string; path?: string; line?: number })[] };

export type NewConversation = { /** A ghost that the user may read, by id or name: one's own, else a group's, else a public one. */ ghost?: string; /** A ghost's spec inline. Neither, or a spec without `skills`: every visible skill. */ spec?: { /** What the model is told first, in every turn: who it is and how it works. Skills say the rest when they are loaded. */ systemPrompt?: string; /** MCP servers that it brings, by name: each with its `url`, and `headers` if need be. A credential is written as `${{secrets.NAME}}`. They are connected in every conversation with it. */ mcpServers?: { [name: string]: unknown }; /** What the model may load: names, each with `@range` if need be; `*`: all of the ghost's scope. What they need must be among them. A stored ghost without this has no skills, an inline spec every visible one. `null`: none. */ skills?: (string)[]; /** Names among `skills` whose instructions are in the prompt from the first turn on, and stay. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** By name, where several have it: which skill is meant. A reference chooses among what is visible, and lets nothing in. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** How many turns a loaded skill stays; `conversation`: to the end. Without it the gateway's `SKILL_RETENTION_TURNS`. */ retentionTurns?: (number) | ("conversation"); /** The model of the chat endpoint that runs it, by the name that its user has for it, where one asks for `ghost/<name>`. */ model?: string }; /** Skills that the user has added to the ghost's, from all that the user sees: names, or objects that say which skill of a name. Selected in every turn. */ additional_skills?: ((string) | ({ name: string; skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null }))[]; shell?: string; retention_turns?: (number) | ("conversation"); /** Where instructions go. Default: `auto`, or `system` with `tool_mode: dynamic` or `tool_style: skill`. `auto` puts instructions into the answers and changes nothing that was sent, so that the provider's prompt cache holds. */ delivery?: "system" | "message" | "tool_result" | "auto"; format?: "mcp" | "openai" | "openai-responses" | "anthropic"; tool_mode?: "dynamic" | "fixed"; tool_style?: "load_skill" | "skill"; /** How the tools of MCP servers are offered: all in the list, or found by `find_tool` and called by `call_skill_tool`. `auto`, the default: found where there are more than 40, or their definitions have more than 6 000 tokens. Decided with the first turn, and again where the provider's cache has ended. */ tool_list?: "auto" | "list" | "search"; max_active_skills?: number; max_skill_tokens?: number; /** Where the conversation is made, in place of the gateway's `CONVERSATION_REGION`. It stays there: later it changes nothing. */ region?: "auto" | "wnam" | "enam" | "sam" | "weur" | "eeur" | "apac" | "apac-ne" | "apac-se" | "oc" | "afr" | "me"; /** What its user calls the conversation, for lists. No model sees it. */ title?: string; metadata?: { [name: string]: unknown }; id?: string };

export type ConversationSettings = { /** A ghost that the user may read, by id or name: one's own, else a group's, else a public one. */ ghost?: string; /** A ghost's spec inline. Neither, or a spec without `skills`: every visible skill. */ spec?: { /** What the model is told first, in every turn: who it is and how it works. Skills say the rest when they are loaded. */ systemPrompt?: string; /** MCP servers that it brings, by name: each with its `url`, and `headers` if need be. A credential is written as `${{secrets.NAME}}`. They are connected in every conversation with it. */ mcpServers?: { [name: string]: unknown }; /** What the model may load: names, each with `@range` if need be; `*`: all of the ghost's scope. What they need must be among them. A stored ghost without this has no skills, an inline spec every visible one. `null`: none. */ skills?: (string)[]; /** Names among `skills` whose instructions are in the prompt from the first turn on, and stay. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** By name, where several have it: which skill is meant. A reference chooses among what is visible, and lets nothing in. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** How many turns a loaded skill stays; `conversation`: to the end. Without it the gateway's `SKILL_RETENTION_TURNS`. */ retentionTurns?: (number) | ("conversation"); /** The model of the chat endpoint that runs it, by the name that its user has for it, where one asks for `ghost/<name>`. */ model?: string }; /** Skills that the user has added to the ghost's, from all that the user sees: names, or objects that say which skill of a name. Selected in every turn. */ additional_skills?: ((string) | ({ name: string; skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null }))[]; shell?: string; retention_turns?: (number) | ("conversation"); /** Where instructions go. Default: `auto`, or `system` with `tool_mode: dynamic` or `tool_style: skill`. `auto` puts instructions into the answers and changes nothing that was sent, so that the provider's prompt cache holds. */ delivery?: "system" | "message" | "tool_result" | "auto"; format?: "mcp" | "openai" | "openai-responses" | "anthropic"; tool_mode?: "dynamic" | "fixed"; tool_style?: "load_skill" | "skill"; /** How the tools of MCP servers are offered: all in the list, or found by `find_tool` and called by `call_skill_tool`. `auto`, the default: found where there are more than 40, or their definitions have more than 6 000 tokens. Decided with the first turn, and again where the provider's cache has ended. */ tool_list?: "auto" | "list" | "search"; max_active_skills?: number; max_skill_tokens?: number; /** Where the conversation is made, in place of the gateway's `CONVERSATION_REGION`. It stays there: later it changes nothing. */ region?: "auto" | "wnam" | "enam" | "sam" | "weur" | "eeur" | "apac" | "apac-ne" | "apac-se" | "oc" | "afr" | "me"; /** What its user calls the conversation, for lists. No model sees it. */ title?: string; metadata?: { [name: string]: unknown } };

export type TurnFigures = { seq: number; turn: number; at: string; restored: boolean; loaded: (string)[]; active: (string)[]; tokens: { static: number; actual: number }; billed: { actual: number; paste: number; append_only: number }; requests: number; sent: { actual: number; paste: number; append_only: number } | null; usage: { fresh: number; cache_read: number; cache_write: number; output: number } | null };

export type Turn = { key?: string; format?: "mcp" | "openai" | "openai-responses" | "anthropic"; conversation?: { /** A ghost that the user may read, by id or name: one's own, else a group's, else a public one. */ ghost?: string; /** A ghost's spec inline. Neither, or a spec without `skills`: every visible skill. */ spec?: { /** What the model is told first, in every turn: who it is and how it works. Skills say the rest when they are loaded. */ systemPrompt?: string; /** MCP servers that it brings, by name: each with its `url`, and `headers` if need be. A credential is written as `${{secrets.NAME}}`. They are connected in every conversation with it. */ mcpServers?: { [name: string]: unknown }; /** What the model may load: names, each with `@range` if need be; `*`: all of the ghost's scope. What they need must be among them. A stored ghost without this has no skills, an inline spec every visible one. `null`: none. */ skills?: (string)[]; /** Names among `skills` whose instructions are in the prompt from the first turn on, and stay. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** By name, where several have it: which skill is meant. A reference chooses among what is visible, and lets nothing in. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** How many turns a loaded skill stays; `conversation`: to the end. Without it the gateway's `SKILL_RETENTION_TURNS`. */ retentionTurns?: (number) | ("conversation"); /** The model of the chat endpoint that runs it, by the name that its user has for it, where one asks for `ghost/<name>`. */ model?: string }; /** Skills that the user has added to the ghost's, from all that the user sees: names, or objects that say which skill of a name. Selected in every turn. */ additional_skills?: ((string) | ({ name: string; skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null }))[]; shell?: string; retention_turns?: (number) | ("conversation"); /** Where instructions go. Default: `auto`, or `system` with `tool_mode: dynamic` or `tool_style: skill`. `auto` puts instructions into the answers and changes nothing that was sent, so that the provider's prompt cache holds. */ delivery?: "system" | "message" | "tool_result" | "auto"; format?: "mcp" | "openai" | "openai-responses" | "anthropic"; tool_mode?: "dynamic" | "fixed"; tool_style?: "load_skill" | "skill"; /** How the tools of MCP servers are offered: all in the list, or found by `find_tool` and called by `call_skill_tool`. `auto`, the default: found where there are more than 40, or their definitions have more than 6 000 tokens. Decided with the first turn, and again where the provider's cache has ended. */ tool_list?: "auto" | "list" | "search"; max_active_skills?: number; max_skill_tokens?: number; /** Where the conversation is made, in place of the gateway's `CONVERSATION_REGION`. It stays there: later it changes nothing. */ region?: "auto" | "wnam" | "enam" | "sam" | "weur" | "eeur" | "apac" | "apac-ne" | "apac-se" | "oc" | "afr" | "me"; /** What its user calls the conversation, for lists. No model sees it. */ title?: string; metadata?: { [name: string]: unknown } }; history?: (unknown)[]; history_cut?: boolean; selected_skills?: ((string) | ({ name: string; skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null }))[]; /** Delivery `auto`: ids of the calls and appended messages whose texts the history still has, unedited. */ have?: (string)[]; /** Delivery `auto`: the model that will be called, which decides how long a prompt stays cached. */ model?: string; /** Delivery `auto`: the provider's cache holds nothing of this conversation any more. */ cache?: "cold"; /** What a model request used, for the ledger: the `usage` of its answer as OpenAI or Anthropic give it, or `{ fresh, cache_read, cache_write, output }`. */ usage?: { [name: string]: unknown }; /** Tokens of the messages that are sent beside the prompt, for the ledger. */ history_tokens?: number };

export type ToolCalls = { calls: ({ [name: string]: unknown })[]; format?: "mcp" | "openai" | "openai-responses" | "anthropic"; etag?: string; /** What a model request used, for the ledger: the `usage` of its answer as OpenAI or Anthropic give it, or `{ fresh, cache_read, cache_write, output }`. */ usage?: { [name: string]: unknown } };

export type Restore = { history: (unknown)[] };

export type KeptFile = { id: string; path: string; size: number; type: string; address: string; created_at: string; expires_at: string };

export type RequestAnswer = { request_id: string; state: "pending" | "resolved" | "expired" | "cancelled"; success?: boolean; result?: unknown; error?: unknown; deadline: string };

export type NewRequest = { action: string; payload?: unknown; skill_name?: string | null; timeout_ms?: number; require_client?: boolean; /** A JSON Schema for `result`. An answer that does not fit is refused, and the request waits on. */ answer_schema?: { [name: string]: unknown }; wait_ms?: number };

export type Request = { request_id: string; state: "pending" | "resolved" | "expired" | "cancelled"; skill_name: string | null; action: string; from?: { kind: "server"; name: string; host: string }; attempt: number; created_at: string; deadline: string; payload?: unknown; success?: boolean; result?: unknown; error?: unknown; answered_by?: string };

export type RequestResponse = { success: boolean; result?: unknown; error?: unknown };

export type Ticket = { ticket: string; expires_at: string; url: string };

export type NewTicket = { origin?: string; user_id?: string; /** How a conversation is to be that is not there yet. Of one that is there nothing changes. */ conversation?: { /** A ghost that the user may read, by id or name: one's own, else a group's, else a public one. */ ghost?: string; /** A ghost's spec inline. Neither, or a spec without `skills`: every visible skill. */ spec?: { /** What the model is told first, in every turn: who it is and how it works. Skills say the rest when they are loaded. */ systemPrompt?: string; /** MCP servers that it brings, by name: each with its `url`, and `headers` if need be. A credential is written as `${{secrets.NAME}}`. They are connected in every conversation with it. */ mcpServers?: { [name: string]: unknown }; /** What the model may load: names, each with `@range` if need be; `*`: all of the ghost's scope. What they need must be among them. A stored ghost without this has no skills, an inline spec every visible one. `null`: none. */ skills?: (string)[]; /** Names among `skills` whose instructions are in the prompt from the first turn on, and stay. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** By name, where several have it: which skill is meant. A reference chooses among what is visible, and lets nothing in. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** How many turns a loaded skill stays; `conversation`: to the end. Without it the gateway's `SKILL_RETENTION_TURNS`. */ retentionTurns?: (number) | ("conversation"); /** The model of the chat endpoint that runs it, by the name that its user has for it, where one asks for `ghost/<name>`. */ model?: string }; /** Skills that the user has added to the ghost's, from all that the user sees: names, or objects that say which skill of a name. Selected in every turn. */ additional_skills?: ((string) | ({ name: string; skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null }))[]; shell?: string; retention_turns?: (number) | ("conversation"); /** Where instructions go. Default: `auto`, or `system` with `tool_mode: dynamic` or `tool_style: skill`. `auto` puts instructions into the answers and changes nothing that was sent, so that the provider's prompt cache holds. */ delivery?: "system" | "message" | "tool_result" | "auto"; format?: "mcp" | "openai" | "openai-responses" | "anthropic"; tool_mode?: "dynamic" | "fixed"; tool_style?: "load_skill" | "skill"; /** How the tools of MCP servers are offered: all in the list, or found by `find_tool` and called by `call_skill_tool`. `auto`, the default: found where there are more than 40, or their definitions have more than 6 000 tokens. Decided with the first turn, and again where the provider's cache has ended. */ tool_list?: "auto" | "list" | "search"; max_active_skills?: number; max_skill_tokens?: number; /** Where the conversation is made, in place of the gateway's `CONVERSATION_REGION`. It stays there: later it changes nothing. */ region?: "auto" | "wnam" | "enam" | "sam" | "weur" | "eeur" | "apac" | "apac-ne" | "apac-se" | "oc" | "afr" | "me"; /** What its user calls the conversation, for lists. No model sees it. */ title?: string; metadata?: { [name: string]: unknown } }; /** Whether the page may see what calls of tools were given and have answered, beside their names. */ output?: boolean };

export type Drafts = { items: (Draft)[] };

export type Draft = { /** What chooses it, in `additional_skills` or a ghost of one's own. */ reference: string; name: string; author: string; namespace: string; is_public: boolean; version: string | null; version_id: string; description: string; tokens: number; size: number; /** Whom it names; `null` of a draft of somebody else. */ users: (string)[] | null; pushed_at: string; expires_at: string; warnings: (Issue)[] };

export type PushedDraft = (Draft) & ({ /** Whether each script of the package runs, and what decides. See docs/skill-code.md. */ scripts?: (ScriptVerdict)[]; /** How search finds the skill by its example prompts among what its publisher sees. `rank`: its place once it is published, `rank_without_examples`: its place if example prompts were not searched, `null` beyond the 20th; `ahead`: the first who stand before it then; `neighbours`: for how many prompts each of them does. */ routing?: { prompts: ({ prompt: string; rank: number | null; rank_without_examples: number | null; ahead: (string)[] })[]; neighbours: ({ skill: string; prompts: number })[] } });

export type ScriptVerdict = { path: string; runs: "isolate" | "partly" | "remote" | "nowhere"; reason?: string; line?: number };

export type Skill = { apiVersion: "agent.wecode.io/v1"; kind: "Skill"; metadata: { name: string; namespace: string; labels: { id: string; user_id: string } }; spec: { description: string; displayName?: string; prompt: string; version?: string; author?: string; tags: (string)[]; bindShells?: (string)[]; config: { [name: string]: unknown }; tools: ({ name: string; provider?: string; description?: string; config?: { [name: string]: unknown } })[]; provider: { module?: string; class?: string }; mcpServers: { [name: string]: unknown }; dependencies: (string)[]; preload: boolean; license?: string; compatibility?: string; metadata: { [name: string]: unknown }; allowedTools: (string)[] }; status: { state: "available" | "yanked"; fileSize: number; fileHash: string; uploadHash: string; version_id: string; /** 1, 2, … in the order in which the skill's versions were published; none is used twice. */ version_number: number; /** Counted with o200k_base; `files` is an estimate from their size. */ tokens: { description: number; line: number; instructions: number; files: number }; created_at: string; updated_at: string; warnings: (Issue)[]; /** Whether each script of the package runs, and what decides. See docs/skill-code.md. */ scripts?: (ScriptVerdict)[]; /** The doors for other clients that leave the skill out, and why. In answers about one skill. */ left_out?: ({ door: "well-known" | "marketplace" | "clawhub"; code: string; message: string })[]; source?: SkillSource; /** How search finds the skill by its example prompts among what its publisher sees. `rank`: its place once it is published, `rank_without_examples`: its place if example prompts were not searched, `null` beyond the 20th; `ahead`: the first who stand before it then; `neighbours`: for how many prompts each of them does. */ routing?: { prompts: ({ prompt: string; rank: number | null; rank_without_examples: number | null; ahead: (string)[] })[]; neighbours: ({ skill: string; prompts: number })[] } } };

/** Where whoever published the version says that it was taken from. The gateway never asks there. */ export type SkillSource = { type: "git" | "index"; url: string; path?: string; ref?: string; commit?: string; digest?: string; taken_at: string };

export type SkillItem = { id: string; name: string; namespace: string; description: string; displayName: string | null; version: string | null; author: string | null; tags: (string)[]; bindShells: (string)[] | null; is_public: boolean; is_active: boolean; user_id: string; created_at: string; updated_at: string; findings: { high: number; low: number; info: number } };

export type Inspection = { valid: boolean; name: string | null; issues: (Issue)[]; warnings: (Issue)[]; manifest?: { [name: string]: unknown } | null; files: ({ path: string; size: number; sha256: string })[]; /** Counted with o200k_base; `files` is an estimate from their size. */ tokens: { description: number; line: number; instructions: number; files: number } | null; /** How search finds the skill by its example prompts among what its publisher sees. `rank`: its place once it is published, `rank_without_examples`: its place if example prompts were not searched, `null` beyond the 20th; `ahead`: the first who stand before it then; `neighbours`: for how many prompts each of them does. */ routing: { prompts: ({ prompt: string; rank: number | null; rank_without_examples: number | null; ahead: (string)[] })[]; neighbours: ({ skill: string; prompts: number })[] } | null; /** Whether each script of the package runs, and what decides. See docs/skill-code.md. */ scripts: (ScriptVerdict)[] | null };

export type SkillFile = { path: string; size: number; sha256: string };

export type SkillVersion = { version_id: string; /** 1, 2, … in the order in which the skill's versions were published; none is used twice. */ number: number; version: string | null; is_current: boolean; fileSize: number; fileHash: string; uploadHash: string; created_by: string; created_at: string; yanked_at: string | null; blocked_for: string | null; warnings: (Issue)[]; source?: SkillSource };

/** What a version of a skill may do once it is loaded. */ export type SkillPermissions = { runs_code: boolean; asks_pages: boolean; model_invocation: boolean; preload: boolean; tools: (string)[]; allowed_tools: (string)[]; scripts: ({ path: string; language: "javascript" | "python" | "shell" | null; runs: "isolate" | "partly" | "remote" | "nowhere" | null })[]; servers: (ServerPermissions)[]; hosts: (string)[]; secrets: (string)[]; variables: (string)[]; commands: (string)[]; dependencies: (string)[] };

export type ServerPermissions = { name: string; host: string | null; problem: string | null; command: string | null; secrets: (string)[]; variables: (string)[]; allow: (string)[] | null; deny: (string)[] };

export type SkillPermission = { permission: string; value: string };

export type GhostRef = { id: string; name: string; namespace: string };

export type GhostPreview = { valid: boolean; issues: (Issue)[]; warnings: (Issue)[]; prompt: string; tokens: { system_prompt: number; list: number; preloaded: number; prompt: number; static: number }; skills: ({ name: string; skill_id: string; version_id: string; version: string | null; scope: "user" | "group" | "public"; namespace: string; tokens: number; preloaded: boolean; user_only: boolean; needs: (string)[]; tools: (string)[]; servers: (string)[] })[]; more: number; servers: (ServerPermissions)[]; collisions: ({ kind: "tool" | "server"; name: string; of: (string)[] })[] };

export type GhostPreviewRequest = { spec: { /** What the model is told first, in every turn: who it is and how it works. Skills say the rest when they are loaded. */ systemPrompt?: string; /** MCP servers that it brings, by name: each with its `url`, and `headers` if need be. A credential is written as `${{secrets.NAME}}`. They are connected in every conversation with it. */ mcpServers?: { [name: string]: unknown }; /** What the model may load: names, each with `@range` if need be; `*`: all of the ghost's scope. What they need must be among them. A stored ghost without this has no skills, an inline spec every visible one. `null`: none. */ skills?: (string)[]; /** Names among `skills` whose instructions are in the prompt from the first turn on, and stay. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** By name, where several have it: which skill is meant. A reference chooses among what is visible, and lets nothing in. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** How many turns a loaded skill stays; `conversation`: to the end. Without it the gateway's `SKILL_RETENTION_TURNS`. */ retentionTurns?: (number) | ("conversation"); /** The model of the chat endpoint that runs it, by the name that its user has for it, where one asks for `ghost/<name>`. */ model?: string }; /** Whose it would be, as of a ghost's `metadata`. */ namespace?: string; shell?: string };

export type Ghost = { apiVersion: "agent.wecode.io/v1"; kind: "Ghost"; metadata: { name: string; namespace: string; labels: { id: string; user_id: string; scope: "user" | "group" | "public" } }; spec: { /** What the model is told first, in every turn: who it is and how it works. Skills say the rest when they are loaded. */ systemPrompt?: string; /** MCP servers that it brings, by name: each with its `url`, and `headers` if need be. A credential is written as `${{secrets.NAME}}`. They are connected in every conversation with it. */ mcpServers?: { [name: string]: unknown }; /** What the model may load: names, each with `@range` if need be; `*`: all of the ghost's scope. What they need must be among them. A stored ghost without this has no skills, an inline spec every visible one. `null`: none. */ skills?: (string)[]; /** Names among `skills` whose instructions are in the prompt from the first turn on, and stay. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** By name, where several have it: which skill is meant. A reference chooses among what is visible, and lets nothing in. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** How many turns a loaded skill stays; `conversation`: to the end. Without it the gateway's `SKILL_RETENTION_TURNS`. */ retentionTurns?: (number) | ("conversation"); /** The model of the chat endpoint that runs it, by the name that its user has for it, where one asks for `ghost/<name>`. */ model?: string }; status: { state: "available"; created_at: string; updated_at: string; warnings: (Issue)[] } };

export type GhostRequest = { apiVersion?: string; kind?: "Ghost"; spec: { /** What the model is told first, in every turn: who it is and how it works. Skills say the rest when they are loaded. */ systemPrompt?: string; /** MCP servers that it brings, by name: each with its `url`, and `headers` if need be. A credential is written as `${{secrets.NAME}}`. They are connected in every conversation with it. */ mcpServers?: { [name: string]: unknown }; /** What the model may load: names, each with `@range` if need be; `*`: all of the ghost's scope. What they need must be among them. A stored ghost without this has no skills, an inline spec every visible one. `null`: none. */ skills?: (string)[]; /** Names among `skills` whose instructions are in the prompt from the first turn on, and stay. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** By name, where several have it: which skill is meant. A reference chooses among what is visible, and lets nothing in. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** How many turns a loaded skill stays; `conversation`: to the end. Without it the gateway's `SKILL_RETENTION_TURNS`. */ retentionTurns?: (number) | ("conversation"); /** The model of the chat endpoint that runs it, by the name that its user has for it, where one asks for `ghost/<name>`. */ model?: string }; status?: { [name: string]: unknown }; metadata: { name: string; /** `default`: one's own; `public`: everybody's, written by admins; else a group's, written by its Maintainers and Owners. */ namespace?: string; labels?: { [name: string]: string } } };

export type NamedGhostRequest = { apiVersion?: string; kind?: "Ghost"; spec: { /** What the model is told first, in every turn: who it is and how it works. Skills say the rest when they are loaded. */ systemPrompt?: string; /** MCP servers that it brings, by name: each with its `url`, and `headers` if need be. A credential is written as `${{secrets.NAME}}`. They are connected in every conversation with it. */ mcpServers?: { [name: string]: unknown }; /** What the model may load: names, each with `@range` if need be; `*`: all of the ghost's scope. What they need must be among them. A stored ghost without this has no skills, an inline spec every visible one. `null`: none. */ skills?: (string)[]; /** Names among `skills` whose instructions are in the prompt from the first turn on, and stay. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** By name, where several have it: which skill is meant. A reference chooses among what is visible, and lets nothing in. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** How many turns a loaded skill stays; `conversation`: to the end. Without it the gateway's `SKILL_RETENTION_TURNS`. */ retentionTurns?: (number) | ("conversation"); /** The model of the chat endpoint that runs it, by the name that its user has for it, where one asks for `ghost/<name>`. */ model?: string }; status?: { [name: string]: unknown }; metadata?: { name?: string; /** `default`: one's own; `public`: everybody's, written by admins; else a group's, written by its Maintainers and Owners. */ namespace?: string; labels?: { [name: string]: string } } };

export type ReplacedGhostRequest = { apiVersion?: string; kind?: "Ghost"; spec: { /** What the model is told first, in every turn: who it is and how it works. Skills say the rest when they are loaded. */ systemPrompt?: string; /** MCP servers that it brings, by name: each with its `url`, and `headers` if need be. A credential is written as `${{secrets.NAME}}`. They are connected in every conversation with it. */ mcpServers?: { [name: string]: unknown }; /** What the model may load: names, each with `@range` if need be; `*`: all of the ghost's scope. What they need must be among them. A stored ghost without this has no skills, an inline spec every visible one. `null`: none. */ skills?: (string)[]; /** Names among `skills` whose instructions are in the prompt from the first turn on, and stay. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** By name, where several have it: which skill is meant. A reference chooses among what is visible, and lets nothing in. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** How many turns a loaded skill stays; `conversation`: to the end. Without it the gateway's `SKILL_RETENTION_TURNS`. */ retentionTurns?: (number) | ("conversation"); /** The model of the chat endpoint that runs it, by the name that its user has for it, where one asks for `ghost/<name>`. */ model?: string }; status?: { [name: string]: unknown }; metadata: { name: string; /** `default`: one's own; `public`: everybody's, written by admins; else a group's, written by its Maintainers and Owners. */ namespace?: string; labels?: { [name: string]: string } } };

/** What each operation takes and answers. */
export interface Operations {
  /** Who did what, newest first (admin) */
  "audit.list": { request: { query?: { limit?: number; cursor?: string; actor?: string; action?: "conversation.delete" | "ghost.create" | "ghost.update" | "ghost.delete" | "grant.create" | "grant.end" | "group.create" | "group.update" | "group.delete" | "group.member.put" | "group.member.remove" | "import.run" | "import.cancel" | "import.delete" | "key.create" | "key.rotate" | "key.revoke" | "link.create" | "link.revoke" | "mcp_server.put" | "mcp_server.approve" | "mcp_server.delete" | "own_server.put" | "own_server.delete" | "model.put" | "model.delete" | "oauth_client.put" | "oauth_client.delete" | "secret.put" | "secret.delete" | "secret.rotate" | "session.create" | "session.end" | "settings.change" | "skill.open" | "skill.close" | "sign_in.create" | "sign_in.approve" | "skill.draft.put" | "skill.draft.delete" | "skill.publish" | "skill.share" | "skill.activate" | "skill.yank" | "skill.unyank" | "skill.verdict" | "skill.delete" | "skill.remove_references" | "user.export" | "user.erase"; resource_type?: string; resource_id?: string; since?: string; until?: string } }; answer: { items: (AuditRecord)[]; next_cursor: string | null } };
  /** The state as it was in the latest pass over a turn */
  "conversations.at": { request: { path: { id: string; turn?: number } }; answer: { turn: number; active: ({ skill: string; version: string | null; remaining: number | null; reason: "loaded" | "preloaded" | "selected" | "dependency"; loaded_in_turn: number; tokens: number })[]; tokens: { static: number; actual: number; saved_percent: number; billed: { actual: number; paste: number; append_only: number; estimated: boolean; saved_percent: number; saved_over_append_percent: number; price: string } } } };
  /** Create a conversation; a known id has its settings updated */
  "conversations.create": { request: { body?: NewConversation }; answer: Conversation };
  /** Delete the conversation with everything it holds */
  "conversations.delete": { request: { path: { id: string } }; answer: void };
  /** The event log, oldest first */
  "conversations.events": { request: { path: { id: string }; query?: { after?: number; limit?: number } }; answer: { events: ({ seq: number; at: string; type: string; turn: number; [name: string]: unknown })[]; next_cursor: number | null } };
  /** The conversation: turn, active skills, tokens */
  "conversations.get": { request: { path: { id: string } }; answer: Conversation };
  /** Own conversations, newest first */
  "conversations.list": { request: { query?: { limit?: number; cursor?: string; q?: string } }; answer: { items: ({ id: string; title: string | null; ghost: string | null; created_at: string; /** To within 10 minutes, as the next two. */ turns: number | null; last_turn_at: string | null; /** What its prompts were billed so far. */ tokens: number | null })[]; next_cursor: string | null } };
  /** The prompt as it stands */
  "conversations.prompt": { request: { path: { id: string }; query?: { format?: "mcp" | "openai" | "openai-responses" | "anthropic" } }; answer: { system: string; messages: ({ [name: string]: unknown })[] } };
  /** Rebuild the activations from a transcript */
  "conversations.restore": { request: { path: { id: string }; body: Restore }; answer: { id: string; turn: number; ghost: string | null; settings: { /** A ghost that the user may read, by id or name: one's own, else a group's, else a public one. */ ghost?: string; /** A ghost's spec inline. Neither, or a spec without `skills`: every visible skill. */ spec?: { /** What the model is told first, in every turn: who it is and how it works. Skills say the rest when they are loaded. */ systemPrompt?: string; /** MCP servers that it brings, by name: each with its `url`, and `headers` if need be. A credential is written as `${{secrets.NAME}}`. They are connected in every conversation with it. */ mcpServers?: { [name: string]: unknown }; /** What the model may load: names, each with `@range` if need be; `*`: all of the ghost's scope. What they need must be among them. A stored ghost without this has no skills, an inline spec every visible one. `null`: none. */ skills?: (string)[]; /** Names among `skills` whose instructions are in the prompt from the first turn on, and stay. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** By name, where several have it: which skill is meant. A reference chooses among what is visible, and lets nothing in. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** How many turns a loaded skill stays; `conversation`: to the end. Without it the gateway's `SKILL_RETENTION_TURNS`. */ retentionTurns?: (number) | ("conversation"); /** The model of the chat endpoint that runs it, by the name that its user has for it, where one asks for `ghost/<name>`. */ model?: string }; /** Skills that the user has added to the ghost's, from all that the user sees: names, or objects that say which skill of a name. Selected in every turn. */ additional_skills?: ((string) | ({ name: string; skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null }))[]; shell?: string; retention_turns?: (number) | ("conversation"); /** Where instructions go. Default: `auto`, or `system` with `tool_mode: dynamic` or `tool_style: skill`. `auto` puts instructions into the answers and changes nothing that was sent, so that the provider's prompt cache holds. */ delivery?: "system" | "message" | "tool_result" | "auto"; format?: "mcp" | "openai" | "openai-responses" | "anthropic"; tool_mode?: "dynamic" | "fixed"; tool_style?: "load_skill" | "skill"; /** How the tools of MCP servers are offered: all in the list, or found by `find_tool` and called by `call_skill_tool`. `auto`, the default: found where there are more than 40, or their definitions have more than 6 000 tokens. Decided with the first turn, and again where the provider's cache has ended. */ tool_list?: "auto" | "list" | "search"; max_active_skills?: number; max_skill_tokens?: number; /** Where the conversation is made, in place of the gateway's `CONVERSATION_REGION`. It stays there: later it changes nothing. */ region?: "auto" | "wnam" | "enam" | "sam" | "weur" | "eeur" | "apac" | "apac-ne" | "apac-se" | "oc" | "afr" | "me"; /** What its user calls the conversation, for lists. No model sees it. */ title?: string; metadata?: { [name: string]: unknown } }; region?: "auto" | "wnam" | "enam" | "sam" | "weur" | "eeur" | "apac" | "apac-ne" | "apac-se" | "oc" | "afr" | "me"; active: ({ skill: string; version: string | null; remaining: number | null; reason: "loaded" | "preloaded" | "selected" | "dependency"; loaded_in_turn: number; tokens: number })[]; pending: ({ request_id: string; state: "pending" | "resolved" | "expired" | "cancelled"; skill_name: string | null; action: string; from?: { kind: "server"; name: string; host: string }; attempt: number; created_at: string; deadline: string })[]; mcp: ({ server: string; source: string; state: "connecting" | "connected" | "failed" | "open" | "unsupported"; tools: (string)[]; error?: string; latency_ms?: number })[]; tokens: { static: number; actual: number; saved_percent: number; billed: { actual: number; paste: number; append_only: number; estimated: boolean; saved_percent: number; saved_over_append_percent: number; price: string } }; warnings: ({ code: string; message: string; path?: string; line?: number })[] } };
  /** What each turn was, in figures, oldest first: tokens, money, loaded and active skills */
  "conversations.series": { request: { path: { id: string }; query?: { after?: number; limit?: number } }; answer: { turns: (TurnFigures)[]; next_cursor: number | null } };
  /** Create a conversation or replace its settings, from the next turn on */
  "conversations.set": { request: { path: { id: string }; body: ConversationSettings }; answer: Conversation };
  /** The conversation's WebSocket; sub-protocols `skill-gateway.v1` and, without a key, `ticket.<ticket>` */
  "conversations.socket": { request: { path: { id: string } }; answer: void };
  /** The tools as they stand */
  "conversations.tools": { request: { path: { id: string }; query?: { format?: "mcp" | "openai" | "openai-responses" | "anthropic" } }; answer: { tools: ({ [name: string]: unknown })[] } };
  /** Delete one's draft */
  "drafts.delete": { request: { path: { name: string } }; answer: void };
  /** One's own drafts by name, then those of others that name one, the newest first */
  "drafts.list": { request: {  }; answer: Drafts };
  /** Publish the bytes of one's draft where it is meant to go */
  "drafts.promote": { request: { path: { name: string } }; answer: Skill };
  /** Push a package as one's draft of this name, in the place of the one before */
  "drafts.push": { request: { path: { name: string }; body: { file: Blob; namespace?: string; /** Meant for everybody (admins). */ public?: "true" | "false"; /** Ids of users who may choose it, with commas between them. */ users?: string } }; answer: PushedDraft };
  /** Delete a file that a script has left */
  "files.delete": { request: { path: { id: string; file_id: string } }; answer: void };
  /** Download a file that a script has left */
  "files.get": { request: { path: { id: string; file_id: string } }; answer: Response };
  /** The files that scripts have left in the conversation, newest first */
  "files.list": { request: { path: { id: string }; query?: { limit?: number; cursor?: string } }; answer: { items: (KeptFile)[]; next_cursor: string | null } };
  /** What this is and where to go on: a page, or JSON for who prefers that */
  "gateway.front": { request: {  }; answer: Front };
  /** Whether the gateway can serve */
  "gateway.health": { request: {  }; answer: Health };
  /** How to sign in over MCP (RFC 9728) */
  "gateway.mcpResource": { request: {  }; answer: ProtectedResource };
  /** What was counted, as OpenMetrics */
  "gateway.metrics": { request: {  }; answer: Response };
  /** How to sign in (RFC 9728) */
  "gateway.resource": { request: {  }; answer: ProtectedResource };
  /** Make a ghost: one's own, a group's (Maintainer) or a public one (admin) */
  "ghosts.create": { request: { body: GhostRequest }; answer: Ghost };
  /** Delete a ghost */
  "ghosts.delete": { request: { path: { id: string } }; answer: void };
  /** A ghost */
  "ghosts.get": { request: { path: { id: string } }; answer: Ghost };
  /** The ghosts one may use: one's own, one's groups' and public ones, by namespace and name */
  "ghosts.list": { request: { query?: { limit?: number; cursor?: string; skip?: number; namespace?: string; name?: string; q?: string } }; answer: { items: (Ghost)[]; next_cursor: string | null } };
  /** A ghost as it would be: its prompt, tokens, skills and collisions; nothing is stored */
  "ghosts.preview": { request: { body: GhostPreviewRequest }; answer: GhostPreview };
  /** Replace a ghost, its name included; with `If-Match` only if it is still what was read */
  "ghosts.replace": { request: { path: { id: string }; body: ReplacedGhostRequest }; answer: Ghost };
  /** Make the ghost of this name, or replace it */
  "ghosts.setByName": { request: { path: { namespace: string; name: string }; body: NamedGhostRequest }; answer: Ghost };
  /** End a grant of one's own at once, as an admin any */
  "grants.end": { request: { path: { id: string } }; answer: void };
  /** Sign out of every MCP host */
  "grants.endAll": { request: {  }; answer: { ended: number } };
  /** What MCP hosts were given by signing in, newest first: one's own, an admin's list has everybody's */
  "grants.list": { request: { query?: { limit?: number; cursor?: string } }; answer: { items: (Grant)[]; next_cursor: string | null } };
  /** Make a group, as its owner (admins; with `GROUPS_OPEN` everybody) */
  "groups.create": { request: { body: { name: string; display_name?: string } }; answer: Group };
  /** Delete a group without skills, with its members and secrets (Owner) */
  "groups.delete": { request: { path: { name: string } }; answer: void };
  /** A group, and what it has used of each quota */
  "groups.get": { request: { path: { name: string } }; answer: GroupInFull };
  /** The caller's groups by name; with `all` every group (admin) */
  "groups.list": { request: { query?: { limit?: number; cursor?: string; all?: boolean } }; answer: { items: (Group)[]; next_cursor: string | null } };
  /** Rename a group in pages; its name stays (Owner) */
  "groups.rename": { request: { path: { name: string }; body: { display_name: string | null } }; answer: Group };
  /** End what is under way, and a mirror; what was taken stays */
  "imports.cancel": { request: { path: { id: string } }; answer: Import };
  /** Forget an import; what was taken stays */
  "imports.delete": { request: { path: { id: string } }; answer: void };
  /** How an import stands, and what became of each skill */
  "imports.get": { request: { path: { id: string }; query?: { limit?: number; cursor?: string; state?: "created" | "updated" | "unchanged" | "refused" | "failed" | "removed" } }; answer: ImportReport };
  /** The imports to where one may import, each scope's newest first */
  "imports.list": { request: {  }; answer: { items: (Import)[] } };
  /** Import skills from elsewhere, or read a source again; it goes on in the background */
  "imports.start": { request: { body: { source: ImportSource; /** `default`: one's own; a group's name, for its Maintainers; `public`, for admins. */ namespace?: string; /** Read the source again every day. For admins. */ mirror?: boolean } }; answer: Import };
  /** Make an API key (admin); the key is shown this once */
  "keys.create": { request: { body: { user_id: string; role?: "user" | "admin"; name?: string; scopes?: ("act_as" | "skills:read" | "skills:write" | "ghosts" | "conversations" | "groups" | "keys" | "secrets" | "mcp" | "chat" | "admin")[]; groups?: (string)[]; expires_at?: string } }; answer: CreatedKey };
  /** Live keys, newest first: one's own, an admin's list has everybody's */
  "keys.list": { request: { query?: { limit?: number; cursor?: string } }; answer: { items: (Key)[]; next_cursor: string | null } };
  /** Revoke a key of one's own at once, as an admin any */
  "keys.revoke": { request: { path: { id: string } }; answer: void };
  /** Make a key's successor with the same rights; the old key ends after an overlap */
  "keys.rotate": { request: { path: { id: string }; body?: { overlap_s?: number } }; answer: CreatedKey };
  /** Make an address that reads skills without a key; it is shown this once */
  "links.create": { request: { body: { name?: string; /** All skills of a group. Only its Maintainers may. */ group?: string; /** Only these skills, by id. Without it and without `group`: all of one's own. */ skills?: (string)[]; /** Left out: in 90 days. */ expires_at?: string } }; answer: CreatedLink };
  /** One's own live links, newest first, without their tokens */
  "links.list": { request: {  }; answer: { items: (Link)[] } };
  /** Revoke a link of one's own, as an admin any */
  "links.revoke": { request: { path: { id: string } }; answer: void };
  /** Approve the tools that a server lists now, as its guard goes by them (admin) */
  "mcpServers.approve": { request: { path: { name: string } }; answer: McpServer };
  /** Remove an MCP server of the gateway (admin) */
  "mcpServers.delete": { request: { path: { name: string } }; answer: void };
  /** One of the gateway's MCP servers (admin) */
  "mcpServers.get": { request: { path: { name: string } }; answer: McpServer };
  /** The gateway's MCP servers by name (admin) */
  "mcpServers.list": { request: { query?: { limit?: number; cursor?: string } }; answer: { items: (McpServer)[]; next_cursor: string | null } };
  /** Store an MCP server of the gateway; the entry is replaced as a whole (admin) */
  "mcpServers.set": { request: { path: { name: string }; body: McpServerEntry }; answer: McpServer };
  /** Connect to an MCP server and list its tools; stores nothing (admin) */
  "mcpServers.test": { request: { path: { name: string } }; answer: McpServerTest };
  /** Who this key speaks for, and what that user has used of each quota */
  "me.get": { request: {  }; answer: Me };
  /** Who is in a group, by user id */
  "members.list": { request: { path: { name: string }; query?: { limit?: number; cursor?: string } }; answer: { items: (Member)[]; next_cursor: string | null } };
  /** Take a member out (Maintainer below itself, Owner), or leave */
  "members.remove": { request: { path: { name: string; user_id: string } }; answer: void };
  /** Add a member, or change a member's role (Maintainer below itself, Owner) */
  "members.set": { request: { path: { name: string; user_id: string }; body: { role: "Owner" | "Maintainer" | "Developer" | "Reporter" } }; answer: Member };
  /** Delete a model; its requests are refused from then on */
  "models.delete": { request: { path: { name: string }; query?: { scope?: "user" | "group" | "gateway"; group_name?: string } }; answer: void };
  /** One model */
  "models.get": { request: { path: { name: string }; query?: { scope?: "user" | "group" | "gateway"; group_name?: string } }; answer: Model };
  /** Models by name, as their owner wrote them */
  "models.list": { request: { query?: { limit?: number; cursor?: string; scope?: "user" | "group" | "gateway"; group_name?: string } }; answer: { items: (Model)[]; next_cursor: string | null } };
  /** Store a model; the entry is replaced as a whole */
  "models.set": { request: { path: { name: string }; body: ModelEntry }; answer: Model };
  /** Forget a program with a secret, and end what its users gave it (admin) */
  "oauthClients.delete": { request: { path: { name: string } }; answer: void };
  /** Programs with a secret that may sign users in, by name (admin) */
  "oauthClients.list": { request: { query?: { limit?: number; cursor?: string } }; answer: { items: (OAuthClient)[]; next_cursor: string | null } };
  /** Make a program known that signs users in with an id and a secret (admin) */
  "oauthClients.put": { request: { path: { name: string }; body: { display_name: string; redirect_uris: (string)[] } }; answer: OAuthClient | NewOAuthClient };
  /** Open a public skill to everybody (admin) */
  "openSkills.add": { request: { path: { id: string } }; answer: OpenSkill };
  /** The open list: public skills that anybody may have without a key (admin) */
  "openSkills.list": { request: {  }; answer: { items: (OpenSkill)[] } };
  /** Take a skill off the open list (admin) */
  "openSkills.remove": { request: { path: { id: string } }; answer: void };
  /** Answer a request, for pages without a socket */
  "questions.answer": { request: { path: { id: string; request_id: string }; body: RequestResponse }; answer: { success: true } };
  /** Ask the conversation's pages and wait for the answer */
  "questions.ask": { request: { path: { id: string }; body: NewRequest }; answer: RequestAnswer };
  /** Cancel a pending request */
  "questions.cancel": { request: { path: { id: string; request_id: string } }; answer: void };
  /** A request; with `wait_ms`, once it has ended or that time is over */
  "questions.get": { request: { path: { id: string; request_id: string }; query?: { wait_ms?: number } }; answer: Request };
  /** Requests to the pages, newest first; those that ended are kept for a day */
  "questions.list": { request: { path: { id: string }; query?: { limit?: number; cursor?: string; state?: "pending" | "resolved" | "expired" | "cancelled" } }; answer: { items: ({ request_id: string; state: "pending" | "resolved" | "expired" | "cancelled"; skill_name: string | null; action: string; from?: { kind: "server"; name: string; host: string }; attempt: number; created_at: string; deadline: string })[]; next_cursor: string | null } };
  /** Write a stretch of the search index anew; ask again with `next` until it is null (admin) */
  "searchIndex.rebuild": { request: { body?: { after?: number } }; answer: { indexed: number; next: number | null } };
  /** Delete a secret; servers that use it stop at their next call */
  "secrets.delete": { request: { path: { name: string }; query?: { scope?: "user" | "group" | "gateway"; group_name?: string } }; answer: void };
  /** What is known of a secret, never its value */
  "secrets.get": { request: { path: { name: string }; query?: { scope?: "user" | "group" | "gateway"; group_name?: string } }; answer: Secret };
  /** Secrets by name, never with a value */
  "secrets.list": { request: { query?: { limit?: number; cursor?: string; scope?: "user" | "group" | "gateway"; group_name?: string } }; answer: { items: (Secret)[]; next_cursor: string | null } };
  /** Encrypt anew what is not under the current key; repeat until nothing remains (admin) */
  "secrets.rotate": { request: {  }; answer: { rotated: number; remaining: number } };
  /** Store a secret for some hosts, in place of one of the same name */
  "secrets.set": { request: { path: { name: string }; body: NewSecret }; answer: Secret };
  /** Remove an MCP server of a user or a group */
  "servers.delete": { request: { path: { name: string }; query?: { scope?: "user" | "group"; group_name?: string } }; answer: void };
  /** One MCP server of a user or a group */
  "servers.get": { request: { path: { name: string }; query?: { scope?: "user" | "group"; group_name?: string } }; answer: OwnServer };
  /** A user's or a group's MCP servers by name, as they were written */
  "servers.list": { request: { query?: { limit?: number; cursor?: string; scope?: "user" | "group"; group_name?: string } }; answer: { items: (OwnServer)[]; next_cursor: string | null } };
  /** Store an MCP server of a user or a group; the entry is replaced as a whole */
  "servers.set": { request: { path: { name: string }; body: OwnServerEntry }; answer: OwnServer };
  /** Connect to an MCP server and list its tools; stores nothing */
  "servers.test": { request: { path: { name: string }; query?: { scope?: "user" | "group"; group_name?: string } }; answer: McpServerTest };
  /** The MCP servers that every conversation of the caller has */
  "servers.usable": { request: { query?: { limit?: number; cursor?: string } }; answer: { items: (UsableServer)[]; next_cursor: string | null } };
  /** End a session of one's own at once, as an admin any */
  "sessions.end": { request: { path: { id: string } }; answer: void };
  /** Sign-ins to the console that go on, newest first: one's own, an admin's list has everybody's */
  "sessions.list": { request: { query?: { limit?: number; cursor?: string } }; answer: { items: (Session)[]; next_cursor: string | null } };
  /** Make a link that signs a user in once, for an MCP host or to the console (admin, or a service with `act_as`) */
  "signIns.create": { request: { body: { user_id: string; /** `consent`: to allow an MCP host. `console`: to open the console. A link of one opens nothing of the other. */ purpose?: "consent" | "console" } }; answer: SignInLink };
  /** SKILL.md as text, as the predecessor system's admin page asks for it */
  "skills.content": { request: { path: { id: string } }; answer: { content: string } };
  /** Delete a skill that no ghost holds; an admin may `force` it */
  "skills.delete": { request: { path: { id: string }; query?: { force?: boolean } }; answer: void };
  /** Delete a public skill (admin), as the predecessor system spells it */
  "skills.deletePublic": { request: { path: { id: string }; query?: { force?: boolean } }; answer: void };
  /** The skill as a ZIP */
  "skills.download": { request: { path: { id: string }; query?: { version?: string } }; answer: Response };
  /** The skill as a ZIP */
  "skills.downloadPublic": { request: { path: { id: string }; query?: { version?: string } }; answer: Response };
  /** One file of the current version; `path` may have slashes */
  "skills.file": { request: { path: { id: string; path: string } }; answer: Response };
  /** The files of the current version */
  "skills.files": { request: { path: { id: string } }; answer: (SkillFile)[] };
  /** A skill at its current version */
  "skills.get": { request: { path: { id: string } }; answer: Skill };
  /** The instructions of a skill by its name */
  "skills.invoke": { request: { body: { skill_name: string } }; answer: { prompt: string } };
  /** Own skills, or a group's; with `name` the one skill it means; with `q` what a search finds, the best first */
  "skills.list": { request: { query?: { limit?: number; cursor?: string; skip?: number; namespace?: string; name?: string; q?: string; exact_match?: boolean; count?: boolean } }; answer: { items: (Skill)[]; next_cursor: string | null; total?: number } };
  /** Public skills */
  "skills.listPublic": { request: { query?: { limit?: number; cursor?: string; skip?: number } }; answer: (SkillItem)[] };
  /** Publish a skill, or another version of it, to one's own namespace or a group's */
  "skills.publish": { request: { body: { file: Blob; name?: string; namespace?: string; /** Where it was taken from, as JSON: `type` (`git` or `index`), `url`, and where known `path`, `ref`, `commit`, `digest`. */ source?: string } }; answer: Skill };
  /** Publish a public skill (admin) */
  "skills.publishPublic": { request: { body: { file: Blob; name?: string; namespace?: "default"; /** Where it was taken from, as JSON: `type` (`git` or `index`), `url`, and where known `path`, `ref`, `commit`, `digest`. */ source?: string } }; answer: Skill };
  /** Publish a public skill (admin) */
  "skills.publishPublicForm": { request: { body: { file: Blob; name?: string; namespace?: "default"; /** Where it was taken from, as JSON: `type` (`git` or `index`), `url`, and where known `path`, `ref`, `commit`, `digest`. */ source?: string; marketplace_tags?: string } }; answer: Skill };
  /** Publish another version of a skill */
  "skills.publishPublicVersion": { request: { path: { id: string }; body: { file: Blob; /** Where it was taken from, as JSON: `type` (`git` or `index`), `url`, and where known `path`, `ref`, `commit`, `digest`. */ source?: string } }; answer: Skill };
  /** Publish another version of a skill */
  "skills.publishVersion": { request: { path: { id: string }; body: { file: Blob; /** Where it was taken from, as JSON: `type` (`git` or `index`), `url`, and where known `path`, `ref`, `commit`, `digest`. */ source?: string } }; answer: Skill };
  /** The ghosts that use a skill: those that one may read, and how many others */
  "skills.references": { request: { path: { id: string } }; answer: { skill_id: string; skill_name: string; referenced_ghosts: (GhostRef)[]; hidden_count: number } };
  /** Take a skill out of one ghost that one may write */
  "skills.removeReference": { request: { path: { id: string; ghost_id: string } }; answer: { success: boolean; ghost_name: string } };
  /** Take a skill out of the ghosts that one may write */
  "skills.removeReferences": { request: { path: { id: string } }; answer: { removed_count: number; affected_ghosts: (GhostRef)[] } };
  /** Publish the current version of a skill into a group (Developer there) */
  "skills.share": { request: { path: { id: string }; body: { group_name: string } }; answer: Skill };
  /** Every skill one may use, each name once: own over groups' over public */
  "skills.unified": { request: { query?: { limit?: number; cursor?: string; skip?: number; scope?: "all" | "personal" | "group"; group_name?: string } }; answer: (SkillItem)[] };
  /** How much a skill is used, for who answers for it: counts by day and by version */
  "skills.usage": { request: { path: { id: string }; query?: { days?: number } }; answer: { skill_id: string; skill_name: string; since: string; until: string; totals: { loads: number; calls: number; failures: number; tokens: number }; days: ({ day: string; loads: number; calls: number; failures: number; tokens: number })[]; versions: ({ version_id: string; version: string | null; loads: number; calls: number; failures: number; tokens: number })[] } };
  /** What publishing a package would say; stores nothing */
  "skills.validate": { request: { body: { file: Blob; name?: string } }; answer: Inspection };
  /** The skills of a task (a conversation), as executors ask for them */
  "tasks.skills": { request: { path: { id: string } }; answer: { task_id: string; skills: (string)[]; preload_skills: (string)[]; skill_refs: { [name: string]: { skill_id: string; namespace: string; is_public: boolean; version_id: string; content_hash: string | null } }; preload_skill_refs: { [name: string]: { skill_id: string; namespace: string; is_public: boolean; version_id: string; content_hash: string | null } }; user_selected_skills: (string)[] } };
  /** A ticket with which a page opens the conversation's socket: once, within a minute */
  "tickets.create": { request: { path: { id: string }; body?: NewTicket }; answer: Ticket };
  /** Cancel a running tool call */
  "toolCalls.cancel": { request: { path: { id: string; call_id: string } }; answer: void };
  /** Run the tool calls of one model step; with `Accept: text/event-stream`, told while they run */
  "toolCalls.run": { request: { path: { id: string }; body: ToolCalls }; answer: ToolCallsAnswer; event: ToolCallEvent };
  /** Begin a turn: prompt and tools for the model's first step */
  "turns.prepare": { request: { path: { id: string }; body?: Turn }; answer: { append?: ({ [name: string]: unknown })[]; append_id?: string; context_edits?: ({ call_id?: string; append_id?: string; content: string; required?: boolean })[]; drop_thinking_before?: "new_user_message"; cache_control?: { tools: { type: "ephemeral" }; system: { type: "ephemeral" }; conversation: { type: "ephemeral" } }; prompt_cache_key?: string; turn: number; prompt: { system: string; messages: ({ [name: string]: unknown })[] }; tools: ({ [name: string]: unknown })[]; active: ({ skill: string; version: string | null; remaining: number | null; reason: "loaded" | "preloaded" | "selected" | "dependency"; loaded_in_turn: number; tokens: number })[]; loaded_skills: (string)[]; etag: string; warnings: ({ code: string; message: string; path?: string; line?: number })[] } };
  /** Erase a user: keys, skills, secrets, ghosts, memberships, conversations (admin, or oneself) */
  "users.erase": { request: { path: { id: string } }; answer: Erased };
  /** Everything stored of a user, as one JSON document (admin, or oneself) */
  "users.export": { request: { path: { id: string } }; answer: Response };
  /** All users by id, in figures (admins) */
  "users.list": { request: { query?: { limit?: number; cursor?: string } }; answer: { items: (UserFigures)[]; next_cursor: string | null } };
  /** Make a version the current one */
  "versions.activate": { request: { path: { id: string; version_id: string } }; answer: Skill };
  /** One file of a version; `path` may have slashes */
  "versions.file": { request: { path: { id: string; version_id: string; path: string } }; answer: Response };
  /** The files of a version, whichever is current */
  "versions.files": { request: { path: { id: string; version_id: string } }; answer: (SkillFile)[] };
  /** The versions of a skill, newest first */
  "versions.list": { request: { path: { id: string }; query?: { limit?: number; cursor?: string } }; answer: { items: (SkillVersion)[]; next_cursor: string | null } };
  /** What a version may do; with `base` also what changed from that version */
  "versions.permissions": { request: { path: { id: string; version_id: string }; query?: { base?: string } }; answer: { version_id: string; version: string | null; permissions: SkillPermissions; changes: { version_id: string; version: string | null; added: (SkillPermission)[]; removed: (SkillPermission)[] } | null } };
  /** Take a yank back */
  "versions.unyank": { request: { path: { id: string; version_id: string } }; answer: Skill };
  /** Block a version at the doors for other clients, or take that back (admin) */
  "versions.verdict": { request: { path: { id: string; version_id: string }; body: { blocked: boolean; reason?: string } }; answer: { version_id: string; blocked: boolean; reason: string | null } };
  /** Yank a version: no name and no range means it any more */
  "versions.yank": { request: { path: { id: string; version_id: string } }; answer: Skill };
}

/** How each operation is sent: method, path, whether it may be sent again, and what is special about it. */
export const OPERATIONS: Readonly<Record<keyof Operations, readonly [method: string, path: string, retry: "safe" | "idempotent" | "never", kind: string]>> = {
  "audit.list": ["GET","/api/v1/audit","safe","items"],
  "conversations.at": ["GET","/api/v1/conversations/{id}/at/{turn}","safe","json"],
  "conversations.create": ["POST","/api/v1/conversations","idempotent","json keyed"],
  "conversations.delete": ["DELETE","/api/v1/conversations/{id}","idempotent","none"],
  "conversations.events": ["GET","/api/v1/conversations/{id}/events","safe","events"],
  "conversations.get": ["GET","/api/v1/conversations/{id}","safe","json"],
  "conversations.list": ["GET","/api/v1/conversations","safe","items"],
  "conversations.prompt": ["GET","/api/v1/conversations/{id}/prompt","safe","json"],
  "conversations.restore": ["POST","/api/v1/conversations/{id}/restore","idempotent","json"],
  "conversations.series": ["GET","/api/v1/conversations/{id}/series","safe","json"],
  "conversations.set": ["PUT","/api/v1/conversations/{id}","idempotent","json keyed"],
  "conversations.socket": ["GET","/api/v1/conversations/{id}/socket","never","none"],
  "conversations.tools": ["GET","/api/v1/conversations/{id}/tools","safe","json"],
  "drafts.delete": ["DELETE","/api/v1/kinds/skills/drafts/{name}","idempotent","none"],
  "drafts.list": ["GET","/api/v1/kinds/skills/drafts","safe","json"],
  "drafts.promote": ["POST","/api/v1/kinds/skills/drafts/{name}/promote","idempotent","json keyed"],
  "drafts.push": ["PUT","/api/v1/kinds/skills/drafts/{name}","idempotent","json form"],
  "files.delete": ["DELETE","/api/v1/conversations/{id}/files/{file_id}","idempotent","none"],
  "files.get": ["GET","/api/v1/conversations/{id}/files/{file_id}","safe","bytes"],
  "files.list": ["GET","/api/v1/conversations/{id}/files","safe","items"],
  "gateway.front": ["GET","/","safe","json"],
  "gateway.health": ["GET","/health","safe","json"],
  "gateway.mcpResource": ["GET","/.well-known/oauth-protected-resource/mcp","safe","json"],
  "gateway.metrics": ["GET","/metrics","safe","bytes"],
  "gateway.resource": ["GET","/.well-known/oauth-protected-resource","safe","json"],
  "ghosts.create": ["POST","/api/v1/kinds/ghosts","never","json"],
  "ghosts.delete": ["DELETE","/api/v1/kinds/ghosts/{id}","idempotent","none"],
  "ghosts.get": ["GET","/api/v1/kinds/ghosts/{id}","safe","json"],
  "ghosts.list": ["GET","/api/v1/kinds/ghosts","safe","items"],
  "ghosts.preview": ["POST","/api/v1/kinds/ghosts/preview","safe","json"],
  "ghosts.replace": ["PUT","/api/v1/kinds/ghosts/{id}","idempotent","json"],
  "ghosts.setByName": ["PUT","/api/v1/kinds/ghosts/by-name/{namespace}/{name}","idempotent","json"],
  "grants.end": ["DELETE","/api/v1/grants/{id}","idempotent","none"],
  "grants.endAll": ["DELETE","/api/v1/grants","idempotent","json"],
  "grants.list": ["GET","/api/v1/grants","safe","items"],
  "groups.create": ["POST","/api/v1/groups","never","json"],
  "groups.delete": ["DELETE","/api/v1/groups/{name}","idempotent","none"],
  "groups.get": ["GET","/api/v1/groups/{name}","safe","json"],
  "groups.list": ["GET","/api/v1/groups","safe","items"],
  "groups.rename": ["PUT","/api/v1/groups/{name}","idempotent","json"],
  "imports.cancel": ["POST","/api/v1/imports/{id}/cancel","idempotent","json"],
  "imports.delete": ["DELETE","/api/v1/imports/{id}","idempotent","none"],
  "imports.get": ["GET","/api/v1/imports/{id}","safe","json"],
  "imports.list": ["GET","/api/v1/imports","safe","json"],
  "imports.start": ["POST","/api/v1/imports","idempotent","json"],
  "keys.create": ["POST","/api/v1/keys","never","json"],
  "keys.list": ["GET","/api/v1/keys","safe","items"],
  "keys.revoke": ["DELETE","/api/v1/keys/{id}","idempotent","none"],
  "keys.rotate": ["POST","/api/v1/keys/{id}/rotate","never","json"],
  "links.create": ["POST","/api/v1/links","never","json"],
  "links.list": ["GET","/api/v1/links","safe","json"],
  "links.revoke": ["DELETE","/api/v1/links/{id}","idempotent","none"],
  "mcpServers.approve": ["POST","/api/v1/mcp-servers/{name}/approve","safe","json"],
  "mcpServers.delete": ["DELETE","/api/v1/mcp-servers/{name}","idempotent","none"],
  "mcpServers.get": ["GET","/api/v1/mcp-servers/{name}","safe","json"],
  "mcpServers.list": ["GET","/api/v1/mcp-servers","safe","items"],
  "mcpServers.set": ["PUT","/api/v1/mcp-servers/{name}","idempotent","json"],
  "mcpServers.test": ["POST","/api/v1/mcp-servers/{name}/test","safe","json"],
  "me.get": ["GET","/api/v1/me","safe","json"],
  "members.list": ["GET","/api/v1/groups/{name}/members","safe","items"],
  "members.remove": ["DELETE","/api/v1/groups/{name}/members/{user_id}","idempotent","none"],
  "members.set": ["PUT","/api/v1/groups/{name}/members/{user_id}","idempotent","json"],
  "models.delete": ["DELETE","/api/v1/models/{name}","idempotent","none"],
  "models.get": ["GET","/api/v1/models/{name}","safe","json"],
  "models.list": ["GET","/api/v1/models","safe","items"],
  "models.set": ["PUT","/api/v1/models/{name}","idempotent","json"],
  "oauthClients.delete": ["DELETE","/api/v1/oauth-clients/{name}","idempotent","none"],
  "oauthClients.list": ["GET","/api/v1/oauth-clients","safe","items"],
  "oauthClients.put": ["PUT","/api/v1/oauth-clients/{name}","idempotent","json"],
  "openSkills.add": ["PUT","/api/v1/open-skills/{id}","idempotent","json"],
  "openSkills.list": ["GET","/api/v1/open-skills","safe","json"],
  "openSkills.remove": ["DELETE","/api/v1/open-skills/{id}","idempotent","none"],
  "questions.answer": ["POST","/api/v1/conversations/{id}/requests/{request_id}/response","idempotent","json keyed"],
  "questions.ask": ["POST","/api/v1/conversations/{id}/requests","idempotent","json keyed"],
  "questions.cancel": ["DELETE","/api/v1/conversations/{id}/requests/{request_id}","idempotent","none"],
  "questions.get": ["GET","/api/v1/conversations/{id}/requests/{request_id}","safe","json"],
  "questions.list": ["GET","/api/v1/conversations/{id}/requests","safe","items"],
  "searchIndex.rebuild": ["POST","/api/v1/search-index","idempotent","json"],
  "secrets.delete": ["DELETE","/api/v1/secrets/{name}","idempotent","none"],
  "secrets.get": ["GET","/api/v1/secrets/{name}","safe","json"],
  "secrets.list": ["GET","/api/v1/secrets","safe","items"],
  "secrets.rotate": ["POST","/api/v1/secrets/rotate","idempotent","json"],
  "secrets.set": ["PUT","/api/v1/secrets/{name}","idempotent","json"],
  "servers.delete": ["DELETE","/api/v1/servers/{name}","idempotent","none"],
  "servers.get": ["GET","/api/v1/servers/{name}","safe","json"],
  "servers.list": ["GET","/api/v1/servers","safe","items"],
  "servers.set": ["PUT","/api/v1/servers/{name}","idempotent","json"],
  "servers.test": ["POST","/api/v1/servers/{name}/test","safe","json"],
  "servers.usable": ["GET","/api/v1/me/servers","safe","items"],
  "sessions.end": ["DELETE","/api/v1/sessions/{id}","idempotent","none"],
  "sessions.list": ["GET","/api/v1/sessions","safe","items"],
  "signIns.create": ["POST","/api/v1/sign-ins","never","json"],
  "skills.content": ["GET","/api/v1/kinds/skills/public/{id}/content","safe","json"],
  "skills.delete": ["DELETE","/api/v1/kinds/skills/{id}","idempotent","none"],
  "skills.deletePublic": ["DELETE","/api/v1/kinds/skills/public/{id}","idempotent","none"],
  "skills.download": ["GET","/api/v1/kinds/skills/{id}/download","safe","bytes"],
  "skills.downloadPublic": ["GET","/api/v1/kinds/skills/public/{id}/download","safe","bytes"],
  "skills.file": ["GET","/api/v1/kinds/skills/{id}/files/{path}","safe","bytes"],
  "skills.files": ["GET","/api/v1/kinds/skills/{id}/files","safe","array"],
  "skills.get": ["GET","/api/v1/kinds/skills/{id}","safe","json"],
  "skills.invoke": ["POST","/api/v1/kinds/skills/invoke","safe","json"],
  "skills.list": ["GET","/api/v1/kinds/skills","safe","items"],
  "skills.listPublic": ["GET","/api/v1/kinds/skills/public/list","safe","array"],
  "skills.publish": ["POST","/api/v1/kinds/skills/upload","idempotent","json form keyed"],
  "skills.publishPublic": ["POST","/api/v1/kinds/skills/public","idempotent","json form keyed"],
  "skills.publishPublicForm": ["POST","/api/v1/kinds/skills/public/upload","idempotent","json form keyed"],
  "skills.publishPublicVersion": ["PUT","/api/v1/kinds/skills/public/{id}/upload","idempotent","json form keyed"],
  "skills.publishVersion": ["PUT","/api/v1/kinds/skills/{id}","idempotent","json form keyed"],
  "skills.references": ["GET","/api/v1/kinds/skills/{id}/references","safe","json"],
  "skills.removeReference": ["POST","/api/v1/kinds/skills/{id}/remove-reference/{ghost_id}","never","json"],
  "skills.removeReferences": ["POST","/api/v1/kinds/skills/{id}/remove-references","idempotent","json"],
  "skills.share": ["POST","/api/v1/kinds/skills/{id}/share","idempotent","json keyed"],
  "skills.unified": ["GET","/api/v1/kinds/skills/unified","safe","array"],
  "skills.usage": ["GET","/api/v1/kinds/skills/{id}/usage","safe","json"],
  "skills.validate": ["POST","/api/v1/kinds/skills/validate","safe","json form"],
  "tasks.skills": ["GET","/api/tasks/{id}/skills","safe","json"],
  "tickets.create": ["POST","/api/v1/conversations/{id}/tickets","idempotent","json"],
  "toolCalls.cancel": ["DELETE","/api/v1/conversations/{id}/tool-calls/{call_id}","idempotent","none"],
  "toolCalls.run": ["POST","/api/v1/conversations/{id}/tool-calls","idempotent","json keyed"],
  "turns.prepare": ["POST","/api/v1/conversations/{id}/turns","idempotent","json keyed"],
  "users.erase": ["DELETE","/api/v1/users/{id}","idempotent","json"],
  "users.export": ["GET","/api/v1/users/{id}/export","safe","bytes"],
  "users.list": ["GET","/api/v1/users","safe","items"],
  "versions.activate": ["POST","/api/v1/kinds/skills/{id}/versions/{version_id}/activate","idempotent","json"],
  "versions.file": ["GET","/api/v1/kinds/skills/{id}/versions/{version_id}/files/{path}","safe","bytes"],
  "versions.files": ["GET","/api/v1/kinds/skills/{id}/versions/{version_id}/files","safe","array"],
  "versions.list": ["GET","/api/v1/kinds/skills/{id}/versions","safe","items"],
  "versions.permissions": ["GET","/api/v1/kinds/skills/{id}/versions/{version_id}/permissions","safe","json"],
  "versions.unyank": ["POST","/api/v1/kinds/skills/{id}/versions/{version_id}/unyank","idempotent","json"],
  "versions.verdict": ["PUT","/api/v1/kinds/skills/{id}/versions/{version_id}/verdict","idempotent","json"],
  "versions.yank": ["POST","/api/v1/kinds/skills/{id}/versions/{version_id}/yank","idempotent","json"],
};
