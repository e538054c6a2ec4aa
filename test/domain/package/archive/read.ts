// Helpers for tests of the archive reader: an entry, a function that reads an archive, and the codes of its issues.

import { expect } from "vitest";
import { type ArchiveEntry, readArchive } from "../../../../src/domain/package/archive";
import { readStrictly } from "../../../support/strict-reader";
import { bytesOf, crcOf, extraOf, join, record, type ZipEntry, type ZipFlaws, zipOf } from "../../../support/zip";

export const MiB = 1024 * 1024;
export const note: ZipEntry = { name: "demo/note.md", data: "a note" };
export const noise = (length: number) => {
  const bytes = new Uint8Array(length);
  let state = 1;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
};

export const unicodePath = (forName: string, name: string) =>
  extraOf(0x7075, join([record([1, 1], [4, crcOf(bytesOf(forName))]), bytesOf(name)]));

export const honest = (entries: ZipEntry[], flaws?: ZipFlaws) => readArchive(zipOf(entries, flaws));
export const codes = (issues: { code: string }[]) => [...new Set(issues.map(({ code }) => code))];

export async function expectSameAsStrictReader(zip: Uint8Array, entries: readonly ArchiveEntry[]): Promise<void> {
  const strict = await readStrictly(zip, (name) => /^__MACOSX\/|(^|\/)\.(DS_Store$|_)/.test(name));
  expect(new Map(entries.map(({ path, bytes }) => [path, bytes]))).toEqual(strict);
}
