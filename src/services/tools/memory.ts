// What a conversation keeps of its skills' code, so that a turn needs neither D1 nor an isolate to know its tools.

import { type ToolMemory, toolMemorySchema } from "../../domain/conversation/offered";
import type { Session } from "../session";

/** What is kept, read from the store once. */
export function toolMemory({ memory, store }: Session): ToolMemory {
  if (memory.tools === null) {
    const kept = store.get("provided", toolMemorySchema) ?? { versions: {}, names: {}, known: {} };
    memory.tools = { kept, written: JSON.stringify(kept), unsaved: false };
  }
  return memory.tools.kept;
}

/** Notes what versions declare, in memory: `storeToolNames` follows in the same step, and a version can be read again. */
export function recordVersions(session: Session, versions: ToolMemory["versions"]): void {
  const { memory } = session;
  const kept = { ...toolMemory(session), versions };
  memory.tools = { kept, written: memory.tools?.written ?? "", unsaved: true };
}

/** Keeps the names that tools were given, and what was noted of versions; stores them, unless somebody only looks. */
export function storeToolNames(session: Session, named: Pick<ToolMemory, "names" | "known">, looks: boolean): void {
  const kept = { ...toolMemory(session), ...named };
  const written = session.memory.tools?.written ?? "";
  const text = looks ? written : JSON.stringify(kept);
  if (text !== written) session.store.set("provided", kept);
  session.memory.tools = { kept, written: text, unsaved: looks };
}

/** The skill and tool behind a name that was offered in this conversation; `null` for any other name. */
export function storedTool(session: Session, name: string): { skill: string; tool: string } | null {
  const { known } = toolMemory(session);
  return Object.hasOwn(known, name) ? (known[name] ?? null) : null;
}
