// Signatures of thinking blocks, by the rules of "Preserved thinking" (platform.claude.com/docs/en/build-with-claude/preserved-thinking
// and its pages on prefix checks, read 2026-11-22):
// - a block is bound to all that stood before it when it was made: `tools`, `system`, and every earlier block of the messages;
// - marks for the cache (`cache_control`) are not compared;
// - a thinking block that is left out or moved between others makes those after it invalid; leaving out all that come first does not.
//
// So a signature holds a digest of what stood before without any thinking, and names the thinking block that came before it.

import { createHash, type Hash } from "node:crypto";
import * as z from "zod";
import type { MessagesRequest } from "./anthropic-fields";

const signatureSchema = z.object({ before: z.string(), thought: z.string(), after: z.string().nullable() });

const BOUND =
  'The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';

/** The signature of a block that is made in answer to a request. */
export function sign(request: MessagesRequest, thinking: string): string {
  const { hash, last } = walk(request, () => {});
  const made = {
    before: hash.digest("base64url"),
    thought: digest(thinking),
    after: last === null ? null : digest(last),
  };
  return Buffer.from(JSON.stringify(made)).toString("base64url");
}

/** The first thinking block of a request that the check refuses, in the vendor's words. */
export function brokenThinking(request: MessagesRequest): string | null {
  const problems: string[] = [];
  walk(request, ({ at, before, last, thinking, signature }) => {
    const signed = read(signature);
    const told = `${at}: Invalid \`signature\` in \`thinking\` block.`;
    if (signed === null) problems.push(told);
    else if (signed.thought !== digest(thinking))
      problems.push(`${at}: \`thinking\` or \`redacted_thinking\` blocks cannot be modified.`);
    else if (signed.before !== before || (last !== null && signed.after !== digest(last)))
      problems.push(`${told} ${BOUND}`);
  });
  return problems[0] ?? null;
}

interface Seen {
  at: string;
  before: string;
  /** The signature of the thinking block before it. */
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

/** What nobody may read has its thought within. */
const opened = (block: Extract<Block, { type: "thinking" | "redacted_thinking" }>) =>
  block.type === "thinking" ? block : { thinking: REDACTED, signature: block.data };

/** The thought of a `redacted_thinking`, as far as a check can have one. */
export const REDACTED = "redacted";

function read(signature: string): z.infer<typeof signatureSchema> | null {
  try {
    return signatureSchema.parse(JSON.parse(Buffer.from(signature, "base64url").toString()));
  } catch {
    return null;
  }
}

export type Block = Exclude<MessagesRequest["messages"][number]["content"], string>[number];

/** A text is one block of text. */
export function blocks(content: string | readonly Block[]): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

const plain = (value: unknown) => JSON.stringify(value, (key, part) => (key === "cache_control" ? undefined : part));

const digest = (text: string) => createHash("sha256").update(text).digest("base64url");
