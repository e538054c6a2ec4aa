// Made from the OpenAPI document by sdk/emit.mjs; do not edit.

/** A frame of the event stream of `toolCalls.run`. The last frame is `done` or `error`. */ export type ToolCallEvent = ({ event: "progress"; data: { id: string; name: string; progress: number; total?: number; message?: string } }) | ({ event: "sign_in"; data: { id: string; name: string; server: string; url: string; expires_at: string } }) | ({ event: "result"; data: { id: string; name: string; content: ({ type: string; [name: string]: unknown })[]; structuredContent?: { [name: string]: unknown }; isError?: boolean; _meta?: { [name: string]: unknown } } }) | ({ event: "done"; data: ToolCallsAnswer }) | ({ event: "error"; data: { code: string; reason: string; message: string; details?: unknown } });

export type ToolCallsAnswer = { results: ({ id: string; name: string; content: ({ type: string; [name: string]: unknown })[]; structuredContent?: { [name: string]: unknown }; isError?: boolean; _meta?: { [name: string]: unknown } })[]; messages: ({ [name: string]: unknown })[]; unhandled: ({ [name: string]: unknown })[]; loaded_skills: (string)[]; active: ({ skill: string; version: string | null; remaining: number | null; reason: "loaded" | "preloaded" | "selected" | "predicted" | "dependency"; loaded_in_turn: number; tokens: number; candidate?: boolean })[]; changed: boolean; tools_changed: boolean; etag: string; prompt?: { system: string; messages: ({ [name: string]: unknown })[] }; tools?: ({ [name: string]: unknown })[]; sign_ins?: ({ call_id: string; server: string; url: string; expires_at: string })[]; warnings: ({ code: string; message: string; path?: string; line?: number })[] };

/** A frame of the event stream of `events.list`. Its `id` is the place to continue from. `ready` follows missed events; `reset` means that older events were deleted. */ export type RegistryEvent = { event: "skill.published" | "skill.activated" | "skill.yanked" | "skill.unyanked" | "skill.deleted" | "ready" | "reset"; data: { type?: string; timestamp?: string; data?: { [name: string]: unknown } } };

export type Front = { name: string; description: string; links: { [name: string]: string } };

export type Problem = { type: string; title: string; status: number; detail: string; code: string; request_id: string; issues?: (Issue)[]; [name: string]: unknown };

export type Issue = { code: string; message: string; path?: string; line?: number; severity?: "high" | "low" | "info" };

export type Health = { status: "ok" | "degraded" | "failed"; version: string; checked_at: string; checks: { d1: "ok" | "failed" | "absent"; r2: "ok" | "failed" | "absent"; loader: "ok" | "failed" | "absent"; rates: "ok" | "failed" | "absent"; search: "ok" | "failed" | "absent"; executor: "ok" | "failed" | "absent" }; database?: { served_by_region: string | null; served_by_primary: boolean | null }; issues?: (Issue)[] };

export type Liveness = { status: "ok"; version: string };

export type ProtectedResource = { resource: string; resource_name: string; authorization_servers?: (string)[]; scopes_supported?: (string)[]; bearer_methods_supported: ("header")[]; resource_documentation: string };

export type KeySet = { keys: ({ kty: "OKP"; crv: "Ed25519"; kid: string; x: string; use: "sig"; alg: "EdDSA"; /** Signatures of previous keys over the DSSE encoding of this key's id, in base64. */ endorsements?: ({ keyid: string; sig: string })[] })[] };

export type Conversation = { id: string; turn: number; ghost: string | null; settings: { /** An agent (ghost) by id or name. Your own comes before a group's, and a group's before a public one. */ ghost?: string; /** An inline agent spec. Without `ghost` and `spec`, or with a spec without `skills`, every visible skill is available. */ spec?: { /** The system prompt of every turn. Skills add their instructions when they are loaded. */ systemPrompt?: string; /** MCP servers by name, each with `url` and optional `headers`. Write credentials as `${{secrets.NAME}}`. They are connected in every conversation with this agent. */ mcpServers?: { [name: string]: unknown }; /** Skills that the model can load: names with an optional `@range`. `*` means all skills of the agent's scope. Dependencies must be listed, too. Without this field, a stored agent has no skills and an inline spec has every visible skill. `null` means none. */ skills?: (string)[]; /** Names from `skills` whose instructions are always in the prompt. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** Selects a skill if several have the same name. A reference gives no access to skills that are not visible. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** The number of turns that a loaded skill stays active. `conversation` means until the end. Default: `SKILL_RETENTION_TURNS` of the gateway. */ retentionTurns?: (number) | ("conversation"); /** Predictive loading for conversations with this agent. `shadow` only compares predictions with what models load. `on` appends the instructions of a likely skill to the user's message. Default: `shadow`. */ predict?: "off" | "shadow" | "on"; /** The model that the chat endpoint uses for `ghost/<name>`. */ model?: string }; /** Skills added to those of the agent, as names or as objects that select a skill by reference. They are selected in every turn. */ additional_skills?: ((string) | ({ name: string; skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null }))[]; shell?: string; retention_turns?: (number) | ("conversation"); /** Where instructions are placed. Default: `auto`, or `system` with `tool_mode: dynamic` or `tool_style: skill`. `auto` puts them into tool results and never changes sent messages, so the provider's prompt cache stays valid. */ delivery?: "system" | "message" | "tool_result" | "auto"; format?: "mcp" | "openai" | "openai-responses" | "anthropic"; tool_mode?: "dynamic" | "fixed"; tool_style?: "load_skill" | "skill"; /** How tools of MCP servers are offered: all in the list, or through `find_tool` and `call_skill_tool`. `auto` (default) uses search for more than 40 tools or more than 6 000 tokens of definitions. It is decided in the first turn, and again when the provider's cache has expired. */ tool_list?: "auto" | "list" | "search"; max_active_skills?: number; max_skill_tokens?: number; /** Predictive loading, for turns with a `message`. `shadow` only compares predictions with what the model loads. `on` appends the instructions of a likely skill (delivery `auto`). Default: that of the agent, otherwise `shadow`. */ predict?: "off" | "shadow" | "on"; /** The region where the conversation is created, instead of `CONVERSATION_REGION`. It cannot be changed later. */ region?: "auto" | "wnam" | "enam" | "sam" | "weur" | "eeur" | "apac" | "apac-ne" | "apac-se" | "oc" | "afr" | "me"; /** The title for lists. Models do not see it. */ title?: string; metadata?: { [name: string]: unknown } }; region?: "auto" | "wnam" | "enam" | "sam" | "weur" | "eeur" | "apac" | "apac-ne" | "apac-se" | "oc" | "afr" | "me"; active: ({ skill: string; version: string | null; remaining: number | null; reason: "loaded" | "preloaded" | "selected" | "predicted" | "dependency"; loaded_in_turn: number; tokens: number; candidate?: boolean })[]; pending: ({ request_id: string; state: "pending" | "resolved" | "expired" | "cancelled"; skill_name: string | null; action: string; from?: { kind: "server"; name: string; host: string }; attempt: number; created_at: string; deadline: string })[]; mcp: ({ server: string; source: string; state: "connecting" | "connected" | "failed" | "open" | "sign_in" | "unsupported"; tools: (string)[]; error?: string; latency_ms?: number })[]; tokens: { static: number; actual: number; saved_percent: number; billed: { actual: number; paste: number; append_only: number; estimated: boolean; saved_percent: number; saved_over_append_percent: number; price: string } }; warnings: ({ code: string; message: string; path?: string; line?: number })[] };

export type NewConversation = { /** An agent (ghost) by id or name. Your own comes before a group's, and a group's before a public one. */ ghost?: string; /** An inline agent spec. Without `ghost` and `spec`, or with a spec without `skills`, every visible skill is available. */ spec?: { /** The system prompt of every turn. Skills add their instructions when they are loaded. */ systemPrompt?: string; /** MCP servers by name, each with `url` and optional `headers`. Write credentials as `${{secrets.NAME}}`. They are connected in every conversation with this agent. */ mcpServers?: { [name: string]: unknown }; /** Skills that the model can load: names with an optional `@range`. `*` means all skills of the agent's scope. Dependencies must be listed, too. Without this field, a stored agent has no skills and an inline spec has every visible skill. `null` means none. */ skills?: (string)[]; /** Names from `skills` whose instructions are always in the prompt. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** Selects a skill if several have the same name. A reference gives no access to skills that are not visible. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** The number of turns that a loaded skill stays active. `conversation` means until the end. Default: `SKILL_RETENTION_TURNS` of the gateway. */ retentionTurns?: (number) | ("conversation"); /** Predictive loading for conversations with this agent. `shadow` only compares predictions with what models load. `on` appends the instructions of a likely skill to the user's message. Default: `shadow`. */ predict?: "off" | "shadow" | "on"; /** The model that the chat endpoint uses for `ghost/<name>`. */ model?: string }; /** Skills added to those of the agent, as names or as objects that select a skill by reference. They are selected in every turn. */ additional_skills?: ((string) | ({ name: string; skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null }))[]; /** The shell of the conversation. Skills with `bindShells` need one of theirs. Default: `Chat`. */ shell?: string; /** How many turns a loaded skill stays, or `conversation`. Default: the agent's `retentionTurns`. */ retention_turns?: (number) | ("conversation"); /** Where instructions are placed. Default: `auto`, or `system` with `tool_mode: dynamic` or `tool_style: skill`. `auto` puts them into tool results and never changes sent messages, so the provider's prompt cache stays valid. */ delivery?: "system" | "message" | "tool_result" | "auto"; /** The API format of prompt, tools and results. Default: `mcp`. */ format?: "mcp" | "openai" | "openai-responses" | "anthropic"; /** `fixed`: the tool list does not change when a skill loads. `dynamic`: it does. Default: `fixed` with delivery `auto`, else `dynamic`. */ tool_mode?: "dynamic" | "fixed"; /** How models load skills: with `load_skill` (default) or with one tool `skill`. */ tool_style?: "load_skill" | "skill"; /** How tools of MCP servers are offered: all in the list, or through `find_tool` and `call_skill_tool`. `auto` (default) uses search for more than 40 tools or more than 6 000 tokens of definitions. It is decided in the first turn, and again when the provider's cache has expired. */ tool_list?: "auto" | "list" | "search"; /** The maximum number of active skills. */ max_active_skills?: number; /** The maximum number of tokens of active instructions. */ max_skill_tokens?: number; /** Predictive loading, for turns with a `message`. `shadow` only compares predictions with what the model loads. `on` appends the instructions of a likely skill (delivery `auto`). Default: that of the agent, otherwise `shadow`. */ predict?: "off" | "shadow" | "on"; /** The region where the conversation is created, instead of `CONVERSATION_REGION`. It cannot be changed later. */ region?: "auto" | "wnam" | "enam" | "sam" | "weur" | "eeur" | "apac" | "apac-ne" | "apac-se" | "oc" | "afr" | "me"; /** The title for lists. Models do not see it. */ title?: string; /** Any object up to 16 KiB of JSON. It is returned unchanged. */ metadata?: { [name: string]: unknown }; /** The id that you choose: 1-128 of `A-Za-z0-9._:-`. Default: a generated id. */ id?: string };

export type ConversationSettings = { /** An agent (ghost) by id or name. Your own comes before a group's, and a group's before a public one. */ ghost?: string; /** An inline agent spec. Without `ghost` and `spec`, or with a spec without `skills`, every visible skill is available. */ spec?: { /** The system prompt of every turn. Skills add their instructions when they are loaded. */ systemPrompt?: string; /** MCP servers by name, each with `url` and optional `headers`. Write credentials as `${{secrets.NAME}}`. They are connected in every conversation with this agent. */ mcpServers?: { [name: string]: unknown }; /** Skills that the model can load: names with an optional `@range`. `*` means all skills of the agent's scope. Dependencies must be listed, too. Without this field, a stored agent has no skills and an inline spec has every visible skill. `null` means none. */ skills?: (string)[]; /** Names from `skills` whose instructions are always in the prompt. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** Selects a skill if several have the same name. A reference gives no access to skills that are not visible. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** The number of turns that a loaded skill stays active. `conversation` means until the end. Default: `SKILL_RETENTION_TURNS` of the gateway. */ retentionTurns?: (number) | ("conversation"); /** Predictive loading for conversations with this agent. `shadow` only compares predictions with what models load. `on` appends the instructions of a likely skill to the user's message. Default: `shadow`. */ predict?: "off" | "shadow" | "on"; /** The model that the chat endpoint uses for `ghost/<name>`. */ model?: string }; /** Skills added to those of the agent, as names or as objects that select a skill by reference. They are selected in every turn. */ additional_skills?: ((string) | ({ name: string; skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null }))[]; /** The shell of the conversation. Skills with `bindShells` need one of theirs. Default: `Chat`. */ shell?: string; /** How many turns a loaded skill stays, or `conversation`. Default: the agent's `retentionTurns`. */ retention_turns?: (number) | ("conversation"); /** Where instructions are placed. Default: `auto`, or `system` with `tool_mode: dynamic` or `tool_style: skill`. `auto` puts them into tool results and never changes sent messages, so the provider's prompt cache stays valid. */ delivery?: "system" | "message" | "tool_result" | "auto"; /** The API format of prompt, tools and results. Default: `mcp`. */ format?: "mcp" | "openai" | "openai-responses" | "anthropic"; /** `fixed`: the tool list does not change when a skill loads. `dynamic`: it does. Default: `fixed` with delivery `auto`, else `dynamic`. */ tool_mode?: "dynamic" | "fixed"; /** How models load skills: with `load_skill` (default) or with one tool `skill`. */ tool_style?: "load_skill" | "skill"; /** How tools of MCP servers are offered: all in the list, or through `find_tool` and `call_skill_tool`. `auto` (default) uses search for more than 40 tools or more than 6 000 tokens of definitions. It is decided in the first turn, and again when the provider's cache has expired. */ tool_list?: "auto" | "list" | "search"; /** The maximum number of active skills. */ max_active_skills?: number; /** The maximum number of tokens of active instructions. */ max_skill_tokens?: number; /** Predictive loading, for turns with a `message`. `shadow` only compares predictions with what the model loads. `on` appends the instructions of a likely skill (delivery `auto`). Default: that of the agent, otherwise `shadow`. */ predict?: "off" | "shadow" | "on"; /** The region where the conversation is created, instead of `CONVERSATION_REGION`. It cannot be changed later. */ region?: "auto" | "wnam" | "enam" | "sam" | "weur" | "eeur" | "apac" | "apac-ne" | "apac-se" | "oc" | "afr" | "me"; /** The title for lists. Models do not see it. */ title?: string; /** Any object up to 16 KiB of JSON. It is returned unchanged. */ metadata?: { [name: string]: unknown } };

export type TraceStep = { kind: "model" | "load" | "script" | "tool" | "question"; name: string | null; skill: string | null; at: string; ms: number | null; state: "running" | "done" | "failed" | "cancelled"; tokens: number | null; error: string | null };

export type TurnFigures = { seq: number; turn: number; at: string; restored: boolean; loaded: (string)[]; active: (string)[]; tokens: { static: number; actual: number }; billed: { actual: number; paste: number; append_only: number }; requests: number; sent: { actual: number; paste: number; append_only: number } | null; usage: { fresh: number; cache_read: number; cache_write: number; output: number } | null };

