// Skills that an MCP server offers (SEP-2640, `skills/list`): their entries, and the comparison of files with them.

import * as z from "zod";
import { sha256Hex } from "../digest";
import { isJsonObject, type JsonObject, type JsonValue, jsonObject } from "../json";

/** Limits of what is taken from a server. Bytes are of all files of a skill. */
export const OFFERED_LIMITS = { pages: 10, skills: 200, files: 512, bytes: 16 * 1024 * 1024 } as const;

const SKILL_FILE = "SKILL.md";
const EXTENSION_ID = "io.modelcontextprotocol/skills";

/** Whether a server declares the extension in its capabilities. */
export function offersSkills({ extensions }: JsonObject = {}): boolean {
  return isJsonObject(extensions) && extensions[EXTENSION_ID] !== undefined;
}

const entrySchema = z.lazy(() =>
  z.object({
    uri: z
      .string()
      .regex(/^skill:\/\/[^\s\p{Cc}\p{Cf}]+\/SKILL\.md$/u)
      .max(1_024),
    frontmatter: jsonObject,
    resources: z
      .array(
        z.object({
          uri: z.string().max(2_048),
          digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
          size: z.int().nonnegative(),
        }),
      )
      .max(OFFERED_LIMITS.files),
  }),
);

/** An entry of `skills/list`. */
export type OfferedEntry = z.infer<typeof entrySchema>;

const pageSchema = z.lazy(() =>
  z.looseObject({ skills: z.array(z.unknown()).max(OFFERED_LIMITS.skills), nextCursor: z.string().optional() }),
);

/** Returns the valid entries of a page, and the cursor of the next; `null` if it is not a page of skills. */
export function readSkillsPage(page: JsonObject): { entries: OfferedEntry[]; next: string | undefined } | null {
  const parsed = pageSchema.safeParse(page).data;
  if (parsed === undefined) return null;
  const entries = parsed.skills.flatMap((one) => entrySchema.safeParse(one).data ?? []);
  return { entries, next: parsed.nextCursor };
}

/** A file of an offered skill, with its path in the skill's folder. */
export interface OfferedFile {
  uri: string;
  path: string;
  digest: string;
  size: number;
}

/** Returns the files of an entry, SKILL.md first, or why they cannot be taken. */
export function offeredFiles({ uri, resources }: OfferedEntry): { files: OfferedFile[] } | { problem: string } {
  const folder = uri.slice(0, -SKILL_FILE.length);
  const files: OfferedFile[] = [];
  let bytes = 0;
  for (const { uri: at, digest, size } of resources) {
    const path = at.startsWith(folder) ? decodedPath(at.slice(folder.length)) : null;
    if (path === null) return { problem: "a file is outside the skill's folder" };
    files.push({ uri: at, path, digest, size });
    bytes += size;
  }
  if (bytes > OFFERED_LIMITS.bytes) return { problem: "its files have more than 16 MiB" };
  const isMain = ({ uri: at }: OfferedFile) => at === uri;
  if (!files.some(isMain)) return { problem: "its SKILL.md is not among its files" };
  return { files: [...files.filter(isMain), ...files.filter((file) => !isMain(file))] };
}

function decodedPath(text: string): string | null {
  try {
    const parts = text.split("/").map(decodeURIComponent);
    return parts.some((part) => /^\.{0,2}$|[/\\]/.test(part)) ? null : parts.join("/");
  } catch {
    return null;
  }
}

/** Returns the digest that is reviewed: of the address, the frontmatter and the digests of all files. */
export async function entryDigest({ uri, frontmatter, resources }: OfferedEntry): Promise<string> {
  const files = resources.map((one) => [one.uri, one.digest, one.size] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  return `sha256:${await sha256Hex(JSON.stringify([uri, sorted(frontmatter), files]))}`;
}

/** Whether two values are the same JSON, in any order of members. */
export function isSameJson(a: JsonValue, b: JsonValue): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
}

/** Returns why the bytes are not those of the entry; `null` if they are. The size is compared first, because it is known before the digest. */
export async function fileProblem({ path, digest, size }: OfferedFile, bytes: Uint8Array): Promise<string | null> {
  if (bytes.byteLength !== size) return `'${path}' has ${bytes.byteLength} bytes instead of ${size}`;
  return `sha256:${await sha256Hex(bytes)}` === digest ? null : `the digest of '${path}' differs`;
}

/** Returns the name of an offered skill in the gateway's catalog. The prefix keeps servers from taking names of other skills. */
export function localSkillName(server: string, { frontmatter: { name } }: OfferedEntry): string | null {
  return typeof name === "string" ? `${server}-${name}` : null;
}

const contentsSchema = z.lazy(() =>
  z.looseObject({
    contents: z.array(
      z.union([
        z.looseObject({ uri: z.string(), text: z.string() }),
        z.looseObject({ uri: z.string(), blob: z.string() }),
      ]),
    ),
  }),
);

/** Returns the contents in the result of `resources/read`; none if it is not such a result. */
export function resourceContents(result: JsonObject): ({ text: string } | { blob: string })[] {
  return contentsSchema.safeParse(result).data?.contents ?? [];
}
