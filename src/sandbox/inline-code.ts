// Compiles JavaScript that is not part of the published package: the text of `node -e`, or a file that the run has written. It is compiled
// in a separate isolate before it runs.

import { type RunnableScripts, runnableScripts } from "../domain/code/compiled";
import { isCode } from "../domain/code/graph";
import { sha256Hex } from "../domain/digest";
import { compileInIsolate } from "./compiling";
import type { IsolateParts, ScriptCall } from "./executor";

/** The name of source text without a file. */
const TEXT = "[eval]";

/** Returns `null` if the call needs only the package's code. A string is the reason why the code cannot run. */
export async function writtenCode(
  { loader, assets }: Pick<IsolateParts, "loader" | "assets">,
  { part, files, script }: ScriptCall,
): Promise<{ digest: string; scripts: RunnableScripts } | string | null> {
  if (part === undefined) return null;
  const written = files.find(({ path }) => path === part.file);
  if (part.text === undefined && written === undefined) return null;
  const bytes = part.text === undefined ? (written?.bytes ?? new Uint8Array()) : new TextEncoder().encode(part.text);
  const name = part.file?.split("/").at(-1) ?? "text.js";
  // As in Node, a name without a known extension is JavaScript.
  const path = isCode(name) ? name : "text.js";
  const file = { path, size: bytes.length, offset: 0, mode: 0o644 as const, sha256: "" };
  const { code } = await compileInIsolate({ loader, assets }, { zip: bytes, files: [file], manifest: { tools: [] } });
  const compiled = code === null ? null : runnableScripts(code);
  if (compiled === null) return "The code could not be compiled now. Try again.";
  const key = part.text === undefined ? script.path : TEXT;
  const named = <T>(of: Record<string, T>) => Object.fromEntries(Object.entries(of).map(([, value]) => [key, value]));
  const scripts = { functions: named(compiled.functions), faults: named(compiled.faults) };
  return { digest: await sha256Hex(JSON.stringify([key, scripts])), scripts };
}