export type Turn = { /** The id of the user message. A repeated key returns the current state and does not start another turn. */ key?: string; /** The API format of prompt, tools and results. Default: the format of the conversation, else `mcp`. */ format?: "mcp" | "openai" | "openai-responses" | "anthropic"; /** Settings of the conversation. `{}` is enough to create it. */ conversation?: { /** An agent (ghost) by id or name. Your own comes before a group's, and a group's before a public one. */ ghost?: string; /** An inline agent spec. Without `ghost` and `spec`, or with a spec without `skills`, every visible skill is available. */ spec?: { /** The system prompt of every turn. Skills add their instructions when they are loaded. */ systemPrompt?: string; /** MCP servers by name, each with `url` and optional `headers`. Write credentials as `${{secrets.NAME}}`. They are connected in every conversation with this agent. */ mcpServers?: { [name: string]: unknown }; /** Skills that the model can load: names with an optional `@range`. `*` means all skills of the agent's scope. Dependencies must be listed, too. Without this field, a stored agent has no skills and an inline spec has every visible skill. `null` means none. */ skills?: (string)[]; /** Names from `skills` whose instructions are always in the prompt. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** Selects a skill if several have the same name. A reference gives no access to skills that are not visible. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** The number of turns that a loaded skill stays active. `conversation` means until the end. Default: `SKILL_RETENTION_TURNS` of the gateway. */ retentionTurns?: (number) | ("conversation"); /** Predictive loading for conversations with this agent. `shadow` only compares predictions with what models load. `on` appends the instructions of a likely skill to the user's message. Default: `shadow`. */ predict?: "off" | "shadow" | "on"; /** The model that the chat endpoint uses for `ghost/<name>`. */ model?: string }; /** Skills added to those of the agent, as names or as objects that select a skill by reference. They are selected in every turn. */ additional_skills?: ((string) | ({ name: string; skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null }))[]; shell?: string; retention_turns?: (number) | ("conversation"); /** Where instructions are placed. Default: `auto`, or `system` with `tool_mode: dynamic` or `tool_style: skill`. `auto` puts them into tool results and never changes sent messages, so the provider's prompt cache stays valid. */ delivery?: "system" | "message" | "tool_result" | "auto"; format?: "mcp" | "openai" | "openai-responses" | "anthropic"; tool_mode?: "dynamic" | "fixed"; tool_style?: "load_skill" | "skill"; /** How tools of MCP servers are offered: all in the list, or through `find_tool` and `call_skill_tool`. `auto` (default) uses search for more than 40 tools or more than 6 000 tokens of definitions. It is decided in the first turn, and again when the provider's cache has expired. */ tool_list?: "auto" | "list" | "search"; max_active_skills?: number; max_skill_tokens?: number; /** Predictive loading, for turns with a `message`. `shadow` only compares predictions with what the model loads. `on` appends the instructions of a likely skill (delivery `auto`). Default: that of the agent, otherwise `shadow`. */ predict?: "off" | "shadow" | "on"; /** The region where the conversation is created, instead of `CONVERSATION_REGION`. It cannot be changed later. */ region?: "auto" | "wnam" | "enam" | "sam" | "weur" | "eeur" | "apac" | "apac-ne" | "apac-se" | "oc" | "afr" | "me"; /** The title for lists. Models do not see it. */ title?: string; metadata?: { [name: string]: unknown } }; /** The text of the user's message, from which the gateway predicts a skill (`predict`). Only its beginning is read, and it is not stored. */ message?: string; /** The messages of the chat, oldest first. Read only if the conversation has no turn yet. */ history?: (unknown)[]; /** Delivery `auto`: true if earlier messages are no longer in the history and `have` is not sent. */ history_cut?: boolean; /** Skills for this turn only, by name or by reference. */ selected_skills?: ((string) | ({ name: string; skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null }))[]; /** Delivery `auto`: ids of calls and appended messages that are unchanged in the history. */ have?: (string)[]; /** Delivery `auto`: the model that will be called. It determines how long a prompt stays cached. */ model?: string; /** Delivery `auto`: the provider's cache no longer contains this conversation. */ cache?: "cold"; /** Token usage of a model request: the `usage` object of OpenAI or Anthropic, or `{ fresh, cache_read, cache_write, output }`. */ usage?: { [name: string]: unknown }; /** Tokens of the messages sent in addition to the prompt. */ history_tokens?: number };

export type ToolCalls = { /** The tool calls of one model response: the model's own objects, or `{ id, name, arguments }`. */ calls: ({ [name: string]: unknown })[]; /** The API format of prompt, tools and results. Default: the format of the conversation, else `mcp`. */ format?: "mcp" | "openai" | "openai-responses" | "anthropic"; /** `etag` of the previous response. Prompt and tools are returned only if they changed. */ etag?: string; /** Token usage of a model request: the `usage` object of OpenAI or Anthropic, or `{ fresh, cache_read, cache_write, output }`. */ usage?: { [name: string]: unknown }; /** `wait`, in a stream: a call that needs the user's sign-in to its server sends its link as the event `sign_in` and waits. Default: `fail`. */ sign_in?: "wait" | "fail" };

export type Restore = { /** The messages of the chat, oldest first. */ history: (unknown)[] };

export type TurnFeedback = { turn: number; score: number; comment: string | null; at: string };

export type FeedbackRequest = { /** The number of the turn. */ turn: number; /** 1: good; -1: bad; 0: withdrawn. */ score: (-1) | (0) | (1); /** A text for yourself; authors do not see it. */ comment?: string };

export type KeptFile = { id: string; path: string; size: number; type: string; address: string; created_at: string; expires_at: string };

export type RequestAnswer = { request_id: string; state: "pending" | "resolved" | "expired" | "cancelled"; success?: boolean; result?: unknown; error?: unknown; deadline: string };

export type NewRequest = { /** What the page should do, for example `confirm`. Your page defines the names. */ action: string; /** Any JSON value for the page. */ payload?: Record<string, unknown>; /** The skill in whose name the page is asked. */ skill_name?: string | null; /** How long the question can be answered, in milliseconds. */ timeout_ms?: number; /** If true, the request fails with 409 `NO_CLIENT` when no page is connected. */ require_client?: boolean; /** A JSON Schema for `result`. Answers that do not match are rejected, and the request stays pending. */ answer_schema?: { [name: string]: unknown }; /** How long this request waits for the answer, in milliseconds. */ wait_ms?: number };

export type Request = { request_id: string; state: "pending" | "resolved" | "expired" | "cancelled"; skill_name: string | null; action: string; from?: { kind: "server"; name: string; host: string }; attempt: number; created_at: string; deadline: string; payload?: unknown; success?: boolean; result?: unknown; error?: unknown; answered_by?: string };

export type RequestResponse = { /** Whether the page did what it was asked. */ success: boolean; /** Any JSON value: the answer. */ result?: Record<string, unknown>; /** The reason, if `success` is false. */ error?: Record<string, unknown> };

export type Ticket = { ticket: string; expires_at: string; url: string };

export type NewTicket = { /** The only origin from which the ticket works. Default: every origin in `ALLOWED_ORIGINS`. */ origin?: string; /** The person at the page, recorded with the answers. */ user_id?: string; /** Settings for a conversation that does not exist yet. An existing conversation is not changed. */ conversation?: { /** An agent (ghost) by id or name. Your own comes before a group's, and a group's before a public one. */ ghost?: string; /** An inline agent spec. Without `ghost` and `spec`, or with a spec without `skills`, every visible skill is available. */ spec?: { /** The system prompt of every turn. Skills add their instructions when they are loaded. */ systemPrompt?: string; /** MCP servers by name, each with `url` and optional `headers`. Write credentials as `${{secrets.NAME}}`. They are connected in every conversation with this agent. */ mcpServers?: { [name: string]: unknown }; /** Skills that the model can load: names with an optional `@range`. `*` means all skills of the agent's scope. Dependencies must be listed, too. Without this field, a stored agent has no skills and an inline spec has every visible skill. `null` means none. */ skills?: (string)[]; /** Names from `skills` whose instructions are always in the prompt. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** Selects a skill if several have the same name. A reference gives no access to skills that are not visible. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** The number of turns that a loaded skill stays active. `conversation` means until the end. Default: `SKILL_RETENTION_TURNS` of the gateway. */ retentionTurns?: (number) | ("conversation"); /** Predictive loading for conversations with this agent. `shadow` only compares predictions with what models load. `on` appends the instructions of a likely skill to the user's message. Default: `shadow`. */ predict?: "off" | "shadow" | "on"; /** The model that the chat endpoint uses for `ghost/<name>`. */ model?: string }; /** Skills added to those of the agent, as names or as objects that select a skill by reference. They are selected in every turn. */ additional_skills?: ((string) | ({ name: string; skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null }))[]; shell?: string; retention_turns?: (number) | ("conversation"); /** Where instructions are placed. Default: `auto`, or `system` with `tool_mode: dynamic` or `tool_style: skill`. `auto` puts them into tool results and never changes sent messages, so the provider's prompt cache stays valid. */ delivery?: "system" | "message" | "tool_result" | "auto"; format?: "mcp" | "openai" | "openai-responses" | "anthropic"; tool_mode?: "dynamic" | "fixed"; tool_style?: "load_skill" | "skill"; /** How tools of MCP servers are offered: all in the list, or through `find_tool` and `call_skill_tool`. `auto` (default) uses search for more than 40 tools or more than 6 000 tokens of definitions. It is decided in the first turn, and again when the provider's cache has expired. */ tool_list?: "auto" | "list" | "search"; max_active_skills?: number; max_skill_tokens?: number; /** Predictive loading, for turns with a `message`. `shadow` only compares predictions with what the model loads. `on` appends the instructions of a likely skill (delivery `auto`). Default: that of the agent, otherwise `shadow`. */ predict?: "off" | "shadow" | "on"; /** The region where the conversation is created, instead of `CONVERSATION_REGION`. It cannot be changed later. */ region?: "auto" | "wnam" | "enam" | "sam" | "weur" | "eeur" | "apac" | "apac-ne" | "apac-se" | "oc" | "afr" | "me"; /** The title for lists. Models do not see it. */ title?: string; metadata?: { [name: string]: unknown } }; /** If true, the page receives arguments and results of tool calls, not only their names. */ output?: boolean };

export type PublishingKey = { key: string; expires_at: string; skills: (string)[]; namespace: string };

export type CreatedKey = (Key) & ({ key: string });

export type Key = { id: string; user_id: string; role: "user" | "admin"; name: string | null; scopes: (string)[]; groups: (string)[]; expires_at: string | null; created_at: string; /** Accurate to 10 minutes. */ last_used_at: string | null; /** The id of the key that this key replaces. */ replaces: string | null };

export type Grant = { id: string; user_id: string; client_id: string; /** The name that the MCP host gave itself. It is not verified. */ client_name: string; /** The MCP URL that its tokens are valid for. */ resource: string; signed_in_by: "key" | "link" | "issuer"; created_at: string; expires_at: string; /** Accurate to 10 minutes. */ last_used_at: string | null };

export type Me = { user_id: string; role: "user" | "admin"; name: string | null; groups: (string)[]; memberships: ({ group: string; role: "Owner" | "Maintainer" | "Developer" | "Reporter" })[]; scopes: (string)[]; quotas: { skills: { used: number; limit: number }; versions: { used: number; limit: number }; bytes: { used: number; limit: number }; databaseBytes: { used: number; limit: number }; ghosts: { used: number; limit: number }; keys: { used: number; limit: number }; files: { used: number; limit: number } }; /** Since midnight UTC. `keys` counts keys created for this user. */ today: { uploads: { used: number; limit: number }; conversations: { used: number; limit: number }; scripts: { used: number; limit: number }; keys: { used: number; limit: number } }; rights: Rights };

/** What this key can do for this user, from the role and the scopes of the key. */ export type Rights = { scopes: ("act_as" | "skills:read" | "skills:write" | "ghosts" | "conversations" | "groups" | "keys" | "secrets" | "mcp" | "chat" | "admin")[]; act_as: boolean; operate: boolean; make_groups: boolean; namespaces: (NamespaceRights)[] };

export type NamespaceRights = { namespace: string; role: "Owner" | "Maintainer" | "Developer" | "Reporter" | null; read: boolean; publish: boolean; change: boolean; activate: boolean; delete: boolean; measure: boolean; define: boolean; secrets: boolean; manage: boolean; members: ("Owner" | "Maintainer" | "Developer" | "Reporter")[] };

export type SignInLink = { id: string; user_id: string; /** The address that the user opens or enters on the sign-in page. */ url: string; expires_at: string };

export type OAuthClient = { name: string; /** The client id to enter in the program. */ client_id: string; display_name: string; redirect_uris: (string)[]; created_at: string; updated_at: string };

export type NewOAuthClient = (OAuthClient) & ({ client_secret: string });

export type Session = { id: string; user_id: string; signed_in_by: "key" | "link" | "issuer"; /** True for the session of this request. */ current: boolean; created_at: string; /** The latest end. A session without requests for an hour ends earlier. */ expires_at: string; /** Accurate to one minute. */ last_used_at: string };

export type AuditRecord = { seq: number; at: string; actor: string; user_id: string | null; key_id: string; action: string; resource_type: string; resource_id: string; request_id: string; before: { [name: string]: unknown } | null; after: { [name: string]: unknown } | null };

export type UserFigures = { user_id: string; is_admin: boolean; last_used_at: string | null; /** Counted up to 1 000. */ keys: number; /** Counted up to 1 000. */ groups: number; /** Counted up to 1 000. */ skills: number; /** Counted up to 1 000. */ ghosts: number; /** Counted up to 1 000. */ conversations: number };

export type Erased = { erased: { keys: number; grants: number; secrets: number; ghosts: number; memberships: number; skills: number; conversations: number }; complete: boolean };

export type Group = { name: string; display_name: string | null; /** Whether its skills are reviewed; `null`: as `REVIEW_GROUPS` says. */ review: "off" | "optional" | "required" | null; /** The caller's role, or `null` for an admin who is not a member. */ role: "Owner" | "Maintainer" | "Developer" | "Reporter" | null; created_by: string; created_at: string; updated_at: string };

export type GroupInFull = (Group) & ({ quotas: { skills: { used: number; limit: number }; versions: { used: number; limit: number }; bytes: { used: number; limit: number }; databaseBytes: { used: number; limit: number }; ghosts: { used: number; limit: number } } });

export type Member = { user_id: string; role: "Owner" | "Maintainer" | "Developer" | "Reporter"; created_by: string; created_at: string };

export type Secret = { name: string; scope: "user" | "group" | "gateway"; group_name?: string; hosts: (string)[]; created_at: string; updated_at: string; last_used_at: string | null };

export type NewSecret = { /** The secret value. */ value: string; /** The hosts to which the value can be sent: exact names or `*.example.com`. */ hosts: (string)[]; /** The owner: you (default), a group, or the gateway (admins only). */ scope?: "user" | "group" | "gateway"; /** The group, required for `scope: group`. */ group_name?: string };

export type Model = { api: ("openai-chat" | "openai-responses" | "anthropic")[]; base_url: string; model: string; key?: string; headers?: { [name: string]: string }; allow?: { users?: (string)[]; groups?: (string)[]; server_tools?: (string)[]; tiers?: (string)[]; betas?: (string)[]; max_output_tokens?: number; max_input_bytes?: number }; single_system?: boolean; usage?: "sum" | "last"; name: string; scope: "user" | "group" | "gateway"; group_name?: string; created_at: string; updated_at: string };

export type ModelEntry = { /** The APIs that the model has: one or both of OpenAI's, or Anthropic's. */ api: ("openai-chat" | "openai-responses" | "anthropic")[]; /** The base URL that the vendor's SDK uses. */ base_url: string; /** The vendor's name of the model. */ model: string; /** The credential, as `${{secrets.NAME}}`: a secret of the same owner. */ key?: string; /** Headers of each request. Values can contain variables such as `${{secrets.NAME}}`. */ headers?: { [name: string]: string }; /** Restrictions: `users`, `groups`, `server_tools`, `tiers`, `betas`, `max_output_tokens`, `max_input_bytes`. */ allow?: { users?: (string)[]; groups?: (string)[]; server_tools?: (string)[]; tiers?: (string)[]; betas?: (string)[]; max_output_tokens?: number; max_input_bytes?: number }; /** If true, the gateway's system message is merged with the caller's. */ single_system?: boolean; /** The usage that an answer reports: the sum of all steps (default) or that of the last step. */ usage?: "sum" | "last"; /** The owner: you (default), a group, or the gateway (admins only). */ scope?: "user" | "group" | "gateway"; /** The group, required for `scope: group`. */ group_name?: string };

export type McpServer = { type?: "streamable-http" | "http" | "sse" | "websocket"; url: string; urls?: ({ url: string; weight?: number })[]; headers?: { [name: string]: string }; timeout?: number; connect_timeout?: number; allow?: (string)[]; deny?: (string)[]; era?: "auto" | "legacy" | "modern"; enabled?: boolean; prefix?: "always" | "on-conflict" | "never"; ghosts?: (string)[]; oauth?: { grant?: "authorization_code" | "client_credentials"; client_id?: string; client_secret?: string; scopes?: (string)[] }; description?: string; guard?: boolean; public?: boolean; name: string; approved?: (string)[]; down_since?: string; created_at: string; updated_at: string };

export type McpServerDetails = (McpServer) & ({ checks: ({ at: string; url: string; latency_ms: number; error?: string })[]; skills: ({ skill_id: string; name: string; state: "approved" | "changed" | "missing" | "withdrawn"; checked_at: string })[] });

