// Client `promptfoo`: an evaluation with the gateway as its provider. It sends one request and grades the answer, without a chat.

import { tmpdir } from "node:os";
import path from "node:path";
import { type Asked, as, type Client, DOCUMENT, PICTURE } from "../../support/clients/client";

// By default, it writes to the home folder and sends telemetry.
process.env.PROMPTFOO_CONFIG_DIR ??= path.join(tmpdir(), "skill-gateway-promptfoo");
for (const name of ["TELEMETRY", "UPDATE", "REMOTE_GENERATION", "SHARING"])
  process.env[`PROMPTFOO_DISABLE_${name}`] = "1";

const TIDE = {
  type: "json_schema",
  json_schema: {
    ...{ name: "tide", strict: true },
    schema: {
      type: "object",
      properties: { tide: { type: "string" } },
      required: ["tide"],
      additionalProperties: false,
    },
  },
};

function userMessage({ say, attached }: Asked) {
  if (attached !== true) return { role: "user", content: say };
  return {
    role: "user",
    content: [
      { type: "text", text: say },
      { type: "image_url", image_url: { url: `data:image/png;base64,${PICTURE}` } },
      { type: "file", file: { filename: "tides.pdf", file_data: `data:application/pdf;base64,${DOCUMENT}` } },
    ],
  };
}

const NO_LOOP = "it asks once, and hands a call of a tool to its assertions";

export const promptfooChat: Client = {
  name: "promptfoo",
  api: "openai-chat",
  lacks: {
    "its own tool": NO_LOOP,
    "both in one step": NO_LOOP,
    reload: NO_LOOP,
    abort: "an evaluation cannot be stopped by its caller",
  },
  async ask({ baseURL, key, model, headers }, history, asked) {
    const { default: promptfoo } = await import("promptfoo");
    const user = userMessage(asked);
    const config = {
      ...{ apiBaseUrl: baseURL, apiKey: key, headers: headers ?? {} },
      ...(asked.schema === true ? { response_format: TIDE } : {}),
    };
    const evaluated = await promptfoo.evaluate(
      {
        prompts: [JSON.stringify([...history, user])],
        providers: [{ id: `openai:chat:${model}`, config }],
        tests: [{ vars: {} }],
      },
      { cache: false, showProgressBar: false, maxConcurrency: 1 },
    );
    const { results } = as<{ results: { error?: string; response?: { output: unknown } }[] }>(
      await evaluated.toEvaluateSummary(),
    );
    const [first] = results;
    if (first?.response === undefined) throw new Error(first?.error ?? "there is no result");
    const { output } = first.response;
    const text = typeof output === "string" ? output : JSON.stringify(output);
    asked.onText?.(text);
    return { text, parsed: output, added: [user, { role: "assistant", content: text }] };
  },
};
