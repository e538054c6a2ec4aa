// JavaScript that is no file of its package as it was published: the text of `node -e`, or what a run has written. It is compiled apart,
// as a package is, before an isolate of its own runs it.

import { type RunnableScripts, runnableScripts } from "../domain/code/compiled";
import { isCode } from "../domain/code/graph";
import { sha256Hex } from "../domain/digest";
import { compileInIsolate } from "./compiling";
import type { IsolateParts, ScriptCall } from "./executor";

/** The name that a text has which is no file. */
const TEXT = "[eval]";

/** `null` where the package's own code is all that is asked for. A text says why it cannot run. */
export async function writtenCode(
  { loader, assets }: Pick<IsolateParts, "loader" | "assets">,
  { part, files, script }: ScriptCall,
): Promise<{ digest: string; scripts: RunnableScripts } | string | null> {
  if (part === undefined) return null;
  const written = files.find(({ path }) => path === part.file);
  if (part.text === undefined && written === undefined) return null;
  const bytes = part.text === undefined ? (written?.bytes ?? new Uint8Array()) : new TextEncoder().encode(part.text);
  const name = part.file?.split("/").at(-1) ?? "text.js";
  // As Node has it, a name that says nothing says that it is JavaScript.
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
