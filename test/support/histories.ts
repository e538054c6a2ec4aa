// Generates histories of chat back ends: the same events in every format and in every kind of record.

import type { ModelHistory } from "./model";

export type Step = { what: "load" | "failed" | "unload"; name: string };

export interface Script {
  form: "openai" | "responses" | "anthropic" | "ai-sdk" | "mcp";
  /** How loads are recorded: `loaded_skills`, tool calls, both, alternating, or only in the assistant's text. */
  kind: "structured" | "calls" | "both" | "turn-about" | "text";
  turns: Step[][];
  greeting: boolean;
  /** Whether it ends with an unanswered question. */
  trailing: boolean;
  /** The assistant quotes a tool result about this skill in every turn. */
  quotes: string;
}

type Message = Record<string, unknown>;

/** Returns the loads that a reader can derive from what this kind records. */
export function meaning(script: Script): ModelHistory {
  return {
    turns: script.turns.map((steps, index) => {
      const loaded: string[] = [];
      const unloaded: string[] = [];
      for (const { what, name } of steps) {
        if (what === "failed") continue;
        if (loaded.includes(name)) loaded.splice(loaded.indexOf(name), 1);
        if (what === "load") loaded.push(name);
        else if (!unloaded.includes(name)) unloaded.push(name);
      }
      if (script.kind === "text")
        return { loaded: steps.filter((step) => step.what === "load").map((step) => step.name), unloaded: [] };
      const { calls, structured } = records(script, index);
      // A turn without records may be older than the recording, so its text counts, including quotes.
      if (!structured && steps.length === 0) return { loaded: [script.quotes], unloaded: [] };
      return { loaded, unloaded: calls ? unloaded : [] };
    }),
  };
}

function records(script: Script, turn: number): { calls: boolean; structured: boolean } {
  if (script.kind === "turn-about") return { calls: turn % 2 === 1, structured: turn % 2 === 0 };
  return {
    calls: script.kind === "calls" || script.kind === "both",
    structured: script.kind === "structured" || script.kind === "both",
  };
}

/** Returns the messages of a script. */
export function messages(script: Script): Message[] {
  const { form } = script;
  const all: Message[] = [{ role: "system", content: "You help." }];
  if (script.greeting) all.push(said(form, "assistant", "Hello!"));
  for (const [turn, steps] of script.turns.entries()) {
    const { calls, structured } = records(script, turn);
    all.push(said(form, "user", `Question ${turn}`));
    if (calls) for (const [index, step] of steps.entries()) all.push(...called(form, `c${turn}-${index}`, step));
    const loaded = meaning({ ...script, kind: "both" }).turns[turn]?.loaded ?? [];
    // There are no quotes if the text is the only record.
    const text =
      script.kind === "text" ? steps.map(answerOf).join("\n") : answerOf({ what: "load", name: script.quotes });
    all.push({ ...said(form, "assistant", `${text}\nDone.`), ...(structured ? { loaded_skills: loaded } : {}) });
  }
  if (script.trailing) all.push(said(form, "user", "One more thing"));
  return all;
}

function answerOf({ what, name }: Step): string {
  if (what === "load") return `Skill '${name}' has been loaded. The instructions have been added to the system prompt.`;
  if (what === "unload") return `Skill '${name}' has been unloaded.`;
  return `Error: Skill '${name}' is not available. Available skills: none`;
}

function said(form: Script["form"], role: "user" | "assistant", text: string): Message {
  if (form === "responses")
    return { type: "message", role, content: [{ type: role === "user" ? "input_text" : "output_text", text }] };
  if (form === "anthropic" || form === "ai-sdk") return { role, content: [{ type: "text", text }] };
  if (form === "mcp") return { role, content: { type: "text", text } };
  return { role, content: text };
}

function called(form: Script["form"], id: string, step: Step): Message[] {
  const name = step.what === "unload" ? "unload_skill" : "load_skill";
  const input = { skill_name: step.name };
  const text = answerOf(step);
  const failed = step.what === "failed";
  switch (form) {
    case "openai":
      return [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(input) } }],
        },
        { role: "tool", tool_call_id: id, content: text },
      ];
    case "responses":
      return [
        { type: "reasoning", summary: [] },
        { type: "function_call", call_id: id, name, arguments: JSON.stringify(input) },
        { type: "function_call_output", call_id: id, output: text },
      ];
    case "anthropic":
      return [
        {
          role: "assistant",
          content: [
            { type: "text", text: "Let me see." },
            { type: "tool_use", id, name, input },
          ],
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: id, content: [{ type: "text", text }], is_error: failed }],
        },
      ];
    case "ai-sdk":
      return [
        { role: "assistant", content: [{ type: "tool-call", toolCallId: id, toolName: name, input }] },
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: id,
              toolName: name,
              output: { type: failed ? "error-text" : "text", value: text },
            },
          ],
        },
      ];
    case "mcp":
      return [
        { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
        {
          role: "user",
          content: [{ type: "tool_result", toolUseId: id, content: [{ type: "text", text }], isError: failed }],
        },
      ];
  }
}
