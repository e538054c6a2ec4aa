// Streams the answer of a model from the chat endpoint.

import { eventsOf } from "../../../sdk/src/sse";
import { ask } from "../gateway/call";
import { fieldsIn, fieldsOf, Refusal, vendorProblem } from "../gateway/refusal";
import { t } from "../text/text";

export type Piece = { kind: "text"; text: string } | { kind: "loaded"; skills: string[] };

export interface Message {
  role: "user" | "assistant";
  content: string;
}

export interface Asked {
  conversation: string;
  model: string;
  ghost: string | undefined;
  messages: readonly Message[];
  signal: AbortSignal;
}

/** Also throws a `Refusal` if the answer breaks off. Sending the same request again continues the answer where it stopped. */
export async function* answerTo({ conversation, model, ghost, messages, signal }: Asked): AsyncGenerator<Piece> {
  const answer = await ask("/openai/v1/chat/completions", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-conversation-id": conversation,
      "x-skill-events": "1",
      ...(ghost === undefined ? {} : { "x-skill-ghost": ghost }),
    },
    body: JSON.stringify({ model, messages, stream: true }),
    signal,
  });
  let isWhole = false;
  try {
    for await (const { event, data } of eventsOf(answer.body ?? new ReadableStream())) {
      if (data === "[DONE]") isWhole = true;
      else if (event === "skills") yield* loadedIn(data);
      else yield* textIn(data, answer);
    }
  } catch (error) {
    if (signal.aborted || error instanceof Refusal) throw error;
  }
  if (!isWhole) throw new Refusal(0, "BROKEN_OFF", t("The answer was interrupted. Try again to continue it."));
}

function* loadedIn(data: string): Generator<Piece> {
  const { loaded } = fieldsOf(data);
  if (Array.isArray(loaded)) yield { kind: "loaded", skills: loaded.filter((name) => typeof name === "string") };
}

function* textIn(data: string, answer: Response): Generator<Piece> {
  const chunk = fieldsOf(data);
  const { code, message } = vendorProblem(chunk);
  if (message !== undefined)
    throw new Refusal(502, code ?? "MODEL_FAILED", message, [], answer.headers.get("x-request-id"));
  const [choice] = Array.isArray(chunk.choices) ? chunk.choices : [];
  const { content } = fieldsIn(fieldsIn(choice).delta);
  if (typeof content === "string" && content !== "") yield { kind: "text", text: content };
}
