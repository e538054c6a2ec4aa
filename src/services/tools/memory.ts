// What a conversation keeps of its skills' code, so that a turn needs neither D1 nor an isolate to know its tools.

import * as z from "zod";
import { jsonObject } from "../../domain/json";
import { describedSchema } from "../../sandbox/provider";
import type { Session } from "../session";

const factsSchema = z.object({
  digest: z.string(),
  config: jsonObject,
  provider: z.object({ path: z.string(), class: z.string() }).nullable(),
  tools: z.array(z.object({ name: z.string(), provider: z.string().optional(), config: jsonObject.optional() })),
  /** Whether the package has any file that could run as a script. */
  scripts: z.boolean(),
  /** Entries of MCP servers; absent where an earlier gateway kept the rest. */
  servers: jsonObject.optional(),
  /** What the provider said of its tools; `null` until it was asked. */
  described: describedSchema.nullable(),
});
export type CodeFacts = z.infer<typeof factsSchema>;

const storeSchema = z.object({
  /** By version id; those of active skills. */
  versions: z.record(z.string(), factsSchema),
  /**
   * Names that tools have until their skill's activation ends: by skill, with the activation they were given in. Tools of servers
   * that no skill brought are under `/` and the server's name.
   */
  names: z.record(z.string(), z.object({ order: z.number(), tools: z.record(z.string(), z.string()) })),
  /** Every tool that was ever offered here, by the name it had; `skill` is empty where none brought it. */
  known: z.record(z.string(), z.object({ skill: z.string(), tool: z.string() })),
});
export type ToolMemory = z.infer<typeof storeSchema>;

/** What a session has in memory, and the text of it that is stored. */
const open = new WeakMap<Session, { store: ToolMemory; written: string }>();

export function toolMemory(session: Session): ToolMemory {
  const known = open.get(session);
  if (known !== undefined) return known.store;
  const store = session.store.get("provided", storeSchema) ?? { versions: {}, names: {}, known: {} };
  open.set(session, { store, written: JSON.stringify(store) });
  return store;
}

/** Notes what versions declare, in memory: `keepProvided` follows in the same step, and a version can be read again. */
export function noteVersions(session: Session, versions: ToolMemory["versions"]): void {
  const store = { ...toolMemory(session), versions };
  open.set(session, { store, written: open.get(session)?.written ?? "" });
}

/** Stores the names that tools were given, and what was noted of versions. */
export function keepOffered(session: Session, named: Pick<ToolMemory, "names" | "known">): void {
  const store = { ...toolMemory(session), ...named };
  const text = JSON.stringify(store);
  if (text !== open.get(session)?.written) session.store.set("provided", store);
  open.set(session, { store, written: text });
}

/** The skill and tool behind a name that was offered in this conversation; `null` for any other name. */
export function knownTool(session: Session, name: string): { skill: string; tool: string } | null {
  const { known } = toolMemory(session);
  return Object.hasOwn(known, name) ? (known[name] ?? null) : null;
}
