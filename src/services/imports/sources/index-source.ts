// Imports from a site with an index at a well-known URL: plans its skills and downloads one.

import { sha256Hex } from "../../../domain/digest";
import { addressesOf, type ImportSource } from "../../../domain/imports/import";
import { readIndexDocument } from "../../../domain/imports/index-document";
import { IMPORT_LIMITS } from "../../../domain/imports/limits";
import type { Fetchable, Planned } from "../../../domain/imports/plan";
import { readTar, TarFault } from "../../../domain/imports/tar";
import { PACKAGE_LIMITS, SKILL_TOO_LARGE } from "../../../domain/limits";
import { utf8Text } from "../../../domain/text";
import { ImportStop, ItemFault } from "../stop";
import type { SourceAsker } from "./source-client";
import { type ExtractedFile, gunzipped, isGzip, zipOf } from "./unpacking";

/** Returns what the source offers now. */
export async function planIndex(asker: SourceAsker, source: ImportSource): Promise<Planned[]> {
  for (const at of addressesOf(source)) {
    const answer = await asker.get(at.href, IMPORT_LIMITS.indexBytes);
    if (answer === null) continue;
    const reading = readIndexDocument(utf8Text(await answer.bytes()) ?? "", at);
    if (reading.problem !== undefined) throw new ImportStop("failed", reading.problem);
    return reading.planned;
  }
  throw new ImportStop("failed", {
    code: "SOURCE_ABSENT",
    message: "Index of skills not found at the source. Check the URL.",
  });
}

/** Downloads a skill. Content that does not match the index is rejected. */
export async function fetchArtifact(
  asker: SourceAsker,
  { name, digest }: Planned,
  { url, isMarkdown }: Extract<Fetchable, { how: "artifact" }>,
): Promise<Uint8Array> {
  const bytes = await fetched(asker, url, IMPORT_LIMITS.artifactBytes);
  if (`sha256:${await sha256Hex(bytes)}` !== digest) {
    const message = `The digest of '${name}' does not match the index of the source. Try again, or ask the source to update its index.`;
    throw new ItemFault({ code: "DIGEST_MISMATCH", message });
  }
  if (isMarkdown) return zipOf([{ path: "SKILL.md", bytes, isExecutable: false }]);
  return isGzip(bytes) ? unpackedTar(bytes) : bytes;
}

/** Downloads a skill of an index that lists files. */
export async function fetchFiles(
  asker: SourceAsker,
  { base, paths }: Extract<Fetchable, { how: "files" }>,
): Promise<Uint8Array> {
  const files: ExtractedFile[] = [];
  let room: number = PACKAGE_LIMITS.unpackedBytes;
  for (const path of paths) {
    const address = new URL(path.split("/").map(encodeURIComponent).join("/"), base).href;
    const bytes = await fetched(asker, address, Math.min(room, PACKAGE_LIMITS.fileBytes));
    room -= bytes.length;
    files.push({ path, bytes, isExecutable: false });
  }
  return zipOf(files);
}

async function fetched(asker: SourceAsker, url: string, most: number): Promise<Uint8Array> {
  const answer = await asker.get(url, most);
  if (answer !== null) return answer.bytes();
  throw new ItemFault({
    code: "SOURCE_ABSENT",
    message: "The source does not have a file that its index lists. Ask the source to fix its index.",
  });
}

async function unpackedTar(bytes: Uint8Array): Promise<Uint8Array> {
  const files: ExtractedFile[] = [];
  let room: number = PACKAGE_LIMITS.unpackedBytes;
  const body = new Blob([bytes.slice()]).stream();
  const wants = (_: string, size: number) => {
    room -= size;
    if (room >= 0 && files.length < PACKAGE_LIMITS.files) return true;
    throw new TarFault("SOURCE_TOO_LARGE", SKILL_TOO_LARGE);
  };
  for await (const entry of readTar(gunzipped(body), wants)) {
    if (entry.type === "link") throw linked(entry.path);
    if (entry.bytes === null) continue;
    files.push({ path: entry.path.replace(/^\.\//, ""), bytes: entry.bytes, isExecutable: entry.isExecutable });
  }
  return zipOf(files);
}

/** The error for a skill that contains a link. */
export function linked(path: string): ItemFault {
  const message = `'${path.slice(0, 200)}' is a link or special file and was not imported. Replace it with a regular file.`;
  return new ItemFault({ code: "ARCHIVE_LINK", message });
}
