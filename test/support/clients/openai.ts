// Test client: the `openai` SDK with its stream helpers, tool runner and structured output.

import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import * as z from "zod";
import { type Asked, as, type Client, DOCUMENT, NO_INPUT, PICTURE, type Place } from "./client";

type Message = OpenAI.ChatCompletionMessageParam;
type Item = OpenAI.Responses.ResponseInputItem;

const tide = z.object({ tide: z.string() });

const openai = ({ baseURL, key, headers }: Place) =>
  new OpenAI({ apiKey: key, baseURL, maxRetries: 0, ...(headers === undefined ? {} : { defaultHeaders: headers }) });

function userMessage({ say, attached }: Asked): Message {
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

export const openaiChat: Client = {
  name: "openai chat",
  api: "openai-chat",
  async ask(place, history, asked) {
    const { own, schema, signal, onText } = asked;
    const user = userMessage(asked);
    const messages = [...as<Message[]>(history), user];
    if (own !== undefined) {
      const called = { name: own.name, description: own.description, parameters: NO_INPUT, parse: JSON.parse };
      const runner = openai(place).chat.completions.runTools({
        ...{ model: place.model, messages, stream: true },
        tools: [{ type: "function", function: { ...called, function: () => own.run() } }],
      });
      const text = (await runner.finalContent()) ?? "";
      return { text, added: runner.messages.slice(history.length) };
    }
    const stream = openai(place).chat.completions.stream(
      {
        ...{ model: place.model, messages },
        ...(schema === true ? { response_format: zodResponseFormat(tide, "tide") } : {}),
      },
      { signal: signal ?? null },
    );
    if (onText !== undefined) stream.on("content", onText);
    const completion = await stream.finalChatCompletion();
    const { content, parsed } = completion.choices[0]!.message;
    const said = { role: "assistant", content };
    return { text: content ?? "", parsed, added: [user, said] };
  },
};

function userItem({ say, attached }: Asked): Item {
  if (attached !== true) return { role: "user", content: say };
  return {
    role: "user",
    content: [
      { type: "input_text", text: say },
      { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${PICTURE}` },
      { type: "input_file", filename: "tides.pdf", file_data: `data:application/pdf;base64,${DOCUMENT}` },
    ],
  };
}

export const openaiResponses: Client = {
  name: "openai responses",
  api: "openai-responses",
  async ask(place, history, asked) {
    const { own, schema, signal, onText } = asked;
    const added: unknown[] = [userItem(asked)];
    for (;;) {
      const stream = openai(place).responses.stream(
        {
          ...{ model: place.model, store: false, include: ["reasoning.encrypted_content"] },
          input: as<Item[]>([...history, ...added]),
          ...(schema === true ? { text: { format: zodTextFormat(tide, "tide") } } : {}),
          ...(own === undefined ? {} : { tools: [functionTool(own)] }),
        },
        { signal: signal ?? null },
      );
      if (onText !== undefined) stream.on("response.output_text.delta", ({ delta }) => onText(delta));
      const { output, output_text: text, output_parsed: parsed } = await stream.finalResponse();
      added.push(...output.map(withoutParsed));
      const calls = output.filter((item) => item.type === "function_call");
      if (own === undefined || calls.length === 0) return { text, parsed, added };
      for (const { call_id } of calls) added.push({ type: "function_call_output", call_id, output: own.run() });
    }
  },
};

const functionTool = ({ name, description }: NonNullable<Asked["own"]>) => ({
  ...{ type: "function" as const, name, description, parameters: NO_INPUT, strict: true },
});

/** Removes the parsed value that the SDK adds to an item. */
function withoutParsed(item: object): object {
  const { parsed_arguments: _, ...rest } = as<{ parsed_arguments?: unknown; content?: object[] }>(item);
  const parts = rest.content?.map((part) => {
    const { parsed: __, ...bare } = as<{ parsed?: unknown }>(part);
    return bare;
  });
  return parts === undefined ? rest : { ...rest, content: parts };
}