export type McpServerEntry = { /** The transport. `http` means `streamable-http`. */ type?: "streamable-http" | "http" | "sse" | "websocket"; /** The address of the server. Path and query can contain variables. */ url: string; /** All addresses of a server with several instances, `url` among them, each with a weight (default: 1). */ urls?: ({ url: string; weight?: number })[]; /** Headers of each request. Values can contain variables such as `${{secrets.NAME}}`. */ headers?: { [name: string]: string }; /** The time limit for a call, in seconds. */ timeout?: number; /** The time limit for connecting, in seconds. */ connect_timeout?: number; /** Names of tools to offer, or patterns with `*`. Default: all tools. */ allow?: (string)[]; /** Names of tools to leave out, or patterns with `*`. Takes precedence over `allow`. */ deny?: (string)[]; /** Which revisions of MCP to use. Default: `auto`. */ era?: "auto" | "legacy" | "modern"; /** False turns the server off. A less specific server with the same name is then not used either. */ enabled?: boolean; /** When tools are named `server__tool`: `always` (default), `on-conflict` or `never`. With `never`, a tool whose name is taken is left out. */ prefix?: "always" | "on-conflict" | "never"; /** Ids of agents (ghosts). Only conversations with one of them have the server. Default: all conversations. */ ghosts?: (string)[]; /** A client that you registered at the issuer of the server (`client_id`, `client_secret`), and `scopes` to request. With `grant: client_credentials`, the client is the account of all users. */ oauth?: { grant?: "authorization_code" | "client_credentials"; client_id?: string; client_secret?: string; scopes?: (string)[] }; /** What the server offers, for the registry of this gateway. At most 100 characters. */ description?: string; /** If true, only approved and unchanged tools are offered. */ guard?: boolean; /** If true, callers without a key see name and description of the server in the registry of this gateway. */ public?: boolean };

export type McpServerTest = { reachable: boolean; latency_ms: number; protocol_version?: string; era?: "legacy" | "modern"; server?: { name: string; version: string }; tools: ({ name: string; description: string })[]; problems: (string)[]; error?: string };

export type ServerSkill = { uri: string; name: string; description: string; digest: string | null; files: number; bytes: number; resources: ({ path: string; bytes: number; digest: string })[]; state: "new" | "approved" | "changed" | "withdrawn" | "unusable"; problem: string | null; skill_id: string | null };

export type ServerSkillApproval = { /** `uri` of the reviewed entry. */ uri: string; /** `digest` of the reviewed entry. */ digest: string };

export type ConnectLink = { /** The page of the gateway that the user opens. */ url: string; expires_at: string };

export type Connection = { id: string; server: string; scope: "user" | "group" | "gateway"; group_name?: string; /** The URL of the server. A connection is not used for another URL. */ url: string; /** The authorization server at which the user signed in. */ issuer: string; /** The scopes that the issuer granted. */ granted: (string)[]; /** `pending`: waits for `confirm`. `ended`: connect the server again. */ state: "pending" | "active" | "ended"; ended_by?: "invalid_grant" | "rejected" | "expired" | "unreadable"; created_at: string; /** The end of the current access token. The gateway renews it if it can. */ expires_at: string | null };

export type UsableServer = { name: string; scope: "user" | "group" | "gateway"; group_name?: string; type: string; prefix?: string };

export type OwnServer = { type?: "streamable-http" | "http" | "sse" | "websocket"; url: string; urls?: ({ url: string; weight?: number })[]; headers?: { [name: string]: string }; timeout?: number; connect_timeout?: number; allow?: (string)[]; deny?: (string)[]; era?: "auto" | "legacy" | "modern"; enabled?: boolean; prefix?: "always" | "on-conflict" | "never"; ghosts?: (string)[]; oauth?: { grant?: "authorization_code" | "client_credentials"; client_id?: string; client_secret?: string; scopes?: (string)[] }; description?: string; name: string; scope: "user" | "group" | "gateway"; group_name?: string; down_since?: string; created_at: string; updated_at: string };

export type OwnServerEntry = { /** The transport. `http` means `streamable-http`. */ type?: "streamable-http" | "http" | "sse" | "websocket"; /** The address of the server. Path and query can contain variables. */ url: string; /** All addresses of a server with several instances, `url` among them, each with a weight (default: 1). */ urls?: ({ url: string; weight?: number })[]; /** Headers of each request. Values can contain variables such as `${{secrets.NAME}}`. */ headers?: { [name: string]: string }; /** The time limit for a call, in seconds. */ timeout?: number; /** The time limit for connecting, in seconds. */ connect_timeout?: number; /** Names of tools to offer, or patterns with `*`. Default: all tools. */ allow?: (string)[]; /** Names of tools to leave out, or patterns with `*`. Takes precedence over `allow`. */ deny?: (string)[]; /** Which revisions of MCP to use. Default: `auto`. */ era?: "auto" | "legacy" | "modern"; /** False turns the server off. A less specific server with the same name is then not used either. */ enabled?: boolean; /** When tools are named `server__tool`: `always` (default), `on-conflict` or `never`. With `never`, a tool whose name is taken is left out. */ prefix?: "always" | "on-conflict" | "never"; /** Ids of agents (ghosts). Only conversations with one of them have the server. Default: all conversations. */ ghosts?: (string)[]; /** A client that you registered at the issuer of the server (`client_id`, `client_secret`), and `scopes` to request. With `grant: client_credentials`, the client is the account of all users. */ oauth?: { grant?: "authorization_code" | "client_credentials"; client_id?: string; client_secret?: string; scopes?: (string)[] }; /** What the server offers, for the registry of this gateway. At most 100 characters. */ description?: string; /** The owner: you (default) or a group. */ scope?: "user" | "group"; /** The group, required for `scope: group`. */ group_name?: string };

export type Webhook = { name: string; scope: "user" | "group" | "gateway"; group_name?: string; url: string; events: ("skill.published" | "skill.activated" | "skill.yanked" | "skill.unyanked" | "skill.deleted" | "version.failing" | "review.requested" | "review.decided")[]; enabled: boolean; disabled_reason?: string; secret?: string; created_at: string; updated_at: string };

export type WebhookRequest = { /** The owner: you (default), a group, or the gateway (admins only). */ scope?: "user" | "group" | "gateway"; /** The group, required for `scope: group`. */ group_name?: string; /** The address of the server. Path and query can contain variables. */ url: string; /** The events that it receives. Default: all. */ events?: ("skill.published" | "skill.activated" | "skill.yanked" | "skill.unyanked" | "skill.deleted" | "version.failing" | "review.requested" | "review.decided")[]; /** False turns the webhook off: it receives no new events, and those that wait are not sent. */ enabled?: boolean };

export type WebhookSecret = { secret: string };

export type WebhookDelivery = { id: string; type: string; data: { [name: string]: unknown }; timestamp: string; state: "pending" | "delivered" | "failed"; attempts: number; next_attempt_at?: string; status: number | null; problem: string | null };

export type RegistryEvents = { events: ({ id: string; type: string; timestamp: string; data: { [name: string]: unknown } })[]; last_event_id: string; reset: boolean };

export type SkillEnvValue = { skill_id: string; /** `null` if you can no longer read the skill. */ skill_name: string | null; name: string; /** The hosts to which the value can be sent. */ hosts: (string)[]; created_at: string; updated_at: string; last_used_at: string | null };

export type SkillEnv = { skill_id: string; skill_name: string; /** The hosts that the current version declares. */ network: (string)[]; /** The variables that the current version declares. */ env: (string)[]; values: ({ name: string; /** The hosts to which the value can be sent. */ hosts: (string)[]; created_at: string; updated_at: string; last_used_at: string | null; /** Whether an admin set it for all users of the skill. */ shared: boolean })[]; /** Declared variables without a value. */ missing: (string)[] };

export type NewSkillEnv = { /** The values by the names of the variables. Other values stay. */ values: { [name: string]: string }; /** The hosts that receive the values. Default: all that the current version declares. */ hosts?: (string)[] };

export type CatalogServer = { name: string; title: string; description: string; entry_name: string; type: "streamable-http" | "sse"; url: string; sign_in: "oauth" | "none" | null; headers: ({ name: string; description: string; required: boolean; secret: boolean })[]; from: "curated" | "registry"; source: string; checked: string | null; version: string | null };

export type Executor = { state: "ok" | "failed" | "absent"; problem: string | null; name: string | null; install: string | null; packages: { [name: string]: string }; layers: ({ id: string; requirements: (string)[]; bytes: number; used_at: string })[] };

export type CreatedLink = (Link) & ({ url: string; notice: string });

export type Link = { id: string; name: string | null; reads: "own" | "group" | "skills"; group?: string; skills?: (string)[]; created_at: string; expires_at: string; uses: number; last_used_at: string | null };

export type Import = { id: string; source: ImportSource; namespace: string; mirror: boolean; state: "running" | "waiting" | "done" | "failed" | "stopped" | "cancelled"; problem: { code: string; message: string } | null; run: number; cursor: string | null; total: number | null; created_at: string; started_at: string; updated_at: string; next_at: string | null };

export type ImportSource = { /** `index`: a site with a well-known index. `archive`: a tar.gz or ZIP of a Git host. `gateway`: another gateway. */ type: "index" | "archive" | "gateway"; url: string; /** Type `archive`: only skills in this folder. */ path?: string; /** Type `gateway`: the scope path. Default: `public`. */ scope?: string; /** A secret of the target namespace, bound to the host of the source. It is sent as a bearer token. */ secret?: string; /** The header that carries the secret unchanged, instead of a bearer token. */ secret_header?: string };

export type ImportReport = (Import) & ({ counts: { created: number; updated: number; unchanged: number; refused: number; failed: number; removed: number }; items: (ImportItem)[]; next_cursor: string | null });

export type ImportItem = { name: string; state: "created" | "updated" | "unchanged" | "refused" | "failed"; problem: { code: string; message: string } | null; run: number; skill_id: string | null; version_id: string | null; digest: string | null; removed_at: string | null };

export type FailingVersion = { skill_id: string; skill_name: string; /** `user:<id>`, `group:<name>` or `public`. */ scope: string; version_id: string; version: string | null; since: string; /** The share of a rollout; null: the current version. */ percent: number | null; uses: number; failures: number; former: { version_id: string; version: string | null; uses: number; failures: number } };

export type OpenSkill = { skill_id: string; name: string; opened_by: string; opened_at: string };

export type Report = { id: string; skill_id: string; skill_name: string; /** `public` or the name of a group. */ namespace: string; /** The reported rating. `null` if the report is about the skill. */ rating: { id: string; stars: number | null; comment: string | null } | null; user_id: string; reason: "malicious" | "spam" | "illegal" | "personal_data" | "other"; message: string | null; created_at: string; decision: { decision: "dismissed" | "rating_hidden" | "resolved"; note: string | null; decided_by: string; decided_at: string } | null };

export type Review = { id: string; name: string; namespace: string; is_public: boolean; author: string; state: "pending" | "changes_requested" | "approved" | "rejected" | "withdrawn"; /** The version label. */ version: string | null; /** SHA-256 of the ZIP under review. */ zip_sha256: string; /** The version that approval published. */ published_version_id: string | null; created_at: string; updated_at: string };

export type ReviewInFull = (Review) & ({ /** Whether you can decide it: as a reviewer, and not as its author. */ can_decide: boolean; /** The version that it is compared with; `null`: the skill is new. */ base: { skill_id: string; version_id: string; version: string | null } | null; /** `null` if the content was deleted, or changed after the decision. */ content: { description: string; size: number; file_count: number; warnings: (Issue)[] } | null; /** Files that differ from the base. */ files: ({ path: string; change: "added" | "changed" | "removed"; size: number | null; base_size: number | null })[]; permissions: { added: (SkillPermission)[]; removed: (SkillPermission)[] }; /** Ranks of the example prompts, as you would see them after approval. */ routing: { prompts: ({ prompt: string; rank: number | null; rank_without_examples: number | null; ahead: (string)[] })[]; neighbours: ({ skill: string; prompts: number })[] } | null; /** The newest recorded run of the test cases with exactly this content. `null`: none is recorded, or you are not a reviewer of the scope. */ test_results: { recorded_by: string; recorded_at: string; runner: string | null; model: string | null; /** Number of cases that passed. */ passed: number; failed: number; failing: ({ name: string; reason?: string })[]; /** The cases that passed with this version before and fail now. `null`: none. */ regressions: { version_id: string; version: string | null; cases: (string)[] } | null } | null; events: (ReviewEvent)[] });

export type SkillPermission = { permission: string; value: string };

export type ReviewEvent = { id: string; type: "submitted" | "changed" | "commented" | "approved" | "changes_requested" | "rejected" | "withdrawn"; user_id: string; comment: string | null; path: string | null; line: number | null; /** The content at that time. */ zip_sha256: string; created_at: string };

export type Drafts = { items: (Draft)[] };

export type Draft = { /** The reference for `additional_skills` or your own agents (ghosts). */ reference: string; name: string; author: string; namespace: string; is_public: boolean; version: string | null; version_id: string; description: string; tokens: number; size: number; /** The users who can try it. `null` for drafts of other authors. */ users: (string)[] | null; pushed_at: string; expires_at: string; warnings: (Issue)[] };

export type PushedDraft = (Draft) & ({ /** Whether each script of the package can run, with the reason. See docs/skill-code.md. */ scripts?: (ScriptVerdict)[]; /** How search ranks the skill for its example prompts. `rank`: position after publishing; `rank_without_examples`: position if example prompts were not indexed; `null` below position 20. `ahead`: skills that rank higher. `neighbours`: for how many prompts each of them ranks higher. */ routing?: { prompts: ({ prompt: string; rank: number | null; rank_without_examples: number | null; ahead: (string)[] })[]; neighbours: ({ skill: string; prompts: number })[] } });

export type ScriptVerdict = { path: string; runs: "isolate" | "partly" | "remote" | "nowhere"; reason?: string; line?: number; /** What it needs that isolates do not have. */ needs?: { modules?: (string)[]; requirements?: (string)[]; commands?: (string)[] }; /** What the executor lacks. Returned by publishing and validation if there is an executor. */ missing?: (string)[] };

export type Skill = { apiVersion: "agent.wecode.io/v1"; kind: "Skill"; metadata: { name: string; namespace: string; labels: { id: string; user_id: string } }; spec: { description: string; displayName?: string; prompt: string; version?: string; author?: string; tags: (string)[]; bindShells?: (string)[]; config: { [name: string]: unknown }; tools: ({ name: string; provider?: string; description?: string; config?: { [name: string]: unknown } })[]; provider: { module?: string; class?: string }; mcpServers: { [name: string]: unknown }; dependencies: (string)[]; preload: boolean; license?: string; compatibility?: string; metadata: { [name: string]: unknown }; allowedTools: (string)[] }; status: { state: "available" | "yanked"; fileSize: number; fileHash: string; uploadHash: string; version_id: string; /** 1, 2, … in the order of publication. Numbers are not reused. */ version_number: number; /** Counted with `o200k_base`. `files` is estimated from the file sizes. */ tokens: { description: number; line: number; instructions: number; files: number }; created_at: string; updated_at: string; warnings: (Issue)[]; /** Whether each script of the package can run, with the reason. See docs/skill-code.md. */ scripts?: (ScriptVerdict)[]; /** Integrations that do not list the skill, with the reason. Only in responses about a single skill. */ left_out?: ({ door: "well-known" | "marketplace" | "clawhub"; code: string; message: string })[]; source?: SkillSource; provenance?: Provenance; /** How search ranks the skill for its example prompts. `rank`: position after publishing; `rank_without_examples`: position if example prompts were not indexed; `null` below position 20. `ahead`: skills that rank higher. `neighbours`: for how many prompts each of them ranks higher. */ routing?: { prompts: ({ prompt: string; rank: number | null; rank_without_examples: number | null; ahead: (string)[] })[]; neighbours: ({ skill: string; prompts: number })[] } } };

/** The origin that the publisher stated. The gateway never contacts it. `mcp`: the skill of an MCP server that an admin approved. */ export type SkillSource = { type: "git" | "index" | "mcp"; url: string; server?: string; path?: string; ref?: string; commit?: string; digest?: string; taken_at: string };

/** Where a trusted publisher built the version, as the issuer of its CI stated it in a signed token: repository, workflow, ref, commit and run. */ export type Provenance = { publisher: string; issuer: string; subject: string; repository?: string; workflow?: string; ref?: string; commit?: string; run_url?: string };

