// Stores what a conversation knows of its skills' code, so that a turn needs neither D1 nor an isolate to know its tools.

import { type ToolMemory, toolMemorySchema } from "../../domain/conversation/offered";
import type { Session } from "../session";

/** Returns the stored data, read once. */
export function toolMemory({ memory, store }: Session): ToolMemory {
  if (memory.tools === null) {
    const stored = store.get("provided", toolMemorySchema) ?? { versions: {}, names: {}, known: {} };
    memory.tools = { kept: stored, written: JSON.stringify(stored), unsaved: false };
  }
  return memory.tools.kept;
}

/** Adds what versions declare, in memory. `storeToolNames` stores it in the same step. */
export function recordVersions(session: Session, versions: ToolMemory["versions"]): void {
  const { memory } = session;
  const stored = { ...toolMemory(session), versions };
  memory.tools = { kept: stored, written: memory.tools?.written ?? "", unsaved: true };
}

/** Stores tool names and facts of versions, unless the request only reads. */
export function storeToolNames(session: Session, named: Pick<ToolMemory, "names" | "known">, looks: boolean): void {
  const stored = { ...toolMemory(session), ...named };
  const written = session.memory.tools?.written ?? "";
  const text = looks ? written : JSON.stringify(stored);
  if (text !== written) session.store.set("provided", stored);
  session.memory.tools = { kept: stored, written: text, unsaved: looks };
}

/** Returns the skill and tool behind an offered name; `null` for other names. */
export function storedTool(session: Session, name: string): { skill: string; tool: string } | null {
  const { known } = toolMemory(session);
  return Object.hasOwn(known, name) ? (known[name] ?? null) : null;
}
