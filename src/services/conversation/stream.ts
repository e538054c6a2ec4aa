// Streams tool calls or a server's prompt as server-sent events.

import { DURATIONS } from "../../domain/durations";
import type { ServerLog } from "../../domain/servers/log";
import { type AnsweredCall, type ReadCall, renderResult } from "../../domain/tools/formats";
import type { Progress } from "../../upstream/tool-call";
import type { Context } from "../context";
import type { HostRound } from "../host-questions";
import type { Session } from "../session";
import { type PromptRequest, refusal, type ToolCallsRequest } from "./api";
import type { Listener, RunningCalls } from "./running";
import { runCalls } from "./step";

/**
 * Runs the calls of a step and streams `progress`, `sign_in`, a `result` for each finished call, then `done` with the whole response (for a prompt:
 * only the prompt), or `error` with the refusal. `asked` contains questions to the host and ends the stream for modern hosts. Closing the
 * stream cancels running calls.
 */
export function streamCalls(
  context: Context,
  session: Session,
  running: RunningCalls,
  request: ToolCallsRequest | PromptRequest,
): ReadableStream<Uint8Array> {
  const cancelled = new AbortController();
  let left = false;
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async start(controller) {
      const write = (text: string) => {
        if (!cancelled.signal.aborted && !left) controller.enqueue(encoder.encode(text));
      };
      const send = (event: string, data: unknown) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      // Only a write detects that nobody listens any more.
      const alive = setInterval(() => write(": keep-alive\n\n"), DURATIONS.stepAlive);
      const onResult = (answered: AnsweredCall) => send("result", renderResult(answered));
      const onProgress = ({ id, name }: ReadCall, progress: Progress) => send("progress", { id, name, ...progress });
      const onAsked = (asked: HostRound) => {
        send("asked", asked);
        if (request.client?.host?.era !== "modern" || left) return;
        // The host returns with the answers on another stream. The call keeps waiting.
        left = true;
        clearInterval(alive);
        controller.close();
      };
      try {
        const onLog = (log: ServerLog) => send("log", log);
        const listener: Listener = { onResult, onProgress, onLog, onAsked, signal: cancelled.signal };
        if ("calls" in request && request.waitsForSignIn === true) {
          listener.onSignIn = ({ id, name }, link) => send("sign_in", { id, name, ...link });
          // Calls wait until their links expire or the stream is closed.
          listener.signInEnded = new Promise(() => undefined);
        }
        send("done", await take(context, session, running, request, listener));
      } catch (error) {
        send("error", refusal(error).error);
      } finally {
        clearInterval(alive);
      }
      if (!cancelled.signal.aborted && !left) controller.close();
    },
    cancel() {
      cancelled.abort();
    },
  });
}

/** Only hosts request prompts, so the module is loaded with the first such request. */
async function take(
  context: Context,
  session: Session,
  running: RunningCalls,
  request: ToolCallsRequest | PromptRequest,
  listener: Listener,
): Promise<object> {
  if ("calls" in request) return runCalls(context, session, running, request, listener);
  const { getPrompt } = await import("./host/prompt-call");
  return { prompt: await getPrompt(context, session, running, request, listener) };
}