export type SkillItem = { id: string; name: string; namespace: string; description: string; displayName: string | null; version: string | null; author: string | null; tags: (string)[]; bindShells: (string)[] | null; is_public: boolean; is_active: boolean; user_id: string; created_at: string; updated_at: string; findings: { high: number; low: number; info: number }; /** What the skill contains. Only with `contents=true`. */ contents?: ("scripts" | "tools" | "servers" | "network")[] };

export type Inspection = { valid: boolean; name: string | null; issues: (Issue)[]; warnings: (Issue)[]; manifest?: { [name: string]: unknown } | null; files: ({ path: string; size: number; sha256: string })[]; /** Counted with `o200k_base`. `files` is estimated from the file sizes. */ tokens: { description: number; line: number; instructions: number; files: number } | null; /** How search ranks the skill for its example prompts. `rank`: position after publishing; `rank_without_examples`: position if example prompts were not indexed; `null` below position 20. `ahead`: skills that rank higher. `neighbours`: for how many prompts each of them ranks higher. */ routing: { prompts: ({ prompt: string; rank: number | null; rank_without_examples: number | null; ahead: (string)[] })[]; neighbours: ({ skill: string; prompts: number })[] } | null; /** Whether each script of the package can run, with the reason. See docs/skill-code.md. */ scripts: (ScriptVerdict)[] | null };

export type SkillFile = { path: string; size: number; sha256: string };

export type SkillVersion = { version_id: string; /** 1, 2, … in the order of publication. Numbers are not reused. */ number: number; version: string | null; is_current: boolean; fileSize: number; fileHash: string; uploadHash: string; created_by: string; created_at: string; yanked_at: string | null; blocked_for: string | null; warnings: (Issue)[]; source?: SkillSource; provenance?: Provenance; /** The review that approved it, and how many people besides the author did. */ review?: { id: string; reviewers: number } };

export type Attestation = { payloadType: string; payload: string; signatures: ({ keyid: string; sig: string })[] };

export type Rollout = { skill_id: string; percent: number; started_at: string; candidate: { version_id: string; version: string | null; /** Calls of tools and scripts, and rated turns, since the rollout began. */ uses: number; /** Failed calls, and turns with bad feedback. */ failures: number }; current: { version_id: string; version: string | null; /** Calls of tools and scripts, and rated turns, since the rollout began. */ uses: number; /** Failed calls, and turns with bad feedback. */ failures: number }; /** Whether the candidate fails significantly more often. */ failing: boolean };

export type RolloutRequest = { /** Id or label of the version. */ candidate: string; /** The share of the conversations that use the candidate. */ percent: number };

export type RolloutPromotion = { /** Id or label of the candidate. Another one is 409 `OTHER_CANDIDATE`. By default, any candidate is promoted. */ candidate?: string };

export type EvalRun = { id: string; /** `null`: no version has the tested content. */ version_id: string | null; version: string | null; digest: string; is_current: boolean; /** Whether it is the newest run of this content. */ is_newest: boolean; recorded_at: string; recorded_by: string; runner: string | null; model: string | null; passed: number; failed: number; /** Passed cases, 0 to 1. */ pass_rate: number };

export type RecordedEvalRun = { id: string; version_id: string | null; version: string | null; passed: number; failed: number; /** The cases that passed with this version before and fail now. `null`: none. */ regressions: { version_id: string; version: string | null; cases: (string)[] } | null };

export type EvalRunRequest = { /** The tested version. */ version_id?: string; /** The digest of tested content that need not be published yet, as `skillgate` computes it. */ digest?: string; /** The program that ran the cases. */ runner?: string; /** The model that the cases used, if any. */ model?: string; /** The results. Names identify cases across versions; they are cut after 160 characters, reasons after 200. Credentials are removed. */ cases: ({ name: string; passed: boolean; reason?: string })[] };

export type EvalRunWithCases = { id: string; /** `null`: no version has the tested content. */ version_id: string | null; version: string | null; digest: string; is_current: boolean; /** Whether it is the newest run of this content. */ is_newest: boolean; recorded_at: string; recorded_by: string; runner: string | null; model: string | null; passed: number; failed: number; /** Passed cases, 0 to 1. */ pass_rate: number; cases: ({ name: string; passed: boolean; reason?: string })[] };

/** What a version of a skill can do when it is loaded. */ export type SkillPermissions = { runs_code: boolean; asks_pages: boolean; model_invocation: boolean; preload: boolean; tools: (string)[]; allowed_tools: (string)[]; scripts: ({ path: string; language: "javascript" | "python" | "shell" | null; runs: "isolate" | "partly" | "remote" | "nowhere" | null })[]; servers: (ServerPermissions)[]; network: (string)[]; env: (string)[]; hosts: (string)[]; secrets: (string)[]; variables: (string)[]; commands: (string)[]; dependencies: (string)[] };

export type ServerPermissions = { name: string; host: string | null; problem: string | null; command: string | null; secrets: (string)[]; variables: (string)[]; allow: (string)[] | null; deny: (string)[] };

export type SkillNetwork = { /** The hosts that the current version declares. */ declared: (string)[]; /** The hosts that code of the skill can call. */ approved: (string)[]; /** Declared hosts that are not approved. */ waiting: (string)[] };

export type Ratings = { summary: RatingSummary; own: (Rating) | (null); can_rate: boolean; /** `null` if you can rate the skill. */ cannot_rate_because: "private" | "own_skill" | "not_used" | null; can_answer: boolean; items: (Rating)[]; next_cursor: string | null };

export type RatingSummary = { count: number; /** Mean of the stars. `null` without ratings. */ average: number | null; /** The Bayesian average: (5 × 3.5 + sum of stars) / (5 + count). */ score: number };

export type Rating = { id: string; stars: number; comment: string | null; version_id: string; version: string | null; created_at: string; updated_at: string; answer: { text: string; answered_at: string } | null; is_own: boolean; /** Set while an admin hides the rating. Only its author and admins see it. */ hidden: { hidden_at: string; reason: string | null } | null };

export type GhostRef = { id: string; name: string; namespace: string };

export type GhostPreview = { valid: boolean; issues: (Issue)[]; warnings: (Issue)[]; prompt: string; tokens: { system_prompt: number; list: number; preloaded: number; prompt: number; static: number }; skills: ({ name: string; skill_id: string; version_id: string; version: string | null; scope: "user" | "group" | "public"; namespace: string; tokens: number; preloaded: boolean; user_only: boolean; needs: (string)[]; tools: (string)[]; servers: (string)[] })[]; more: number; servers: (ServerPermissions)[]; collisions: ({ kind: "tool" | "server"; name: string; of: (string)[] })[] };

export type GhostPreviewRequest = { /** The agent: system prompt, skills, MCP servers. */ spec: { /** The system prompt of every turn. Skills add their instructions when they are loaded. */ systemPrompt?: string; /** MCP servers by name, each with `url` and optional `headers`. Write credentials as `${{secrets.NAME}}`. They are connected in every conversation with this agent. */ mcpServers?: { [name: string]: unknown }; /** Skills that the model can load: names with an optional `@range`. `*` means all skills of the agent's scope. Dependencies must be listed, too. Without this field, a stored agent has no skills and an inline spec has every visible skill. `null` means none. */ skills?: (string)[]; /** Names from `skills` whose instructions are always in the prompt. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** Selects a skill if several have the same name. A reference gives no access to skills that are not visible. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** The number of turns that a loaded skill stays active. `conversation` means until the end. Default: `SKILL_RETENTION_TURNS` of the gateway. */ retentionTurns?: (number) | ("conversation"); /** Predictive loading for conversations with this agent. `shadow` only compares predictions with what models load. `on` appends the instructions of a likely skill to the user's message. Default: `shadow`. */ predict?: "off" | "shadow" | "on"; /** The model that the chat endpoint uses for `ghost/<name>`. */ model?: string }; /** The namespace of the agent (ghost), as in `metadata`. */ namespace?: string; /** The shell of the conversation. Skills with `bindShells` need one of theirs. Default: `Chat`. */ shell?: string };

export type Ghost = { apiVersion: "agent.wecode.io/v1"; kind: "Ghost"; metadata: { name: string; namespace: string; labels: { id: string; user_id: string; scope: "user" | "group" | "public" } }; spec: { /** The system prompt of every turn. Skills add their instructions when they are loaded. */ systemPrompt?: string; /** MCP servers by name, each with `url` and optional `headers`. Write credentials as `${{secrets.NAME}}`. They are connected in every conversation with this agent. */ mcpServers?: { [name: string]: unknown }; /** Skills that the model can load: names with an optional `@range`. `*` means all skills of the agent's scope. Dependencies must be listed, too. Without this field, a stored agent has no skills and an inline spec has every visible skill. `null` means none. */ skills?: (string)[]; /** Names from `skills` whose instructions are always in the prompt. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** Selects a skill if several have the same name. A reference gives no access to skills that are not visible. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** The number of turns that a loaded skill stays active. `conversation` means until the end. Default: `SKILL_RETENTION_TURNS` of the gateway. */ retentionTurns?: (number) | ("conversation"); /** Predictive loading for conversations with this agent. `shadow` only compares predictions with what models load. `on` appends the instructions of a likely skill to the user's message. Default: `shadow`. */ predict?: "off" | "shadow" | "on"; /** The model that the chat endpoint uses for `ghost/<name>`. */ model?: string }; status: { state: "available"; created_at: string; updated_at: string; warnings: (Issue)[] } };

export type GhostRequest = { /** Accepted from a response and not used. */ apiVersion?: string; /** Always `Ghost`. */ kind?: "Ghost"; /** The agent: system prompt, skills, MCP servers. */ spec: { /** The system prompt of every turn. Skills add their instructions when they are loaded. */ systemPrompt?: string; /** MCP servers by name, each with `url` and optional `headers`. Write credentials as `${{secrets.NAME}}`. They are connected in every conversation with this agent. */ mcpServers?: { [name: string]: unknown }; /** Skills that the model can load: names with an optional `@range`. `*` means all skills of the agent's scope. Dependencies must be listed, too. Without this field, a stored agent has no skills and an inline spec has every visible skill. `null` means none. */ skills?: (string)[]; /** Names from `skills` whose instructions are always in the prompt. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** Selects a skill if several have the same name. A reference gives no access to skills that are not visible. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** The number of turns that a loaded skill stays active. `conversation` means until the end. Default: `SKILL_RETENTION_TURNS` of the gateway. */ retentionTurns?: (number) | ("conversation"); /** Predictive loading for conversations with this agent. `shadow` only compares predictions with what models load. `on` appends the instructions of a likely skill to the user's message. Default: `shadow`. */ predict?: "off" | "shadow" | "on"; /** The model that the chat endpoint uses for `ghost/<name>`. */ model?: string }; /** Accepted from a response and not used. */ status?: { [name: string]: unknown }; /** `name` and `namespace`: `default` (your own), a group or `public`. */ metadata: { name: string; /** `default`: your own. `public`: for everybody, written by admins. A group name: written by its Maintainers and Owners. */ namespace?: string; labels?: { [name: string]: string } } };

export type NamedGhostRequest = { /** Accepted from a response and not used. */ apiVersion?: string; /** Always `Ghost`. */ kind?: "Ghost"; /** The agent: system prompt, skills, MCP servers. */ spec: { /** The system prompt of every turn. Skills add their instructions when they are loaded. */ systemPrompt?: string; /** MCP servers by name, each with `url` and optional `headers`. Write credentials as `${{secrets.NAME}}`. They are connected in every conversation with this agent. */ mcpServers?: { [name: string]: unknown }; /** Skills that the model can load: names with an optional `@range`. `*` means all skills of the agent's scope. Dependencies must be listed, too. Without this field, a stored agent has no skills and an inline spec has every visible skill. `null` means none. */ skills?: (string)[]; /** Names from `skills` whose instructions are always in the prompt. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** Selects a skill if several have the same name. A reference gives no access to skills that are not visible. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** The number of turns that a loaded skill stays active. `conversation` means until the end. Default: `SKILL_RETENTION_TURNS` of the gateway. */ retentionTurns?: (number) | ("conversation"); /** Predictive loading for conversations with this agent. `shadow` only compares predictions with what models load. `on` appends the instructions of a likely skill to the user's message. Default: `shadow`. */ predict?: "off" | "shadow" | "on"; /** The model that the chat endpoint uses for `ghost/<name>`. */ model?: string }; /** Accepted from a response and not used. */ status?: { [name: string]: unknown }; /** Optional. If present, it must match the path. */ metadata?: { name?: string; /** `default`: your own. `public`: for everybody, written by admins. A group name: written by its Maintainers and Owners. */ namespace?: string; labels?: { [name: string]: string } } };

export type ReplacedGhostRequest = { /** Accepted from a response and not used. */ apiVersion?: string; /** Always `Ghost`. */ kind?: "Ghost"; /** The agent: system prompt, skills, MCP servers. */ spec: { /** The system prompt of every turn. Skills add their instructions when they are loaded. */ systemPrompt?: string; /** MCP servers by name, each with `url` and optional `headers`. Write credentials as `${{secrets.NAME}}`. They are connected in every conversation with this agent. */ mcpServers?: { [name: string]: unknown }; /** Skills that the model can load: names with an optional `@range`. `*` means all skills of the agent's scope. Dependencies must be listed, too. Without this field, a stored agent has no skills and an inline spec has every visible skill. `null` means none. */ skills?: (string)[]; /** Names from `skills` whose instructions are always in the prompt. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** Selects a skill if several have the same name. A reference gives no access to skills that are not visible. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** The number of turns that a loaded skill stays active. `conversation` means until the end. Default: `SKILL_RETENTION_TURNS` of the gateway. */ retentionTurns?: (number) | ("conversation"); /** Predictive loading for conversations with this agent. `shadow` only compares predictions with what models load. `on` appends the instructions of a likely skill to the user's message. Default: `shadow`. */ predict?: "off" | "shadow" | "on"; /** The model that the chat endpoint uses for `ghost/<name>`. */ model?: string }; /** Accepted from a response and not used. */ status?: { [name: string]: unknown }; /** `name` and `namespace`. The namespace cannot change. */ metadata: { name: string; /** `default`: your own. `public`: for everybody, written by admins. A group name: written by its Maintainers and Owners. */ namespace?: string; labels?: { [name: string]: string } } };

export type Publisher = { id: string; name: string; scope: "user" | "group" | "public"; group_name?: string; issuer: string; audience: string; claims: { [name: string]: string }; skills: (string)[]; key_minutes: number; created_by: string; created_at: string; updated_at: string; last_used_at: string | null; last_refusal: { at: string; reason: string } | null };

export type PublisherEntry = { /** The issuer (`iss`) of the tokens, exactly as they contain it. */ issuer: string; /** The audience (`aud`) of the tokens. Default: the origin of the gateway. */ audience?: string; /** The required claims: exact values, or prefixes that end with `*`. `*` does not stand for `/` and `:`. One of `repository`, `repository_id`, `project_path`, `project_id`, `sub` is required. */ claims: { [name: string]: string }; /** The names of the skills that the job can publish. */ skills: (string)[]; /** The lifetime of a key in minutes, 1 to 60. Default: 15. */ key_minutes?: number; /** The owner: you (default), a group, or the gateway (admins only). */ scope?: "user" | "group" | "public"; /** The group, required for `scope: group`. */ group_name?: string };

