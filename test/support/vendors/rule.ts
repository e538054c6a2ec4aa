// Validation rules of a vendor's API. Each rule names its source, and tests contain a request that it rejects.

import type { IncomingHttpHeaders } from "node:http";
import type * as z from "zod";

export interface Rule<Request> {
  /** The requirement. */
  name: string;
  /** The vendor's documentation of the rule. */
  source: string;
  /** Returns the vendor's error message, or `null` if the rule is met. */
  problem(request: Request): string | null;
}

/** A rule about the headers of a request. */
export interface HeaderRule extends Rule<IncomingHttpHeaders> {
  status: number;
}

export interface Refused {
  /** The violated rule: `shape`, or a rule's name. */
  rule: string;
  message: string;
}

/** Parses a body by its schema and checks the rules. Returns the request or the first problem. */
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

/** The scripted model's action in a step: calls of tools, or text that ends the turn. */
export interface Move {
  calls: readonly { name: string; input: object }[];
  text: string;
}
