// Made from the OpenAPI document by sdk/emit.mjs; do not edit.

/** What the API says of fields that pages ask for. */
export const FIELD_TEXTS = {
  "ghostSpec": {
    "systemPrompt": "What the model is told first, in every turn: who it is and how it works. Skills say the rest when they are loaded.",
    "mcpServers": "MCP servers that it brings, by name: each with its `url`, and `headers` if need be. A credential is written as `${{secrets.NAME}}`. They are connected in every conversation with it.",
    "skills": "What the model may load: names, each with `@range` if need be; `*`: all of the ghost's scope. What they need must be among them. A stored ghost without this has no skills, an inline spec every visible one. `null`: none.",
    "preload_skills": "Names among `skills` whose instructions are in the prompt from the first turn on, and stay. Each costs its tokens in every turn.",
    "skill_refs": "By name, where several have it: which skill is meant. A reference chooses among what is visible, and lets nothing in.",
    "retentionTurns": "How many turns a loaded skill stays; `conversation`: to the end. Without it the gateway's `SKILL_RETENTION_TURNS`.",
    "model": "The model of the chat endpoint that runs it, by the name that its user has for it, where one asks for `ghost/<name>`."
  }
} as const;
