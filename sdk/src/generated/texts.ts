// Made from the OpenAPI document by sdk/emit.mjs; do not edit.

/** Descriptions of fields that pages use. */
export const FIELD_TEXTS = {
  "ghostSpec": {
    "systemPrompt": "The system prompt of every turn. Skills add their instructions when they are loaded.",
    "mcpServers": "MCP servers by name, each with `url` and optional `headers`. Write credentials as `${{secrets.NAME}}`. They are connected in every conversation with this agent.",
    "skills": "Skills that the model can load: names with an optional `@range`. `*` means all skills of the agent's scope. Dependencies must be listed, too. Without this field, a stored agent has no skills and an inline spec has every visible skill. `null` means none.",
    "preload_skills": "Names from `skills` whose instructions are always in the prompt. Each costs its tokens in every turn.",
    "skill_refs": "Selects a skill if several have the same name. A reference gives no access to skills that are not visible.",
    "retentionTurns": "The number of turns that a loaded skill stays active. `conversation` means until the end. Default: `SKILL_RETENTION_TURNS` of the gateway.",
    "predict": "Predictive loading for conversations with this agent. `shadow` only compares predictions with what models load. `on` appends the instructions of a likely skill to the user's message. Default: `shadow`.",
    "model": "The model that the chat endpoint uses for `ghost/<name>`."
  }
} as const;
