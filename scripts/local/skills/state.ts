// Stores in the state folder what `npm start -- --skills` has read and published, so that a restart does neither again.

import { readFile } from "node:fs/promises";
import * as z from "zod";
import { writeWhole } from "../../../sdk/cli/write-folder";

const readSchema = z.union([
  z.object({ name: z.string(), label: z.string().nullable(), digest: z.string(), zipSha256: z.string() }),
  z.object({ problem: z.string() }),
]);

const stateSchema = z.object({
  form: z.literal(1),
  /** By folder: what was read, at which signature. */
  folders: z.record(z.string(), z.object({ signature: z.string(), read: readSchema })),
  /** By name: what was published. */
  skills: z.record(
    z.string(),
    z.object({
      folder: z.string(),
      root: z.string(),
      digest: z.string(),
      skillId: z.string(),
      versions: z.array(z.string()),
      updatedAt: z.string(),
      isYanked: z.boolean(),
    }),
  ),
});
export type SkillsState = z.infer<typeof stateSchema>;

/** Returns the stored state; an empty one where there is none that this version reads. Equal content is then found by its hash. */
export async function readState(file: string): Promise<SkillsState> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  return parseState(text) ?? { form: 1, folders: {}, skills: {} };
}

function parseState(text: string): SkillsState | null {
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

export function writeState(file: string, state: SkillsState): Promise<void> {
  return writeWhole(file, JSON.stringify(state));
}