/** Input and output of each operation. */
export interface Operations {
  /** Lists audit records, newest first. */
  "audit.list": { request: { query?: { limit?: number; cursor?: string; actor?: string; action?: "connection.create" | "connection.end" | "conversation.delete" | "ghost.create" | "ghost.update" | "ghost.delete" | "grant.create" | "grant.end" | "group.create" | "group.update" | "group.delete" | "group.member.put" | "group.member.remove" | "import.run" | "import.cancel" | "import.delete" | "key.create" | "key.rotate" | "key.revoke" | "link.create" | "link.revoke" | "mcp_server.put" | "mcp_server.approve" | "mcp_server.delete" | "own_server.put" | "own_server.delete" | "model.put" | "model.delete" | "oauth_client.put" | "oauth_client.delete" | "publisher.put" | "publisher.delete" | "publisher.exchange" | "publisher.refuse" | "rating.hide" | "rating.show" | "report.decide" | "review.submit" | "review.change" | "review.comment" | "review.approve" | "review.bypass" | "review.request_changes" | "review.reject" | "review.withdraw" | "secret.put" | "secret.delete" | "secret.rotate" | "session.create" | "session.end" | "settings.change" | "skill.open" | "skill.close" | "sign_in.create" | "sign_in.approve" | "skill.draft.put" | "skill.draft.delete" | "skill.publish" | "skill.share" | "skill.activate" | "skill.yank" | "skill.unyank" | "skill.verdict" | "skill.delete" | "skill.rollout.put" | "skill.rollout.stop" | "skill.network.put" | "skill.env.put" | "skill.env.delete" | "skill.request" | "skill.remove_references" | "user.export" | "user.erase" | "webhook.put" | "webhook.rotate" | "webhook.delete"; resource_type?: string; resource_id?: string; since?: string; until?: string } }; answer: { items: (AuditRecord)[]; next_cursor: string | null } };
  /** Activates a connection with the proof that the user's browser brought back. */
  "connections.confirm": { request: { path: { id: string }; body: { /** The value of `proof` that the browser brought back. */ proof: string } }; answer: Connection };
  /** Creates a link with which you sign in to an MCP server. */
  "connections.create": { request: { path: { name: string }; body?: { /** The page to return to, at an origin in `ALLOWED_ORIGINS`. It receives `#connection=…&proof=…` and confirms the connection. Without it, the user signs in to the gateway on its own page. */ return_to?: string } }; answer: ConnectLink };
  /** Deletes a connection and revokes its tokens at the issuer. */
  "connections.delete": { request: { path: { id: string } }; answer: void };
  /** Lists your connections to MCP servers, oldest first. */
  "connections.list": { request: { query?: { limit?: number; cursor?: string } }; answer: { items: (Connection)[]; next_cursor: string | null } };
  /** Returns the active skills of an earlier turn. */
  "conversations.at": { request: { path: { id: string; turn?: number } }; answer: { turn: number; active: ({ skill: string; version: string | null; remaining: number | null; reason: "loaded" | "preloaded" | "selected" | "predicted" | "dependency"; loaded_in_turn: number; tokens: number; candidate?: boolean })[]; tokens: { static: number; actual: number; saved_percent: number; billed: { actual: number; paste: number; append_only: number; estimated: boolean; saved_percent: number; saved_over_append_percent: number; price: string } }; steps: (TraceStep)[] } };
  /** Creates a conversation, or changes named settings of an existing one. */
  "conversations.create": { request: { body?: NewConversation }; answer: Conversation };
  /** Deletes a conversation and its data. */
  "conversations.delete": { request: { path: { id: string } }; answer: void };
  /** Lists the events of a conversation, oldest first. */
  "conversations.events": { request: { path: { id: string }; query?: { after?: number; limit?: number } }; answer: { events: ({ seq: number; at: string; type: string; turn: number; [name: string]: unknown })[]; next_cursor: number | null } };
  /** Lists the feedback on turns, in their order. */
  "conversations.feedback": { request: { path: { id: string }; query?: { after?: number; limit?: number } }; answer: { items: (TurnFeedback)[]; next_cursor: number | null } };
  /** Returns the state of a conversation. */
  "conversations.get": { request: { path: { id: string } }; answer: Conversation };
  /** Lists your conversations, newest first. */
  "conversations.list": { request: { query?: { limit?: number; cursor?: string; q?: string; ghost?: string; skill?: string; state?: "failed" | "succeeded" | "unused"; since?: string; until?: string } }; answer: { items: ({ id: string; title: string | null; ghost: string | null; created_at: string; /** Accurate to 10 minutes, like the following fields. */ turns: number | null; last_turn_at: string | null; /** The billed tokens so far. */ tokens: number | null; /** The tokens that would be billed with all skills pasted into the prompt. `null`: not reported yet. */ pasted_tokens: number | null; /** Failed tool calls so far. */ failed_calls: number | null })[]; next_cursor: string | null } };
  /** Returns the current prompt. */
  "conversations.prompt": { request: { path: { id: string }; query?: { format?: "mcp" | "openai" | "openai-responses" | "anthropic" } }; answer: { system: string; messages: ({ [name: string]: unknown })[] } };
  /** Stores feedback on a turn. */
  "conversations.rateTurn": { request: { path: { id: string }; body: FeedbackRequest }; answer: TurnFeedback };
  /** Restores active skills from a message history. */
  "conversations.restore": { request: { path: { id: string }; body: Restore }; answer: { id: string; turn: number; ghost: string | null; settings: { /** An agent (ghost) by id or name. Your own comes before a group's, and a group's before a public one. */ ghost?: string; /** An inline agent spec. Without `ghost` and `spec`, or with a spec without `skills`, every visible skill is available. */ spec?: { /** The system prompt of every turn. Skills add their instructions when they are loaded. */ systemPrompt?: string; /** MCP servers by name, each with `url` and optional `headers`. Write credentials as `${{secrets.NAME}}`. They are connected in every conversation with this agent. */ mcpServers?: { [name: string]: unknown }; /** Skills that the model can load: names with an optional `@range`. `*` means all skills of the agent's scope. Dependencies must be listed, too. Without this field, a stored agent has no skills and an inline spec has every visible skill. `null` means none. */ skills?: (string)[]; /** Names from `skills` whose instructions are always in the prompt. Each costs its tokens in every turn. */ preload_skills?: (string)[]; /** Selects a skill if several have the same name. A reference gives no access to skills that are not visible. */ skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; preload_skill_refs?: { [name: string]: { skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null } }; /** The number of turns that a loaded skill stays active. `conversation` means until the end. Default: `SKILL_RETENTION_TURNS` of the gateway. */ retentionTurns?: (number) | ("conversation"); /** Predictive loading for conversations with this agent. `shadow` only compares predictions with what models load. `on` appends the instructions of a likely skill to the user's message. Default: `shadow`. */ predict?: "off" | "shadow" | "on"; /** The model that the chat endpoint uses for `ghost/<name>`. */ model?: string }; /** Skills added to those of the agent, as names or as objects that select a skill by reference. They are selected in every turn. */ additional_skills?: ((string) | ({ name: string; skill_id?: (string) | (number) | (null); namespace?: string | null; is_public?: boolean | null; version_id?: string | null; content_hash?: string | null }))[]; shell?: string; retention_turns?: (number) | ("conversation"); /** Where instructions are placed. Default: `auto`, or `system` with `tool_mode: dynamic` or `tool_style: skill`. `auto` puts them into tool results and never changes sent messages, so the provider's prompt cache stays valid. */ delivery?: "system" | "message" | "tool_result" | "auto"; format?: "mcp" | "openai" | "openai-responses" | "anthropic"; tool_mode?: "dynamic" | "fixed"; tool_style?: "load_skill" | "skill"; /** How tools of MCP servers are offered: all in the list, or through `find_tool` and `call_skill_tool`. `auto` (default) uses search for more than 40 tools or more than 6 000 tokens of definitions. It is decided in the first turn, and again when the provider's cache has expired. */ tool_list?: "auto" | "list" | "search"; max_active_skills?: number; max_skill_tokens?: number; /** Predictive loading, for turns with a `message`. `shadow` only compares predictions with what the model loads. `on` appends the instructions of a likely skill (delivery `auto`). Default: that of the agent, otherwise `shadow`. */ predict?: "off" | "shadow" | "on"; /** The region where the conversation is created, instead of `CONVERSATION_REGION`. It cannot be changed later. */ region?: "auto" | "wnam" | "enam" | "sam" | "weur" | "eeur" | "apac" | "apac-ne" | "apac-se" | "oc" | "afr" | "me"; /** The title for lists. Models do not see it. */ title?: string; metadata?: { [name: string]: unknown } }; region?: "auto" | "wnam" | "enam" | "sam" | "weur" | "eeur" | "apac" | "apac-ne" | "apac-se" | "oc" | "afr" | "me"; active: ({ skill: string; version: string | null; remaining: number | null; reason: "loaded" | "preloaded" | "selected" | "predicted" | "dependency"; loaded_in_turn: number; tokens: number; candidate?: boolean })[]; pending: ({ request_id: string; state: "pending" | "resolved" | "expired" | "cancelled"; skill_name: string | null; action: string; from?: { kind: "server"; name: string; host: string }; attempt: number; created_at: string; deadline: string })[]; mcp: ({ server: string; source: string; state: "connecting" | "connected" | "failed" | "open" | "sign_in" | "unsupported"; tools: (string)[]; error?: string; latency_ms?: number })[]; tokens: { static: number; actual: number; saved_percent: number; billed: { actual: number; paste: number; append_only: number; estimated: boolean; saved_percent: number; saved_over_append_percent: number; price: string } }; warnings: ({ code: string; message: string; path?: string; line?: number })[] } };
  /** Lists the figures of each turn, oldest first. */
  "conversations.series": { request: { path: { id: string }; query?: { after?: number; limit?: number } }; answer: { turns: (TurnFigures)[]; next_cursor: number | null } };
  /** Creates a conversation or replaces its settings. */
  "conversations.set": { request: { path: { id: string }; body: ConversationSettings }; answer: Conversation };
  /** Opens the conversation's WebSocket. */
  "conversations.socket": { request: { path: { id: string } }; answer: void };
  /** Returns the current tools. */
  "conversations.tools": { request: { path: { id: string }; query?: { format?: "mcp" | "openai" | "openai-responses" | "anthropic" } }; answer: { tools: ({ [name: string]: unknown })[] } };
  /** Deletes a draft. */
  "drafts.delete": { request: { path: { name: string } }; answer: void };
  /** Lists your drafts and drafts shared with you. */
  "drafts.list": { request: {  }; answer: Drafts };
  /** Publishes a draft. */
  "drafts.promote": { request: { path: { name: string } }; answer: Skill };
  /** Creates or replaces a draft. */
  "drafts.push": { request: { path: { name: string }; body: { /** The package: a ZIP of a folder with SKILL.md. */ file: Blob; /** `default` (your own) or the name of a group. */ namespace?: string; /** True if it will be published to everybody. Admins only. */ public?: "true" | "false"; /** Comma-separated ids of users who can try it. */ users?: string } }; answer: PushedDraft };
  /** Returns or streams events of skills. */
  "events.list": { request: { query?: { last_event_id?: string } }; answer: RegistryEvents; event: RegistryEvent };
  /** Returns the state and the packages of the executor. */
  "executor.get": { request: {  }; answer: Executor };
  /** Deletes a file that a script created. */
  "files.delete": { request: { path: { id: string; file_id: string } }; answer: void };
  /** Downloads a file that a script created. */
  "files.get": { request: { path: { id: string; file_id: string } }; answer: Response };
  /** Lists files that scripts created, newest first. */
  "files.list": { request: { path: { id: string }; query?: { limit?: number; cursor?: string } }; answer: { items: (KeptFile)[]; next_cursor: string | null } };
  /** Returns the front page as HTML or JSON. */
  "gateway.front": { request: {  }; answer: Front };
  /** Returns the health of the gateway. */
  "gateway.health": { request: {  }; answer: Health };
  /** Returns the public keys of the signatures of versions. */
  "gateway.keys": { request: {  }; answer: KeySet };
  /** Returns that the gateway responds, without a look at its storage. */
  "gateway.live": { request: {  }; answer: Liveness };
  /** Returns the metadata of the MCP resource (RFC 9728). */
  "gateway.mcpResource": { request: {  }; answer: ProtectedResource };
  /** Returns metrics in the OpenMetrics format. */
  "gateway.metrics": { request: {  }; answer: Response };
  /** Returns the metadata of the protected resource (RFC 9728). */
  "gateway.resource": { request: {  }; answer: ProtectedResource };
  /** Creates an agent (ghost). */
  "ghosts.create": { request: { body: GhostRequest }; answer: Ghost };
  /** Deletes an agent (ghost). */
  "ghosts.delete": { request: { path: { id: string } }; answer: void };
  /** Returns an agent (ghost). */
  "ghosts.get": { request: { path: { id: string } }; answer: Ghost };
  /** Lists the agents (ghosts) that you can use. */
  "ghosts.list": { request: { query?: { limit?: number; cursor?: string; skip?: number; namespace?: string; name?: string; q?: string } }; answer: { items: (Ghost)[]; next_cursor: string | null } };
  /** Returns how often skills were predicted for an agent (ghost). */
  "ghosts.predictions": { request: { path: { id: string }; query?: { days?: number } }; answer: { ghost_id: string; ghost_name: string; since: string; until: string; totals: { /** Turns with a message. */ messages: number; /** Turns with a message for which a skill was predicted. */ predicted: number; /** Predictions whose instructions were appended. They are not compared. */ appended: number; /** Turns with a message in which the model loaded a skill, without those with an appended one. */ needed: number; /** Those of them in which it loaded the predicted skill. */ hits: number; /** What the compared predictions would have saved, in tokens at the price of an ordinary input token. */ saved: number; /** What the compared predictions would have cost in vain, in the same unit. */ lost: number; /** Milliseconds until the models had loaded the predicted skills. */ saved_ms: number; /** The part of the compared predictions that were right. */ precision: number | null; /** `hits` as a part of `needed`. */ coverage: number | null }; days: ({ day: string; /** Turns with a message. */ messages: number; /** Turns with a message for which a skill was predicted. */ predicted: number; /** Predictions whose instructions were appended. They are not compared. */ appended: number; /** Turns with a message in which the model loaded a skill, without those with an appended one. */ needed: number; /** Those of them in which it loaded the predicted skill. */ hits: number; /** What the compared predictions would have saved, in tokens at the price of an ordinary input token. */ saved: number; /** What the compared predictions would have cost in vain, in the same unit. */ lost: number; /** Milliseconds until the models had loaded the predicted skills. */ saved_ms: number; /** The part of the compared predictions that were right. */ precision: number | null; /** `hits` as a part of `needed`. */ coverage: number | null })[] } };
  /** Previews an agent (ghost) without storing it. */
  "ghosts.preview": { request: { body: GhostPreviewRequest }; answer: GhostPreview };
  /** Replaces an agent (ghost). */
  "ghosts.replace": { request: { path: { id: string }; body: ReplacedGhostRequest }; answer: Ghost };
  /** Creates or replaces the agent (ghost) with this name. */
  "ghosts.setByName": { request: { path: { namespace: string; name: string }; body: NamedGhostRequest }; answer: Ghost };
  /** Revokes one of your grants. Admins can revoke any grant. */
  "grants.end": { request: { path: { id: string } }; answer: void };
  /** Revokes all your grants. */
  "grants.endAll": { request: {  }; answer: { ended: number } };
  /** Lists sign-ins of MCP hosts (grants), newest first. Admins see the grants of all users. */
  "grants.list": { request: { query?: { limit?: number; cursor?: string } }; answer: { items: (Grant)[]; next_cursor: string | null } };
  /** Creates a group. The caller becomes its Owner. */
  "groups.create": { request: { body: { /** The name of the group. It cannot be changed. */ name: string; /** The name that people see. */ display_name?: string } }; answer: Group };
  /** Deletes a group. */
  "groups.delete": { request: { path: { name: string } }; answer: void };
  /** Returns a group and its quota usage. */
  "groups.get": { request: { path: { name: string } }; answer: GroupInFull };
  /** Lists your groups by name. */
  "groups.list": { request: { query?: { limit?: number; cursor?: string; all?: boolean } }; answer: { items: (Group)[]; next_cursor: string | null } };
  /** Changes a group: its display name, and whether its skills are reviewed. */
  "groups.rename": { request: { path: { name: string }; body: { /** The name that people see. */ display_name: string | null; /** `required`: new versions are published after a review. `optional` or `off`. `null`: as the setting `REVIEW_GROUPS` says. Default: unchanged. */ review?: "off" | "optional" | "required" | null } }; answer: Group };
  /** Cancels a running import or a mirror. */
  "imports.cancel": { request: { path: { id: string } }; answer: Import };
  /** Deletes an import. Imported skills are kept. */
  "imports.delete": { request: { path: { id: string } }; answer: void };
  /** Returns an import and the state of each skill. */
  "imports.get": { request: { path: { id: string }; query?: { limit?: number; cursor?: string; state?: "created" | "updated" | "unchanged" | "refused" | "failed" | "removed" } }; answer: ImportReport };
  /** Lists imports, newest first in each scope. */
  "imports.list": { request: {  }; answer: { items: (Import)[] } };
  /** Starts an import of skills. */
  "imports.start": { request: { body: { /** Where to read skills. */ source: ImportSource; /** `default`: your own. A group name: needs the role Maintainer. `public`: needs an admin. */ namespace?: string; /** If true, the source is read again every day. Admins only. */ mirror?: boolean } }; answer: Import };
  /** Returns the usage of skills over time. */
  "insights.overview": { request: { query?: { from?: string; to?: string; group?: string; interval?: "hour" | "day"; format?: "json" | "csv" } }; answer: { from: string; to: string; interval: "hour" | "day"; totals: { /** Loads by name, and new selections by users. */ loads: number; /** Calls of tools and scripts. */ calls: number; /** Those of the calls that failed. */ failures: number; /** Tokens of instructions that were sent to models. */ tokens: number; /** Results of `find_skill` that contained the skill. */ found: number; /** Script runs with exit code 0. */ scripts_ok: number; /** Script runs with another exit code. */ scripts_failed: number; /** Script runs that did not end by themselves, for example because of a timeout. */ scripts_killed: number; /** Turns with good feedback in which the skill was active. */ liked: number; /** Turns with bad feedback in which the skill was active. */ disliked: number; /** Searches for skills. Only for admins, and 0 with `group`. */ searches: number; /** Those of the searches without a result. */ searches_empty: number }; /** The sums of the same time before `from`. */ before: { /** Loads by name, and new selections by users. */ loads: number; /** Calls of tools and scripts. */ calls: number; /** Those of the calls that failed. */ failures: number; /** Tokens of instructions that were sent to models. */ tokens: number; /** Results of `find_skill` that contained the skill. */ found: number; /** Script runs with exit code 0. */ scripts_ok: number; /** Script runs with another exit code. */ scripts_failed: number; /** Script runs that did not end by themselves, for example because of a timeout. */ scripts_killed: number; /** Turns with good feedback in which the skill was active. */ liked: number; /** Turns with bad feedback in which the skill was active. */ disliked: number; /** Searches for skills. Only for admins, and 0 with `group`. */ searches: number; /** Those of the searches without a result. */ searches_empty: number }; series: ({ at: string; /** Loads by name, and new selections by users. */ loads: number; /** Calls of tools and scripts. */ calls: number; /** Those of the calls that failed. */ failures: number; /** Tokens of instructions that were sent to models. */ tokens: number; /** Results of `find_skill` that contained the skill. */ found: number; /** Script runs with exit code 0. */ scripts_ok: number; /** Script runs with another exit code. */ scripts_failed: number; /** Script runs that did not end by themselves, for example because of a timeout. */ scripts_killed: number; /** Turns with good feedback in which the skill was active. */ liked: number; /** Turns with bad feedback in which the skill was active. */ disliked: number; /** Searches for skills. Only for admins, and 0 with `group`. */ searches: number; /** Those of the searches without a result. */ searches_empty: number })[]; /** The sums of all models. */ models: { calls: number; failures: number; /** Tokens of requests to a model, as it reports them, otherwise estimated. */ tokens: number; /** The part of the tokens that was reported as input, neither read from a cache nor written to one. */ fresh: number; /** The part that was read from a cache. */ cache_read: number; /** The part that was written to a cache. */ cache_write: number; /** The part that was output. */ output: number; /** The part of the tokens that `cost_usd` is the cost of. */ priced_tokens: number; /** US dollars at the list prices of 2026-11-26, rounded to millionths; null: no token has a known price. */ cost_usd: number | null }; /** The day on which the prices were last checked. */ prices_of: string; /** Versions that fail significantly more often than the version before, the latest first. */ failing: (FailingVersion)[] } };
  /** Lists searches that found no skill, the most frequent first. */
  "insights.searches": { request: { query?: { from?: string; to?: string; limit?: number; cursor?: string; format?: "json" | "csv" } }; answer: { from: string; to: string; /** Whether the gateway stores searches (`INSIGHT_QUERIES`). */ stored: boolean; items: ({ query: string; count: number; last_at: string })[]; next_cursor: string | null } };
  /** Lists the calls of MCP servers or models, the most failures first. */
  "insights.services": { request: { query?: { from?: string; to?: string; group?: string; kind: "server" | "model"; limit?: number; cursor?: string; format?: "json" | "csv" } }; answer: { from: string; to: string; items: ({ name: string; /** `user:<id>`, `group:<name>` or `gateway`. */ scope: string; calls: number; failures: number; /** Tokens of requests to a model, as it reports them, otherwise estimated. */ tokens: number; /** The part of the tokens that was reported as input, neither read from a cache nor written to one. */ fresh: number; /** The part that was read from a cache. */ cache_read: number; /** The part that was written to a cache. */ cache_write: number; /** The part that was output. */ output: number; /** The part of the tokens that `cost_usd` is the cost of. */ priced_tokens: number; /** US dollars at the list prices of 2026-11-26, rounded to millionths; null: no token has a known price. */ cost_usd: number | null })[]; next_cursor: string | null } };
  /** Lists the figures of skills, most used first. */
  "insights.skills": { request: { query?: { from?: string; to?: string; group?: string; sort?: "loads" | "calls" | "failures" | "tokens" | "listed" | "found" | "disliked"; limit?: number; cursor?: string; format?: "json" | "csv" } }; answer: { from: string; to: string; items: ({ skill_id: string; skill_name: string; /** `user:<id>`, `group:<name>` or `public`. */ scope: string; /** Loads by name, and new selections by users. */ loads: number; /** Calls of tools and scripts. */ calls: number; /** Those of the calls that failed. */ failures: number; /** Tokens of instructions that were sent to models. */ tokens: number; /** Results of `find_skill` that contained the skill. */ found: number; /** Script runs with exit code 0. */ scripts_ok: number; /** Script runs with another exit code. */ scripts_failed: number; /** Script runs that did not end by themselves, for example because of a timeout. */ scripts_killed: number; /** Turns with good feedback in which the skill was active. */ liked: number; /** Turns with bad feedback in which the skill was active. */ disliked: number; /** Turns in which the model was shown the skill in its list. */ listed: number })[]; next_cursor: string | null } };
  /** Lists skills without use, oldest first. */
  "insights.unused": { request: { query?: { group?: string; days?: number; limit?: number; cursor?: string; format?: "json" | "csv" } }; answer: { items: ({ skill_id: string; skill_name: string; /** `user:<id>`, `group:<name>` or `public`. */ scope: string; created_at: string; last_used: string | null })[]; next_cursor: string | null } };
  /** Lists the figures of the versions of a skill, newest first. */
  "insights.versions": { request: { query?: { from?: string; to?: string; skill_id: string; limit?: number; cursor?: string; format?: "json" | "csv" } }; answer: { from: string; to: string; skill_id: string; skill_name: string; items: ({ version_id: string; version: string | null; created_at: string; is_current: boolean; is_yanked: boolean; /** Loads by name, and new selections by users. */ loads: number; /** Calls of tools and scripts. */ calls: number; /** Those of the calls that failed. */ failures: number; /** Tokens of instructions that were sent to models. */ tokens: number; /** Results of `find_skill` that contained the skill. */ found: number; /** Script runs with exit code 0. */ scripts_ok: number; /** Script runs with another exit code. */ scripts_failed: number; /** Script runs that did not end by themselves, for example because of a timeout. */ scripts_killed: number; /** Turns with good feedback in which the skill was active. */ liked: number; /** Turns with bad feedback in which the skill was active. */ disliked: number; /** Turns in which the model was shown the skill in its list. */ listed: number })[]; next_cursor: string | null } };
  /** Creates an API key. */
  "keys.create": { request: { body: { /** The id of the user. */ user_id: string; /** `admin` allows every operation. Default: `user`. */ role?: "user" | "admin"; /** A label for lists. */ name?: string; /** What the key allows. Without limiting scopes it allows everything that its user can do. */ scopes?: ("act_as" | "skills:read" | "skills:write" | "ghosts" | "conversations" | "groups" | "keys" | "secrets" | "mcp" | "chat" | "admin")[]; /** Groups that the user joins as Developer. A group that does not exist is created. */ groups?: (string)[]; /** When the key expires (RFC 3339). Default: never. */ expires_at?: string } }; answer: CreatedKey };
  /** Lists valid keys, newest first. Admins see the keys of all users. */
  "keys.list": { request: { query?: { limit?: number; cursor?: string } }; answer: { items: (Key)[]; next_cursor: string | null } };
  /** Revokes a key. */
  "keys.revoke": { request: { path: { id: string } }; answer: void };
  /** Rotates a key. */
  "keys.rotate": { request: { path: { id: string }; body?: { /** How long the old key stays valid, in seconds. */ overlap_s?: number } }; answer: CreatedKey };
  /** Creates a read-only link. */
  "links.create": { request: { body: { /** A label for lists. */ name?: string; /** All skills of a group. Needs the role Maintainer. */ group?: string; /** Only these skills, by id. Without it and without `group`: all your own skills. */ skills?: (string)[]; /** Default: in 90 days. */ expires_at?: string } }; answer: CreatedLink };
  /** Lists your valid links, newest first. */
  "links.list": { request: {  }; answer: { items: (Link)[] } };
  /** Deletes a link. */
  "links.revoke": { request: { path: { id: string } }; answer: void };
  /** Approves the current tools of an MCP server. */
  "mcpServers.approve": { request: { path: { name: string } }; answer: McpServer };
  /** Approves a skill that an MCP server offers, and publishes it. */
  "mcpServers.approveSkill": { request: { path: { name: string }; body: ServerSkillApproval }; answer: ServerSkill };
  /** Deletes an MCP server of the gateway. */
  "mcpServers.delete": { request: { path: { name: string } }; answer: void };
  /** Returns one of the gateway's MCP servers. */
  "mcpServers.get": { request: { path: { name: string } }; answer: McpServerDetails };
  /** Lists the gateway's MCP servers by name. */
  "mcpServers.list": { request: { query?: { limit?: number; cursor?: string } }; answer: { items: (McpServer)[]; next_cursor: string | null } };
  /** Lists the skills that an MCP server offers. */
  "mcpServers.listSkills": { request: { path: { name: string } }; answer: { items: (ServerSkill)[] } };
  /** Searches MCP servers that can be added. */
  "mcpServers.searchCatalog": { request: { query?: { q?: string } }; answer: { items: (CatalogServer)[]; registry: "ok" | "off" | "unavailable" } };
  /** Creates or replaces an MCP server of the gateway. */
  "mcpServers.set": { request: { path: { name: string }; body: McpServerEntry }; answer: McpServer };
  /** Tests a connection to an MCP server of the gateway. */
  "mcpServers.test": { request: { path: { name: string } }; answer: McpServerTest };
  /** Returns the caller, its rights and its quota usage. */
  "me.get": { request: {  }; answer: Me };
  /** Lists the members of a group by user id. */
  "members.list": { request: { path: { name: string }; query?: { limit?: number; cursor?: string } }; answer: { items: (Member)[]; next_cursor: string | null } };
  /** Removes a member from a group. */
  "members.remove": { request: { path: { name: string; user_id: string } }; answer: void };
  /** Adds a member or changes a member's role. */
  "members.set": { request: { path: { name: string; user_id: string }; body: { /** The role of the member. */ role: "Owner" | "Maintainer" | "Developer" | "Reporter" } }; answer: Member };
  /** Deletes a model. */
  "models.delete": { request: { path: { name: string }; query?: { scope?: "user" | "group" | "gateway"; group_name?: string } }; answer: void };
  /** Returns a model. */
  "models.get": { request: { path: { name: string }; query?: { scope?: "user" | "group" | "gateway"; group_name?: string } }; answer: Model };
  /** Lists models by name. */
  "models.list": { request: { query?: { limit?: number; cursor?: string; scope?: "user" | "group" | "gateway"; group_name?: string } }; answer: { items: (Model)[]; next_cursor: string | null } };
  /** Creates or replaces a model. */
  "models.set": { request: { path: { name: string }; body: ModelEntry }; answer: Model };
  /** Deletes an OAuth client and revokes its grants. */
  "oauthClients.delete": { request: { path: { name: string } }; answer: void };
  /** Lists OAuth clients with a secret, by name. */
  "oauthClients.list": { request: { query?: { limit?: number; cursor?: string } }; answer: { items: (OAuthClient)[]; next_cursor: string | null } };
  /** Registers an OAuth client with an id and a secret, or changes one. */
  "oauthClients.put": { request: { path: { name: string }; body: { /** The name that people see. */ display_name: string; /** The addresses to which users can be sent back after the sign-in. */ redirect_uris: (string)[] } }; answer: OAuthClient | NewOAuthClient };
  /** Makes a public skill available without a key. */
  "openSkills.add": { request: { path: { id: string } }; answer: OpenSkill };
  /** Lists the skills that are available without a key. */
  "openSkills.list": { request: {  }; answer: { items: (OpenSkill)[] } };
  /** Removes a skill from the open list. */
  "openSkills.remove": { request: { path: { id: string } }; answer: void };
  /** Deletes a trusted publisher. */
  "publishers.delete": { request: { path: { name: string }; query?: { scope?: "user" | "group" | "public"; group_name?: string } }; answer: void };
  /** Exchanges the token of a CI job for a key that can publish. */
  "publishers.exchange": { request: { body: { /** The token of the CI job, an ID token of OpenID Connect. */ token: string; /** The id of the publisher. Required for publishers of users and groups. */ publisher?: string } }; answer: PublishingKey };
  /** Returns a trusted publisher. */
  "publishers.get": { request: { path: { name: string }; query?: { scope?: "user" | "group" | "public"; group_name?: string } }; answer: Publisher };
  /** Lists trusted publishers by name. */
  "publishers.list": { request: { query?: { limit?: number; cursor?: string; scope?: "user" | "group" | "public"; group_name?: string } }; answer: { items: (Publisher)[]; next_cursor: string | null } };
  /** Creates or replaces a trusted publisher. */
  "publishers.set": { request: { path: { name: string }; body: PublisherEntry }; answer: Publisher };
  /** Answers a question without a socket. */
  "questions.answer": { request: { path: { id: string; request_id: string }; body: RequestResponse }; answer: { success: true } };
  /** Asks the connected pages a question. */
  "questions.ask": { request: { path: { id: string }; body: NewRequest }; answer: RequestAnswer };
  /** Cancels a pending question. */
  "questions.cancel": { request: { path: { id: string; request_id: string } }; answer: void };
  /** Returns a question. With `wait_ms`, waits for its end. */
  "questions.get": { request: { path: { id: string; request_id: string }; query?: { wait_ms?: number } }; answer: Request };
  /** Lists questions to pages, newest first. */
  "questions.list": { request: { path: { id: string }; query?: { limit?: number; cursor?: string; state?: "pending" | "resolved" | "expired" | "cancelled" } }; answer: { items: ({ request_id: string; state: "pending" | "resolved" | "expired" | "cancelled"; skill_name: string | null; action: string; from?: { kind: "server"; name: string; host: string }; attempt: number; created_at: string; deadline: string })[]; next_cursor: string | null } };
  /** Answers a rating. */
  "ratings.answer": { request: { path: { id: string; rating_id: string }; body: { /** The answer. `null` removes it. */ text?: string | null } }; answer: Rating };
  /** Deletes your rating of a skill. */
  "ratings.delete": { request: { path: { id: string } }; answer: void };
  /** Hides a rating or shows it again. */
  "ratings.hide": { request: { path: { id: string; rating_id: string }; body: { /** True hides the rating, false shows it again. */ hidden: boolean; /** Why. Shown to the user who wrote the rating. */ reason?: string | null } }; answer: Rating };
  /** Lists the ratings of a skill. */
  "ratings.list": { request: { path: { id: string }; query?: { limit?: number; cursor?: string } }; answer: Ratings };
  /** Rates a skill. */
  "ratings.put": { request: { path: { id: string }; body: { /** 1 (bad) to 5 (good). */ stars: number; /** What you think of the skill, as plain text. */ comment?: string | null } }; answer: Rating };
  /** Reports a skill or one of its ratings. */
  "reports.create": { request: { path: { id: string }; body: { /** The kind of abuse. */ reason: "malicious" | "spam" | "illegal" | "personal_data" | "other"; /** What is wrong. */ message?: string | null; /** The reported rating. Default: the skill itself is reported. */ rating_id?: string | null } }; answer: { id: string } };
  /** Decides a report. */
  "reports.decide": { request: { path: { id: string }; body: { /** What you decided: `dismissed`, `rating_hidden` or `resolved`. */ decision: "dismissed" | "rating_hidden" | "resolved"; /** Why. Admins see it, and the user of a rating that you hide. */ note?: string | null } }; answer: Report };
  /** Lists reports. */
  "reports.list": { request: { query?: { limit?: number; cursor?: string; state?: "open" | "decided" } }; answer: { items: (Report)[]; next_cursor: string | null } };
  /** Comments on a submission. */
  "reviews.comment": { request: { path: { id: string }; body: { /** The text, at most 4 000 characters. */ comment: string; /** The file that the comment is about. */ path?: string; /** The line in the file, from 1. Only with `path`. */ line?: number } }; answer: ReviewEvent };
  /** Approves, returns or rejects a submission. Approval publishes it. */
  "reviews.decide": { request: { path: { id: string }; body: { /** `approve`, `request_changes` or `reject`. */ decision: "approve" | "request_changes" | "reject"; /** `zip_sha256` as you read it. */ zip_sha256: string; /** `base.version_id` as you read it, or `null` for a new skill. Required with `approve`, and not allowed otherwise. */ base_version_id?: string | null; /** The reason. Required unless you approve. */ comment?: string; /** True: an admin approves the admin's own submission. Requires a comment. */ bypass?: boolean } }; answer: Review };
  /** Downloads the ZIP of a submission. */
  "reviews.download": { request: { path: { id: string } }; answer: Response };
  /** Returns a submission with its differences from the current version. */
  "reviews.get": { request: { path: { id: string } }; answer: ReviewInFull };
  /** Lists your submissions and those that you can review, newest first. */
  "reviews.list": { request: { query?: { limit?: number; cursor?: string; state?: "pending" | "changes_requested" | "approved" | "rejected" | "withdrawn" | "open"; scope?: string; mine?: "true" | "false" } }; answer: { items: (Review)[]; next_cursor: string | null } };
  /** Submits a draft for review. */
  "reviews.submit": { request: { body: { /** The name of your draft. */ draft: string; /** The group. Exactly one of `namespace` and `public` is required. */ namespace?: string; /** True: submit it to public. */ public?: boolean; /** A note for the reviewers. */ comment?: string } }; answer: Review };
  /** Withdraws your submission. */
  "reviews.withdraw": { request: { path: { id: string } }; answer: Review };
  /** Rebuilds a part of the search index. */
  "searchIndex.rebuild": { request: { body?: { /** Where to continue: `next` of the previous response. */ after?: number } }; answer: { indexed: number; next: number | null } };
  /** Deletes a secret. */
  "secrets.delete": { request: { path: { name: string }; query?: { scope?: "user" | "group" | "gateway"; group_name?: string } }; answer: void };
  /** Returns a secret without its value. */
  "secrets.get": { request: { path: { name: string }; query?: { scope?: "user" | "group" | "gateway"; group_name?: string } }; answer: Secret };
  /** Lists secrets by name, without values. */
  "secrets.list": { request: { query?: { limit?: number; cursor?: string; scope?: "user" | "group" | "gateway"; group_name?: string } }; answer: { items: (Secret)[]; next_cursor: string | null } };
  /** Re-encrypts secrets with the current key. */
  "secrets.rotate": { request: {  }; answer: { rotated: number; remaining: number } };
  /** Creates or replaces a secret. */
  "secrets.set": { request: { path: { name: string }; body: NewSecret }; answer: Secret };
  /** Deletes an MCP server of a user or group. */
  "servers.delete": { request: { path: { name: string }; query?: { scope?: "user" | "group"; group_name?: string } }; answer: void };
  /** Returns an MCP server of a user or group. */
  "servers.get": { request: { path: { name: string }; query?: { scope?: "user" | "group"; group_name?: string } }; answer: OwnServer };
  /** Lists MCP servers of a user or group by name. */
  "servers.list": { request: { query?: { limit?: number; cursor?: string; scope?: "user" | "group"; group_name?: string } }; answer: { items: (OwnServer)[]; next_cursor: string | null } };
  /** Creates or replaces an MCP server of a user or group. */
  "servers.set": { request: { path: { name: string }; body: OwnServerEntry }; answer: OwnServer };
  /** Tests a connection to an MCP server of a user or group. */
  "servers.test": { request: { path: { name: string }; query?: { scope?: "user" | "group"; group_name?: string } }; answer: McpServerTest };
  /** Lists the MCP servers of all your conversations. */
  "servers.usable": { request: { query?: { limit?: number; cursor?: string } }; answer: { items: (UsableServer)[]; next_cursor: string | null } };
  /** Ends a console session. */
  "sessions.end": { request: { path: { id: string } }; answer: void };
  /** Lists console sessions, newest first. Admins see the sessions of all users. */
  "sessions.list": { request: { query?: { limit?: number; cursor?: string } }; answer: { items: (Session)[]; next_cursor: string | null } };
  /** Creates a one-time sign-in link for a user. */
  "signIns.create": { request: { body: { /** The id of the user. */ user_id: string; /** `consent`: signs in to allow an MCP host. `console`: signs in to the console. A link works for one of them only. */ purpose?: "consent" | "console" } }; answer: SignInLink };
  /** Deletes your values of variables of a skill. */
  "skillEnv.delete": { request: { path: { skill: string }; query?: { name?: string } }; answer: void };
  /** Returns the variables of a skill and which of them have a value. */
  "skillEnv.get": { request: { path: { skill: string } }; answer: SkillEnv };
  /** Lists your values of skills' variables, without the values. */
  "skillEnv.list": { request: { query?: { limit?: number; cursor?: string } }; answer: { items: (SkillEnvValue)[]; next_cursor: string | null } };
  /** Sets your values of variables of a skill. */
  "skillEnv.set": { request: { path: { skill: string }; body: NewSkillEnv }; answer: SkillEnv };
  /** Approves the hosts that code of a skill can call. */
  "skills.approveNetwork": { request: { path: { id: string }; body: { /** The hosts to approve, in place of those that are approved. */ hosts: (string)[] } }; answer: SkillNetwork };
  /** Returns SKILL.md of a public skill as text. */
  "skills.content": { request: { path: { id: string } }; answer: { content: string } };
  /** Deletes a skill. */
  "skills.delete": { request: { path: { id: string }; query?: { force?: boolean } }; answer: void };
  /** Deletes shared values of variables of a skill. */
  "skills.deleteEnv": { request: { path: { id: string }; query?: { name?: string } }; answer: void };
  /** Deletes a public skill. */
  "skills.deletePublic": { request: { path: { id: string }; query?: { force?: boolean } }; answer: void };
  /** Downloads a skill as a ZIP. */
  "skills.download": { request: { path: { id: string }; query?: { version?: string } }; answer: Response };
  /** Downloads a skill as a ZIP. */
  "skills.downloadPublic": { request: { path: { id: string }; query?: { version?: string } }; answer: Response };
  /** Returns a recorded run with its cases. */
  "skills.evalRun": { request: { path: { id: string; run_id: string } }; answer: EvalRunWithCases };
  /** Lists the recorded runs of a skill's test cases, newest first. */
  "skills.evals": { request: { path: { id: string } }; answer: { items: (EvalRun)[] } };
  /** Returns a file of the current version. */
  "skills.file": { request: { path: { id: string; path: string } }; answer: Response };
  /** Lists the files of the current version. */
  "skills.files": { request: { path: { id: string } }; answer: (SkillFile)[] };
  /** Returns a skill. */
  "skills.get": { request: { path: { id: string } }; answer: Skill };
  /** Returns the instructions of a skill by name. */
  "skills.invoke": { request: { body: { /** The name of the skill. */ skill_name: string } }; answer: { prompt: string } };
  /** Lists or searches skills. */
  "skills.list": { request: { query?: { limit?: number; cursor?: string; skip?: number; namespace?: string; name?: string; q?: string; exact_match?: boolean; count?: boolean } }; answer: { items: (Skill)[]; next_cursor: string | null; total?: number } };
  /** Lists public skills. */
  "skills.listPublic": { request: { query?: { limit?: number; cursor?: string; skip?: number } }; answer: (SkillItem)[] };
  /** Returns the hosts that code of a skill can call. */
  "skills.network": { request: { path: { id: string } }; answer: SkillNetwork };
  /** Makes the candidate of a rollout the current version. */
  "skills.promoteRollout": { request: { path: { id: string }; body?: RolloutPromotion }; answer: Skill };
  /** Publishes a skill to your own namespace or a group. */
  "skills.publish": { request: { body: { /** The package: a ZIP of a folder with SKILL.md. */ file: Blob; /** The name of the skill, if SKILL.md is not in a folder. A folder in the package must have the same name. */ name?: string; /** `default` (your own) or the name of a group. */ namespace?: string; /** The origin of the package, as JSON: `type` (`git` or `index`), `url`, and optionally `path`, `ref`, `commit`, `digest`. */ source?: string; /** `false` does not make the version current, for example to roll it out. A skill without a current version always gets one. */ activate?: "true" | "false" } }; answer: Skill };
  /** Publishes a public skill. */
  "skills.publishPublic": { request: { body: { /** The package: a ZIP of a folder with SKILL.md. */ file: Blob; /** The name of the skill, if SKILL.md is not in a folder. A folder in the package must have the same name. */ name?: string; /** Always `default`. */ namespace?: "default"; /** The origin of the package, as JSON: `type` (`git` or `index`), `url`, and optionally `path`, `ref`, `commit`, `digest`. */ source?: string; /** `false` does not make the version current, for example to roll it out. A skill without a current version always gets one. */ activate?: "true" | "false" } }; answer: Skill };
  /** Publishes a public skill. */
  "skills.publishPublicForm": { request: { body: { /** The package: a ZIP of a folder with SKILL.md. */ file: Blob; /** The name of the skill, if SKILL.md is not in a folder. A folder in the package must have the same name. */ name?: string; /** Always `default`. */ namespace?: "default"; /** The origin of the package, as JSON: `type` (`git` or `index`), `url`, and optionally `path`, `ref`, `commit`, `digest`. */ source?: string; /** `false` does not make the version current, for example to roll it out. A skill without a current version always gets one. */ activate?: "true" | "false"; /** Accepted for compatibility and ignored. */ marketplace_tags?: string } }; answer: Skill };
  /** Publishes a new version of a skill. */
  "skills.publishPublicVersion": { request: { path: { id: string }; body: { /** The package: a ZIP of a folder with SKILL.md. */ file: Blob; /** The origin of the package, as JSON: `type` (`git` or `index`), `url`, and optionally `path`, `ref`, `commit`, `digest`. */ source?: string; /** `false` does not make the version current, for example to roll it out. A skill without a current version always gets one. */ activate?: "true" | "false" } }; answer: Skill };
  /** Publishes a new version of a skill. */
  "skills.publishVersion": { request: { path: { id: string }; body: { /** The package: a ZIP of a folder with SKILL.md. */ file: Blob; /** The origin of the package, as JSON: `type` (`git` or `index`), `url`, and optionally `path`, `ref`, `commit`, `digest`. */ source?: string; /** `false` does not make the version current, for example to roll it out. A skill without a current version always gets one. */ activate?: "true" | "false" } }; answer: Skill };
  /** Records a run of a skill's test cases. */
  "skills.recordEvals": { request: { path: { id: string }; body: EvalRunRequest }; answer: RecordedEvalRun };
  /** Lists the agents (ghosts) that use a skill. */
  "skills.references": { request: { path: { id: string } }; answer: { skill_id: string; skill_name: string; referenced_ghosts: (GhostRef)[]; hidden_count: number } };
  /** Removes a skill from one agent (ghost). */
  "skills.removeReference": { request: { path: { id: string; ghost_id: string } }; answer: { success: boolean; ghost_name: string } };
  /** Removes a skill from all agents (ghosts) that you can change. */
  "skills.removeReferences": { request: { path: { id: string } }; answer: { removed_count: number; affected_ghosts: (GhostRef)[] } };
  /** Returns the rollout of a skill. */
  "skills.rollout": { request: { path: { id: string } }; answer: Rollout };
  /** Sets values of variables that all users of a skill share. */
  "skills.setEnv": { request: { path: { id: string }; body: NewSkillEnv }; answer: SkillEnv };
  /** Starts the rollout of a version, or changes its share. */
  "skills.setRollout": { request: { path: { id: string }; body: RolloutRequest }; answer: Rollout };
  /** Shares a skill with a group. */
  "skills.share": { request: { path: { id: string }; body: { /** The group that receives the copy. */ group_name: string } }; answer: Skill };
  /** Ends a rollout without changing the current version. */
  "skills.stopRollout": { request: { path: { id: string } }; answer: void };
  /** Lists all skills that you can use, each name once. */
  "skills.unified": { request: { query?: { limit?: number; cursor?: string; skip?: number; scope?: "all" | "personal" | "group"; group_name?: string; contents?: boolean } }; answer: (SkillItem)[] };
  /** Returns how often a skill was used. */
  "skills.usage": { request: { path: { id: string }; query?: { days?: number } }; answer: { skill_id: string; skill_name: string; since: string; until: string; totals: { loads: number; calls: number; failures: number; tokens: number }; days: ({ day: string; loads: number; calls: number; failures: number; tokens: number })[]; versions: ({ version_id: string; version: string | null; loads: number; calls: number; failures: number; tokens: number })[] } };
  /** Returns how often skills were used. */
  "skills.usageOfAll": { request: { query?: { days?: number; top?: number } }; answer: { since: string; until: string; /** The number of skills that were used. */ skills: number; totals: { loads: number; calls: number; failures: number; tokens: number }; /** The sums of the same number of days before `since`. */ before: { loads: number; calls: number; failures: number; tokens: number }; days: ({ day: string; loads: number; calls: number; failures: number; tokens: number })[]; top: ({ skill_id: string; skill_name: string; loads: number; calls: number; failures: number; tokens: number })[] } };
  /** Validates a package without publishing it. */
  "skills.validate": { request: { body: { /** The package: a ZIP of a folder with SKILL.md. */ file: Blob; /** The name of the skill, if SKILL.md is not in a folder. A folder in the package must have the same name. */ name?: string } }; answer: Inspection };
  /** Returns the skills of a task (conversation). */
  "tasks.skills": { request: { path: { id: string } }; answer: { task_id: string; skills: (string)[]; preload_skills: (string)[]; skill_refs: { [name: string]: { skill_id: string; namespace: string; is_public: boolean; version_id: string; content_hash: string | null } }; preload_skill_refs: { [name: string]: { skill_id: string; namespace: string; is_public: boolean; version_id: string; content_hash: string | null } }; user_selected_skills: (string)[] } };
  /** Creates a one-time ticket for the conversation's socket. */
  "tickets.create": { request: { path: { id: string }; body?: NewTicket }; answer: Ticket };
  /** Cancels a running tool call. */
  "toolCalls.cancel": { request: { path: { id: string; call_id: string } }; answer: void };
  /** Runs the tool calls of one model response. */
  "toolCalls.run": { request: { path: { id: string }; body: ToolCalls }; answer: ToolCallsAnswer; event: ToolCallEvent };
  /** Starts a turn and returns prompt and tools. */
  "turns.prepare": { request: { path: { id: string }; body?: Turn }; answer: { append?: ({ [name: string]: unknown })[]; append_id?: string; context_edits?: ({ call_id?: string; append_id?: string; content: string; required?: boolean })[]; drop_thinking_before?: "new_user_message"; cache_control?: { tools: { type: "ephemeral" }; system: { type: "ephemeral" }; conversation: { type: "ephemeral" } }; prompt_cache_key?: string; turn: number; prompt: { system: string; messages: ({ [name: string]: unknown })[] }; tools: ({ [name: string]: unknown })[]; active: ({ skill: string; version: string | null; remaining: number | null; reason: "loaded" | "preloaded" | "selected" | "predicted" | "dependency"; loaded_in_turn: number; tokens: number; candidate?: boolean })[]; loaded_skills: (string)[]; etag: string; warnings: ({ code: string; message: string; path?: string; line?: number })[] } };
  /** Erases the data of a user. */
  "users.erase": { request: { path: { id: string } }; answer: Erased };
  /** Exports all stored data of a user. */
  "users.export": { request: { path: { id: string } }; answer: Response };
  /** Lists users by id, with counts. */
  "users.list": { request: { query?: { limit?: number; cursor?: string } }; answer: { items: (UserFigures)[]; next_cursor: string | null } };
  /** Makes a version the current one. */
  "versions.activate": { request: { path: { id: string; version_id: string } }; answer: Skill };
  /** Returns the signed statement about a version. */
  "versions.attestation": { request: { path: { id: string; version_id: string } }; answer: Attestation };
  /** Returns a file of a version. */
  "versions.file": { request: { path: { id: string; version_id: string; path: string } }; answer: Response };
  /** Lists the files of a version. */
  "versions.files": { request: { path: { id: string; version_id: string } }; answer: (SkillFile)[] };
  /** Lists the versions of a skill, newest first. */
  "versions.list": { request: { path: { id: string }; query?: { limit?: number; cursor?: string } }; answer: { items: (SkillVersion)[]; next_cursor: string | null } };
  /** Returns the permissions of a version. */
  "versions.permissions": { request: { path: { id: string; version_id: string }; query?: { base?: string } }; answer: { version_id: string; version: string | null; permissions: SkillPermissions; changes: { version_id: string; version: string | null; added: (SkillPermission)[]; removed: (SkillPermission)[] } | null } };
  /** Unyanks a version. */
  "versions.unyank": { request: { path: { id: string; version_id: string } }; answer: Skill };
  /** Blocks or unblocks a version for other clients. */
  "versions.verdict": { request: { path: { id: string; version_id: string }; body: { /** True blocks the version, false removes the block. */ blocked: boolean; /** Shown to everybody who requests the version. Only with `blocked: true`. */ reason?: string } }; answer: { version_id: string; blocked: boolean; reason: string | null } };
  /** Yanks a version. */
  "versions.yank": { request: { path: { id: string; version_id: string } }; answer: Skill };
  /** Deletes a webhook and its deliveries. */
  "webhooks.delete": { request: { path: { name: string }; query?: { scope?: "user" | "group" | "gateway"; group_name?: string } }; answer: void };
  /** Lists the deliveries of a webhook, newest first. */
  "webhooks.deliveries": { request: { path: { name: string }; query?: { limit?: number; cursor?: string; scope?: "user" | "group" | "gateway"; group_name?: string } }; answer: { items: (WebhookDelivery)[]; next_cursor: string | null } };
  /** Returns a webhook. */
  "webhooks.get": { request: { path: { name: string }; query?: { scope?: "user" | "group" | "gateway"; group_name?: string } }; answer: Webhook };
  /** Lists webhooks by name. */
  "webhooks.list": { request: { query?: { limit?: number; cursor?: string; scope?: "user" | "group" | "gateway"; group_name?: string } }; answer: { items: (Webhook)[]; next_cursor: string | null } };
  /** Sends a delivery again. */
  "webhooks.resend": { request: { path: { name: string; id: string }; query?: { scope?: "user" | "group" | "gateway"; group_name?: string } }; answer: WebhookDelivery };
  /** Replaces the secret of a webhook. */
  "webhooks.rotateSecret": { request: { path: { name: string }; query?: { scope?: "user" | "group" | "gateway"; group_name?: string } }; answer: WebhookSecret };
  /** Creates or replaces a webhook. */
  "webhooks.set": { request: { path: { name: string }; body: WebhookRequest }; answer: Webhook };
  /** Sends a test event to a webhook. */
  "webhooks.test": { request: { path: { name: string }; query?: { scope?: "user" | "group" | "gateway"; group_name?: string } }; answer: WebhookDelivery };
}

