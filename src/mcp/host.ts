// Determines what an MCP host can be asked. A host of 2026 declares it in each request. A host of 2025 declares it once and sends it back
// as its session id, which is not secret and grants no access, because every request has its key.

import { isInitializeRequest } from "@modelcontextprotocol/server";
import * as z from "zod";
import { jsonObject } from "../domain/json";
import type { ClientCapabilities } from "../domain/servers/memory";
import type { HostSetup } from "../services/conversation/api";
import type { QuestionOutcome } from "../upstream/server-questions";

const capabilitiesSchema = z.object({
  elicitation: z.object({ form: jsonObject.optional(), url: jsonObject.optional() }).optional(),
  sampling: jsonObject.optional(),
  roots: jsonObject.optional(),
});

const modernSchema = z.object({
  params: z.object({
    _meta: z.object({
      "io.modelcontextprotocol/protocolVersion": z.string(),
      "io.modelcontextprotocol/clientCapabilities": capabilitiesSchema.optional(),
    }),
  }),
});

const replySchema = z.object({
  id: z.string().max(100),
  method: z.undefined().optional(),
  result: jsonObject.optional(),
  error: z.object({ code: z.int(), message: z.string().max(2_000) }).optional(),
});

type Reply = z.infer<typeof replySchema>;

/** Returns a host's answer to a question in a call's stream; `null` for other messages. */
export function replyIn(message: unknown): Reply | null {
  const reply = replySchema.safeParse(message).data;
  return reply === undefined || (reply.result === undefined && reply.error === undefined) ? null : reply;
}

/** Converts it to the conversation's format. */
export function responseOf({ result, error }: Reply): QuestionOutcome {
  return result === undefined ? { error: error ?? { code: -32603, message: "" } } : { result };
}

/** Returns what the sender of a message can be asked; `undefined`: nothing. */
export function hostOf(request: Request, message: unknown): HostSetup | undefined {
  const modern = modernSchema.safeParse(message).data?.params._meta;
  if (modern !== undefined) {
    const abilities = modern["io.modelcontextprotocol/clientCapabilities"] ?? {};
    return setupOf("modern", abilities);
  }
  if (isInitializeRequest(message))
    return setupOf("legacy", capabilitiesSchema.safeParse(message.params.capabilities).data ?? {});
  const [, letters = ""] = /^can-([fusr]{1,4})-[0-9a-f-]{36}$/.exec(request.headers.get("mcp-session-id") ?? "") ?? [];
  const can = (letter: string) => letters.includes(letter);
  const modes = { ...(can("f") ? { form: {} } : {}), ...(can("u") ? { url: {} } : {}) };
  return setupOf("legacy", {
    ...(can("f") || can("u") ? { elicitation: modes } : {}),
    ...(can("s") ? { sampling: {} } : {}),
    ...(can("r") ? { roots: {} } : {}),
  });
}

/** Returns the id of the session that this message starts; `null` if the host needs none. */
export function sessionFor(request: Request, message: unknown): string | null {
  if (!isInitializeRequest(message)) return null;
  const { elicitation, sampling, roots } = hostOf(request, message)?.abilities ?? {};
  const letters = [
    elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined) ? "f" : "",
    elicitation?.url === undefined ? "" : "u",
    sampling === undefined ? "" : "s",
    roots === undefined ? "" : "r",
  ].join("");
  return letters === "" ? null : `can-${letters}-${crypto.randomUUID()}`;
}

function setupOf(era: HostSetup["era"], { elicitation, sampling, roots }: ClientCapabilities): HostSetup | undefined {
  if (elicitation === undefined && sampling === undefined && roots === undefined) return undefined;
  const abilities = {
    ...(elicitation === undefined ? {} : { elicitation }),
    ...(sampling === undefined ? {} : { sampling }),
    ...(roots === undefined ? {} : { roots: {} }),
  };
  return { era, abilities };
}
