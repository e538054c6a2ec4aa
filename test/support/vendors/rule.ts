// What a vendor's API refuses, as a list of rules. Each says where it comes from, and has a request in the tests that it refuses.

import type { IncomingHttpHeaders } from "node:http";
import type * as z from "zod";

export interface Rule<Request> {
  /** What the rule asks for. */
  name: string;
  /** Where the vendor says so. */
  source: string;
  /** What the vendor would answer; `null` where the rule holds. */
  problem(request: Request): string | null;
}

/** A rule about what a request has besides its body. */
export interface HeaderRule extends Rule<IncomingHttpHeaders> {
  status: number;
}

export interface Refused {
  /** The rule that is broken: `shape`, or a rule's name. */
  rule: string;
  message: string;
}

/** Reads a body by its schema and holds it against the rules: the request, or the first thing that is wrong with it. */
export function judge<Request>(
  schema: z.ZodType<Request>,
  rules: readonly Rule<Request>[],
  body: unknown,
): { request: Request; refused: null } | { request: null; refused: Refused } {
  const read = schema.safeParse(body);
  if (!read.success) {
    const message = read.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ");
    return { request: null, refused: { rule: "shape", message } };
  }
  for (const rule of rules) {
    const message = rule.problem(read.data);
    if (message !== null) return { request: null, refused: { rule: rule.name, message } };
  }
  return { request: read.data, refused: null };
}

/** What the scripted model does in a step: calls tools, or says something and so ends the turn. */
export interface Move {
  calls: readonly { name: string; input: object }[];
  text: string;
}