/** How to send each operation: method, path, whether it can be repeated, and special rules. */
export const OPERATIONS: Readonly<Record<keyof Operations, readonly [method: string, path: string, retry: "safe" | "idempotent" | "never", kind: string]>> = {
  "audit.list": ["GET","/api/v1/audit","safe","items"],
  "connections.confirm": ["POST","/api/v1/connections/{id}/confirm","never","json"],
  "connections.create": ["POST","/api/v1/mcp-servers/{name}/connect","never","json"],
  "connections.delete": ["DELETE","/api/v1/connections/{id}","idempotent","none"],
  "connections.list": ["GET","/api/v1/connections","safe","items"],
  "conversations.at": ["GET","/api/v1/conversations/{id}/at/{turn}","safe","json"],
  "conversations.create": ["POST","/api/v1/conversations","idempotent","json keyed"],
  "conversations.delete": ["DELETE","/api/v1/conversations/{id}","idempotent","none"],
  "conversations.events": ["GET","/api/v1/conversations/{id}/events","safe","events"],
  "conversations.feedback": ["GET","/api/v1/conversations/{id}/feedback","safe","items"],
  "conversations.get": ["GET","/api/v1/conversations/{id}","safe","json"],
  "conversations.list": ["GET","/api/v1/conversations","safe","items"],
  "conversations.prompt": ["GET","/api/v1/conversations/{id}/prompt","safe","json"],
  "conversations.rateTurn": ["POST","/api/v1/conversations/{id}/feedback","idempotent","json"],
  "conversations.restore": ["POST","/api/v1/conversations/{id}/restore","idempotent","json"],
  "conversations.series": ["GET","/api/v1/conversations/{id}/series","safe","json"],
  "conversations.set": ["PUT","/api/v1/conversations/{id}","idempotent","json keyed"],
  "conversations.socket": ["GET","/api/v1/conversations/{id}/socket","never","none"],
  "conversations.tools": ["GET","/api/v1/conversations/{id}/tools","safe","json"],
  "drafts.delete": ["DELETE","/api/v1/kinds/skills/drafts/{name}","idempotent","none"],
  "drafts.list": ["GET","/api/v1/kinds/skills/drafts","safe","json"],
  "drafts.promote": ["POST","/api/v1/kinds/skills/drafts/{name}/promote","idempotent","json keyed"],
  "drafts.push": ["PUT","/api/v1/kinds/skills/drafts/{name}","idempotent","json form"],
  "events.list": ["GET","/api/v1/events","safe","json"],
  "executor.get": ["GET","/api/v1/executor","safe","json"],
  "files.delete": ["DELETE","/api/v1/conversations/{id}/files/{file_id}","idempotent","none"],
  "files.get": ["GET","/api/v1/conversations/{id}/files/{file_id}","safe","bytes"],
  "files.list": ["GET","/api/v1/conversations/{id}/files","safe","items"],
  "gateway.front": ["GET","/","safe","json"],
  "gateway.health": ["GET","/health","safe","json"],
  "gateway.keys": ["GET","/.well-known/jwks.json","safe","json"],
  "gateway.live": ["GET","/health/live","safe","json"],
  "gateway.mcpResource": ["GET","/.well-known/oauth-protected-resource/mcp","safe","json"],
  "gateway.metrics": ["GET","/metrics","safe","bytes"],
  "gateway.resource": ["GET","/.well-known/oauth-protected-resource","safe","json"],
  "ghosts.create": ["POST","/api/v1/kinds/ghosts","never","json"],
  "ghosts.delete": ["DELETE","/api/v1/kinds/ghosts/{id}","idempotent","none"],
  "ghosts.get": ["GET","/api/v1/kinds/ghosts/{id}","safe","json"],
  "ghosts.list": ["GET","/api/v1/kinds/ghosts","safe","items"],
  "ghosts.predictions": ["GET","/api/v1/kinds/ghosts/{id}/predictions","safe","json"],
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
  "insights.overview": ["GET","/api/v1/insights/overview","safe","json"],
  "insights.searches": ["GET","/api/v1/insights/searches","safe","items"],
  "insights.services": ["GET","/api/v1/insights/services","safe","items"],
  "insights.skills": ["GET","/api/v1/insights/skills","safe","items"],
  "insights.unused": ["GET","/api/v1/insights/unused","safe","items"],
  "insights.versions": ["GET","/api/v1/insights/versions","safe","items"],
  "keys.create": ["POST","/api/v1/keys","never","json"],
  "keys.list": ["GET","/api/v1/keys","safe","items"],
  "keys.revoke": ["DELETE","/api/v1/keys/{id}","idempotent","none"],
  "keys.rotate": ["POST","/api/v1/keys/{id}/rotate","never","json"],
  "links.create": ["POST","/api/v1/links","never","json"],
  "links.list": ["GET","/api/v1/links","safe","json"],
  "links.revoke": ["DELETE","/api/v1/links/{id}","idempotent","none"],
  "mcpServers.approve": ["POST","/api/v1/mcp-servers/{name}/approve","safe","json"],
  "mcpServers.approveSkill": ["POST","/api/v1/mcp-servers/{name}/skills","safe","json"],
  "mcpServers.delete": ["DELETE","/api/v1/mcp-servers/{name}","idempotent","none"],
  "mcpServers.get": ["GET","/api/v1/mcp-servers/{name}","safe","json"],
  "mcpServers.list": ["GET","/api/v1/mcp-servers","safe","items"],
  "mcpServers.listSkills": ["GET","/api/v1/mcp-servers/{name}/skills","safe","json"],
  "mcpServers.searchCatalog": ["GET","/api/v1/server-catalog","safe","json"],
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
  "publishers.delete": ["DELETE","/api/v1/publishers/{name}","idempotent","none"],
  "publishers.exchange": ["POST","/api/v1/trusted-publishing/token","never","json"],
  "publishers.get": ["GET","/api/v1/publishers/{name}","safe","json"],
  "publishers.list": ["GET","/api/v1/publishers","safe","items"],
  "publishers.set": ["PUT","/api/v1/publishers/{name}","idempotent","json"],
  "questions.answer": ["POST","/api/v1/conversations/{id}/requests/{request_id}/response","idempotent","json keyed"],
  "questions.ask": ["POST","/api/v1/conversations/{id}/requests","idempotent","json keyed"],
  "questions.cancel": ["DELETE","/api/v1/conversations/{id}/requests/{request_id}","idempotent","none"],
  "questions.get": ["GET","/api/v1/conversations/{id}/requests/{request_id}","safe","json"],
  "questions.list": ["GET","/api/v1/conversations/{id}/requests","safe","items"],
  "ratings.answer": ["PUT","/api/v1/kinds/skills/{id}/ratings/{rating_id}/answer","idempotent","json"],
  "ratings.delete": ["DELETE","/api/v1/kinds/skills/{id}/ratings/own","idempotent","none"],
  "ratings.hide": ["PUT","/api/v1/kinds/skills/{id}/ratings/{rating_id}/hidden","idempotent","json"],
  "ratings.list": ["GET","/api/v1/kinds/skills/{id}/ratings","safe","json"],
  "ratings.put": ["PUT","/api/v1/kinds/skills/{id}/ratings/own","idempotent","json"],
  "reports.create": ["POST","/api/v1/kinds/skills/{id}/reports","never","json"],
  "reports.decide": ["PUT","/api/v1/reports/{id}/decision","idempotent","json"],
  "reports.list": ["GET","/api/v1/reports","safe","items"],
  "reviews.comment": ["POST","/api/v1/reviews/{id}/comments","never","json"],
  "reviews.decide": ["POST","/api/v1/reviews/{id}/decision","never","json"],
  "reviews.download": ["GET","/api/v1/reviews/{id}/download","safe","bytes"],
  "reviews.get": ["GET","/api/v1/reviews/{id}","safe","json"],
  "reviews.list": ["GET","/api/v1/reviews","safe","items"],
  "reviews.submit": ["POST","/api/v1/reviews","idempotent","json"],
  "reviews.withdraw": ["POST","/api/v1/reviews/{id}/withdraw","never","json"],
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
  "skillEnv.delete": ["DELETE","/api/v1/me/skill-env/{skill}","idempotent","none"],
  "skillEnv.get": ["GET","/api/v1/me/skill-env/{skill}","safe","json"],
  "skillEnv.list": ["GET","/api/v1/me/skill-env","safe","items"],
  "skillEnv.set": ["PUT","/api/v1/me/skill-env/{skill}","idempotent","json"],
  "skills.approveNetwork": ["PUT","/api/v1/kinds/skills/{id}/network","idempotent","json"],
  "skills.content": ["GET","/api/v1/kinds/skills/public/{id}/content","safe","json"],
  "skills.delete": ["DELETE","/api/v1/kinds/skills/{id}","idempotent","none"],
  "skills.deleteEnv": ["DELETE","/api/v1/kinds/skills/{id}/env","idempotent","none"],
  "skills.deletePublic": ["DELETE","/api/v1/kinds/skills/public/{id}","idempotent","none"],
  "skills.download": ["GET","/api/v1/kinds/skills/{id}/download","safe","bytes"],
  "skills.downloadPublic": ["GET","/api/v1/kinds/skills/public/{id}/download","safe","bytes"],
  "skills.evalRun": ["GET","/api/v1/kinds/skills/{id}/evals/{run_id}","safe","json"],
  "skills.evals": ["GET","/api/v1/kinds/skills/{id}/evals","safe","json"],
  "skills.file": ["GET","/api/v1/kinds/skills/{id}/files/{path}","safe","bytes"],
  "skills.files": ["GET","/api/v1/kinds/skills/{id}/files","safe","array"],
  "skills.get": ["GET","/api/v1/kinds/skills/{id}","safe","json"],
  "skills.invoke": ["POST","/api/v1/kinds/skills/invoke","safe","json"],
  "skills.list": ["GET","/api/v1/kinds/skills","safe","items"],
  "skills.listPublic": ["GET","/api/v1/kinds/skills/public/list","safe","array"],
  "skills.network": ["GET","/api/v1/kinds/skills/{id}/network","safe","json"],
  "skills.promoteRollout": ["POST","/api/v1/kinds/skills/{id}/rollout/promote","never","json"],
  "skills.publish": ["POST","/api/v1/kinds/skills/upload","idempotent","json form keyed"],
  "skills.publishPublic": ["POST","/api/v1/kinds/skills/public","idempotent","json form keyed"],
  "skills.publishPublicForm": ["POST","/api/v1/kinds/skills/public/upload","idempotent","json form keyed"],
  "skills.publishPublicVersion": ["PUT","/api/v1/kinds/skills/public/{id}/upload","idempotent","json form keyed"],
  "skills.publishVersion": ["PUT","/api/v1/kinds/skills/{id}","idempotent","json form keyed"],
  "skills.recordEvals": ["POST","/api/v1/kinds/skills/{id}/evals","never","json"],
  "skills.references": ["GET","/api/v1/kinds/skills/{id}/references","safe","json"],
  "skills.removeReference": ["POST","/api/v1/kinds/skills/{id}/remove-reference/{ghost_id}","never","json"],
  "skills.removeReferences": ["POST","/api/v1/kinds/skills/{id}/remove-references","idempotent","json"],
  "skills.rollout": ["GET","/api/v1/kinds/skills/{id}/rollout","safe","json"],
  "skills.setEnv": ["PUT","/api/v1/kinds/skills/{id}/env","idempotent","json"],
  "skills.setRollout": ["PUT","/api/v1/kinds/skills/{id}/rollout","idempotent","json"],
  "skills.share": ["POST","/api/v1/kinds/skills/{id}/share","idempotent","json keyed"],
  "skills.stopRollout": ["DELETE","/api/v1/kinds/skills/{id}/rollout","idempotent","none"],
  "skills.unified": ["GET","/api/v1/kinds/skills/unified","safe","array"],
  "skills.usage": ["GET","/api/v1/kinds/skills/{id}/usage","safe","json"],
  "skills.usageOfAll": ["GET","/api/v1/kinds/skills/usage","safe","json"],
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
  "versions.attestation": ["GET","/api/v1/kinds/skills/{id}/versions/{version_id}/attestation","safe","json"],
  "versions.file": ["GET","/api/v1/kinds/skills/{id}/versions/{version_id}/files/{path}","safe","bytes"],
  "versions.files": ["GET","/api/v1/kinds/skills/{id}/versions/{version_id}/files","safe","array"],
  "versions.list": ["GET","/api/v1/kinds/skills/{id}/versions","safe","items"],
  "versions.permissions": ["GET","/api/v1/kinds/skills/{id}/versions/{version_id}/permissions","safe","json"],
  "versions.unyank": ["POST","/api/v1/kinds/skills/{id}/versions/{version_id}/unyank","idempotent","json"],
  "versions.verdict": ["PUT","/api/v1/kinds/skills/{id}/versions/{version_id}/verdict","idempotent","json"],
  "versions.yank": ["POST","/api/v1/kinds/skills/{id}/versions/{version_id}/yank","idempotent","json"],
  "webhooks.delete": ["DELETE","/api/v1/webhooks/{name}","idempotent","none"],
  "webhooks.deliveries": ["GET","/api/v1/webhooks/{name}/deliveries","safe","items"],
  "webhooks.get": ["GET","/api/v1/webhooks/{name}","safe","json"],
  "webhooks.list": ["GET","/api/v1/webhooks","safe","items"],
  "webhooks.resend": ["POST","/api/v1/webhooks/{name}/deliveries/{id}/resend","never","json"],
  "webhooks.rotateSecret": ["POST","/api/v1/webhooks/{name}/rotate","never","json"],
  "webhooks.set": ["PUT","/api/v1/webhooks/{name}","idempotent","json"],
  "webhooks.test": ["POST","/api/v1/webhooks/{name}/test","never","json"],
};
