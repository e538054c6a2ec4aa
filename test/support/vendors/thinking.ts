// Signs and checks thinking blocks by the rules of "Preserved thinking" (platform.claude.com/docs/en/build-with-claude/preserved-thinking
// and its pages on prefix checks, read 2026-11-22):
// - A block is bound to everything before it: `tools`, `system`, and every earlier block of the messages.
// - Cache marks (`cache_control`) are not compared.
// - Removing or moving a thinking block makes the later ones invalid. Removing all thinking blocks before a point is valid.
//
// A signature therefore contains a digest of everything before the block without thinking, and the previous thinking block.

import { createHash, type Hash } from "node:crypto";
import * as z from "zod";
import type { MessagesRequest } from "./anthropic-fields";

const signatureSchema = z.object({ before: z.string(), thought: z.string(), after: z.string().nullable() });

const BOUND =
  'The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';

/** Returns the signature of a thinking block in the answer to a request. */
export function sign(request: MessagesRequest, thinking: string): string {
  const { hash, last } = walk(request, () => {});
  const made = {
    before: hash.digest("base64url"),
    thought: digest(thinking),
    after: last === null ? null : digest(last),
  };
  return Buffer.from(JSON.stringify(made)).toString("base64url");
}

/** Returns the vendor's error message for the first invalid thinking block of a request. */
export function brokenThinking(request: MessagesRequest): string | null {
  const problems: string[] = [];
  walk(request, ({ at, before, last, thinking, signature }) => {
    const signed = read(signature);
    const message = `${at}: Invalid \`signature\` in \`thinking\` block.`;
    if (signed === null) problems.push(message);
    else if (signed.thought !== digest(thinking))
      problems.push(`${at}: \`thinking\` or \`redacted_thinking\` blocks cannot be modified.`);
    else if (signed.before !== before || (last !== null && signed.after !== digest(last)))
      problems.push(`${message} ${BOUND}`);
  });
  return problems[0] ?? null;
}

interface Seen {
  at: string;
  before: string;
  /** Signature of the previous thinking block. */
  last: string | null;
  thinking: string;
  signature: string;
}

function walk(request: MessagesRequest, see: (seen: Seen) => void): { hash: Hash; last: string | null } {
  const hash = createHash("sha256").update(plain([request.tools ?? [], blocks(request.system ?? [])]));
  let last: string | null = null;
  for (const [index, { role, content }] of request.messages.entries()) {
    for (const [place, block] of blocks(content).entries()) {
      if (block.type !== "thinking" && block.type !== "redacted_thinking") {
        hash.update(plain([role, block]));
        continue;
      }
      const { thinking, signature } = opened(block);
      const at = `messages.${index}.content.${place}`;
      see({ at, before: hash.copy().digest("base64url"), last, thinking, signature });
      last = signature;
    }
  }
  return { hash, last };
}

/** A redacted block contains its thought in the encrypted data. */
const opened = (block: Extract<Block, { type: "thinking" | "redacted_thinking" }>) =>
  block.type === "thinking" ? block : { thinking: REDACTED, signature: block.data };

/** Placeholder for the thought of a `redacted_thinking` block. */
export const REDACTED = "redacted";

function read(signature: string): z.infer<typeof signatureSchema> | null {
  try {
    return signatureSchema.parse(JSON.parse(Buffer.from(signature, "base64url").toString()));
  } catch {
    return null;
  }
}

export type Block = Exclude<MessagesRequest["messages"][number]["content"], string>[number];

/** Converts a text into one text block. */
export function blocks(content: string | readonly Block[]): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

const plain = (value: unknown) => JSON.stringify(value, (key, part) => (key === "cache_control" ? undefined : part));

const digest = (text: string) => createHash("sha256").update(text).digest("base64url");
